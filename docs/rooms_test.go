package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every room of the house is on the plan in architecture.md, and every wing of the plan is there.
func TestThePlanHasEveryRoom(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, plan, _ := strings.Cut(string(text), "## Rooms\n```\n")
	plan, _, found := strings.Cut(plan, "\n```")
	if !found {
		t.Fatal("architecture.md has no plan")
	}
	parts := regexp.MustCompile(`(?m)^(\w[\w-]*)/`).Split(plan, -1)[1:]
	names := regexp.MustCompile(`(?m)^(\w[\w-]*)/`).FindAllStringSubmatch(plan, -1)
	for i, m := range names {
		wing := m[1]
		if _, err := os.Stat(filepath.Join(root, wing)); err != nil {
			t.Errorf("the plan has %s/, which is not there", wing)
		}
		rooms, err := filepath.Glob(filepath.Join(root, wing, "*", "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, file := range rooms {
			room := filepath.Base(filepath.Dir(file))
			if !seen[room] && room != "testdata" && !regexp.MustCompile(`(^|[^\w-])`+room+`($|[^\w-])`).MatchString(parts[i]) {
				t.Errorf("%s/%s is not on the plan in architecture.md", wing, room)
			}
			seen[room] = true
		}
	}
	if len(names) < 8 {
		t.Errorf("the plan has %d wings", len(names))
	}
}

// No file of Go is longer than CONTRIBUTING allows, but those that are being divided: each with the lines that it may have until then.
func TestFilesAreShort(t *testing.T) {
	const most = 500
	allowed := map[string]int{
		"agents/dialogue/account.go": 600, "agents/dialogue/query.go": 770, "agents/dialogue/read.go": 570, "agents/smalltalk/compute/amounts.go": 660,
	}
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if lines := bytes.Count(text, []byte("\n")); lines > max(most, allowed[filepath.ToSlash(name)]) {
			t.Errorf("%s has %d lines, at most %d", name, lines, most)
		}
		return nil
	})
	if err != nil || files < 1000 {
		t.Errorf("%d files: %v", files, err)
	}
}
