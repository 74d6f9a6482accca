package runtime

import (
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/perception/language"
)

// asked reads sentences of a session one after the other, as a robot without a model does, and returns what is said to the last.
func asked(t *testing.T, texts ...string) string {
	t.Helper()
	var history []coordinator.Exchange
	s := newStage(t, nil, func(o *Options) {
		o.Coder = nil
		o.Talk = smalltalk.New(smalltalk.Options{
			Name: "Reachy", Memory: o.Memory, Seed: 1, Now: func() time.Time { return time.Date(2026, 11, 27, 14, 5, 0, 0, time.UTC) },
		})
		o.History = func(string) []coordinator.Exchange { return history }
	})
	p := planner.New()
	for _, text := range texts {
		u := language.Analyse(text)
		plan := p.PlanFor(u)
		m := s.Match("a", u, plan, plan)
		if m == nil {
			history = append(history, coordinator.Exchange{Text: text, Outcome: coordinator.OutcomePlan})
			continue
		}
		a := s.Handle(t.Context(), coordinator.Request{Session: "a", Text: text, Utterance: u, Plan: plan, Match: m, History: history, Call: s.robot.Call})
		history = append(history, coordinator.Exchange{Text: text, Reply: a.Text, Outcome: a.Outcome})
	}
	return history[len(history)-1].Reply
}

// What people say around a question changes nothing of it, and a question goes on with the one before.
func TestQuestionsInOtherWords(t *testing.T) {
	for _, c := range []struct {
		want string
		said []string
	}{
		{"56.", []string{"Right, my son is doing his homework and he's stuck: what's 8 times 7?"}},
		{"Paris.", []string{"my little brother wants to know what the capital of France is"}},
		{"Berlin.", []string{"What's the capital of France?", "and of Germany?"}},
		{"Rome.", []string{"What's the capital of France?", "and of Germany?", "what about Italy?"}},
		{"16.", []string{"what's 20 percent of 50?", "and of 80?"}},
		{"No: 9 is 3 times 3.", []string{"is 7 a prime number?", "and 9?"}},
		{"3 hours are 10,800 seconds.", []string{"How many minutes are in 3 hours?", "and seconds?"}},
		{"10 miles are 16,093.44 metres.", []string{"how many kilometres are 10 miles?", "and in metres?"}},
		{"My body turns at most 160 degrees to each side.", []string{"how far can you turn your head?", "and your body?"}},
	} {
		if got := asked(t, c.said...); got != c.want {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
	first := asked(t, "tell me a joke")
	if again := asked(t, "tell me a joke", "another one"); again == first || again == "" {
		t.Errorf("another one: %q after %q", again, first)
	}
}

// What is no question in other words is not made one: it stays unknown, or a command.
func TestNoQuestionsInOtherWords(t *testing.T) {
	unknown := asked(t, "explain quantum chromodynamics")
	for _, said := range [][]string{
		{"What's the capital of France?", "and of bananas?"},
		{"hello", "and of Germany?"},
		{"My brother has 3 dogs, how old is he?"},
	} {
		if got := asked(t, said...); slices.Contains([]string{"Paris.", "Berlin."}, got) || got == "" {
			t.Errorf("%q: %q, as to what is unknown: %q", said, got, unknown)
		}
	}
	if got := asked(t, "What's the capital of France?", "and nod"); got != "" {
		t.Errorf("a command is answered: %q", got)
	}
}
