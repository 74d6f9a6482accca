package coder

import (
	"io/fs"
	"strings"
	"sync"
	"testing"
)

// dataNames are the names of the templates that are data.
func dataNames(t testing.TB) (names []string) {
	t.Helper()
	files, err := fs.Glob(templateFiles, "templates/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(f, "templates/"), ".json"))
	}
	return names
}

// All templates that are data pass their own tests in the real sandbox and are registered with a good score.
func TestEveryDataTemplateIsRegistered(t *testing.T) {
	w := newWorkshop(t, false)
	names := dataNames(t)
	var some sync.WaitGroup
	for i := range 2 { // as many as there are workers
		some.Go(func() {
			for at := i; at < len(names); at += 2 {
				k, err := dataTemplate(names[at])
				if err != nil {
					t.Error(err)
					continue
				}
				registers(t, w, k)
			}
		})
	}
	some.Wait()
}
