package rehearsal

import (
	"os"
	"strings"
	"testing"
)

// A sum, a unit or a word to spell is that also behind a movement, and is not so many degrees more of it. The sentences are those by which
// agents/coder tests its templates.
func TestTemplatesBehindAMovement(t *testing.T) {
	raw, err := os.ReadFile("../coder/testdata/ways.txt")
	if err != nil {
		t.Fatal(err)
	}
	stage, asked := newStage(t), 0
	c := stage.Begin()
	defer c.Close(t.Context())
	for line := range strings.Lines(string(raw)) {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			continue
		}
		if text[0] == '=' { // another template
			for _, command := range []string{"look straight ahead", "look left 20", "turn your body right 10"} {
				if _, err := c.Say(t.Context(), command); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		got, err := c.Say(t.Context(), text)
		if err != nil || got.Before != got.Pose {
			t.Errorf("%q: %s %q, %v", text, got.Outcome, got.Reply, err)
		}
		asked++
	}
	if asked < 600 {
		t.Errorf("%d sentences were asked; want 600 and more", asked)
	}
}
