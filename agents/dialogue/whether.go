package dialogue

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// whether is what the robot asks before it does what it has only probably heard.
var whether = language.Texts("questions")["whether"]

// Whether asks, in place of doing it, whether what r does was said. What is asked about already, said again or agreed to, is
// asked no second time, nor is what makes the robot do nothing.
func (s *State) Whether(r *Reading) Reading {
	if len(r.Steps()) == 0 || r.agreed || s.Question != nil && s.Question.Whether && sameDeed(s.Question.Text, r.Text) {
		return *r
	}
	q := Question{Text: r.Text, Say: fmt.Sprintf(whether, strings.TrimRight(r.Text, " .!?,")), Whether: true}
	plan := planner.Plan{Text: r.Plan.Text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}}
	return Reading{Plan: plan, Text: r.Text, Say: q.Say, Ask: &q}
}

// sameDeed reports whether two sentences ask for the same.
func sameDeed(a, b string) bool {
	return reflect.DeepEqual(language.HeardWords(a), language.HeardWords(b))
}

// answers are those to whether something was said.
var answers = language.Phrases("whether-answers")

// agreed reads the answer to whether a command was said: anything but yes and no is no answer.
func (r *reader) agreed() (Reading, bool) {
	answer := ""
	for i := 0; i < len(r.u.Tokens); {
		if r.u.Tokens.IsMark(i) {
			i++
			continue
		}
		key, n := answers.Match(r.u.Tokens, i)
		if n == 0 || answer != "" && key != answer && key != "filler" {
			return Reading{}, false
		}
		if key != "filler" {
			answer = key
		}
		i += n
	}
	switch answer {
	case "no":
		return say(r, "dropped")
	case "yes":
		reading, ok := r.whole(r.Question.Text)
		reading.agreed = ok
		return reading, ok
	}
	return Reading{}, false
}
