package language

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language/template"
)

var (
	asideBars   = Patterns("aside-bars")
	asideOrders = Patterns("aside-orders")
)

// leastOrder is how many words an order has: "look, left panel" has none.
const leastOrder = 2

// leastAside is how many words a clause has that tells something. A shorter one may call somebody else: "Graham".
const leastAside = 3

// mostAsides is how many parts of a text are tried as its order.
const mostAsides = 6

// Aside is what a text may ask for beside other things that are said.
type Aside struct {
	Text string
	Bare bool // without what is polite before its verb
}

// clauseKind is what a clause is to an order beside it.
type clauseKind int

const (
	tellsSomething clauseKind = iota
	saysNothing               // it calls the robot, or only joins
	givesOrder
	barsOrder // it reports, denies, makes a condition, asks, or calls somebody else
)

// Asides are what a text may ask for beside what else it tells, the longest first: "It went down to the grass, look down by 14." Where another
// clause reports, denies, makes a condition, asks or orders something else, there are none.
func Asides(u *Utterance) (all []Aside) {
	if u.TooLong || len(u.Text) > MaxRequest {
		return nil
	}
	kinds := make([]clauseKind, len(u.Clauses))
	for i, c := range u.Clauses {
		kinds[i] = u.clauseKind(c)
	}
	other := func(k clauseKind) bool { return k == givesOrder || k == barsOrder }
	goesOn := func(c Span) bool { return joinsParts[u.Tokens.Word(c.From)] } // "…, and type F"
	for n := len(kinds); n > 0; n-- {
		for from := 0; from+n <= len(kinds); from++ {
			to := from + n
			if kinds[from] != givesOrder || slices.ContainsFunc(kinds[:from], other) || slices.ContainsFunc(kinds[to:], other) ||
				slices.ContainsFunc(u.Clauses[to:], goesOn) {
				continue
			}
			begin, end := max(u.Clauses[from].From, u.Address.To), u.Clauses[to-1].To
			part := func(begin int, bare bool) {
				if begin > u.Address.To || end < u.Clauses[len(kinds)-1].To {
					all = append(all, Aside{u.Text[u.Tokens[begin].Start:u.Tokens[end-1].End], bare})
				}
			}
			part(begin, false)
			if verb := orderIn(u.Tokens, begin, u.Clauses[from].To); verb > begin {
				part(verb, true)
			}
		}
	}
	return all[:min(len(all), mostAsides)]
}

// clauseKind is what a clause is to an order beside it.
func (u *Utterance) clauseKind(c Span) clauseKind {
	from := max(c.From, u.Address.To)
	for from < c.To && joinsParts[u.Tokens.Word(from)] {
		from++
	}
	if from >= c.To {
		return saysNothing
	}
	said := template.Split(u.Text[u.Tokens[from].Start:u.Tokens[c.To-1].End])
	if orderIn(u.Tokens, from, c.To) >= 0 {
		if c.To-from < leastOrder || asideOrders.Find(said) != nil {
			return barsOrder
		}
		return givesOrder
	}
	if c.To-from < leastAside || u.Tokens.Word(c.To) == "?" || asideBars.Find(said) != nil {
		return barsOrder
	}
	return tellsSomething
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

// ClauseAsks is a clause of a text that asks something by itself: "what's the date in three weeks?"; empty where it does not.
func ClauseAsks(u *Utterance, i int) string {
	toks, c := u.Tokens, u.Clauses[i]
	from := max(c.From, u.Address.To)
	for from < c.To && clauseLeads[toks.Word(from)] {
		from++
	}
	if from+1 >= c.To || i > 0 && ClauseAsks(u, 0) != "" { // "which is right, this or that?" is one question
		return ""
	}
	marked := strings.HasPrefix(strings.TrimLeft(u.Text[toks[c.To-1].End:], " "), "?")
	if first := strings.TrimSuffix(toks.Word(from), "'s"); !beginsAsking[first] && !marked && !isSum(toks[from:c.To]) {
		return ""
	}
	return u.Text[toks[from].Start:toks[c.To-1].End] + "?"
}

// ClauseSum is the clause of a text that is a sum and nothing else, beside others; empty where there is none, or more than one.
func ClauseSum(u *Utterance) (text string) {
	if u.TooLong || len(u.Clauses) < 2 {
		return ""
	}
	for _, c := range u.Clauses {
		from := max(c.From, u.Address.To)
		if from >= c.To || !isSum(u.Tokens[from:c.To]) {
			continue
		}
		if text != "" {
			return ""
		}
		text = u.Text[u.Tokens[from].Start:u.Tokens[c.To-1].End]
	}
	return text
}

// isSum reports whether tokens are two numbers with a sign between them: "forty-five plus six".
func isSum(toks Tokens) bool {
	numbers, sign := 0, false
	for i := range toks {
		if toks[i].Kind == Number && !toks[i].Pronoun {
			numbers++
		}
		first, _, _ := strings.Cut(toks.Word(i), " ") // of "minus 13.47", too
		sign = sign || sumSigns[first] && i > 0
	}
	const most = 8
	return numbers == 2 && sign && len(toks) <= most
}

// LastQuantity is the last number, with what it is of, that a text names before a token; empty where it names none.
func LastQuantity(u *Utterance, before int) (said string) {
	for i := u.Address.To; i < before; i++ {
		if t := &u.Tokens[i]; t.Kind == Number && !t.Pronoun && i+1 < before && u.Tokens[i+1].Word != "" {
			said = u.Text[t.Start:u.Tokens[i+1].End]
		}
	}
	return said
}

var (
	sumSigns     = Words("sum-signs")
	clauseLeads  = Words("clause-leads")
	beginsAsking = Words("begins-asking")
)
