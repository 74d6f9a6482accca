package compute

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"
	"time"
)

// now is the clock of the tests: a Friday.
var now = time.Date(2026, 11, 27, 14, 5, 0, 0, time.UTC)

//go:embed testdata/asked-built.txt
var askedBuilt string

//go:embed testdata/asked-counted.txt
var askedCounted string

// asked are the questions of a file, and what must be in the answers.
func asked(t testing.TB, file string) map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{}
	for line := range strings.Lines(file) {
		q, want, found := strings.Cut(line, " => still; replies /")
		if !found {
			continue
		}
		re, err := regexp.Compile("(?i)" + strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(want), "/"), `\/`, "/"))
		if err != nil {
			t.Fatal(err)
		}
		all[q] = re
	}
	return all
}

func TestQuestionsOfTen(t *testing.T) {
	for name, file := range map[string]string{"built": askedBuilt} {
		right := 0
		all := asked(t, file)
		for q, want := range all {
			got, ok := Answer(q, now)
			switch {
			case ok && want.MatchString(got):
				right++
			case ok:
				t.Logf("%s: WRONG %q, want %v", q, got, want)
			default:
				t.Logf("%s: -", q)
			}
		}
		t.Logf("%s: %d of %d", name, right, len(all))
	}
}
