// Package guard decides in words what the robot must not do: sentences of people, texts of strangers, words of models.
//
// It is the first of three walls. The second is the schema of every tool; the last word has the body, whose envelope no
// sentence can change. So the rules here are for what a person should be told, and may be strict where they are sure.
package guard

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// Reason says which rule was broken.
type Reason string

// The reasons of a refusal.
const (
	Dangerous  Reason = "dangerous"    // somebody, something or the robot could be hurt
	Private    Reason = "private"      // spying, secrets, logins
	Impossible Reason = "impossible"   // the robot has nothing to do it with
	OutOfScope Reason = "out_of_scope" // not a robot's business: money, medicine, law
	Injection  Reason = "injection"    // an order to forget its rules
)

// Verdict is what the guard thinks of a text. The zero Verdict lets it pass.
type Verdict struct {
	Reason Reason `json:"reason,omitempty"`
	Text   string `json:"text,omitempty"`  // one sentence for a person
	Match  string `json:"match,omitempty"` // the words that decided
}

// OK reports whether the text may pass.
func (v Verdict) OK() bool { return v.Reason == "" }

// rules are what is refused, as "reason/name", and answers what is said then; see perception/language/en/guard.txt.
var (
	rules   = language.Patterns("guard")
	answers = language.Texts("refusals")
)

// Input judges what a person says to the robot.
func Input(u *language.Utterance) Verdict { return input(u, false) }

// Command judges a sentence that the built-in planner has understood. What the robot can do is then decided, so only what
// must not be done is refused.
func Command(u *language.Utterance) Verdict { return input(u, true) }

func input(u *language.Utterance, feasible bool) Verdict {
	m := rules.FindIf(u.Plain(), func(rule string) bool {
		r := reason(rule)
		return !feasible || r != Impossible && r != OutOfScope
	})
	if m == nil {
		return Verdict{}
	}
	return Verdict{Reason: reason(m.Rule.Name), Text: answers[m.Rule.Name], Match: m.Text()}
}

func reason(rule string) Reason {
	r, _, _ := strings.Cut(rule, "/")
	return Reason(r)
}
