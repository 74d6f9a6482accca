package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	harmVerbs        = language.Words("harm-verbs")
	harmNeedsObject  = language.Words("harm-needs-object")
	noVictims        = language.Words("no-victims")
	toNoVictim       = language.Words("to-no-victim")
	harmlessIdioms   = language.Phrases("harmless-idioms")
	pushed           = language.Words("pushed")
	pushedKnobs      = language.Words("pushed-knobs")
	photoWordsAhead  = language.Words("photo-words-ahead")
	aboutDeeds       = language.Words("about-deeds")
	safetyVerbs      = language.Words("safety-verbs")
	safetyNouns      = language.Words("safety-nouns")
	safetyFillers    = language.Words("safety-fillers")
	mildSafetyVerbs  = language.Words("mild-safety-verbs")
	awayWords        = language.Words("away-words")
	awayBehind       = language.Words("away-behind")
	broadProtections = language.Words("broad-protections")
	collisionGuards  = language.Words("collision-guards")
	ignoring         = language.Words("ignoring")
	instructionNouns = language.Words("instruction-nouns")
	fixedForbidden   = language.Phrases("fixed-forbidden")
	watching         = language.Words("watching")
	secrecy          = language.Phrases("secrecy")
)

// forbiddenClause parses what must not be done: harm, disabling protection, spying.
func (ps *parser) forbiddenClause() bool {
	why := ps.forbiddenAt(ps.i)
	if why == "" {
		return false
	}
	for !ps.done() && !ps.isMark(ps.i) {
		ps.i++
	}
	ps.put(frame{class: fault, problem: OutcomeRefuse, message: forbiddenBecause[why]})
	return true
}

// forbiddenAt says why the clause at k is forbidden, "" when it is not.
func (ps *parser) forbiddenAt(k int) string {
	why, n := fixedForbidden.Match(ps.toks, k)
	switch {
	case n > 0:
		return why
	case ps.harmAt(k):
		return "harm"
	case ps.unsafeAt(k), ignoring[ps.word(k)] && ps.ahead(k+1, k+8, instructionNouns):
		return "safety"
	case ps.spiesAt(k):
		return "privacy"
	}
	return ""
}

// ahead reports whether a word of the set stands from token from to before token to.
func (ps *parser) ahead(from, to int, words map[string]bool) bool {
	for k := from; k < min(to, len(ps.toks)); k++ {
		if words[ps.word(k)] {
			return true
		}
	}
	return false
}

// deed is a verb of harm at k, with the words behind it.
type deed struct {
	*parser
	k       int
	w, next string
	object  bool // something is said behind the verb
}

// harmAt reports whether harm is asked for at k.
func (ps *parser) harmAt(k int) bool {
	w, next := ps.word(k), ps.word(k+1)
	if !harmVerbs[w] {
		return false
	}
	return first(ps.p.rules.harmless, deed{ps, k, w, next, next != "" && !ps.boundary(k+1)}) != taken
}

// harmlessRules are what a verb of harm says that does no harm; what they stop is harm.
func harmlessRules() []rule[deed] {
	return []rule[deed]{
		{"harm pushing somebody", "push him", func(d deed) step {
			if d.w == "push" && (persons[d.next] || d.next == "him" || d.next == "her" || d.next == "them") {
				return stop
			}
			return pass
		}},
		{"harmless idiom", "cut the sound", func(d deed) step { return when(harmlessIdioms.Has(d.toks, d.k)) }},
		{"harmless object", "kill the timer", func(d deed) step { return when(d.abstract()) }},
		{"harmless photo", "shoot a picture", func(d deed) step {
			shot := d.w == "snap" || d.w == "shoot" && (d.next == "a" || d.next == "the" || d.next == "some")
			return when(shot && d.ahead(d.k+1, d.k+6, photoWordsAhead))
		}},
		{"harmless hit it", "hit it", func(d deed) step { return when(d.w == "hit" && d.next == "it" && d.boundary(d.k+2)) }},
		{"harmless push", "push the box", func(d deed) step {
			return when(d.w == "push" && (things[lastWord(d.clauseLast(d.k))] || !pushed[d.next] || pushedKnobs[d.word(d.k+2)]))
		}},
		{"harmless tip", "tip the head down", func(d deed) step {
			return when((d.w == "tip" || d.w == "push") && d.next == "the" && parts.Has(d.toks, d.k+2))
		}},
		{"harmless without an object", "trip", func(d deed) step { return when(harmNeedsObject[d.w] && !d.object) }},
		{"harmless remark about a deed", "murder is wrong", func(d deed) step { return when(aboutDeeds[d.next]) }},
	}
}

// abstract reports whether what is said to be harmed is nothing that can be: "kill the timer", "knock me out with a joke".
func (d deed) abstract() bool {
	m := d.k + 1
	for toNoVictim[d.word(m)] && !d.boundary(m) {
		m++
	}
	return noVictims[d.word(m)] && !d.boundary(m)
}

// protection is a protection that is named at noun, behind a verb at k that may take it away.
type protection struct {
	*parser
	k, noun int
}

// unsafeAt reports whether a protection is to be taken away at k.
func (ps *parser) unsafeAt(k int) bool {
	if !safetyVerbs[ps.word(k)] {
		return false
	}
	m := k + 1
	for m < len(ps.toks) && m < k+10 && (safetyFillers[ps.word(m)] || ps.tok(m).Glued) {
		m++
	}
	return safetyNouns[ps.word(m)] && m < k+10 && first(ps.p.rules.safe, protection{ps, k, m}) == pass
}

// safeRules are what is said of a protection that does not take it away.
func safeRules() []rule[protection] {
	return []rule[protection]{
		{"safe emergency", "stop emergency", func(s protection) step {
			return when(s.word(s.noun) == "emergency" && s.word(s.k) == "stop" && s.boundary(s.noun+1))
		}},
		{"safe verb", "reset the emergency stop", func(s protection) step { return when(mildSafetyVerbs[s.word(s.k)] && !s.takenAway()) }},
		{"safe without", "without protection", func(s protection) step {
			w := s.word(s.k)
			return when((w == "no" || w == "without") && !broadProtections[s.word(s.noun)])
		}},
		{"safe collision", "disable collision", func(s protection) step {
			return when(s.word(s.noun) == "collision" && !collisionGuards[s.word(s.noun+1)])
		}},
	}
}

// takenAway reports whether the words around the protection take it away: "turn off", "go beyond".
func (s protection) takenAway() bool {
	if s.ahead(s.k+1, s.noun, awayWords) || s.ahead(s.noun+1, s.noun+6, awayBehind) {
		return true
	}
	next := s.word(s.k + 1)
	return s.word(s.k) == "stop" && (next == "the" || next == "your") && s.word(s.noun) != "emergency"
}

// spiesAt reports whether somebody is to be watched in secret at k.
func (ps *parser) spiesAt(k int) bool {
	w := ps.word(k)
	if watching[w] || w == "keep" || w == "start" {
		for m := k + 1; m < len(ps.toks) && (!ps.isMark(m) || ps.toks[m].Word == ","); m++ {
			if secrecy.Has(ps.toks, m) {
				return true
			}
		}
	}
	n := secrecy.Len(ps.toks, k)
	behind := ps.word(k + n)
	return n > 0 && (watching[behind] || watching[language.InflectionOf(behind).Base])
}

// forbiddenBecause explains a refusal.
var forbiddenBecause = map[string]string{
	"harm":    "I will not do that: it could hurt someone or break something.",
	"safety":  "I will not do that: my limits and the emergency stop protect people and me, and nobody can talk me out of them.",
	"privacy": "I will not do that: I do not watch or record people without their knowing.",
}
