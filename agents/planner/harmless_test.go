package planner

import (
	"os"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/perception/language"
)

// Alarming words in sentences that mean no harm are refused neither by the guard nor by the planner.
func TestHarmlessSentencesWithAlarmingWords(t *testing.T) {
	text, err := os.ReadFile("testdata/harmless.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(all) < 60 {
		t.Fatalf("%d sentences, there must be at least 60", len(all))
	}
	p := New()
	for _, s := range all {
		if v := guard.Input(language.Analyse(s)); !v.OK() {
			t.Errorf("%q: refused as %s because of %q", s, v.Reason, v.Match)
		}
		if plan := p.Plan(s); plan.Outcome == OutcomeRefuse {
			t.Errorf("%q: refused by the planner: %s", s, plan.Message)
		}
	}
}

// What has no place, and what is a clause and no name, is not looked at.
func TestWhatEyesCannotTurnTo(t *testing.T) {
	p := New()
	for s, looks := range map[string]bool{
		"Look, the neighbours have got a new car.": false, "Look at the state of your room, young lady.": false, "Follow the recipe this time.": false,
		"Let's look at the numbers from the left column.": false, "Follow that taxi, he shouted, like in a film.": false,
		"look at the front of the cup": true, "look at the cup that I have": true, "follow the duck": true, "look at the car": true,
	} {
		if plan := p.Plan(s); (len(plan.Steps) > 0) != looks {
			t.Errorf("%q: %s %+v", s, plan.Outcome, plan.Steps)
		}
	}
}
