package language

import (
	"slices"

	"github.com/reachyd/reachyd/perception/language/template"
)

var asideBars = Patterns("aside-bars")

// leastAside is how many words a clause has that tells something. A shorter one may call somebody else: "Graham".
const leastAside = 3

// mostAsides is how many parts of a text are tried as its order.
const mostAsides = 6

// Asides are what a text may ask for beside other things that are said, the longest first: "It went down to the grass, look down by 14." The
// others tell something; where one of them reports, denies, makes a condition, asks or orders something else, there are none.
func Asides(u *Utterance) (all []string) {
	if u.TooLong || len(u.Text) > MaxRequest || u.Question && len(u.Clauses) < 2 {
		return nil
	}
	bar := make([]bool, len(u.Clauses)) // it is no mere aside
	order := make([]bool, len(u.Clauses))
	for i, c := range u.Clauses {
		from := max(c.From, u.Address.To)
		if from >= c.To { // it calls the robot
			continue
		}
		begins := orderIn(u.Tokens, from, c.To) >= 0
		barred := asideBars.Find(template.Split(u.Text[u.Tokens[from].Start:u.Tokens[c.To-1].End])) != nil
		order[i] = begins && !barred && c.To-from > 1
		bar[i] = begins || barred || c.To-from < leastAside || u.Tokens.Word(c.To) == "?"
	}
	goesOn := func(c Span) bool { return joinsParts[u.Tokens.Word(c.From)] } // "…, and type F"
	for n := len(u.Clauses); n > 0; n-- {
		for from := 0; from+n <= len(u.Clauses); from++ {
			to := from + n
			if !order[from] || slices.Contains(bar[:from], true) || slices.Contains(bar[to:], true) || slices.ContainsFunc(u.Clauses[to:], goesOn) {
				continue
			}
			if begin, end := max(u.Clauses[from].From, u.Address.To), u.Clauses[to-1].To; begin > u.Address.To || end < u.Clauses[len(u.Clauses)-1].To {
				all = append(all, u.Text[u.Tokens[begin].Start:u.Tokens[end-1].End])
			}
		}
	}
	return all[:min(len(all), mostAsides)]
}

// orderIn is where tokens begin with a verb of something that the robot may be told to do, behind what is polite before one; negative where
// they do not.
func orderIn(toks Tokens, from, to int) int {
	at := from
	for n := 1; n > 0 && at < to; at += n {
		if n = leadsIn.Len(toks, at); n == 0 && (joinsParts[toks.Word(at)] || toks.IsMark(at)) {
			n = 1
		}
	}
	if w := toks.Word(at); at < to && (IsVerb(w) || orderOpeners[w]) {
		return at
	}
	return -1
}
