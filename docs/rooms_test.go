package docs

import (
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
