package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	impossibles    = language.Phrases("impossibles")
	possibleIdioms = language.Phrases("possible-idioms")
	nounFollowers  = language.Words("noun-followers")
	outgoing       = language.Words("outgoing")
	handlingVerbs  = language.Words("handling-verbs")
	alwaysHandling = language.Words("always-handling")
	handledOpeners = language.Words("handled-openers")
	things         = language.Words("things")
	handlingIdioms = language.Words("handling-idioms")
)

// impossibleBecause says what the body lacks.
var impossibleBecause = map[string]string{
	"legs":    "I cannot do that: I stand in one place, I have no legs or wheels.",
	"wings":   "I cannot do that: I cannot fly, I have no wings.",
	"arms":    "I cannot do that: I have no arms or hands.",
	"eyelids": "I cannot do that: my face does not move, only my head, antennas and body do.",
}

// attempt is a phrase of n tokens for what the body cannot do, and the word behind it.
type attempt struct {
	*parser
	n       int
	w, next string
	goesOn  bool // it is a single word, and the clause goes on behind it
}

// impossibleClause parses what the body cannot do: walking, flying, handling things.
func (ps *parser) impossibleClause() bool {
	lacks, n := impossibles.Match(ps.toks, ps.i)
	if n == 0 {
		return ps.handlingClause()
	}
	a := attempt{ps, n, ps.word(ps.i), ps.word(ps.i + n), n == 1 && !ps.boundary(ps.i+1)}
	if first(ps.p.rules.possible, a) != pass {
		return false
	}
	ps.i += n
	ps.skipToEnd()
	ps.put(frame{class: fault, problem: OutcomeError, message: impossibleBecause[lacks]})
	return true
}

// possibleRules are other meanings of words for what the body cannot do.
func possibleRules() []rule[attempt] {
	return []rule[attempt]{
		{"possible lead-in", "go ahead and nod", func(a attempt) step { return when(leadIns.Len(a.toks, a.i) > a.n) }},
		{"possible direction", "head to the left", func(a attempt) step { return when(a.w == "head" && directions.Has(a.toks, a.i+1)) }},
		{"possible noun", "walk of fame", func(a attempt) step {
			return when(a.goesOn && (nounFollowers[a.next] || a.next == "out" && !outgoing[a.w]))
		}},
		{"possible idiom", "drive me crazy", func(a attempt) step { return when(possibleIdioms.Has(a.toks, a.i)) }},
		{"possible come", "come ninety", func(a attempt) step { return when(a.goesOn && a.w == "come") }},
		{"possible run", "run a business", func(a attempt) step {
			return when(a.goesOn && a.w == "run" && a.next != "the" && !a.manner(a.i+1))
		}},
		{"possible light", "light the candle", func(a attempt) step { return when(a.w == "light") }},
		{"possible wave", "wave hand antennas", func(a attempt) step { return when(a.w == "wave" && parts.Has(a.toks, a.i+1)) }},
	}
}

// handlingClause parses what takes hands: "grab the cup".
func (ps *parser) handlingClause() bool {
	from := ps.i
	w, next := ps.word(from), ps.word(from+1)
	if !handlingVerbs[w] || next != "" && !handledOpeners[next] && !ps.p.objects[next] {
		return false
	}
	hand := alwaysHandling[w] && !ps.boundary(from+1)
	ps.skipToEnd()
	for k := from + 1; k < ps.i; k++ {
		if v, n := parts.Match(ps.toks, k); n > 0 && lacking[v] != "" {
			ps.put(frame{class: fault, problem: OutcomeError, message: missingPart(v)})
			return true
		}
		x := ps.word(k)
		hand = hand || k < from+5 && (things[x] || things[language.Singular(x)])
		last := k == ps.i-1
		if handlingIdioms[x] || last && (x == "off" || x == "on") || x == "back" && alwaysHandling[w] && ps.word(k+1) == "memories" {
			return false
		}
	}
	if hand {
		ps.put(frame{class: fault, problem: OutcomeError, message: impossibleBecause["arms"]})
	}
	return hand
}

// lacking says for the parts that the robot does not have what it lacks.
var lacking = map[string]string{"arm": "arms", "leg": "legs", "wing": "wings", "brow": "eyelids"}

func missingPart(part string) string { return impossibleBecause[lacking[part]] }

// skipToEnd moves to the end of the clause.
func (ps *parser) skipToEnd() {
	for !ps.done() {
		if ps.isMark(ps.i) {
			return
		}
		if v, n := connectives.Match(ps.toks, ps.i); n > 0 && (v == "then" || ps.couldBegin(ps.i+n)) {
			return
		}
		ps.i++
	}
}
