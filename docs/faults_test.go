package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var inQuotes = regexp.MustCompile("`([^`]+)`")

// Every test that a document names is in one of the packages of its row, and every target is in the Makefile.
func TestTheTestsOfDocumentsAreThere(t *testing.T) {
	for document, least := range map[string]int{
		"dialogue-shown.md": 20, "faults-and-floods.md": 30, "house-shown.md": 30, "http-shown.md": 17,
		"learning-shown.md": 20, "on-the-robot-shown.md": 50, "sdk-shown.md": 22,
		"voices-and-models-shown.md": 45,
	} {
		t.Run(document, func(t *testing.T) { testsAreThere(t, document, least) })
	}
}

func testsAreThere(t *testing.T, document string, least int) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") // a package may be missing: a target needs none
		if len(cells) != 4 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| What ") {
			continue
		}
		rows++
		var tests strings.Builder
		for _, dir := range inQuotes.FindAllStringSubmatch(cells[2], -1) {
			files, _ := filepath.Glob(filepath.Join("..", dir[1], "*_test.go")) // the pattern is a good one
			for _, file := range files {
				source, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				tests.Write(source)
			}
		}
		for _, name := range inQuotes.FindAllStringSubmatch(cells[3], -1) {
			if strings.Contains(name[1], "=") { // what is given to a target
				continue
			}
			if target, isMake := strings.CutPrefix(name[1], "make "); isMake {
				target, _, _ = strings.Cut(target, " ")
				if !strings.Contains("\n"+string(makefile), "\n"+target+":") {
					t.Errorf("there is no `make %s`", target)
				}
				continue
			}
			if found := regexp.MustCompile(`func Test\w*` + regexp.QuoteMeta(name[1]) + `\w*\(`).MatchString(tests.String()); !found {
				t.Errorf("%s has no test with %q in its name", cells[2], name[1])
			}
		}
	}
	if rows < least {
		t.Errorf("%d rows", rows)
	}
}
