package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// numbered is a line of a check list.
var numbered = regexp.MustCompile(`^\| (\d+) \|`)

// Nothing stands twice in a document that people work by, and no line of the technician's check list is missing.
func TestDocumentsAreWhole(t *testing.T) {
	documents, err := filepath.Glob("*-shown.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append(documents, "../README.md", "../firmware-notes/README.md", "service.md", "faults-and-floods.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		heading, seen, next := "", map[string]bool{}, 1
		for n, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "#") {
				if heading = line; seen[line] {
					t.Errorf("%s:%d: %q is there twice", document, n+1, line)
				}
				seen[line] = true
			}
			m := numbered.FindStringSubmatch(line)
			if m == nil || !strings.Contains(heading, "check list") {
				continue
			}
			if m[1] != strconv.Itoa(next) {
				t.Errorf("%s:%d: line %s of the check list, where %d is due", document, n+1, m[1], next)
			}
			next++
		}
		if strings.Contains(document, "firmware") && next < 20 {
			t.Errorf("%s: a check list of %d lines", document, next-1)
		}
	}
}
