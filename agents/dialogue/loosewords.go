package dialogue

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What a stretch of a sentence names is read word by word, and what several say together is joined (loose.go).

// want reads what a stretch names; use is false when it makes the whole something else than a wish.
func (r *reader) want(s *stretch) (w wanted, use bool) {
	w = wanted{kinds: map[string]bool{}, then: s.then}
read:
	for i := 0; i < len(s.toks); {
		if looseTails.Has(s.toks, i) && i > 0 { // "as if there was a nail on the floor"
			break
		}
		n, word := w.reads(s.toks, i)
		switch {
		case n > 0:
			i += n
			continue
		case word == notMovement, looseSums[word]:
			return w, false
		case !looseNever[word]:
			w.passes(s.toks, i)
			i++
			continue
		case i == 0:
			return wanted{kinds: map[string]bool{}}, !conditional(s.toks) // else politeness
		default:
			break read
		}
	}
	return r.meant(s, w)
}

// reads takes in what the words at a place name; n is 0 where they name nothing.
func (w *wanted) reads(toks language.Tokens, i int) (n int, word string) {
	if n := looseWish.Len(toks, i); n > 0 {
		w.your = true
		return n, ""
	}
	key, n := looseWords.Match(toks, i)
	if lessThanNumber := n == 1 && key == "less" && toks.At(i+1).Kind == language.Number; n > 0 && !lessThanNumber { // "minus ten"
		if key == "to" {
			w.goal = i + n
		} else {
			w.named(key)
		}
		return n, ""
	}
	if isNumber(toks[i]) {
		n, ok := w.numbered(toks, i)
		if !ok {
			return 0, notMovement
		}
		return n, ""
	}
	return 0, toks.Word(i)
}

// notMovement stands for a number that counts no movement.
const notMovement = "\x00"

// passes notes a word that names nothing.
func (w *wanted) passes(toks language.Tokens, i int) {
	before := toks.Word(i - 1)
	switch word := toks.Word(i); {
	case word == "not" || word == "never" || word == "no" && i+1 < len(toks) && !toks.IsMark(i+1):
		w.negated = true
	case word == "your" || word == "you":
		w.your = true
	case looseOthers[word] && before != "for" && before != "to" && before != "at":
		w.others = true
	case !looseSmall[word] && toks[i].Kind == language.Word && word != "i":
		w.unknown++
	}
}

// meant is what is made of a stretch that was read.
func (r *reader) meant(s *stretch, w wanted) (wanted, bool) {
	first := s.toks.Word(0)
	switch {
	case w.empty():
		r.gesture(s, &w)
		return w, true
	case w.negated && first == "not" && len(w.dirs) > 0 && !w.names() && !w.sized(): // "left, not to the right"
		return wanted{kinds: map[string]bool{}}, true
	case w.negated && w.names(): // "no tilting", "not the head" are remarks
		return wanted{kinds: map[string]bool{}}, first == "no" || first == "without" || first == "not"
	case !w.your && (w.others || first == "i" && !wishWithin(s.toks)):
		return wanted{kinds: map[string]bool{}, unknown: len(s.toks)}, true
	}
	w.settle()
	return w, true
}

// conditional reports whether a stretch is a condition rather than politeness.
func conditional(toks language.Tokens) bool {
	if toks.Word(0) != "if" {
		return true
	}
	for i := range toks {
		key, n := looseWords.Match(toks, i)
		if isNumber(toks[i]) || n > 0 && key != "to" && key != "little" && key != "more" && key != "right" && key != "same" || toks.Word(i) == "than" {
			return true
		}
	}
	return false
}

// gesture asks the planner for a stretch that names no movement of an axis.
func (r *reader) gesture(s *stretch, w *wanted) {
	text := r.u.Text[s.toks[0].Start:s.toks[len(s.toks)-1].End]
	plan := r.p.PlanFor(language.Analyse(text))
	if plan.Outcome != planner.OutcomePlan || len(plan.Steps) == 0 || moves(plan.Steps) {
		return
	}
	for _, step := range plan.Steps {
		if step.Tool != "gesture" && step.Tool != "express_emotion" && step.Tool != "wait" {
			return
		}
	}
	w.steps = plan.Steps
}

// named notes what a phrase of the table names.
func (w *wanted) named(key string) {
	put := func(part string) {
		if w.part == "" || w.part == "head" && part != "head" {
			w.part = part
		}
	}
	switch key {
	case "head", "body", "antennas", "leftAntenna", "rightAntenna":
		put(key)
	case "antenna":
		put("antennas")
	case "gaze":
		put("head")
		if w.verb == "" {
			w.verb = "look"
		}
	case "chin":
		put("head")
		w.axis, w.hasAxis = planner.Pitch, true
	case "ear":
		w.ear = true
	case "crown":
		put("head")
		w.verb = "tilt"
	case "pitch", "yaw", "roll":
		w.axis, w.hasAxis = headAxes[key], true
	case "tilt", "turn":
		if w.verb != "tilt" {
			w.verb = key
		}
	case "up", "down", "left", "right", "center":
		if !slices.Contains(w.dirs, key) {
			w.dirs = append(w.dirs, key)
		}
	case "drop-roll", "drop-yaw", "drop-pitch":
		w.kinds["drop"] = true
		w.axis, w.hasAxis = headAxes[key[len("drop-"):]], true
	case "over-left", "over-right":
		w.verb, w.dirs = "look", append(w.dirs, key[len("over-"):])
	case "tilt-left", "tilt-right":
		put("head")
		w.verb, w.dirs = "tilt", append(w.dirs, key[len("tilt-"):])
	case "above-level", "below-level":
		w.kinds["to"] = true
		w.dirs = append(w.dirs, map[string]string{"above-level": "up", "below-level": "down"}[key])
	case "head-back":
		put("head")
		w.dirs = append(w.dirs, "up")
	case "left-one", "right-one":
		w.one = key[:len(key)-len("-one")]
	case "turning":
		w.verb = "turn"
	default:
		w.changed(key)
	}
}

// changed notes what a phrase says of how far.
func (w *wanted) changed(key string) {
	switch key {
	case "little", "far":
		w.size = key
	case "halve":
		w.share, w.kinds["less"] = half, true
	case "half":
		w.share, w.kinds["that"] = half, true
	case "halfway":
		w.share, w.kinds["back"] = half, true
	case "double":
		w.factor = 2
	case "from-centre":
		w.kinds["to"] = true
	default:
		w.kinds[key] = true
	}
}

// numbered notes a number; false when it counts something that is no movement.
func (w *wanted) numbered(toks language.Tokens, i int) (n int, ok bool) {
	if toks[i].Pronoun {
		return 1, true
	}
	q, n := language.QuantityAt(toks, i)
	if n == 0 {
		return 1, false
	}
	next := toks.Word(i + n)
	switch {
	case next == "times" || next == "time":
		w.count = q.Value
		return n + 1, true
	case q.Dim == language.Time:
		w.wait = q.Value
		return n, true
	case q.Dim == language.Percent:
		w.share = q.Value / 100 //nolint:mnd // of a hundred
		return n, true
	case q.Dim == language.Length:
		return n, false
	case q.Dim == language.NoUnit && q.Value > 0 && q.Value < 1:
		w.share = q.Value
		w.kinds["that"] = next == "that" || toks.Word(i+n+1) == "that"
		return n, true
	case w.hasDegs && w.degs != q.Value:
		return n, false
	}
	at := i
	for at > 0 && (angleFillers[toks.Word(at-1)] || toks.Word(at-1) == "the" || toks.Word(at-1) == "minus" || toks.Word(at-1) == "negative") {
		at--
	}
	if w.goal > 0 && w.goal >= at && w.goal <= i {
		w.kinds["to"] = true
	}
	if before := toks.Word(i - 1); before == "minus" || before == "negative" {
		q.Value = -math.Abs(q.Value)
		delete(w.kinds, "less")
	}
	if before := toks.Word(i - 1); q.Dim == language.NoUnit && (before == "at" || before == "by") {
		w.kinds["hour"] = true
	}
	w.degs, w.hasDegs, w.signed = q.Value, true, q.Value < 0 || toks.Word(i-1) == "plus"
	return n, true
}

// settle decides what words mean that mean several things.
func (w *wanted) settle() {
	antenna := isAntenna(w.part)
	if w.ear && w.verb == "tilt" {
		w.part, w.ear = "head", false
	}
	switch {
	case antenna:
		w.verb, w.hasAxis = "", false
		if w.part == "antennas" && len(w.dirs) == 1 && horizontal(w.dirs[0]) && !w.is("both") {
			w.part, w.dirs = w.dirs[0]+"Antenna", nil
		}
	case w.verb == "tilt" && w.part != "body" && !w.hasAxis && slices.ContainsFunc(w.dirs, horizontal):
		w.axis, w.hasAxis = planner.Roll, true
		w.dirs = slices.DeleteFunc(w.dirs, func(d string) bool { return !horizontal(d) && d != "center" })
	}
	if w.hasAxis && w.axis == planner.Pitch && slices.ContainsFunc(w.dirs, vertical) {
		w.dirs = slices.DeleteFunc(w.dirs, horizontal)
	}
	if w.is("keep") && (w.sized() || len(w.dirs) > 0 && !w.names()) {
		delete(w.kinds, "keep")
	}
	if len(w.dirs) > 1 && slices.Contains(w.dirs, "center") && !w.sized() { // "back up to level"
		if !w.hasAxis && w.part != "body" && !antenna && slices.ContainsFunc(w.dirs, vertical) {
			w.axis, w.hasAxis = planner.Pitch, true
		}
		w.dirs = []string{"center"}
	}
}

func horizontal(d string) bool { return d == "left" || d == "right" }

func vertical(d string) bool { return d == "up" || d == "down" }

// completed joins stretches that complete each other: "tilt right, fourteen degrees", "the left antenna: forty".
func completed(all []wanted) (out []wanted) {
	for _, w := range all {
		if len(out) > 0 && out[len(out)-1].takes(&w) {
			continue
		}
		if len(out) > 0 && w.steps == nil {
			w.inherits(&out[len(out)-1])
		}
		out = append(out, w)
	}
	return out
}

// completes reports whether w only adds what b does not say.
func (w *wanted) completes(b *wanted) bool {
	sameDirs := len(w.dirs) == 0 || len(b.dirs) == 0 || slices.Equal(b.dirs, w.dirs)
	clash := b.part != "" && w.part != "" && b.part != w.part || b.hasAxis && w.hasAxis && b.axis != w.axis || b.sized() && w.sized() && !alikeSize(b, w)
	switch {
	case b.steps != nil, w.steps != nil, clash, !sameDirs, w.wait > 0, b.wait > 0, w.then && (len(w.dirs) > 0 || w.names()),
		w.changes() && b.where(), b.changes() && w.where() && w.names():
		return false
	}
	whole := len(b.dirs) > 0 && b.sized()
	return !whole || !w.where() || len(w.dirs) > 0 && slices.Equal(b.dirs, w.dirs)
}

// takes joins the next stretch to this one, where it only adds what is not said yet.
func (w *wanted) takes(next *wanted) bool {
	if !next.completes(w) {
		return false
	}
	if next.part != "" && (w.part == "" || w.part == "head") {
		w.part = next.part
	}
	if next.hasAxis {
		w.axis, w.hasAxis = next.axis, true
	}
	if next.verb != "" && w.verb != "tilt" {
		w.verb = next.verb
	}
	if len(next.dirs) > 0 {
		w.dirs = next.dirs
	}
	w.sizedBy(next)
	maps.Copy(w.kinds, next.kinds)
	w.unknown += next.unknown
	w.your = w.your || next.your
	w.settle()
	return true
}

// sizedBy takes over how far, where the next stretch says it.
func (w *wanted) sizedBy(next *wanted) {
	if next.hasDegs {
		w.degs, w.hasDegs, w.signed = next.degs, true, next.signed
		w.size = ""
	} else if next.size != "" && !w.hasDegs {
		w.size = next.size
	}
	w.share, w.factor = cmp.Or(next.share, w.share), cmp.Or(next.factor, w.factor)
}

// alikeSize reports whether two stretches say the same size, or one only a word where the other has the number.
func alikeSize(a, b *wanted) bool {
	return a.hasDegs && b.hasDegs && a.degs == b.degs || a.hasDegs != b.hasDegs && a.share == 0 && b.share == 0 && a.factor == 0 && b.factor == 0
}

// inherits takes over the part of what stands before it.
func (w *wanted) inherits(b *wanted) {
	if w.names() || w.is("home") || w.is("undo") || w.is("undo-all") {
		return
	}
	upright := slices.ContainsFunc(w.dirs, vertical)
	if !upright || b.part != "body" {
		w.part = b.part
	}
	if isAntenna(b.part) && len(w.dirs) == 1 && horizontal(w.dirs[0]) {
		w.part, w.dirs = w.dirs[0]+"Antenna", nil
		return
	}
	if len(w.dirs) == 0 || b.hasAxis && upright == (b.axis == planner.Pitch) {
		w.axis, w.hasAxis = b.axis, b.hasAxis
	}
	if w.verb == "" {
		w.verb = b.verb
	}
	w.settle()
}

// sure reports whether what is named is surely a wish to the robot.
func (r *reader) sure(all []wanted) bool {
	moved := false
	for i := range all {
		if all[i].steps != nil {
			continue
		}
		if !r.wishes(&all[i]) {
			return false
		}
		moved = true
	}
	return moved
}

// wishes reports whether a stretch by itself, or after what was done, is surely a wish.
func (r *reader) wishes(w *wanted) bool {
	going := r.Last != nil && moves(r.Last.Steps) || r.Moved != nil
	sides := len(w.dirs) > 0
	switch {
	case w.unknown > maxUnknown, w.ear && w.part != "head", w.is("again") && !w.where() && !w.changes():
		return false
	case w.is("hour") && !w.names(): // "back by ten", "strike the set at six"
		return false
	case w.names() && w.where() && (w.your || w.unknown <= 1 || w.hasDegs), w.verb != "" && sides && w.your && w.unknown == 0:
		return true
	case sides && w.hasDegs && w.unknown <= 2 && r.strange <= 1:
		return true
	}
	return going && w.goesOn(r.strange)
}

// goesOn reports whether a stretch changes what was done before, where so many words that are not known stand around it.
func (w *wanted) goesOn(strange int) bool {
	if w.names() {
		return (w.changes() || w.where()) && w.unknown <= 2
	}
	return (w.changes() || len(w.dirs) > 0 || w.hasDegs) && w.unknown <= 1 && strange == 0
}
