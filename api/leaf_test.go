package api

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Everybody may import package api because it imports only the standard library.
func TestPackageIsALeaf(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); strings.Contains(strings.Split(path, "/")[0], ".") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
