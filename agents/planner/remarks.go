package planner

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// A sentence that both readings left alone may be a command with a remark beside it: "Go to sleep, I have a meeting",
// "Cut! Stop right there". The parts between its marks are then read one by one. Parts that are commands count if
// each of the others is surely a remark: somebody else's doings, a reason, or an outcry of a word or two.

const (
	maxParts  = 6 // more parts than that are a story
	maxOutcry = 2 // words
)

var (
	// remarkOpeners begin a part that tells something or gives a reason.
	remarkOpeners = language.Words("remark-openers")
	// othersOpeners begin a part that surely tells of somebody else, or gives a reason.
	othersOpeners = language.Words("others-openers")
	// requestOpeners begin a part that asks for something, although it begins like a remark.
	requestOpeners = language.Phrases("request-openers")
	// takesBack are words that unsay what was said: no part with one of them is a mere remark.
	takesBack = language.Words("takes-back")
	// denies are words that a remark about somebody else may have, but no other.
	denies = language.Words("denies")
	// discourse are parts that say nothing, by themselves between two marks.
	discourse = language.Phrases("discourse")
	// partJoiners may begin any part.
	partJoiners = language.Words("part-joiners")
	// demands make a request of a part that begins like a remark.
	demands = language.Words("demands")
	// othersCalled are people who are called between two marks, titles stand before the name of one.
	othersCalled = language.Phrases("others-called")
	titles       = language.Words("titles")
	// ownNames are what the robot is called.
	ownNames = language.Words("own-names")
	// reasonJoints begin a reason or a purpose without a mark before it.
	reasonJoints = language.Phrases("reason-joints")
)

// despiteRemarks reads a text without its remarks. ok is false when no command is left over that is whole.
func (p *Planner) despiteRemarks(u *language.Utterance) (out Plan, ok bool) {
	parts, question := splitRemarks(u)
	if len(parts) < 2 || len(parts) > maxParts {
		return out, false
	}
	if out, ok = p.withoutRemarks(parts, question); ok || question {
		return out, ok
	}
	out = Plan{Text: u.Text, Outcome: OutcomePlan, Steps: []Step{}}
	for _, part := range parts {
		plan := p.read(language.Analyse(part))
		switch {
		case plan.Outcome == OutcomeRefuse:
			return plan, true
		case plan.Outcome == OutcomePlan:
			out.Steps = append(out.Steps, plan.Steps...)
		case plan.Outcome == OutcomeNone && (isRemark(part) || isOutcry(part)):
		default:
			return out, false
		}
	}
	return out, len(out.Steps) > 0
}

// withoutRemarks reads together what is left of the parts without those that are surely remarks, so that fragments still
// lean on what stands before them. In a question no outcry is left out.
func (p *Planner) withoutRemarks(parts []string, question bool) (out Plan, ok bool) {
	var kept []string
	empty := true // nothing but parts that say nothing were left out
	for _, part := range parts {
		says := !saysNothing(part)
		if says && !isRemark(part) && (question || !isOutcry(part)) {
			kept = append(kept, part)
			continue
		}
		switch plan := p.read(language.Analyse(part)); plan.Outcome {
		case OutcomeRefuse:
			return plan, true
		case OutcomePlan:
			kept = append(kept, part)
		default:
			empty = empty && !says
		}
	}
	if len(kept) == 0 || len(kept) == len(parts) {
		return out, false
	}
	end := ""
	if question {
		end = "?"
	}
	for _, mark := range []string{", ", " "} {
		out = p.read(language.Analyse(strings.Join(kept, mark) + end))
		if out.Outcome == OutcomePlan || out.Outcome == OutcomeRefuse || out.Outcome == OutcomeError && empty {
			return out, true
		}
	}
	return out, false
}

// splitRemarks cuts a text at marks, and before a clause of purpose or reason. What is quoted is not cut.
func splitRemarks(u *language.Utterance) (parts []string, question bool) {
	text, toks, from := u.Text, u.Raw, 0
	if last := len(toks) - 1; last > 0 && toks.IsMark(last) && toks[last].Word == "?" {
		text, toks, question = text[:toks[last].Start], toks[:last], true
	}
	cut := func(to int) {
		if part := strings.TrimSpace(text[from:to]); part != "" {
			parts = append(parts, part)
		}
	}
	for k, t := range toks {
		switch {
		case t.Kind == language.Quote, t.Kind == language.Mark && t.Word == "?":
			return nil, question
		case t.Kind == language.Mark && t.Word != "-":
			cut(t.Start)
			from = t.End
		case k > 0 && reasonJoints.Has(toks, k):
			cut(t.Start)
			from = t.Start
		}
	}
	cut(len(text))
	return parts, question
}

// saysNothing reports whether a part is nothing but discourse: "and before I forget", "chop chop".
func saysNothing(part string) bool {
	toks := language.Analyse(part).Tokens
	for k := 0; k < len(toks); {
		n := max(discourse.Len(toks, k), asides.Len(toks, k))
		if n == 0 && partJoiners[toks.Word(k)] {
			n = 1
		}
		if n == 0 {
			return false
		}
		k += n
	}
	return true
}

// isRemark reports whether a part surely tells something or gives a reason: "the baby is asleep", "because I said so".
func isRemark(part string) bool {
	toks := language.Analyse(part).Raw
	k := 0
	for partJoiners[toks.Word(k)] && k < len(toks)-1 {
		k++
	}
	if !remarkOpeners[toks.Word(k)] || requestOpeners.Has(toks, k) {
		return false
	}
	others := othersOpeners[toks.Word(k)]
	for _, t := range toks[k:] {
		if takesBack[t.Word] || demands[t.Word] || denies[t.Word] && !others {
			return false
		}
	}
	return true
}

// isOutcry reports whether a part is a word or two that name no deed: "Class!", "holy smoke".
func isOutcry(part string) bool {
	u := language.Analyse(part)
	if slices.ContainsFunc(u.Tokens, func(t language.Token) bool { return t.Kind == language.Number }) {
		return false
	}
	toks := u.Raw
	for _, t := range toks {
		w := t.Word
		if t.Kind != language.Word || takesBack[w] || denies[w] || connectives.Begins(w) || language.IsVerb(w) || language.InflectionOf(w).Form != 0 {
			return false
		}
		if directions.Begins(w) || emotionWords.Begins(w) || paces.Begins(w) || counts.Begins(w) || amounts.Begins(w) || actions.Begins(w) || parts.Begins(w) {
			return false
		}
	}
	return len(toks) <= maxOutcry
}

// callsOthers reports whether somebody else is spoken to: "Dad, stop the washing machine". A bare "stop" is for everybody.
func callsOthers(u *language.Utterance) (others bool) {
	if len(u.Clauses) < 2 {
		return false
	}
	for _, c := range u.Clauses {
		toks := u.Tokens[c.From:c.To]
		if stoppers[toks.Word(0)] && len(toks) == 1 {
			return false
		}
		for _, t := range toks {
			if ownNames[t.Word] {
				return false
			}
		}
		others = others || othersCalled.Len(toks, 0) == len(toks) || len(toks) == 2 && titles[toks.Word(0)]
	}
	return others
}
