package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxLines is how long a file may be.
const maxLines = 500

// measured are the files with limits: Go, and the tables of words of a language.
var measured = regexp.MustCompile(`\.go$|/en/[^/]*\.txt$`)

// sizes are those of all files together.
type sizes struct{ files, packages, lines, functions, longFunctions, longest int }

// add counts a file, and says what of it is too long. The linter sees functions, too, and leaves out those that an exception names.
func (s *sizes) add(t *testing.T, name string, text []byte) {
	t.Helper()
	longest := 0
	for line := range bytes.Lines(text) {
		longest = max(longest, utf8.RuneCount(bytes.TrimRight(line, "\n")))
	}
	if s.longest = max(s.longest, longest); longest > 160 {
		t.Errorf("%s has a line of %d characters, at most 160", name, longest)
	}
	if !strings.HasSuffix(name, ".go") {
		return
	}
	n := bytes.Count(text, []byte("\n"))
	s.files++
	s.lines += n
	if n > maxLines {
		t.Errorf("%s has %d lines, at most %d", name, n, maxLines)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		s.functions++
		if fset.Position(f.Body.Rbrace).Line-fset.Position(f.Body.Lbrace).Line-1 > 100 {
			s.longFunctions++
		}
	}
}

// Files, functions and lines are no longer than CONTRIBUTING allows. With -v it prints the figures of house-shown.md.
func TestSizes(t *testing.T) {
	var all sizes
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || !measured.MatchString(filepath.ToSlash(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		all.add(t, filepath.ToSlash(name), text)
		if folder := filepath.Dir(path); filepath.Ext(path) == ".go" && !seen[folder] {
			seen[folder] = true
			all.packages++
		}
		return nil
	})
	if err != nil || all.files < 1000 {
		t.Errorf("%d files: %v", all.files, err)
	}
	if all.longFunctions > 10 {
		t.Errorf("%d functions have more than 100 lines, at most 10", all.longFunctions)
	}
	t.Logf("%+v", all)
}
