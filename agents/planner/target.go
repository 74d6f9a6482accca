package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

var (
	sideWords = language.Words("side-words")
	// notLookedAt are things that eyes cannot turn to.
	notLookedAt   = language.Words("not-looked-at")
	numberedParts = language.Words("numbered-parts")
	// clauseSubjects and finiteVerbs make a clause of a name, unless one of the relatives stands before them.
	clauseSubjects = language.Words("clause-subjects")
	finiteVerbs    = language.Words("finite-verbs")
	relatives      = language.Words("relatives")
	nameJoints     = language.Words("name-joints")
	placesOf       = language.Words("places-of")
	// watchers turn the gaze to a thing without "at".
	watchers = language.Phrases("watchers")
	// bareVerbs end a phrase for looking after which a thing needs an article.
	bareVerbs = language.Words("bare-target-verbs")
	// targetOpeners begin what is looked at.
	targetOpeners = language.Words("target-openers")
	// objectVerbs and towards may stand before the bare name of a thing.
	objectVerbs = language.Words("object-verbs")
	towards     = language.Words("towards")
	// partsAsThings are parts of a robot that are looked at as things in front of it.
	partsAsThings = language.Words("parts-as-things")
	// pursuits begin a clause that wants a thing followed.
	pursuits = language.Words("pursuits")
	// clauseOpeners begin a clause, not a thing.
	clauseOpeners = language.Words("target-clause-openers")
	// targetNames says what a pronoun that is looked at means: that, person, me, nothing.
	targetNames = language.Map("target-names")
)

// targetClause parses "look at the apple", "face the door", "look at x 0.5 y 0.2 z 0.1".
func (ps *parser) targetClause() bool {
	if q, m := ps.quantity(ps.i + 1); m > 0 && q.Dim == language.Length && (ps.word(ps.i) == "look" || ps.word(ps.i) == "gaze") {
		ps.i++
		return ps.coordinates()
	}
	from := ps.i
	n := ps.targetVerb()
	if n == 0 {
		return false
	}
	ps.i += n
	if !ps.targetBegins(from) {
		return false
	}
	if q, m := ps.quantity(ps.i + 1); m > 0 && q.Dim == language.Angle {
		return false // "look up at a forty degree angle"
	}
	if ps.coordinates() {
		return true
	}
	for amounts.Len(ps.toks, ps.i) > 1 {
		ps.i += amounts.Len(ps.toks, ps.i)
	}
	if clauseOpeners[ps.word(ps.i)] || ps.word(ps.i) == "all" && ps.word(ps.i+1) == "these" {
		return false
	}
	return ps.target(from)
}

// targetVerb returns the length of the words that turn the gaze to what follows; 0 when there are none.
func (ps *parser) targetVerb() int {
	n := watchers.Len(ps.toks, ps.i)
	if n == 0 && motionVerbs[ps.word(ps.i)] == "look" && ps.manner(ps.i+1) && ps.word(ps.i+2) == "at" {
		n = 3 // "stare angrily at"
	}
	if n == 0 && ps.slack > 0 && ps.word(ps.i) == "look" {
		switch ps.word(ps.i + 1) {
		case "the", "this", "that", "my":
			n = 1 // "look the duck"
		case "me":
			n = oneIf(ps.boundary(ps.i+2) || tails.Has(ps.toks, ps.i+2))
		}
	}
	switch {
	case n == 0,
		paces.Has(ps.toks, ps.i+n-1),                          // "look right at a slow pace"
		ps.word(ps.i) == "give" && parts.Has(ps.toks, ps.i+n): // "give the antennas a good shake"
		return 0
	}
	return n
}

// targetBegins reports whether what follows the verb can be a thing. After a verb without "at" it needs an article.
func (ps *parser) targetBegins(from int) bool {
	last := ps.word(ps.i - 1)
	if !language.IsVerb(last) && !bareVerbs[last] {
		return true
	}
	if last != "out" && (directions.Has(ps.toks, ps.i-1) || directions.Has(ps.toks, ps.i)) {
		return false
	}
	switch w := ps.word(ps.i); {
	case targetOpeners[w]:
	case w == "it":
		if ps.object() == "" || !ps.boundary(ps.i+1) && !tails.Has(ps.toks, ps.i+1) {
			return false
		}
	case ps.p.objects[w] && (objectVerbs[last] || towards[last]):
	case towards[last] && ps.properNameAt(ps.i):
	default:
		return false
	}
	if !parts.Has(ps.toks, ps.i+1) {
		return true
	}
	w := ps.word(ps.i)
	return w != "your" && (w != "the" || ps.word(from) == "look" || partsAsThings[ps.word(ps.i+1)])
}

// properNameAt reports whether the word at k is written like a name.
func (ps *parser) properNameAt(k int) bool {
	return properName(ps.text[ps.tok(k).Start:ps.tok(k).End])
}

// target reads the thing itself and the rest of the clause.
func (ps *parser) target(from int) bool {
	name, m := ps.nounPhrase(ps.i, false)
	if m == 0 {
		return false
	}
	switch targetNames[name] {
	case "that":
		if name = ps.object(); name == "" {
			return false
		}
	case "person":
		name = "person"
	case "me":
		ps.i += m
		return ps.complete(ps.actionFrame("track_face true"), true)
	case "nothing":
		return false
	}
	if unseeable(name) {
		return false
	}
	if directions.Len(ps.toks, ps.i) == m {
		return false
	}
	if m > 1 && parts.Len(ps.toks, ps.i+1) == m-1 && ps.word(ps.i) == "your" && ps.word(from) != "look" {
		return false
	}
	ps.i += m
	f := frame{class: looking, tool: "look_at", word: name, keeps: pursuits[ps.word(from)]}
	if v, n := parts.Match(ps.toks, ps.i+2); n > 0 && ps.word(ps.i) == "with" && v == "arm" {
		f.part = "arm" // "point at the door with your finger"
		return ps.missing(&f)
	}
	return ps.complete(f, true)
}

// unseeable reports whether eyes cannot turn to what has this name: "the numbers from the left column", or a clause.
func unseeable(name string) bool {
	if last := lastWord(name); notLookedAt[last] && (last == name || !sideWords[last]) {
		return true
	}
	words := strings.Fields(language.InDigits(name))
	for k, w := range words[1:] {
		switch {
		case numberedParts[words[k]] && w[0] >= '0' && w[0] <= '9': // "page nine"
			return true
		case relatives[w]:
			return false
		case nameJoints[w] && notLookedAt[words[k]] && !placesOf[words[k]], clauseSubjects[w], finiteVerbs[w]:
			return true
		}
	}
	return false
}

// complete reads the rest of a clause and appends its frame; loose is as finish takes it.
func (ps *parser) complete(f frame, loose bool) bool {
	if !ps.finish(&f, loose) {
		return false
	}
	ps.put(f)
	return true
}

// object is the thing that "it" means, "" when nothing was named.
func (ps *parser) object() string {
	for k := len(ps.frames) - 1; k >= 0; k-- {
		if f := &ps.frames[k]; (f.class == looking || f.class == finding) && f.word != "" {
			return f.word
		}
	}
	return ""
}
