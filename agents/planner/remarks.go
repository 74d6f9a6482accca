package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// A sentence that both readings left alone may be a command with a remark beside it: "Go to sleep, I have a meeting",
// "Cut! Stop right there". The parts between its marks are then read one by one. Parts that are commands count if
// each of the others is surely a remark: somebody else's doings, a reason, or an outcry of a word or two.

const (
	maxParts  = 4 // more parts than that are a story
	maxOutcry = 2 // words
)

// remarkOpeners begin a part that tells something or gives a reason.
var remarkOpeners = language.Words("remark-openers")

// requestOpeners begin a part that asks for something, although it begins like a remark.
var requestOpeners = []string{
	"i want", "i need", "i would", "i'd", "i wish", "i ask", "i beg", "i order", "i command", "we want", "we need", "we would", "i do not", "i don't",
	"so do", "so can", "so could", "so please", "so then",
}

// takesBack are words that unsay what was said: no part with one of them is a mere remark.
var takesBack = language.Words("takes-back")

// despiteRemarks reads the parts of a text one by one. ok is false when they do not make a command together.
func (p *Planner) despiteRemarks(text string) (out Plan, ok bool) {
	parts := splitRemarks(text)
	if len(parts) < 2 || len(parts) > maxParts {
		return out, false
	}
	out = Plan{Text: text, Outcome: OutcomePlan, Steps: []Step{}}
	for _, part := range parts {
		plan := p.read(language.Analyse(part))
		switch {
		case plan.Outcome == OutcomeRefuse:
			return plan, true
		case plan.Outcome == OutcomePlan:
			out.Steps = append(out.Steps, plan.Steps...)
		case plan.Outcome == OutcomeNone && isRemark(part):
		default:
			return out, false
		}
	}
	return out, len(out.Steps) > 0
}

// splitRemarks cuts a text at marks, and before a clause of purpose or reason.
func splitRemarks(text string) []string {
	if strings.ContainsAny(text, "\"“”?") {
		return nil // what is quoted is not cut, and a question stays one
	}
	for _, w := range []string{" so that ", " so the ", " so we ", " so they ", " because ", " 'cause ", " cause i"} {
		if i := strings.Index(strings.ToLower(text), w); i > 0 {
			text = text[:i] + "," + text[i:]
		}
	}
	var parts []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",.!;", r) }) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func isRemark(part string) bool {
	low := strings.ToLower(part)
	words := strings.Fields(low)
	for _, r := range requestOpeners {
		if strings.HasPrefix(low, r+" ") {
			return false
		}
	}
	for _, w := range words {
		if takesBack[w] {
			return false
		}
	}
	if remarkOpeners[words[0]] {
		return true
	}
	if len(words) > maxOutcry || strings.Contains(low, "not") || strings.Contains(low, "n't") || strings.ContainsAny(low, "0123456789?") {
		return false
	}
	for _, w := range words {
		if language.IsVerb(w) || language.InflectionOf(w).Form != 0 {
			return false
		}
	}
	return true
}
