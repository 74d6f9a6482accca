package planner

import (
	"slices"

	"github.com/reachyd/reachyd/perception/language"
)

// motionVerbs sorts the verbs of motion by what they do with a direction.
var motionVerbs = language.Map("motion-verbs")

// lightLooks are nouns for a look: "take a look to the left".
var lightLooks = language.Phrases("light-looks")

var (
	// spreads are verbs for antennas that say where these go by themselves: out or in.
	spreads = language.Map("spreads")
	// lightVerbs move something only when a part is named, bodyMovers also without.
	lightVerbs = language.Words("light-verbs")
	bodyMovers = language.Words("body-movers")
	// notMovedTo are directions into which "move" alone does not go: the robot does not drive.
	notMovedTo = language.Words("not-moved-to")
)

// motionClause parses everything that moves head, body or antennas.
func (ps *parser) motionClause() bool {
	from := ps.i
	if ps.targetClause() {
		return true
	}
	ps.i = from
	f := frame{class: motion, verbed: true}
	w := ps.word(ps.i)
	v, n := lightLooks.Match(ps.toks, ps.i)
	plainVerb := n == 1 && v == "turn" && ps.tok(ps.i+1).Kind != language.Number && motionVerbs[w] != ""
	if n > 0 && v != "look" && !plainVerb { // "make a quarter turn left", "do a 90 degree turn"
		ps.i += n
		f.verb = "turn"
		if !ps.nominalTurn(&f) {
			return false
		}
		ps.put(f)
		return true
	}
	if n > 0 && v == "look" {
		f.verb = "look"
		ps.i += n
	} else if !ps.motionVerb(&f, n > 0) {
		return false
	}
	if w == "nod" && !directions.Has(ps.toks, ps.i) {
		return false
	}
	start := ps.i
	if !ps.slots(&f) && ps.i == start && !ps.fronting {
		return false
	}
	if f.part == "antennas" && f.empty() && spreads[w] != "" { // "spread your antennas"
		f.headings = []heading{{dir: spreads[w]}}
	}
	if ps.missing(&f) {
		return true
	}
	if ps.otherSense(&f, w, n > 0) || !ps.finish(&f, false) || ps.tooVague(&f) {
		return false
	}
	ps.put(f)
	return true
}

// motionVerb reads the verb of a motion; light says that it was found among the verbs of light nouns, too.
func (ps *parser) motionVerb(f *frame, light bool) bool {
	w := ps.word(ps.i)
	switch {
	case !light && (w == "pitch" || w == "yaw" || w == "roll" && ps.axisValueAt(ps.i)):
		f.verb = "look"
		if next := ps.word(ps.i + 1); next == "your" || next == "the" {
			f.word = w // "pitch your head …" names the axis
			ps.i++
		}
	case motionVerbs[w] != "":
		f.verb = motionVerbs[w]
		ps.i++
		ps.causedVerb(f)
		if !light && (w == "sway" || w == "lean") {
			f.verb = "tilt"
		}
	default:
		return false
	}
	return true
}

// otherSense reports whether a verb of motion is used for something else: "make it", "look" alone, "move forward".
func (ps *parser) otherSense(f *frame, w string, light bool) bool {
	if lightVerbs[w] && f.part == "" && !light || (w == "look" || w == "watch" || w == "observe") && f.empty() && !ps.fronting {
		return true
	}
	if f.verb != "move" || f.part != "" {
		return false
	}
	return !bodyMovers[w] || len(f.headings) > 0 && notMovedTo[f.headings[0].dir]
}

// tooVague reports whether a frame does not say enough, and nothing that follows or stood before says it.
func (ps *parser) tooVague(f *frame) bool {
	if !f.vague() {
		return false
	}
	return ps.trial > 0 || f.part == "" && !ps.fronting && !ps.correctionSoon()
}

// causes are verbs that make a part do something: "make the head go up".
var causes = language.Words("causes")

// causedVerb steps over the part, when a verb of motion follows it, and over that verb.
func (ps *parser) causedVerb(f *frame) {
	if !causes[ps.word(ps.i-1)] {
		return
	}
	k := ps.i
	for ps.word(k) == "your" || ps.word(k) == "the" || ps.word(k) == "both" {
		k++
	}
	v, n := parts.Match(ps.toks, k)
	if n == 0 {
		return
	}
	k += n
	if ps.word(k) == "to" {
		k++
	}
	verb := motionVerbs[ps.word(k)]
	if ps.word(k) == "go" || ps.word(k) == "come" || ps.word(k) == "be" {
		verb = "move"
	}
	if verb == "" || !directions.Has(ps.toks, k+1) && !amounts.Has(ps.toks, k+1) && ps.tok(k+1).Kind != language.Number {
		return
	}
	f.part, f.verb = v, verb
	ps.i = k + 1
}

// unknownMotion parses a verb that no table knows with a part of the robot and a direction: "veer your gaze left".
func (ps *parser) unknownMotion() bool {
	w := ps.word(ps.i)
	if ps.slack <= 0 || ps.trial > 0 || len(w) < 3 || language.Known(w) || ps.word(ps.i+1) != "your" || !parts.Has(ps.toks, ps.i+2) {
		return false
	}
	from := ps.i
	f := frame{class: motion, verbed: true, verb: "move"}
	ps.i++
	if !ps.slots(&f) || f.empty() || f.part == "" || !ps.finish(&f, false) {
		ps.i = from
		return false
	}
	if !ps.missing(&f) {
		ps.put(f)
	}
	return true
}

// correctionSoon reports whether a correction follows at once: "turn, I mean look left".
func (ps *parser) correctionSoon() bool {
	k := ps.i
	for ps.isMark(k) {
		k++
	}
	return ps.correctionAt(k) > 0
}

// empty reports whether the frame says neither where nor how far.
func (f *frame) empty() bool {
	return len(f.headings) == 0 && len(f.bare) == 0 && !f.axisSet[0] && !f.axisSet[1] && !f.axisSet[2]
}

// number reports whether the frame says one number of degrees, and neither where nor of what.
func (f *frame) number() bool {
	return f.part == "" && len(f.headings) == 0 && len(f.bare) == 1 && f.bare[0].kind == 'n'
}

// vague reports whether the frame does not say enough to move: "turn your head".
func (f *frame) vague() bool {
	if !f.empty() {
		return false
	}
	switch f.verb {
	case "raise", "lower":
		return f.part == ""
	case "tilt", "roll":
		return f.part != "head" && f.part != "it"
	}
	return true
}

// axisValueAt reports whether an axis name at k is followed by a value or a direction.
func (ps *parser) axisValueAt(k int) bool {
	m := k + 1
	for ps.word(m) == "to" || ps.word(m) == "of" || ps.word(m) == "by" || ps.word(m) == "at" || ps.word(m) == "=" || ps.word(m) == "is" || ps.word(m) == "angle" ||
		ps.isMark(m) && ps.toks[m].Word == ":" {
		m++
	}
	return ps.tok(m).Kind == language.Number
}

// nominalTurn reads "quarter turn to the left", "90 degree turn", "180".
func (ps *parser) nominalTurn(f *frame) bool {
	amt := ps.turnSize(f)
	if q, n := ps.quantity(ps.i); n > 0 && (q.Dim == language.Turns || q.Dim == language.Angle || q.Dim == language.NoUnit) {
		amt = amount{kind: 'n', deg: q.Value}
		ps.i += n
	}
	for directions.Has(ps.toks, ps.i) {
		f.headings = append(f.headings, ps.direction()...)
	}
	if !ps.turnNoun(f, amt) {
		return false
	}
	ps.acceptWord("of", "with")
	rest := frame{class: motion, verb: f.verb}
	ps.slots(&rest)
	f.headings = append(f.headings, rest.headings...)
	if rest.part != "" {
		f.part = rest.part
	}
	f.bare = rest.bare
	switch {
	case amt.kind == 0:
	case len(f.headings) > 0 && f.headings[0].amt.kind == 0:
		f.headings[0].amt = amt
	default:
		f.bare = append(f.bare, amt)
	}
	copyModifiers(f, &rest)
	return ps.finish(f, false)
}

// turnSizes are adjectives of a turn: little ones, and those that say how fast it is.
var turnSizes = language.Map("turn-sizes")

// turnSize reads "little", "quick" and their like before a turn.
func (ps *parser) turnSize(f *frame) (amt amount) {
	for size := turnSizes[ps.word(ps.i)]; size != ""; size = turnSizes[ps.word(ps.i)] {
		switch size {
		case "little":
			amt.kind = 'l'
		case "quick":
			f.pace = seconds{true, 0.5}
		case "slow":
			f.pace = seconds{true, 2}
		}
		ps.i++
	}
	return amt
}

// turnNouns are the nouns of a turn.
var turnNouns = language.Words("turn-nouns")

// turnNoun reads "turn" behind its size; only a large number can do without: "do a 180".
func (ps *parser) turnNoun(f *frame, amt amount) bool {
	noun := ps.word(ps.i)
	if !turnNouns[noun] {
		return amt.kind == 'n' && amt.deg >= 45
	}
	if noun == "tilt" {
		f.verb = "tilt"
	}
	ps.i++
	w := ps.word(ps.i)
	said := amt.kind != 0 || len(f.headings) > 0
	return said || directions.Has(ps.toks, ps.i) || w == "of" || w == "with" || ps.tok(ps.i).Kind == language.Number
}

func copyModifiers(f, from *frame) {
	if from.pace.set {
		f.pace = from.pace
	}
	if from.over.set {
		f.over = from.over
	}
	if from.hold.set {
		f.hold = from.hold
	}
	if from.delay.set {
		f.delay = from.delay
	}
	if from.said {
		f.times, f.said = from.times, true
	}
	if from.every.set {
		f.every = from.every
	}
}

// missing turns a motion of a part that the robot lacks into a fault.
func (ps *parser) missing(f *frame) bool {
	switch f.part {
	case "arm", "leg", "wing", "brow":
		ps.skipToEnd()
		ps.put(frame{class: fault, problem: OutcomeError, message: missingPart(f.part)})
		return true
	}
	return false
}

// direction reads one direction phrase; corners give two headings.
func (ps *parser) direction() []heading {
	v, n := directions.Match(ps.toks, ps.i)
	if n == 0 {
		return nil
	}
	returns := slices.ContainsFunc(ps.toks[ps.i:ps.i+n], func(t language.Token) bool { return returnWords[t.Word] })
	ps.i += n
	switch v {
	case "upleft":
		return []heading{{dir: "up"}, {dir: "left"}}
	case "upright":
		return []heading{{dir: "up"}, {dir: "right"}}
	case "downleft":
		return []heading{{dir: "down"}, {dir: "left"}}
	case "downright":
		return []heading{{dir: "down"}, {dir: "right"}}
	}
	return []heading{{dir: v, returns: returns}}
}

// returnWords make a direction the place where the robot was: "back again", "to where you were".
var returnWords = language.Words("return-words")

// facing reports whether "face", "point" or "look" only leads to a direction: "so that it points up", "to face the left".
func (ps *parser) facing() bool {
	switch ps.word(ps.i) {
	case "face", "faces", "facing", "point", "points", "pointing", "look", "looks", "looking", "aim":
		if w := ps.word(ps.i - 1); w == "your" || w == "the" {
			return false
		}
		k := ps.i + 1
		return directions.Has(ps.toks, k) || ps.word(k) == "the" && directions.Has(ps.toks, k+1)
	}
	return false
}

// asCan closes "as far left as you can".
var asCan = language.Phrases("as-can")

// slotFiller reports whether the word at hand says nothing inside a motion.
func (ps *parser) slotFiller() bool {
	switch ps.word(ps.i) {
	case "the", "your", "to", "a", "an", "by", "about", "approximately", "roughly", "exactly", "more", "further", "farther", "just", "its", "side", "angle",
		"direction", "towards", "toward", "over", "it's", "around", "position", "is", "at", "point", "pointing", "facing", "that", "of", "another", "value", "values",
		"be", "=", "level", "full", "precisely", "degree", "both", "both of", "additional", "extra", "off", "only", "nice", "then!", "also", "please", "now",
		"again", "back!", "hand!", "maybe", "perhaps", "each", "even", "away", "slight", "with", "in", "straight!", "axis", "from", "on", "rotation":
		switch ps.word(ps.i) {
		case "at", "with", "in", "on", "from", "of", "that", "is", "over", "around", "towards", "toward":
			next := ps.word(ps.i + 1)
			ok := ps.tok(ps.i+1).Kind == language.Number || parts.Has(ps.toks, ps.i+1) ||
				(next == "your" || next == "the" || next == "a" || next == "an" || next == "both") &&
					(parts.Has(ps.toks, ps.i+2) || next == "a" && ps.tok(ps.i+2).Kind == language.Number || ps.word(ps.i+2) == "angle" ||
						next == "an" && ps.word(ps.i+2) == "angle") || directions.Has(ps.toks, ps.i+1) || next == "pitch" || next == "yaw" || next == "roll" ||
				next == "an" && ps.word(ps.i+2) == "angle"
			return ok
		}
		return true
	}
	return false
}

// axis reads "pitch to 20", "yaw = -10", "roll 5 degrees to the left".
func (ps *parser) axis(f *frame, w string) bool {
	k := ps.i + 1
	for ps.word(k) == "to" || ps.word(k) == "of" || ps.word(k) == "by" || ps.word(k) == "at" || ps.word(k) == "=" || ps.word(k) == "is" || ps.word(k) == "angle" ||
		ps.word(k) == "equals" || ps.word(k) == "value" || ps.isMark(k) && ps.toks[k].Word == ":" {
		k++
	}
	q, n := ps.quantity(k)
	if n == 0 || q.Dim != language.Angle && q.Dim != language.NoUnit || ps.word(k+n) == "times" {
		return false
	}
	by := ps.word(k-1) == "by"
	ps.i = k + n
	v := q.Value
	if d, m := directions.Match(ps.toks, ps.i); m > 0 {
		negative := d == "right" && w == "yaw" || d == "left" && w == "roll" || d == "up" && w == "pitch"
		if negative && v > 0 {
			v = -v
		}
		ps.i += m
	}
	f.setAxis(w, v, by)
	return true
}

// setAxis says where an axis goes; by says that it goes so far from where it is.
func (f *frame) setAxis(w string, v float64, by bool) {
	k := map[string]int{"pitch": pitch, "yaw": yaw, "roll": roll}[w]
	f.axes[k], f.axisSet[k], f.axisBy[k] = v, true, by
}
