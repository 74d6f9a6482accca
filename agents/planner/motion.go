package planner

import "github.com/reachyd/reachyd/perception/language"

// motionVerbs sorts the verbs of motion by what they do with a direction.
var motionVerbs = language.Map("motion-verbs")

// lightLooks are nouns for a look: "take a look to the left".
var lightLooks = language.Phrases("light-looks")

// watchers turn the gaze to a thing without "at".
var watchers = language.Phrases("watchers")

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
	switch {
	case n == 1 && v == "turn" && ps.tok(ps.i+1).Kind != language.Number && motionVerbs[w] != "":
		f.verb = motionVerbs[w]
		ps.i++
		ps.causedVerb(&f)
	case n > 0 && v == "look":
		f.verb = "look"
		ps.i += n
	case n > 0:
		// "make a quarter turn left", "do a 90 degree turn"
		ps.i += n
		f.verb = "turn"
		if !ps.nominalTurn(&f) {
			return false
		}
		ps.put(f)
		return true
	case w == "pitch" || w == "yaw" || w == "roll" && ps.axisValueAt(ps.i):
		f.verb = "look"
		if ps.word(ps.i+1) == "your" || ps.word(ps.i+1) == "the" {
			f.axisVerb(w)
			ps.i++
		}
	case motionVerbs[w] != "":
		f.verb = motionVerbs[w]
		ps.i++
		ps.causedVerb(&f)
		if w == "sway" || w == "lean" {
			f.verb = "tilt"
		}
	default:
		return false
	}
	if w == "nod" && !directions.Has(ps.toks, ps.i) {
		return false
	}
	start := ps.i
	if !ps.slots(&f) && ps.i == start && !ps.fronting {
		return false
	}
	if f.part == "antennas" && f.empty() { // "spread your antennas"
		switch w {
		case "spread", "splay", "fan", "unfold":
			f.headings = []heading{{dir: "out"}}
		case "fold", "cross":
			f.headings = []heading{{dir: "in"}}
		}
	}
	if ps.missing(&f) {
		return true
	}
	if (w == "have" || w == "get" || w == "make" || w == "let" || w == "send" || w == "drive" || w == "keep" || w == "hold") && f.part == "" && n == 0 {
		return false
	}
	if (w == "look" || w == "watch" || w == "observe") && f.empty() && !ps.fronting {
		return false
	}
	if f.verb == "move" && f.part == "" && len(f.headings) > 0 && (f.headings[0].dir == "forward" || f.headings[0].dir == "back" || f.headings[0].dir == "around" || f.headings[0].dir == "out" || f.headings[0].dir == "in") {
		return false
	}
	if (f.verb == "move") && f.part == "" && w != "move" && w != "point" && w != "aim" && w != "shift" && w != "orient" && w != "set" && w != "adjust" {
		return false
	}
	if !ps.finish(&f, false) {
		return false
	}
	if ps.trial > 0 && f.vague() {
		return false
	}
	if f.vague() && f.part == "" && !ps.fronting && !ps.correctionSoon() {
		return false
	}
	ps.put(f)
	return true
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

// axisVerb remembers that "pitch your head …" names the axis.
func (f *frame) axisVerb(w string) { f.word = w }

// empty reports whether the frame says neither where nor how far.
func (f *frame) empty() bool {
	return len(f.headings) == 0 && len(f.bare) == 0 && !f.axisSet[0] && !f.axisSet[1] && !f.axisSet[2]
}

// only reports whether the frame is a fragment that says one number of degrees and nothing else.
func (f *frame) only() bool {
	return !f.verbed && f.class == motion && f.part == "" && len(f.headings) == 0 && len(f.bare) == 1 && f.bare[0].kind == 'n'
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
	for ps.word(m) == "to" || ps.word(m) == "of" || ps.word(m) == "by" || ps.word(m) == "at" || ps.word(m) == "=" || ps.word(m) == "is" || ps.word(m) == "angle" || ps.isMark(m) && ps.toks[m].Word == ":" {
		m++
	}
	return ps.tok(m).Kind == language.Number
}

// nominalTurn reads "quarter turn to the left", "90 degree turn", "180".
func (ps *parser) nominalTurn(f *frame) bool {
	w := ps.word(ps.i)
	small := false
	for w == "little" || w == "small" || w == "slight" || w == "quick" || w == "slow" || w == "big" || w == "sharp" {
		small = small || w == "little" || w == "small" || w == "slight"
		switch w {
		case "quick":
			f.pace = seconds{true, 0.5}
		case "slow":
			f.pace = seconds{true, 2}
		}
		ps.i++
		w = ps.word(ps.i)
	}
	amt := amount{}
	if small {
		amt.kind = 'l'
	}
	if q, n := ps.quantity(ps.i); n > 0 && (q.Dim == language.Turns || q.Dim == language.Angle || q.Dim == language.NoUnit) {
		amt = amount{'n', q.Value}
		ps.i += n
	}
	var dirs []heading
	for directions.Has(ps.toks, ps.i) {
		dirs = append(dirs, ps.direction()...)
	}
	switch ps.word(ps.i) {
	case "turn", "rotation", "spin", "turns", "tilt", "twist":
		if ps.word(ps.i) == "tilt" {
			f.verb = "tilt"
		}
		ps.i++
		if w := ps.word(ps.i); amt.kind == 0 && len(dirs) == 0 && !directions.Has(ps.toks, ps.i) && w != "of" && w != "with" && ps.tok(ps.i).Kind != language.Number {
			return false
		}
	default:
		if amt.kind != 'n' || amt.deg < 45 {
			return false
		}
	}
	f.headings = dirs
	if ps.word(ps.i) == "of" || ps.word(ps.i) == "with" {
		ps.i++
	}
	rest := frame{class: motion, verb: f.verb}
	ps.slots(&rest)
	f.headings = append(f.headings, rest.headings...)
	if rest.part != "" {
		f.part = rest.part
	}
	f.bare = rest.bare
	if amt.kind != 0 {
		if len(f.headings) > 0 && f.headings[0].amt.kind == 0 {
			f.headings[0].amt = amt
		} else {
			f.bare = append(f.bare, amt)
		}
	}
	copyModifiers(f, &rest)
	return ps.finish(f, false)
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

// targetClause parses "look at the apple", "face the door", "look at x 0.5 y 0.2 z 0.1".
func (ps *parser) targetClause() bool {
	if q, m := ps.quantity(ps.i + 1); m > 0 && q.Dim == language.Length && (ps.word(ps.i) == "look" || ps.word(ps.i) == "gaze") {
		ps.i++
		return ps.coordinates()
	}
	n := watchers.Len(ps.toks, ps.i)
	if n == 0 && motionVerbs[ps.word(ps.i)] == "look" && ps.manner(ps.i+1) && ps.word(ps.i+2) == "at" {
		n = 3 // "stare angrily at"
	}
	if w := ps.word(ps.i + 1); n == 0 && ps.slack > 0 && ps.word(ps.i) == "look" && (w == "the" || w == "this" || w == "that" || w == "my" || w == "me" && (ps.boundary(ps.i+2) || tails.Has(ps.toks, ps.i+2))) {
		n = 1 // "look the duck"
	}
	if n == 0 {
		return false
	}
	if paces.Has(ps.toks, ps.i+n-1) {
		return false // "look right at a slow pace"
	}
	if ps.word(ps.i) == "give" && parts.Has(ps.toks, ps.i+n) {
		return false // "give the antennas a good shake"
	}
	from := ps.i
	last := ps.word(ps.i + n - 1)
	ps.i += n
	if language.IsVerb(last) || last == "to" || last == "in" || last == "toward" || last == "towards" || last == "out" || last == "through" { // no "at": only a noun phrase with its article
		if last != "out" && (directions.Has(ps.toks, ps.i-1) || directions.Has(ps.toks, ps.i)) {
			return false
		}
		switch w := ps.word(ps.i); w {
		case "the", "that", "this", "my", "me", "a", "an", "him", "her", "them", "those", "these", "your":
		case "it":
			if ps.object() == "" || !ps.boundary(ps.i+1) && !tails.Has(ps.toks, ps.i+1) {
				return false
			}
		default:
			if ps.p.objects[w] && (last == "face" || last == "watch" || last == "observe" || last == "inspect" || last == "follow" || last == "track" || last == "to" || last == "toward" || last == "towards") {
				break
			}
			if (last == "toward" || last == "towards" || last == "to") && properName(ps.text[ps.tok(ps.i).Start:ps.tok(ps.i).End]) {
				break
			}
			return false
		}
		if parts.Has(ps.toks, ps.i+1) && ps.word(ps.i) == "your" || parts.Len(ps.toks, ps.i+1) > 0 && ps.word(ps.i) == "the" && ps.word(from) != "look" && ps.word(ps.i+1) != "camera" && ps.word(ps.i+1) != "base" && ps.word(ps.i+1) != "hand" && ps.word(ps.i+1) != "tail" && ps.word(ps.i+1) != "wheel" {
			return false
		}
	}
	if q, m := ps.quantity(ps.i + 1); m > 0 && q.Dim == language.Angle {
		return false // "look up at a forty degree angle"
	}
	if ps.coordinates() {
		return true
	}
	for amounts.Has(ps.toks, ps.i) && amounts.Len(ps.toks, ps.i) > 1 {
		ps.i += amounts.Len(ps.toks, ps.i)
	}
	if w := ps.word(ps.i); w == "you" || w == "what" || w == "how" || w == "where" || w == "who" || w == "all" && ps.word(ps.i+1) == "these" {
		return false
	}
	f := frame{class: looking, tool: "look_at"}
	name, m := ps.nounPhrase(ps.i, false)
	if m == 0 {
		return false
	}
	switch name {
	case "it", "that", "this", "one", "them", "that one", "this one", "these", "those":
		name = ps.object()
		if name == "" {
			return false
		}
	case "him", "her", "someone", "somebody":
		name = "person"
	case "me", "us":
		ps.i += m
		f = ps.actionFrame("track_face true")
		if !ps.finish(&f, true) {
			return false
		}
		ps.put(f)
		return true
	case "yourself", "myself", "himself", "there", "here", "things", "something", "nothing", "everything", "anything", "one another", "each other", "face value", "mess", "all":
		return false
	}
	if last := lastWord(name); notLookedAt[last] && (last == name || !sideWords[last]) {
		return false
	}
	if directions.Has(ps.toks, ps.i) && directions.Len(ps.toks, ps.i) == m {
		return false
	}
	if parts.Len(ps.toks, ps.i+1) == m-1 && m > 1 && ps.word(ps.i) == "your" && ps.word(from) != "look" {
		return false
	}
	f.word = name
	ps.i += m
	if v, n := parts.Match(ps.toks, ps.i+2); n > 0 && ps.word(ps.i) == "with" && v == "arm" {
		f.part = "arm" // "point at the door with your finger"
		return ps.missing(&f)
	}
	if !ps.finish(&f, true) {
		return false
	}
	ps.put(f)
	return true
}

var sideWords = language.Words("side-words")

// notLookedAt are things that eyes cannot turn to.
var notLookedAt = language.Words("not-looked-at")

// object is the thing that "it" means, "" when nothing was named.
func (ps *parser) object() string {
	for k := len(ps.frames) - 1; k >= 0; k-- {
		if f := &ps.frames[k]; (f.class == looking || f.class == finding) && f.word != "" {
			return f.word
		}
	}
	return ""
}

// coordinates parses a point in metres: "x 0.5 y 0.2 z 0.1", "(0.5, 0.2, 0.1)", "a point 1 metre ahead and 20 cm left".
func (ps *parser) coordinates() bool {
	from := ps.i
	for {
		switch ps.word(ps.i) {
		case "the", "a", "point", "position", "location", "coordinates", "coordinate", "spot", "at", "with", "place", "in", "space", "of", "that", "is", "position:", "xyz", "about":
			ps.i++
			continue
		}
		if ps.isMark(ps.i) && (ps.toks[ps.i].Word == "(" || ps.toks[ps.i].Word == ":") {
			ps.i++
			continue
		}
		break
	}
	var p [3]float64
	var have [3]bool
	n := 0
	glue := func() {
		for ps.isMark(ps.i) && (ps.toks[ps.i].Word == "," || ps.toks[ps.i].Word == ")" || ps.toks[ps.i].Word == ":") || ps.word(ps.i) == "and" {
			ps.i++
		}
	}
	put := func(axis int, v float64) bool {
		if have[axis] {
			return false
		}
		p[axis], have[axis] = v, true
		n++
		return true
	}
	plainNumbers := 0
loop:
	for !ps.done() {
		save := ps.i
		if n > 0 {
			glue()
		}
		switch w := ps.word(ps.i); {
		case len(w) == 1 && w >= "x" && w <= "z":
			ps.i++
			for ps.word(ps.i) == "=" || ps.word(ps.i) == "equals" || ps.word(ps.i) == "is" || ps.word(ps.i) == "of" || ps.word(ps.i) == "at" || ps.word(ps.i) == "to" || ps.word(ps.i) == "coordinate" || ps.isMark(ps.i) && ps.toks[ps.i].Word == ":" {
				ps.i++
			}
			q, m := ps.quantity(ps.i)
			if m == 0 || q.Dim != language.NoUnit && q.Dim != language.Length || !put(int(w[0]-'x'), q.Value) {
				ps.i = from
				return false
			}
			ps.i += m
		case ps.tok(ps.i).Kind == language.Number:
			q, m := ps.quantity(ps.i)
			if q.Dim == language.Length {
				v, dn := directions.Match(ps.toks, ps.i+m)
				axis, sign := -1, 1.0
				switch v {
				case "left":
					axis = 1
				case "right":
					axis, sign = 1, -1
				case "up":
					axis = 2
				case "down":
					axis, sign = 2, -1
				case "center", "forward":
					axis = 0
				case "back":
					axis, sign = 0, -1
				}
				if axis >= 0 {
					if !put(axis, sign*q.Value) {
						ps.i = from
						return false
					}
					ps.i += m + dn
					continue
				}
			}
			if q.Dim != language.NoUnit && q.Dim != language.Length || plainNumbers != n || n > 2 {
				ps.i = save
				break loop
			}
			put(n, q.Value)
			plainNumbers++
			ps.i += m
		default:
			ps.i = save
			break loop
		}
	}
	if n == 0 || plainNumbers > 0 && n < 3 {
		ps.i = from
		return false
	}
	for ps.isMark(ps.i) && ps.toks[ps.i].Word == ")" || language.UnitOf(ps.word(ps.i)).Dim == language.Length && ps.word(ps.i) != "" {
		ps.i++
	}
	if ps.word(ps.i) == "of" && ps.word(ps.i+1) == "you" {
		ps.i += 2
	}
	f := frame{class: action, tool: "look_at", args: map[string]any{"x": p[0], "y": p[1], "z": p[2]}}
	if !ps.finish(&f, false) {
		ps.i = from
		return false
	}
	ps.put(f)
	return true
}

// direction reads one direction phrase; corners give two headings.
func (ps *parser) direction() []heading {
	v, n := directions.Match(ps.toks, ps.i)
	if n == 0 {
		return nil
	}
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
	return []heading{{dir: v}}
}

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
	case "the", "your", "to", "a", "an", "by", "about", "approximately", "roughly", "exactly", "more", "further", "farther", "just", "its", "side", "angle", "direction", "towards", "toward", "over", "it's", "around", "position", "is", "at", "point", "pointing", "facing", "that", "of", "another", "value", "values", "be", "=", "level", "full", "precisely", "degree", "both", "both of", "additional", "extra", "off", "only", "nice", "then!", "also", "please", "now", "again", "back!", "hand!", "maybe", "perhaps", "each", "even", "away", "slight", "with", "in", "straight!", "axis", "from", "on", "rotation":
		switch ps.word(ps.i) {
		case "at", "with", "in", "on", "from", "of", "that", "is", "over", "around", "towards", "toward":
			next := ps.word(ps.i + 1)
			ok := ps.tok(ps.i+1).Kind == language.Number || parts.Has(ps.toks, ps.i+1) || (next == "your" || next == "the" || next == "a" || next == "an" || next == "both") && (parts.Has(ps.toks, ps.i+2) || next == "a" && ps.tok(ps.i+2).Kind == language.Number || ps.word(ps.i+2) == "angle" || next == "an" && ps.word(ps.i+2) == "angle") || directions.Has(ps.toks, ps.i+1) || next == "pitch" || next == "yaw" || next == "roll" || next == "an" && ps.word(ps.i+2) == "angle"
			return ok
		}
		return true
	}
	return false
}

// axis reads "pitch to 20", "yaw = -10", "roll 5 degrees to the left".
func (ps *parser) axis(f *frame, w string) bool {
	k := ps.i + 1
	for ps.word(k) == "to" || ps.word(k) == "of" || ps.word(k) == "by" || ps.word(k) == "at" || ps.word(k) == "=" || ps.word(k) == "is" || ps.word(k) == "angle" || ps.word(k) == "equals" || ps.word(k) == "value" || ps.isMark(k) && ps.toks[k].Word == ":" {
		k++
	}
	q, n := ps.quantity(k)
	if n == 0 || q.Dim != language.Angle && q.Dim != language.NoUnit || ps.word(k+n) == "times" {
		return false
	}
	ps.i = k + n
	v := q.Value
	if d, m := directions.Match(ps.toks, ps.i); m > 0 {
		negative := d == "right" && w == "yaw" || d == "left" && w == "roll" || d == "up" && w == "pitch"
		if negative && v > 0 {
			v = -v
		}
		ps.i += m
	}
	f.setAxis(w, v)
	return true
}

func (f *frame) setAxis(w string, v float64) {
	k := map[string]int{"pitch": pitch, "yaw": yaw, "roll": roll}[w]
	f.axes[k], f.axisSet[k] = v, true
}

// fragment parses a clause without a verb, which leans on the clause before: "and right", "then 20 degrees", "the duck".
func (ps *parser) fragment(j joint) bool {
	from := ps.i
	var prev *frame
	if k := len(ps.frames) - 1; k >= 0 {
		prev = &ps.frames[k]
	}
	for { // small words before a fragment
		if ps.acceptWord("maybe", "perhaps", "just", "please", "and", "then", "now", "only", "even") {
			continue
		}
		break
	}
	if j.correct {
		if n := takenBack.Len(ps.toks, ps.i); n > 0 {
			ps.i += n
		}
		for ps.acceptWord("it", "is", "be", "to", "was") {
			continue
		}
	}
	core := ps.i
	// "at the duck" after "look left and then …"
	if prev != nil && (prev.class == looking || prev.class == motion || prev.tool == "track_face") && (ps.word(ps.i) == "at" || ps.word(ps.i) == "to" || ps.word(ps.i) == "towards" || ps.word(ps.i) == "toward") && !directions.Has(ps.toks, ps.i) && ps.tok(ps.i+1).Kind != language.Number {
		ps.i++
		if name, m := ps.nounPhrase(ps.i, false); m > 0 && !parts.Has(ps.toks, ps.i+1) && !directions.Has(ps.toks, ps.i) {
			f := frame{class: looking, tool: "look_at", word: name}
			if name == "me" || name == "us" {
				f = ps.actionFrame("track_face true")
			}
			ps.i += m
			if ps.finish(&f, true) {
				ps.put(f)
				return true
			}
		}
		ps.i = core
	}
	f := frame{class: motion}
	if ps.acceptWord("not") || negations.Has(ps.toks, ps.i) && ps.word(ps.i) == "not" {
		f.negated = true
	}
	got := ps.slots(&f)
	if (got || !f.empty()) && ps.finish(&f, false) && !ps.mismatch(prev, &f, j) {
		if prev == nil || prev.class == nothing && !prev.negated {
			if !standsAlone(&f) {
				return false
			}
			f.verbed = true
			f.verb = "move"
			if f.part == "" || f.part == "it" {
				f.verb = "look"
			}
			if ps.missing(&f) {
				return true
			}
		}
		if prev != nil {
			switch prev.class {
			case volume:
				if len(f.bare) == 1 && len(f.headings) == 0 {
					ps.put(frame{class: volume, tool: "set_volume", bare: f.bare})
					return true
				}
			case motion, looking, nothing, fault:
			default:
				if len(f.bare) == 1 && f.bare[0].kind == 'n' && f.part == "" && len(f.headings) == 0 { // "nod twice, no, three"
					ps.put(frame{class: pending, times: f.bare[0].deg, said: true})
					return true
				}
				f.verbed = true
				f.verb = "look"
				if f.part != "" {
					f.verb = "move"
				}
			}
			if len(f.bare) == 1 && f.bare[0].kind == 'n' && j.correct && prev.said && f.part == "" && len(f.headings) == 0 && prev.empty() {
				ps.put(frame{class: pending, times: f.bare[0].deg, said: true})
				return true
			}
		}
		ps.put(f)
		return true
	}
	// modifiers alone: "three times", "slowly", "for two seconds"
	ps.i = core
	m := frame{class: pending}
	if t := ps.tok(ps.i); t.Kind == language.Number && t.Num == 1 && ps.word(ps.i+1) == "every" {
		ps.i++ // "five photos, one every two seconds"
	}
	if prev != nil && ps.modifier(&m) && ps.finish(&m, false) {
		ps.put(m)
		return true
	}
	ps.i = core
	if prev == nil {
		ps.i = from
		return false
	}
	switch prev.class {
	case feeling:
		for ps.acceptWord("very", "really", "so", "a", "your", "be", "quite", "super", "extremely") {
			continue
		}
		if v, n := emotionWords.Match(ps.toks, ps.i); n > 0 {
			ps.i += n
			if ps.emotionFrame(v) {
				return true
			}
		}
	case pausing:
		if q, n := ps.quantity(ps.i); n > 0 && (q.Dim == language.Time || q.Dim == language.NoUnit) {
			ps.i += n
			w := frame{class: pausing, tool: "wait", hold: seconds{true, q.Value}}
			if ps.finish(&w, false) {
				ps.put(w)
				return true
			}
		}
	case volume:
		if q, n := ps.quantity(ps.i); n > 0 && (q.Dim == language.Percent || q.Dim == language.NoUnit) {
			ps.i += n
			if ps.volumeFrame(q) {
				return true
			}
		}
	case speech:
		if j.correct && !ps.done() {
			w := frame{class: speech, tool: "speak"}
			if t := ps.tok(ps.i); t.Kind == language.Quote {
				w.word = t.Word
				ps.i++
				if ps.finish(&w, false) {
					ps.put(w)
					return true
				}
			}
			return ps.spoken(w)
		}
	case looking, finding:
		not := ps.acceptWord("not")
		ps.acceptWord("at")
		name, n := ps.nounPhrase(ps.i, prev.class == finding)
		first := ps.word(ps.i)
		article := fillers[first] || first == "some" || ps.p.objects[name] || properName(ps.text[ps.tok(ps.i).Start:ps.tok(ps.i).End])
		if n > 0 && article && name != "" {
			ps.i += n
			w := frame{class: prev.class, tool: prev.tool, word: name, negated: not}
			if name == "me" && !not {
				w = ps.actionFrame("track_face true")
			}
			if ps.finish(&w, true) {
				ps.put(w)
				return true
			}
		}
	case action:
		if prev.tool == "goto_pose" || prev.tool == "play_move" {
			for ps.acceptWord("the", "to", "move", "called") {
				continue
			}
			if ps.tok(ps.i).Kind == language.Quote || ps.tok(ps.i).Kind == language.Word && ps.p.poses[ps.word(ps.i)] != "" {
				w := frame{class: action, tool: prev.tool, args: map[string]any{"name": ps.tok(ps.i).Word}}
				ps.i++
				ps.acceptWord("pose", "position", "move")
				if ps.finish(&w, false) {
					ps.put(w)
					return true
				}
			}
		}
		if prev.tool == "gesture" || prev.tool == "take_photo" { // "a nod, then a bow"
			for ps.acceptWord("a", "another", "an", "one") {
				continue
			}
			if ps.actionClause() {
				ps.frames[len(ps.frames)-1].verbed = true
				return true
			}
		}
	}
	// "… followed by a bow"
	ps.i = core
	if prev.tool != "" || prev.class == motion {
		for ps.acceptWord("a", "an", "another", "with", "by", "one") {
			continue
		}
		if ps.i > core && ps.actionClause() {
			ps.frames[len(ps.frames)-1].verbed = true
			return true
		}
	}
	ps.i = from
	return false
}

// mismatch reports whether a fragment of motion cannot lean on the clause before it.
func (ps *parser) mismatch(prev, f *frame, j joint) bool {
	if prev == nil {
		return false
	}
	switch prev.class {
	case motion, looking, nothing, fault, volume:
		return false
	}
	if prev.class == action && len(f.bare) > 0 && j.correct { // "nod twice, no, three"
		return false
	}
	return (f.part == "" || f.empty()) && !f.negated && !standsAlone(f)
}

// takenBack is what a correction may repeat before the right thing comes.
var takenBack = language.Phrases("taken-back")

// standsAlone reports whether a fragment without any clause before it is a command: "head up", "20 degrees left".
func standsAlone(f *frame) bool {
	where := len(f.headings) > 0
	if f.part != "" && f.part != "it" && f.part != "them" && (where || len(f.bare) > 0 && f.bare[0].kind == 'n') {
		return true
	}
	if f.axisSet[0] || f.axisSet[1] || f.axisSet[2] {
		return true
	}
	return where && f.headings[0].amt.kind != 0
}
