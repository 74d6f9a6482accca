package coder

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// says is a run in which one test fails because the source answers something else.
func says(name, value string) func(registry.Draft) (*tester.Report, error) {
	return func(registry.Draft) (*tester.Report, error) {
		return &tester.Report{Outcomes: []tester.Outcome{{Name: name, Message: "wrong", Reason: guest.ReasonOK, Value: json.RawMessage(value)}}}, nil
	}
}

// A test that a model invented is left out when two sources, written without knowing of each other, answer alike; no source is repaired
// for it. One source written twice is one opinion, and what the person showed stays.
func TestAnInventedTestIsOutvoted(t *testing.T) {
	other := strings.Replace(vowelCode, "letters = [c", "letters = [ c", 1)
	for name, tc := range map[string]struct {
		wish  string
		codes []string
		tests []func(registry.Draft) (*tester.Report, error)
		keeps bool // the tool
		cases int
	}{
		"two opinions": {
			wish,
			[]string{vowelCode, other},
			[]func(registry.Draft) (*tester.Report, error){says("none", "0.25"), says("none", "0.25")},
			true, 4,
		},
		"the second is better": {
			wish,
			[]string{vowelWrong, vowelCode},
			[]func(registry.Draft) (*tester.Report, error){says("none", "0.25")},
			true, 5,
		},
		"one opinion, twice": {
			wish,
			[]string{vowelWrong, vowelWrong, vowelWrong, vowelWrong},
			[]func(registry.Draft) (*tester.Report, error){says("none", "0.25"), says("none", "0.25"), says("none", "0.25"), says("none", "0.25")},
			false, 0,
		},
		"an example of the model's": {
			wish,
			[]string{vowelCode, other},
			[]func(registry.Draft) (*tester.Report, error){says("example 1", "0.25"), says("example 1", "0.25")},
			true, 4,
		},
		"the person's example": {
			wish + ": 'banana' gives 0.5",
			[]string{vowelWrong, vowelCode, vowelWrong, vowelCode},
			[]func(registry.Draft) (*tester.Report, error){
				says("asked for 1", "0.25"), says("example 1", "0.25"), says("asked for 1", "0.25"), says("asked for 1", "0.25"),
			},
			false, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.tests = tc.tests
			model := author(tc.codes...)
			c := b.coder(func(o *Options) { o.Model, o.Policy = model, Auto })
			a, spans := b.make(c, tc.wish)
			if kept := a.Outcome == coordinator.OutcomeAnswered; kept != tc.keeps || model.Left() != 0 {
				t.Fatalf("%+v, %d replies left\n%+v", a, model.Left(), spans)
			}
			if !tc.keeps {
				return
			}
			v, err := b.Version("vowel_share", 0)
			var cases []tester.Case
			if err != nil || json.Unmarshal(v.Cases, &cases) != nil || len(cases) != tc.cases {
				t.Errorf("%v: %s", err, v.Cases)
			}
			if asked := model.Asked(); len(asked[3].Messages) != 1 {
				t.Errorf("the second source was written with the first before its eyes: %+v", asked[3].Messages)
			}
		})
	}
}

func TestHolds(t *testing.T) {
	for value, want := range map[string]bool{`{"a":"banana"}`: true, `{"a":["banana",7]}`: true, `"x!"`: false, `8`: false, `""`: false, `{`: false} {
		if got := holds("banana makes 7", json.RawMessage(value)); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}
