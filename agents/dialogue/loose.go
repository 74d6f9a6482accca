package dialogue

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// What nobody could read is searched for what it names of a movement: parts, directions, amounts, changes. People wrap what they want
// in words of all kinds ("what I'm after, if you can manage it, is your head tilted right, fourteen degrees"), which are stepped over; a
// question, a condition, a denial, or what others do is no wish. The words are in perception/language/en/loose.txt.

var (
	looseWords  = language.Phrases("loose")
	looseSmall  = language.Words("loose-small")
	looseAsks   = language.Words("loose-asks")
	looseOthers = language.Words("loose-others")
	looseNever  = language.Words("loose-never")
	looseWish   = language.Phrases("loose-requests")
	looseFixes  = language.Phrases("loose-corrections")
	looseTails  = language.Phrases("loose-tails")
	looseSums   = language.Words("loose-sums")
)

// Bounds of what is stepped over.
const (
	maxStretches = 12
	maxUnknown   = 4 // words of a stretch of which nothing is known, where a part and where to are named
)

// stretch is a part of a sentence between marks or connectives.
type stretch struct {
	toks  language.Tokens
	first bool // it begins a sentence
	then  bool // "then" stands before it
	asked bool // its sentence ends with a question mark
}

// wanted is what a stretch names.
type wanted struct {
	part    string // as in partNames
	axis    planner.Axis
	hasAxis bool
	verb    string // "look", "tilt" or "turn"
	one     string // "left" or "right": one of the antennas, where these are spoken of
	dirs    []string
	degs    float64
	hasDegs bool
	signed  bool
	size    string  // "little" or "far"
	share   float64 // of what was turned, or of what there is
	factor  float64 // times what there is
	wait    float64 // seconds
	count   float64
	kinds   map[string]bool // to, by, more, less, back, undo, undo-all, home, other, same, drop, keep, both
	unknown int
	goal    int  // where a number stands that is a goal
	ear     bool // an ear is named: a side of the head where it is tilted, else an antenna
	your    bool // it is said of the robot
	others  bool // it is said of others
	negated bool
	then    bool
	steps   []planner.Step // what the planner makes of it: a gesture, a pause
}

func (w *wanted) is(kind string) bool { return w.kinds[kind] }

// names reports whether something is named that moves.
func (w *wanted) names() bool {
	return w.part != "" || w.hasAxis || w.verb == "tilt" || w.verb == "look"
}

// where reports whether it is said where to or how far.
func (w *wanted) where() bool { return len(w.dirs) > 0 || w.sized() || w.is("home") }

func (w *wanted) sized() bool { return w.hasDegs || w.size != "" || w.share != 0 || w.factor != 0 }

// changes reports whether what is said changes what there is.
func (w *wanted) changes() bool {
	return slices.ContainsFunc([]string{"more", "less", "back", "undo", "undo-all", "other", "drop"}, w.is) || w.share != 0 || w.factor != 0
}

func (w *wanted) empty() bool {
	return !w.names() && !w.where() && !w.changes() && w.verb == "" && w.one == "" && w.steps == nil
}

// loosely reads a sentence by what it names, where nobody has read it.
func (r *reader) loosely() (Reading, bool) {
	if r.u.TooLong || r.plan.Outcome != planner.OutcomeNone && (r.plan.Outcome != planner.OutcomeError || moves(r.plan.Steps)) {
		return Reading{}, false
	}
	all := r.wanted()
	if len(all) == 0 || !r.sure(all) {
		return Reading{}, false
	}
	return r.achieved(all)
}

// secondly holds what was read against what the sentence names: a reading that moves what is not named, or passes over the number that
// is said, has put words together that do not belong together.
func (r *reader) secondly(first Reading) Reading {
	if r.u.TooLong || r.Question != nil || first.Ask != nil || first.Plan.Outcome == planner.OutcomeRefuse || len(r.u.Tokens) == 0 {
		return first
	}
	all := r.wanted()
	if len(all) == 0 || !r.sure(all) || r.fixesWithin() {
		return first
	}
	if moves(first.Plan.Steps) && !clear(all) || !moves(first.Plan.Steps) && !certain(all) {
		return first
	}
	second, ok := r.achieved(all)
	if !ok || !r.doubtful(&first, &second, all) {
		return first
	}
	return second
}

// fixesWithin reports whether somebody corrects themselves within the sentence.
func (r *reader) fixesWithin() bool {
	if objection(r.u.Tokens, len(r.u.Tokens)) > 0 {
		return true
	}
	for i := range r.u.Tokens {
		if i > 2 && looseFixes.Has(r.u.Tokens, i) {
			return true
		}
	}
	return false
}

// certain reports whether what is named is a movement, whatever else was made of the sentence.
func certain(all []wanted) bool {
	for i := range all {
		w := &all[i]
		if w.steps != nil || w.is("again") && !w.sized() || w.count > 0 {
			return false
		}
		moves := w.names() && w.where() && w.unknown <= 1
		leans := w.changes() && w.unknown == 0 && (w.verb != "" || w.sized())
		if !moves && !leans {
			return false
		}
	}
	return true
}

// clear reports whether every stretch names what it moves, and all its words are known.
func clear(all []wanted) bool {
	for i := range all {
		w := &all[i]
		if w.is("drop") && (!w.hasAxis || w.axis == planner.Yaw) || slices.Contains(w.dirs, "center") && !w.changes() {
			return false
		}
		named := w.names() && (len(w.dirs) > 0 || w.sized() || w.is("drop")) || len(w.dirs) > 0 && (w.is("other") || w.is("to") && w.hasDegs) ||
			w.hasDegs && (w.is("less") || w.is("other"))
		scales := w.share != 0 || w.factor != 0
		if w.steps != nil || w.unknown > 0 || w.count > 0 || w.is("again") || w.is("both") || w.is("home") || !named && !scales {
			return false
		}
	}
	return true
}

// doubtful reports whether a reading moves other axes than a second one, or passes over a number.
func (r *reader) doubtful(first, second *Reading, all []wanted) bool {
	if len(first.Restore) > 0 || slices.ContainsFunc(first.Plan.Steps, func(s planner.Step) bool { return s.Tool == "repeat" }) {
		return false
	}
	a, b := r.end(first), r.end(second)
	if same(a, b) {
		return false
	}
	if !moves(first.Plan.Steps) {
		return true
	}
	for x := range planner.NumAxes {
		from := *r.now.Pose.axis(x)
		if math.Abs(*a.axis(x)-from) > near && math.Abs(*b.axis(x)-from) > near && (*a.axis(x)-from)*(*b.axis(x)-from) < 0 &&
			!slices.ContainsFunc(all, func(w wanted) bool { return len(w.dirs) == 0 || !w.names() }) { // to the other side than is said
			return true
		}
		if math.Abs(*a.axis(x)-from) > near && math.Abs(*b.axis(x)-from) <= near && !(x == planner.Yaw && a.BodyYaw != r.now.Pose.BodyYaw) {
			return true
		}
	}
	said := slices.ContainsFunc(all, func(w wanted) bool { return w.hasDegs })
	used := slices.ContainsFunc(first.Plan.Steps, func(s planner.Step) bool {
		for x, way := range s.Axes {
			v, _ := s.Args[arguments[x].name].(float64)
			if way != planner.Unnamed && slices.ContainsFunc(all, func(w wanted) bool { return w.hasDegs && math.Abs(w.degs) == math.Abs(v) }) {
				return true
			}
		}
		return false
	})
	changed := slices.ContainsFunc(all, func(w wanted) bool { return w.share != 0 || w.factor != 0 || w.is("less") || w.is("other") })
	return said && !used || changed
}

// end is the pose in which a reading ends.
func (r *reader) end(reading *Reading) Pose {
	at := r.now.Pose
	if reading.Base != nil && len(reading.Restore) == 0 {
		at = *reading.Base
	}
	start := at
	for _, s := range reading.Steps() {
		resolved, _ := Resolve(s, start, at)
		at = After(resolved, at)
	}
	return at
}

// beyond reports whether steps go further than the robot can.
func (r *reader) beyond(steps []planner.Step) bool {
	at := r.now.Pose
	for _, s := range steps {
		resolved, limits := Resolve(s, r.now.Pose, at)
		if len(limits) > 0 {
			return true
		}
		at = After(resolved, at)
	}
	return false
}

// wanted is what the sentence names, stretch by stretch; nil where it is no wish.
func (r *reader) wanted() (all []wanted) {
	stretches := r.stretches()
	if len(stretches) > maxStretches {
		return nil
	}
	skip := false
	r.strange = 0
	for i := range stretches {
		s := &stretches[i]
		if s.first {
			skip = s.question()
		}
		if skip || r.interjects(stretches[i:]) {
			continue
		}
		w, use := r.want(s)
		switch {
		case !use:
			return nil
		case w.empty() || w.is("keep"):
			r.strange += w.unknown
			continue
		}
		all = append(all, w)
	}
	all = completed(all)
	return slices.DeleteFunc(all, func(w wanted) bool { // "to face the door, so turn …"
		return len(all) > 1 && w.steps == nil && w.unknown > 0 && !w.where() && !w.changes()
	})
}

// interjects reports whether the first of some stretches is the "right" that opens a sentence, and not the side of a number behind it.
func (r *reader) interjects(stretches []stretch) bool {
	if s := &stretches[0]; !s.first || len(s.toks) != 1 || s.toks.Word(0) != "right" || len(stretches) < 2 || stretches[1].first {
		return false
	}
	next, use := r.want(&stretches[1])
	return !use || !next.sized() || next.names() || len(next.dirs) > 0
}

// achieved is the reading of what is wanted.
func (r *reader) achieved(all []wanted) (Reading, bool) {
	steps, ok := r.performed(all)
	if !ok || len(steps) == 0 || r.beyond(steps) && slices.ContainsFunc(all, func(w wanted) bool { return w.hasDegs }) {
		return Reading{}, false
	}
	if r.fixes() && r.Last != nil && !all[0].changes() {
		if last, moved := r.lastMove(); moved && last.Axes.Named() {
			return r.replaces(r.deed(steps)), true
		}
	}
	if last := &all[len(all)-1]; last.is("undo") || last.is("undo-all") {
		return r.run(steps), true
	}
	return r.deed(steps), true
}

// fixes reports whether the sentence corrects what was done.
func (r *reader) fixes() bool {
	for i := range r.u.Tokens {
		if looseFixes.Has(r.u.Tokens, i) {
			return true
		}
	}
	return false
}

// stretches cuts a sentence.
func (r *reader) stretches() (all []stretch) {
	toks := r.u.Tokens
	from, first, then := r.u.Address.To, true, false
	cut := func(to int) {
		if to > from {
			all = append(all, stretch{toks: toks[from:to], first: first, then: then})
			first, then = false, false
		}
	}
	for i := from; i < len(toks); i++ {
		switch {
		case toks[i].Kind == language.Quote:
			return nil
		case toks.IsMark(i) && toks[i].Word != "-":
			cut(i)
			if w := toks[i].Word; w == "." || w == "!" || w == "?" || w == ";" {
				first = true
				if w == "?" {
					for k := len(all) - 1; k >= 0; k-- {
						all[k].asked = true
						if all[k].first {
							break
						}
					}
				}
			}
			from = i + 1
		default:
			key, n := joints.Match(toks, i)
			if n == 0 || i == from && key == "and" {
				if n > 0 {
					from = i + n
					i += n - 1
				}
				continue
			}
			if key == "and" && toks.At(i+n).Kind == language.Number && toks.At(i-1).Kind == language.Number { // "five and twenty"
				continue
			}
			cut(i)
			then = then || key == "then"
			from, i = i+n, i+n-1
		}
	}
	cut(len(toks))
	return all
}

// question reports whether the sentence that a stretch begins asks for an answer.
func (s *stretch) question() bool {
	i := 0
	for i < len(s.toks) && (looseSmall[s.toks.Word(i)] && !looseAsks[s.toks.Word(i)]) && looseWish.Len(s.toks, i) == 0 {
		i++
	}
	if looseWish.Has(s.toks, i) || looseWish.Has(s.toks, 0) {
		return false
	}
	have := s.toks.Word(i) == "have" || s.toks.Word(i) == "had" || s.toks.Word(i) == "has"
	if have && looseOthers[s.toks.Word(i+1)] || have && (s.toks.Word(i+1) == "you" || s.toks.Word(i+1) == "i") {
		return true
	}
	return i < 3 && looseAsks[s.toks.Word(i)] || s.asked && !wishWithin(s.toks)
}

func wishWithin(toks language.Tokens) bool {
	for i := range toks {
		if looseWish.Has(toks, i) {
			return true
		}
	}
	return false
}

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
