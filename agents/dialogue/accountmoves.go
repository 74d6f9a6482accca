package dialogue

import (
	"cmp"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// does carries a clause out in the scene and returns its steps; false where it is not clear what it means.
func (s *scene) does(c *account) ([]planner.Step, bool) {
	if s.drops(c) {
		c.verb, c.kinds["drop"] = "", true
	}
	switch {
	case s.unclear(c):
		return nil, false
	case c.is("undo") && !c.names() && len(c.dirs) == 0 && (!c.sized() || c.hasDegs && c.degs <= mostUndone):
		return s.undoes(max(1, int(c.degs)))
	case c.is("last-2", "last-3", "before-last"):
		return s.repeated(c)
	case c.is("start"):
		return s.starts(c)
	case c.allToRest():
		to := Pose{Antennas: restingAntennas}
		for _, a := range c.kept {
			*to.axis(a) = *s.at.axis(a)
		}
		return s.goes(to, nil, true)
	}
	if s.ambiguous(c) {
		return nil, false
	}
	if c.is("make") && c.is("less") && c.hasDegs { // "less, make it 15"
		delete(c.kinds, "less")
		c.kinds["toofar"] = true
	}
	if s.turnsBack(c) {
		delete(c.kinds, "toofar")
		delete(c.kinds, "no")
	}
	s.alsoSo(c)
	if steps, ok := s.earInstead(c); ok {
		return steps, true
	}
	if s.amended(c) {
		if s.earlier(c) {
			c.to = true
			return s.reaches(c)
		}
		return s.corrects(c)
	}
	if c.onlyKeeps() || s.restates(c) || s.keepsOn(c) {
		return nil, true
	}
	c.directs()
	return s.reaches(c)
}

// alsoSo makes of "the head also" that the head goes to the middle, where the last command has brought something there, and of "the pitch
// likewise" that its sign is flipped, where that of another axis was.
func (s *scene) alsoSo(c *account) {
	part := wholeParts[c.part]
	if last := s.recent(everyAxis...); c.named && len(last) == 1 && last[0] != c.axis && !c.sized() && len(c.dirs) == 0 && c.is("too", "same") {
		a := last[0]
		if rest := s.at.rest(a); math.Abs(rest) > near && math.Abs(s.moved(a)-2*rest) < near && math.Abs(s.at.rest(c.axis)) > near {
			c.kinds = map[string]bool{"negate": true}
		}
		return
	}
	last := slices.DeleteFunc(s.recent(everyAxis...), func(a planner.Axis) bool { return slices.Contains(part, a) })
	onlyToo := c.part != "" && !c.named && !c.sized() && len(c.dirs) == 0 && c.verb == "" && c.is("too", "same") && !c.is("again", "back", "no")
	if onlyToo && len(last) > 0 && len(s.resting(last)) == len(last) && len(s.resting(part)) < len(part) && !isAntenna(c.part) {
		c.kinds = map[string]bool{"center": true}
	}
}

// earInstead does with one antenna what the last command did with the other, which goes back: "actually the right one".
func (s *scene) earInstead(c *account) ([]planner.Step, bool) {
	a := planner.LeftAntenna
	if c.is("right-one") {
		a = planner.RightAntenna
	}
	other := otherEar[a]
	bare := !c.sized() && len(c.dirs) == 0 && c.verb == "" && c.part == "" && !c.is(leanings...) && !c.is("too", "both")
	if !c.is("sorry") || c.is("no") || !c.is("left-one", "right-one") || !bare || s.within || math.Abs(s.moved(other)) < near || math.Abs(s.moved(a)) > near {
		return nil, false
	}
	p := s.spotOf(c, toward{axis: a})
	v, way, ok := s.likeOther(&p)
	if !ok {
		return nil, false
	}
	back := s.at
	*back.axis(other) = *s.before.axis(other)
	to := back
	*to.axis(a) = v
	var named planner.Axes
	named[a] = way
	return s.redoes(back, to, named)
}

// starts brings what a clause names, or all of the robot, to where it was when the conversation began.
func (s *scene) starts(c *account) ([]planner.Step, bool) {
	if c.sized() || len(c.dirs) > 0 || c.is("other", "left-one", "right-one") {
		return nil, false
	}
	first := Pose{Antennas: restingAntennas}
	if len(s.undo) > 0 && len(s.undo) < maxUndo {
		first = s.undo[0]
	}
	axes := everyAxis
	switch part := c.part; {
	case c.named:
		axes = []planner.Axis{c.axis}
	case part == "" && c.is("ear"):
		axes = wholeParts["antennas"]
	case part == "" && c.it && len(s.recent(everyAxis...)) > 0:
		axes = wholeParts[s.lastPart()]
	case part != "":
		axes = wholeParts[part]
	}
	to := s.at
	if slices.Contains(axes, planner.BodyYaw) { // it carries the head
		to.lessen(planner.BodyYaw, to.BodyYaw-first.BodyYaw)
	}
	for _, a := range axes {
		*to.axis(a) = *first.axis(a)
	}
	return s.goes(to, nil, false, c.pace)
}

// drops reports whether a clause with a verb of lowering does not lower: "drop the tilt", "drop the rest", "drop both".
func (s *scene) drops(c *account) bool {
	if c.verb != "lower" || c.sized() || len(c.dirs) > 0 {
		return false
	}
	both := c.is("both") && c.part == "" && s.lastPart() != "" && !isAntenna(s.lastPart())
	return c.is("everything", "turning") || c.named && !c.noun || both
}

// earlier reports whether a clause says where a part is to be that was moved before the last command.
func (s *scene) earlier(c *account) bool {
	part := wholeParts[c.part]
	return c.hasDegs && (c.is("make") || c.to) && len(part) > 0 && !s.stirred(part) && len(s.resting(part)) == 0
}

// stirred reports whether the last command has moved one of some axes, resting which of them stand where they rest.
func (s *scene) stirred(axes []planner.Axis) bool {
	return slices.ContainsFunc(axes, func(a planner.Axis) bool { return math.Abs(s.moved(a)) > near })
}

func (s *scene) resting(axes []planner.Axis) []planner.Axis {
	return slices.DeleteFunc(slices.Clone(axes), func(a planner.Axis) bool { return math.Abs(s.at.rest(a)) > near })
}

// unclear reports whether a clause contradicts itself, or leans on a command of which a gesture was part.
func (s *scene) unclear(c *account) bool {
	switch {
	case c.is("neutral") && c.names() && !c.is("everything"), c.is("drop") && c.is("turning"),
		c.verb == "lower" && c.is("again") && !c.sized() && !c.is("level", "center", "straight", "was", "start"),
		c.is("swap", "one-ear"), // the rules swap; which ear is asked
		c.verb == "tilt" && c.named && c.axis == planner.Yaw, c.is("other") && c.is("sorry", "no"), c.factor != 0 && c.is("more"):
		return true
	}
	return s.acted && c.is("same", "again", "otherway", "too", "negate", "other-side")
}

// allToRest reports whether everything is to go where it rests.
func (c *account) allToRest() bool {
	if c.is("everything") {
		return c.is("neutral", "center", "straight", "back", "drop") || c.hasDegs && c.degs == 0
	}
	return c.is("neutral") && !c.names()
}

// ambiguous reports whether a clause leaves open which parts it means, or how much is taken back.
func (s *scene) ambiguous(c *account) bool {
	pair := s.lastPart() == "" && slices.ContainsFunc(c.dirs, vertical) // the antennas
	if c.is("both") && c.part == "" && !pair && !isAntenna(s.lastPart()) && !c.is("center", "straight", "level", "drop") && (!c.hasDegs || c.degs != 0) {
		return true
	}
	return c.is("everything", "undo") || c.is("drop") && !c.names()
}

// amended reports whether a clause is meant in the place of the last command and does not go on from it.
func (s *scene) amended(c *account) bool {
	if !c.is("no", "toofar", "wrong-way", "sorry") || s.within || c.is("less", "more", "back", "another", "on", "other-side", "was", "start") {
		return false
	}
	otherPart := c.part != "" && c.verb == "" && len(c.dirs) == 0 && !c.is("too", "same", "center")                  // "sorry, body"
	otherSide := c.is("sorry") && len(c.dirs) == 1 && c.verb == "" && !c.names() && !c.sized() && !c.is(leanings...) // "wait, left"
	return c.hasDegs || c.is("no", "wrong-way") || otherPart || otherSide
}

// turnsBack reports whether a clause after "too far" says the way back: "too high, lower it by ten".
func (s *scene) turnsBack(c *account) bool {
	dirs := c.dirs
	if d := raised[c.verb]; d != "" && len(dirs) == 0 {
		dirs = []string{d}
	}
	if !c.is("toofar") || len(dirs) != 1 || !c.sized() || c.to || c.is("make") {
		return false
	}
	return slices.ContainsFunc(everyAxis, func(a planner.Axis) bool {
		d := directionOn(a, dirs[0])
		return d*s.moved(a) < 0 || vertical(dirs[0]) && d*s.at.rest(a) < 0
	})
}

// raised are the directions of verbs that say one.
var raised = map[string]string{"raise": "up", "lower": "down"}

// onlyKeeps reports whether a clause says nothing but what stays as it is.
func (c *account) onlyKeeps() bool {
	return (len(c.kept) > 0 || c.is("stay")) && !c.names() && !c.sized() && len(c.dirs) == 0 && c.verb == "" && !c.is(leanings...)
}

// directs settles the directions of a clause that says where to go by a shoulder or the middle.
func (c *account) directs() {
	if c.is("shoulder") && isAntenna(c.part) && c.part != "antennas" { // "your right ear to your shoulder"
		c.dirs, c.part = []string{map[string]string{"leftAntenna": "left", "rightAntenna": "right"}[c.part]}, "head"
	}
	if c.is("center", "straight", "level", "upright") && !c.sized() { // "straight up", "up until it is level"
		c.dirs = slices.DeleteFunc(slices.Clone(c.dirs), vertical)
		if c.verb == "raise" || c.verb == "lower" {
			c.verb = ""
		}
	}
}

// reaches brings every axis that a clause means to where it says.
func (s *scene) reaches(c *account) ([]planner.Step, bool) {
	targets, ok := s.targets(c)
	targets = slices.DeleteFunc(targets, func(t toward) bool { return slices.Contains(c.kept, t.axis) })
	if !ok || len(targets) == 0 {
		return nil, false
	}
	to := s.at
	ways := map[planner.Axis]planner.Way{}
	slices.SortStableFunc(targets, func(a, b toward) int { // the body carries the head
		return cmp.Compare(order[a.axis == planner.BodyYaw], order[b.axis == planner.BodyYaw])
	})
	for _, t := range targets {
		inner := *s
		inner.at = to
		v, way, ok := inner.value(c, t)
		s.crosses = inner.crosses
		if !ok {
			return nil, false
		}
		if t.axis == planner.BodyYaw && !s.gazes(c, v) {
			to.Head.Yaw = language.Tidy(to.Head.Yaw + v - to.BodyYaw)
		}
		*to.axis(t.axis), ways[t.axis] = language.Tidy(v), way
	}
	s.scales = c.factor != 0
	if len(s.crosses) > 0 && !s.within { // it counts from the middle
		base := s.at
		for _, a := range s.crosses {
			base.lessen(a, base.rest(a))
		}
		steps, ok := s.goes(to, ways, true, c.pace)
		s.base, s.before = &base, base
		return steps, ok
	}
	deed := !c.is("back", "less", "toofar") || c.is("halfway") && isAntenna(partOfAxis(targets[0].axis)) // an ear halfway down has gone there
	return s.goes(to, ways, deed, c.pace)
}

var order = map[bool]int{true: 0, false: 1}

// gazes reports whether the head keeps looking where it looks while the body follows it.
func (s *scene) gazes(c *account, to float64) bool {
	last := s.recent(everyAxis...)
	follows := c.is("same", "too", "as-much") && slices.Contains(last, planner.Yaw) && !slices.Contains(last, planner.BodyYaw)
	return follows && math.Abs(s.at.Head.Yaw-to) <= neckTurn
}

// restates reports whether a clause only says again which way was gone in the same sentence: "yaw 20, pitch 10, so left and down".
func (s *scene) restates(c *account) bool {
	if !s.within || len(c.dirs) != 1 || c.sized() || c.names() || c.verb != "" || c.is(leanings...) {
		return false
	}
	for a := range planner.NumAxes {
		if d := s.turned[a]; d != 0 && directionOn(a, c.dirs[0])*d > 0 {
			return true
		}
	}
	return false
}

// keepsOn reports whether a clause only says that something stays to the side where it is: "level your head, but keep looking left".
func (s *scene) keepsOn(c *account) bool {
	if !s.within || !c.is("on") || len(c.dirs) == 0 || c.sized() || c.is("more", "another") {
		return false
	}
	return !slices.ContainsFunc(c.dirs, func(d string) bool {
		return !slices.ContainsFunc(everyAxis, func(a planner.Axis) bool { return directionOn(a, d)*s.at.rest(a) > near })
	})
}

// goes brings the scene to a pose and returns the steps that do; a deed is what "again" repeats.
func (s *scene) goes(to Pose, ways map[planner.Axis]planner.Way, deed bool, pace ...string) ([]planner.Step, bool) {
	steps := Towards(s.at, to)
	if s.at.beyond(steps) {
		return nil, false
	}
	repeats := byAsMuch(steps, s.at)
	at := s.at
	for i, step := range steps {
		for a, way := range step.Axes {
			if way == planner.Unnamed {
				continue
			}
			if axis := planner.Axis(a); ways[axis] == planner.From { // no number was said
				by := change(axis, &s.at, &to)
				repeats[i].Args[arguments[a].name], repeats[i].Axes[a] = signed(usual(axis), by), planner.From
			} else if ways[axis] != planner.By {
				repeats[i].Args[arguments[a].name], repeats[i].Axes[a] = step.Args[arguments[a].name], planner.To
			}
		}
		if len(pace) > 0 && pace[0] != "" {
			d := map[string]float64{"slow": 2, "fast": 0.5}[pace[0]]
			step.Args["duration"], repeats[i].Args["duration"] = d, d
		}
		at = After(step, at)
	}
	if len(steps) > 0 {
		for a := range planner.NumAxes {
			if d := change(a, &s.at, &at); math.Abs(d) > near {
				s.turned[a] = d
			}
		}
		s.undo = append(s.undo, s.at)
		if deed {
			s.before, s.last, s.repeats = s.at, repeats, append(s.repeats, repeats...)
		}
	}
	s.at = at
	return steps, true
}

// beyond reports whether steps go further than the robot can.
func (p *Pose) beyond(steps []planner.Step) bool {
	at := *p
	for _, s := range steps {
		resolved, limits := Resolve(s, at, at)
		if len(limits) > 0 {
			return true
		}
		at = After(resolved, at)
	}
	return math.Abs(at.Head.Yaw-at.BodyYaw) > neckTurn+near && math.Abs(at.Head.Yaw-p.Head.Yaw) > near && at.BodyYaw == p.BodyYaw
}

// repeated makes the last movements again, or that before the last.
func (s *scene) repeated(c *account) (steps []planner.Step, ok bool) {
	n := map[bool]int{true: 3, false: 2}[c.is("last-3")] //nolint:mnd // of the key
	past := append(slices.Clone(s.undo), s.at)
	if len(s.undo) < n || s.acted || s.within || c.sized() || c.names() || len(c.dirs) > 0 {
		return nil, false
	}
	for i := len(past) - n; i < len(past); i++ {
		to := s.at
		for _, a := range everyAxis {
			to.lessen(a, -change(a, &past[i-1], &past[i]))
		}
		made, ok := s.goes(to, map[planner.Axis]planner.Way{}, true, c.pace)
		if !ok {
			return nil, false
		}
		if steps = append(steps, made...); c.is("before-last") {
			break
		}
	}
	return steps, true
}

// undoes takes the last movements back.
func (s *scene) undoes(n int) ([]planner.Step, bool) {
	if len(s.undo) < n || s.within {
		return nil, false
	}
	to := s.undo[len(s.undo)-n]
	steps := Towards(s.at, to)
	s.undo, s.at, s.undone = s.undo[:len(s.undo)-n], to, s.undone+n
	return steps, true
}
