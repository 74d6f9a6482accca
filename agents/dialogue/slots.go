package dialogue

import (
	"slices"

	"github.com/reachyd/reachyd/perception/language"
)

// The tables are in perception/language/en/dialogue.txt, the others in the files of the planner.
var (
	followUps     = language.Phrases("follow-ups")
	followUpVerbs = language.Words("follow-up-verbs")
	directions    = language.Phrases("directions")
	amounts       = language.Phrases("amounts")
	counts        = language.Phrases("counts")
	paces         = language.Phrases("paces")
	parts         = language.Phrases("parts")
	leadIns       = language.Phrases("lead-ins")
	tails         = language.Phrases("tails")
	addresses     = language.Phrases("addresses")
	moreWords     = language.Words("more-words")
	goalWords     = language.Words("goal-words")
	offWords      = language.Words("off-words")
	onlyWords     = language.Words("only-words")
	shares        = language.Phrases("shares")

	takesBackNamed = language.Phrases("takes-back-named")
	movementNames  = language.Phrases("movement-names")
)

// slots are what a sentence says that leans on what was before.
type slots struct {
	kinds  []string // of the table follow-ups, without fillers
	dirs   []string
	amount string  // "little" or "far"
	degs   float64 // said when hasDegs
	to     bool    // degs is an angle to go to
	signed bool    // degs was said with its sign
	share  float64 // how much of the movement before is meant: 0.5 for half of it; 0: unsaid
	slip   bool    // a word is said that corrects, or only asks for patience or pardon: "sorry", "wait"
	names  string  // the movement that is named: "the tilt"
	alike  bool    // the same was asked for in words of its own
	off    bool    // degs is how far to go back: "ten degrees less", "twenty back"
	count  float64 // how often; 0: unsaid
	pace   string  // "slow" or "fast"
	part   string
	whose  string // the part that was named first
	axis   string // an axis of the head by its name
	verb   bool   // a verb of movement was said
	first  string
	text   string // the words of it, mended

	hasDegs bool

	before int    // directions that stood before the number
	clash  bool   // two movements are said: a second number or a second part
	motion string // the kind of verb of movement that a piece has
	tilts  bool   // left and right are those of a tilt
	loose  int    // words before what is named of which nothing is known
	behind int    // such words behind it
	past   bool   // its verb stands in the past: "head tilted ten"
	person bool   // somebody is said to do it
	wish   bool   // a word of wish or of telling stood before it
	wants  bool   // one of wish alone
}

func (s *slots) has(kind string) bool { return slices.Contains(s.kinds, kind) }

// bare reports whether nothing is said but kinds.
func (s *slots) bare() bool {
	return len(s.dirs) == 0 && s.amount == "" && !s.hasDegs && s.count == 0 && s.pace == "" && s.part == "" && s.axis == "" && s.share == 0 && s.names == ""
}

// bareButDegs reports whether no part, direction or amount is said.
func (s *slots) bareButDegs() bool {
	return len(s.dirs) == 0 && s.amount == "" && s.part == "" && s.axis == "" && s.share == 0
}

// leansOnMove reports whether what is said can only go on from a movement.
func (s *slots) leansOnMove() bool {
	return s.hasDegs && s.count == 0 || s.has("more") || s.has("less") || s.has("other-way") || s.has("wrong-way") || s.has("limit") || s.amount != ""
}

// reading is one way to understand the words at a place.
type reading struct {
	n   int
	put func(s *slots)
}

// slotsOf reads a sentence of which every word leans on something; ok is false when one does not.
func slotsOf(toks language.Tokens) (s slots, ok bool) {
	s.text = toks.String()
	ok = s.read(toks, opening(toks))
	return s, ok
}

// read takes in the words from a place on; false when one leans on nothing.
func (s *slots) read(toks language.Tokens, from int) bool {
	for i := from; i < len(toks); {
		if toks.IsMark(i) {
			i++
			continue
		}
		r := longest(toks, i)
		if r.n == 0 {
			return false
		}
		if toks.At(i+r.n).Word == "?" && answers.Len(toks, i) == r.n { // "No? Then five more"
			i += r.n
			continue
		}
		s.verb = s.verb || followUpVerbs[toks.Word(i)]
		if r.put != nil {
			r.put(s)
		}
		i += r.n
	}
	s.settle()
	return true
}

// amended reads a sentence in which somebody corrects themselves: what stands behind the correction goes before what stood in front of
// it. Where nothing stood in front, the command before is corrected.
func amended(toks language.Tokens, at int) (s slots, ok bool) {
	right := slots{text: toks[at:].String()}
	if !right.read(toks[at:], 0) {
		return right, false
	}
	right.first = "no"
	right.settle()
	left, _ := slotsOf(toks[:at])
	if left.bare() && left.share == 0 || right.verb {
		return right, true
	}
	if left.text = toks.String(); len(right.dirs) > 0 {
		left.dirs = right.dirs
	}
	if right.hasDegs || right.amount != "" {
		left.degs, left.hasDegs, left.to, left.signed, left.off = right.degs, right.hasDegs, right.to || left.to, right.signed, right.off
		left.amount, left.share = right.amount, right.share
	}
	for _, x := range [][2]*string{{&left.part, &right.part}, {&left.axis, &right.axis}, {&left.pace, &right.pace}} {
		if *x[1] != "" {
			*x[0] = *x[1]
		}
	}
	left.kinds = slices.DeleteFunc(append(left.kinds, right.kinds...), func(k string) bool { return k == "no" })
	left.clash, left.first = false, ""
	if setsAside(toks[:at]) {
		left.first = "no"
	}
	return left, true
}

// setsAside reports whether nothing is said but what is not meant: "not left, right".
func setsAside(toks language.Tokens) bool {
	return followUps.Len(toks, 0) > 0 && toks.Word(0) == "not"
}

// settle decides whether a correction is said. What goes on from where the robot is corrects nothing, whatever stands before it; a
// word that may be said for other reasons counts when nothing but a place or a number is said.
func (s *slots) settle() {
	switch {
	case s.has("settled") && (s.hasDegs || len(s.dirs) > 0): // "forty it is, to the left"
		s.first = "no"
	case s.share > 0 || s.has("more"):
		if s.first == "no" {
			s.first = ""
		}
	case s.slip && s.to && s.degs == 0 && s.bareButDegs(): // "actually level it out again"
	case s.part != "" && slices.Contains(s.dirs, "center"): // "sorry, just the right one back to zero": the other stays
	case s.has("no") && (!s.bare() || s.has("other") || s.has("other-way")),
		s.slip && !s.verb && (s.has("other") || s.has("other-way") || !s.leans() && (len(s.dirs) > 0 || s.hasDegs)):
		s.first = "no"
	}
}

// openers stand before a mark and say nothing there: "Right, and now up ten".
var openers = language.Words("openers")

// opening is how many tokens of a sentence are an opener with its mark.
func opening(toks language.Tokens) int {
	if openers[toks.Word(0)] && toks.IsMark(1) && len(toks) > 2 && toks.Word(2) != "not" {
		return 2
	}
	return 0
}

// longest is the reading with the most words; of several the first.
func longest(toks language.Tokens, i int) reading {
	var best reading
	take := func(t *language.Trie, put func(s *slots, key string)) {
		key, n := t.Match(toks, i)
		if n > best.n {
			best = reading{n: n}
			if put != nil {
				best.put = func(s *slots) { put(s, key) }
			}
		}
	}
	if toks.Word(i) != "right" || gistVerbs[toks.Word(i-1)] == "" { // "look right then" is no "right then"
		take(followUps, (*slots).follows)
	}
	take(shares, func(s *slots, key string) { s.share = float(key) })
	if r := movement(toks, i); r.n > best.n {
		best = r
	}
	take(counts, func(s *slots, key string) { s.count = float(key) })
	if toks.Word(i) == "not" { // "the body, not the head"
		from := i + 1
		if w := toks.Word(from); w == "the" || w == "your" {
			from++
		}
		if n := parts.Len(toks, from); n > 0 && from+n-i > best.n {
			best = reading{from + n - i, func(s *slots) { s.kinds = append(s.kinds, "no") }}
		}
	}
	take(amounts, func(s *slots, key string) {
		s.amount = key
		if n := amounts.Len(toks, i); slices.ContainsFunc(toks[i:i+n], func(t language.Token) bool { return moreWords[t.Word] }) {
			s.kinds = append(s.kinds, "more")
		}
	})
	take(paces, func(s *slots, key string) { s.pace = key })
	take(parts, func(s *slots, key string) {
		s.clash = s.clash || s.part != "" && s.part != key && (s.hasDegs || len(s.dirs) > 0)
		if s.part = key; s.whose == "" {
			s.whose = key
		}
	})
	take(directions, func(s *slots, key string) {
		if !slices.Contains(s.dirs, key) { // "down, ten down"
			s.dirs = append(s.dirs, key)
		}
	})
	if r := numbers(toks, i); r.n > best.n {
		best = r
	}
	if best.n == 0 {
		take(leadIns, nil)
		take(tails, nil)
		take(addresses, nil)
	}
	return best
}

// follows notes what leans on something.
func (s *slots) follows(key string) {
	if s.first == "" {
		s.first = key
	}
	switch key {
	case "filler":
	case "yaw", "pitch", "roll":
		s.axis = key
	case "slip":
		s.slip = true
	case "wrong-one":
		s.kinds = append(s.kinds, "no", "other")
	case "homewards": // "ten back towards the middle"
		if s.off = s.hasDegs; !s.off {
			s.dirs = append(s.dirs, "center")
		}
	case "zero":
		s.degs, s.hasDegs, s.to = 0, true, true
	case "of-centre": // "fifteen right of centre"
		s.to = s.to || s.hasDegs
	case "such": // "that one": alone it asks for nothing
		s.kinds = append(s.kinds, "same")
	case "same":
		s.kinds, s.alike = append(s.kinds, key), true
	case "little-less":
		s.kinds, s.amount = append(s.kinds, "less"), "little"
	default:
		s.kinds = append(s.kinds, key)
	}
}

// movement reads what a movement is called, perhaps behind what takes it back: "the tilt", "forget the tilt".
func movement(toks language.Tokens, i int) reading {
	if n := takesBackNamed.Len(toks, i); n > 0 {
		if key, m := movementNames.Match(toks, i+n); m > 0 {
			return reading{n + m, func(s *slots) { s.kinds, s.names = append(s.kinds, "undo"), key }}
		}
	}
	if w := toks.Word(i); w == "the" || w == "that" || w == "your" {
		if key, m := movementNames.Match(toks, i+1); m > 0 && key != "up" && key != "down" {
			return reading{1 + m, func(s *slots) { s.names = key }}
		}
	}
	return reading{}
}

// half is said of what was turned, where no unit follows.
const half = 0.5

// times reads how often behind a number: "three more times".
func times(toks language.Tokens, i int) reading {
	k := i + 1
	if moreWords[toks.Word(k)] {
		k++
	}
	if w := toks.Word(k); w != "times" && w != "time" {
		return reading{}
	}
	k++
	if moreWords[toks.Word(k)] {
		k++
	}
	return reading{k - i, func(s *slots) { s.count, s.kinds = toks.At(i).Num, append(s.kinds, "again") }}
}

// numbers reads degrees, or how often: "30 degrees", "three more times".
func numbers(toks language.Tokens, i int) reading {
	if toks.Word(i) == "not" { // "thirty, not twenty"
		if _, n := language.QuantityAt(toks, i+1); n > 0 {
			return reading{n + 1, func(s *slots) { s.kinds = append(s.kinds, "no") }}
		}
	}
	plus := toks.Word(i) == "plus" || toks.Word(i) == "and" && toks[i].End-toks[i].Start == len("+")
	if plus && goalWords[toks.Word(i-1)] && toks.At(i+1).Kind == language.Number {
		r := numbers(toks, i+1)
		put := r.put
		return reading{r.n + 1, func(s *slots) { put(s); s.to, s.signed = true, true }}
	}
	if toks.At(i).Kind != language.Number {
		return reading{}
	}
	if r := times(toks, i); r.n > 0 {
		return r
	}
	v := toks.At(i).Num
	q, n := language.QuantityAt(toks, i)
	if n == 0 || q.Dim != language.Angle && q.Dim != language.NoUnit && q.Dim != language.Turns {
		return reading{}
	}
	before, next := toks.Word(i-1), toks.Word(i+n)
	if w := toks.Word(i + n); q.Dim == language.NoUnit && (v == half || v > 0 && v < 1 && (w == "that" || w == "it" || w == "this")) {
		return reading{n, func(s *slots) { s.share = v }}
	}
	to, more := goalWords[before], moreWords[next]
	extra := slices.ContainsFunc(toks[i:i+n], func(t language.Token) bool { return moreWords[t.Word] })
	off := offWords[next] || offWords[before] || before == "by" && (offWords[toks.Word(i-2)] || offWords[toks.Word(i-3)])
	if more {
		n++
	}
	return reading{n, func(s *slots) {
		s.counted(q.Value)
		s.degs, s.hasDegs, s.to, s.off, s.signed = q.Value, true, to, off, q.Value < 0
		if onlyWords[before] {
			s.kinds = append(s.kinds, "only")
		}
		if more || extra {
			s.kinds = append(s.kinds, "more")
		}
	}}
}

// leans reports whether what is said goes on from a movement, rather than being polite.
func (s *slots) leans() bool {
	return slices.ContainsFunc(s.kinds, func(k string) bool { return k != "yes" && k != "praise" && k != "no" })
}

// counted notes whether a number begins another movement than the one before.
func (s *slots) counted(degs float64) {
	s.clash = s.clash || s.hasDegs && (s.degs != degs || len(s.dirs) > s.before)
	s.before = len(s.dirs)
}

func float(key string) float64 {
	v, _ := language.NumberAt(language.Analyse(key).Tokens, 0)
	return v
}
