package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/perception/language"
)

// Without a model small talk answers what it knows, and what nobody knows gets one suggestion; plans stay the planner's, and what
// is to be remembered the memory's.
func TestSmallTalk(t *testing.T) {
	s := newStage(t, nil, func(o *Options) {
		o.Talk = smalltalk.New(smalltalk.Options{Name: "Reachy", Memory: o.Memory, Seed: 1})
	})
	ask := func(text string) coordinator.Answer { return s.ask(context.Background(), text) }
	for text, want := range map[string]string{
		"what is your name?": "Reachy", "flip a coin": "", "remember that my key is blue": "I will remember: your key is blue.",
		"what is 15 percent of 4": "0.6.",
	} {
		if a := ask(text); a.Outcome != coordinator.OutcomeAnswered || !strings.Contains(a.Text, want) {
			t.Errorf("%q: %s %q, want %q", text, a.Outcome, a.Text, want)
		}
	}
	if a := ask("explain quantum chromodynamics"); a.Outcome != coordinator.OutcomeNone || strings.Count(a.Text, "“") != 1 {
		t.Errorf("what nobody knows: %s %q", a.Outcome, a.Text)
	}
	for text, takes := range map[string]bool{"nod": false, "look left": false, "say a tongue twister": true, "what is your name": true} {
		u := language.Analyse(text)
		p := planner.New().PlanFor(u)
		if m := s.Match("a", u, p, p); (m != nil) != takes {
			t.Errorf("%q is taken from the planner: %v", text, m != nil)
		}
	}
}
