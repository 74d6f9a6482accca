package language

import "strings"

var (
	orderOpeners = Words("order-openers")
	orderReports = Words("order-reports")
	orderReasons = Phrases("order-reasons")
	leadsIn      = Phrases("lead-ins")
	joinsParts   = Words("part-joiners")
)

// mostForWhom is how many words say for whom or for what something is done: "for our little board game".
const mostForWhom = 4

// Orders are what a text may ask to be done, without what is polite before it, why it is asked, and for whom: "could you set a timer for two
// minutes so that we can tidy up" is "set a timer for two minutes". The text itself is none of them.
func Orders(u *Utterance) (all []string) {
	if u.TooLong || len(u.Text) > MaxRequest {
		return nil
	}
	toks := u.Tokens
	for from := u.Address.To; from < len(toks) && len(all) < maxCores; from++ {
		if from > u.Address.To && !toks.IsMark(from-1) {
			continue
		}
		at := from
		for n := 1; n > 0 && !orderOpeners[toks.Word(at)]; at += n {
			if n = leadsIn.Len(toks, at); n == 0 && (joinsParts[toks.Word(at)] || toks.IsMark(at)) {
				n = 1
			}
		}
		if !orderOpeners[toks.Word(at)] || reportedBefore(toks[:from]) {
			continue
		}
		to := orderEnds(toks, at)
		put := func(to int) {
			for to > at && toks.IsMark(to-1) {
				to--
			}
			if to > at && (at > u.Address.To || to < len(toks)) {
				all = append(all, u.Text[toks[at].Start:toks[to-1].End])
			}
		}
		put(to)
		if k := forWhom(toks, at, to); k < to {
			put(k)
		}
		from = max(from, at)
	}
	return all
}

// orderEnds is where the reason of an order begins, or its sentence ends.
func orderEnds(toks Tokens, at int) int {
	for i := at + 1; i < len(toks); i++ {
		if w := toks[i].Word; toks.IsMark(i) && strings.Contains(".!?", w) || orderReasons.Len(toks, i) > 0 {
			return i
		}
	}
	return len(toks)
}

// forWhom is where is said for whom an order is, to where that is not said.
func forWhom(toks Tokens, at, to int) int {
	for i := max(at+1, to-1-mostForWhom); i < to; i++ {
		if toks.Word(i) == "for" {
			return i
		}
		if toks[i].Kind == Number {
			return to
		}
	}
	return to
}

// reportedBefore reports whether words tell of somebody who asks, or make a condition.
func reportedBefore(toks Tokens) bool {
	for i := range toks {
		if orderReports[toks.Word(i)] || toks[i].Kind == Number || toks[i].Kind == Quote {
			return true
		}
	}
	return false
}

var (
	subjectOpeners = Words("subject-openers")
	subjectVerbs   = Words("subject-verbs")
	spokenVerbs    = Words("subject-says")
)

// TellsOfOther reports whether a text begins with what something else does: "the road turns left a little".
func TellsOfOther(u *Utterance) bool {
	toks, from := u.Tokens, u.Address.To
	if !subjectOpeners[toks.Word(from)] || len(u.Clauses) > 1 {
		return false
	}
	const longest = 2
	for i := from + 2; i < min(from+2+longest, len(toks)); i++ {
		verb, ends := strings.CutSuffix(u.Text[toks[i].Start:toks[i].End], "s")
		if ends && !spokenVerbs[verb] && (IsVerb(verb) || subjectVerbs[verb]) && bodyParts.Len(toks, i-1) == 0 && !toks.IsMark(i-1) {
			return true
		}
	}
	return false
}
