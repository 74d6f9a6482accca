package dialogue

import (
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
