package dialogue

import (
	"cmp"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// does carries a clause out in the scene and returns its steps; false where it is not clear what it means.
func (s *scene) does(c *account) ([]planner.Step, bool) { //nolint:gocyclo // one case after the other
	if c.is("neutral") && c.names() && !c.is("everything") || c.is("drop") && c.is("turning") || c.verb == "lower" && c.is("again") && !c.sized() ||
		c.is("other") && c.is("sorry", "no") || s.acted && c.is("same", "again", "otherway", "too", "negate", "other-side") || c.factor != 0 && c.is("more") {
		return nil, false
	}
	switch {
	case c.is("undo") && !c.names() && len(c.dirs) == 0 && (!c.sized() || c.hasDegs && c.degs <= mostUndone):
		return s.undoes(max(1, int(c.degs)))
	case c.is("neutral") && (!c.names() || c.is("everything")), c.is("everything") && c.is("center", "straight", "back", "drop"),
		c.is("everything") && c.hasDegs && c.degs == 0:
		return s.goes(Pose{Antennas: restingAntennas}, nil, true)
	case c.is("both") && c.part == "" && !isAntenna(s.lastPart()) && !c.is("center", "straight", "level", "drop") && (!c.hasDegs || c.degs != 0),
		c.is("everything"), c.is("undo"), c.is("drop") && !c.names():
		return nil, false
	}
	if c.is("make") && c.is("less") && c.hasDegs { // "less, make it 15"
		delete(c.kinds, "less")
		c.kinds["toofar"] = true
	}
	goesOn := c.is("less", "more", "back", "another", "on", "other-side")
	otherPart := c.part != "" && c.verb == "" && len(c.dirs) == 0 && !c.is("too", "same", "center")                              // "sorry, body"
	otherPart = otherPart || c.is("sorry") && len(c.dirs) == 1 && c.verb == "" && !c.names() && !c.sized() && !c.is(leanings...) // "wait, left"
	if c.is("no", "toofar", "wrong-way", "sorry") && !s.within && !goesOn && (c.hasDegs || c.is("no", "wrong-way") || otherPart) {
		return s.corrects(c)
	}
	if c.verb == "lower" && (c.named && !c.noun || c.is("turning")) && !c.sized() && len(c.dirs) == 0 { // "drop the tilt"
		c.verb, c.kinds["drop"] = "", true
	}
	if len(c.kept) > 0 && !c.names() && !c.sized() && len(c.dirs) == 0 && c.verb == "" && !c.is(leanings...) || s.restates(c) {
		return nil, true
	}
	if c.is("shoulder") && isAntenna(c.part) && c.part != "antennas" { // "your right ear to your shoulder"
		c.dirs, c.part = []string{map[string]string{"leftAntenna": "left", "rightAntenna": "right"}[c.part]}, "head"
	}
	if c.is("center", "straight", "level", "upright") && !c.sized() { // "straight up", "up until it is level"
		c.dirs = slices.DeleteFunc(slices.Clone(c.dirs), vertical)
		if c.verb == "raise" || c.verb == "lower" {
			c.verb = ""
		}
	}
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
	return s.goes(to, ways, !c.is("back", "less", "toofar"), c.pace)
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

// corrects does what is said in the place of the last command.
func (s *scene) corrects(c *account) ([]planner.Step, bool) {
	if s.last == nil || c.is("other", "both", "back", "less", "again", "same", "undo") || c.named || c.share != 0 || c.factor != 0 {
		return nil, false
	}
	var changed []planner.Axis
	for _, a := range everyAxis {
		if math.Abs(s.moved(a)) > near {
			changed = append(changed, a)
		}
	}
	if len(changed) == 0 || isAntenna(partOfAxis(changed[0])) {
		return nil, false
	}
	if c.is("wrong-way") || c.is("otherway") {
		if c.sized() || c.names() || len(changed) > 1 {
			return nil, false
		}
		c.dirs, c.degs, c.hasDegs = nil, math.Abs(s.moved(changed[0])), true
		return s.instead(c, changed, -signed(1, s.moved(changed[0])))
	}
	if c.it {
		c.it = false
	}
	return s.instead(c, changed, 0)
}

// instead puts a clause in the place of the last command, which moved some axes; side is where it goes where that is known.
func (s *scene) instead(c *account, changed []planner.Axis, side float64) ([]planner.Step, bool) { //nolint:gocyclo // one case after the other
	if len(c.dirs) == 0 && c.part == "" && !c.hasDegs && c.size == "" {
		return nil, false
	}
	// Of several movements the one is meant that goes the way that is said, or the opposite one.
	which := changed
	if len(c.dirs) == 1 && c.part == "" && len(changed) > 1 {
		which = slices.DeleteFunc(slices.Clone(changed), func(a planner.Axis) bool { return directionOn(a, c.dirs[0]) == 0 })
		if len(which) != 1 {
			return nil, false
		}
	}
	if len(which) != 1 {
		return nil, false
	}
	a := which[0]
	moved := s.moved(a)
	back := s.at
	back.lessen(a, moved)
	from := back
	target := toward{axis: a, sign: signed(1, moved)}
	if side != 0 {
		target.sign = side
	}
	if c.part != "" {
		axes := partAxes[c.part]
		if isAntenna(c.part) {
			return nil, false
		}
		if c.part != "head" || a == planner.BodyYaw {
			target.axis = axes[0]
		}
	}
	switch {
	case len(c.dirs) > 1:
		return nil, false
	case len(c.dirs) == 1:
		d := c.dirs[0]
		if sign := directionOn(target.axis, d); sign != 0 {
			target.sign = sign
		} else if vertical(d) {
			target = toward{planner.Pitch, directionOn(planner.Pitch, d)}
		} else {
			target = toward{planner.Yaw, directionOn(planner.Yaw, d)}
			if c.verb == "turn" && c.part == "" {
				target.axis = planner.BodyYaw
			}
			if c.verb == "tilt" {
				target = toward{planner.Roll, directionOn(planner.Roll, d)}
			}
		}
	}
	size := math.Abs(moved)
	to := s.at
	if target.axis != a && !c.hasDegs && c.part == "" {
		size = usual(target.axis)
	}
	switch {
	case c.hasDegs:
		size = math.Abs(c.degs)
		if c.signed {
			return nil, false
		}
	case c.size == "little":
		size = littleTurn
	case c.size != "":
		return nil, false
	}
	to = back
	way := planner.By
	value := *from.axis(target.axis) + target.sign*size
	much := c.is("toofar") && c.hasDegs && size >= math.Abs(moved) && len(c.dirs) == 0 && c.part == "" // of all of it
	if last, ok := lastMove(s.last); c.hasDegs && (c.to || much || c.is("of-centre") || ok && last.Axes[a] == planner.To && len(c.dirs) == 0 && target.axis == a) {
		rest := s.at.rest(a)
		if len(c.dirs) == 0 && math.Abs(rest) > near {
			target.sign = signed(1, rest)
		}
		value, way = to.middle(target.axis)+target.sign*size, planner.To
	}
	if target.axis == planner.BodyYaw {
		to.Head.Yaw = language.Tidy(to.Head.Yaw + value - to.BodyYaw)
	}
	*to.axis(target.axis) = language.Tidy(value)
	steps := Towards(s.at, to)
	if s.at.beyond(steps) {
		return nil, false
	}
	base := s.before
	s.base = &base
	var named planner.Axes
	named[target.axis] = way
	repeats := restoring(named, from, to)
	for i := range repeats {
		if way == planner.By {
			repeats[i] = byAsMuch(repeats[i:i+1], from)[0]
		}
	}
	s.undo, s.last, s.repeats = append(s.undo, s.at), repeats, append(s.repeats, repeats...)
	s.at = to
	return steps, true
}
