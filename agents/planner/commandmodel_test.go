package planner

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// What the embedded speech model can write has to be of use here: a plan, a reason why not, or small talk. Which of its
// commands mean the same is written down where the model is judged.
func TestTheCommandModelSpeaksOurLanguage(t *testing.T) {
	const folder = "../../perception/stt/commandmodel/"
	commands, err := os.ReadFile(folder + "commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	talk := []string{"hello", "how are you", "no", "tell me a joke", "thank you", "what time is it", "yes"}
	p := New()
	same := map[string][]string{}
	for _, c := range strings.Split(strings.TrimSpace(string(commands)), "\n") {
		got := p.Plan(c)
		switch {
		case got.Outcome == OutcomePlan:
			b, err := json.Marshal(got.Steps)
			if err != nil {
				t.Fatal(err)
			}
			same[string(b)] = append(same[string(b)], c)
		case got.Outcome == OutcomeNone && !slices.Contains(talk, c):
			t.Errorf("%q is nothing to the planner", c)
		case got.Outcome == OutcomeError && got.Message == "":
			t.Errorf("%q is impossible without a reason", c)
		}
	}
	var lines []string
	for _, group := range same {
		if len(group) > 1 {
			lines = append(lines, strings.Join(group, " = "))
		}
	}
	slices.Sort(lines)
	file := folder + "testdata/synonyms.txt"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(lines, "\n") + "\n"; string(b) != want {
		t.Errorf("%s should be:\n%s", file, want)
	}
}
