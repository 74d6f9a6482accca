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

// targets are the axes that a clause means, with the direction that it says.
func (s *scene) targets(c *account) (out []toward, ok bool) { //nolint:gocyclo // one case after the other
	if c.verb == "raise" || c.verb == "lower" {
		if len(c.dirs) == 0 {
			c.dirs = []string{map[string]string{"raise": "up", "lower": "down"}[c.verb]}
		} else if slices.ContainsFunc(c.dirs, horizontal) && !slices.ContainsFunc(c.dirs, vertical) {
			return nil, false
		}
	}
	lastPart := s.lastPart()
	if a, isAxis := headAxes[lastPart]; isAxis { // it was asked about
		lastPart = "head"
		if c.it && !c.named && c.part == "" {
			c.axis, c.named = a, true
		}
	}
	part := c.part
	if isAntenna(lastPart) && part == "" && len(c.dirs) == 1 && vertical(c.dirs[0]) && c.verb == "" && c.hasDegs && !c.named {
		part = lastPart // "and now up ten"
	}
	if isAntenna(lastPart) && part == "" && len(c.dirs) == 1 && horizontal(c.dirs[0]) &&
		(c.verb == "" || c.verb == "raise" || c.verb == "lower") && !c.named && !c.it {
		part, c.dirs = c.dirs[0]+"Antenna", nil // "and the left the same"
	}
	switch {
	case c.is("left-one"), c.is("right-one"):
		if part != "" || !isAntenna(lastPart) {
			return nil, false
		}
		part = map[bool]string{true: "leftAntenna", false: "rightAntenna"}[c.is("left-one")]
	case c.is("other"), c.is("other-side") && otherAntenna[lastPart] != "" && part == "":
		if part = otherAntenna[lastPart]; part == "" {
			return nil, false
		}
	case c.is("both") && part == "" && isAntenna(lastPart):
		part = "antennas"
	case c.is("both") && part == "":
		return s.towards(s.lately())
	case c.it && part == "" && !c.named:
		part = lastPart
	}
	if isAntenna(part) {
		if slices.ContainsFunc(c.dirs, horizontal) || c.named || c.is("turning") {
			return nil, false
		}
		for _, a := range partAxes[part] {
			out = append(out, toward{axis: a})
		}
		return out, true
	}
	for _, d := range c.dirs {
		a, ok := s.axisFor(c, part, d)
		if !ok {
			return nil, false
		}
		out = append(out, toward{a, directionOn(a, d)})
	}
	switch {
	case len(out) > 0:
		return out, true
	case c.named && c.axis == planner.Yaw && part == "body":
		return []toward{{axis: planner.BodyYaw}}, true
	case c.named:
		return []toward{{axis: c.axis}}, true
	case c.is("turning"):
		return s.towards(s.recent(planner.Yaw, planner.BodyYaw))
	case c.is("center", "straight", "level", "upright") || c.is("drop") && part != "" || c.hasDegs && c.degs == 0:
		return s.towards(s.uncentred(c, part))
	case part != "" && c.is("same", "too", "as-much") && !c.sized():
		if part == "head" && lastPart != "body" {
			return nil, false
		}
		return s.towards(partAxes[part])
	case part != "":
		axes := s.recent(wholeParts[part]...)
		if len(axes) == 0 && c.is("same", "as-much", "too") {
			axes = partAxes[part]
		}
		return s.towards(axes)
	case lastPart == "" || c.verb == "turn" && c.hasDegs && !c.is(leanings...):
		return nil, false
	case isAntenna(lastPart):
		return s.towards(s.recent(planner.LeftAntenna, planner.RightAntenna))
	}
	return s.towards(s.recent(everyAxis...))
}

// lately are the axes that were moved last, as many movements back as it takes to have two.
func (s *scene) lately() (axes []planner.Axis) {
	after := &s.at
	for i := len(s.undo) - 1; i >= 0 && len(axes) < 2; i-- {
		for _, a := range everyAxis {
			if math.Abs(change(a, &s.undo[i], after)) > near && !slices.Contains(axes, a) {
				axes = append(axes, a)
			}
		}
		after = &s.undo[i]
	}
	return axes
}

func (s *scene) towards(axes []planner.Axis) (out []toward, ok bool) {
	for _, a := range axes {
		out = append(out, toward{axis: a})
	}
	return out, len(out) > 0
}

// uncentred are the axes that go to the middle.
func (s *scene) uncentred(c *account, part string) []planner.Axis {
	off := func(axes ...planner.Axis) (out []planner.Axis) {
		for _, a := range axes {
			if math.Abs(s.at.rest(a)) > near {
				out = append(out, a)
			}
		}
		return out
	}
	head := []planner.Axis{planner.Pitch, planner.Yaw, planner.Roll}
	switch {
	case c.verb == "face" && part == "":
		return []planner.Axis{planner.BodyYaw, planner.Pitch, planner.Yaw, planner.Roll}
	case part == "body":
		return []planner.Axis{planner.BodyYaw}
	case c.is("level") && (part == "" || part == "head"):
		if tilted := off(planner.Pitch, planner.Roll); len(tilted) > 0 {
			return tilted
		}
		return []planner.Axis{planner.Pitch}
	case c.is("upright") && (part == "" || part == "head") && !isAntenna(s.lastPart()):
		return off(planner.Roll, planner.Pitch)
	case part == "head" && c.it && len(off(s.recent(head...)...)) > 0: // "straighten it up again"
		return off(s.recent(head...)...)
	case part == "head", c.verb == "look":
		return head
	case part != "":
		return wholeParts[part]
	case c.verb == "tilt":
		return []planner.Axis{planner.Roll}
	case c.verb == "turn":
		if turned := off(s.recent(planner.BodyYaw, planner.Yaw)...); len(turned) > 0 {
			return turned
		}
		return off(planner.BodyYaw, planner.Yaw)
	}
	if last := wholeParts[s.lastPart()]; len(off(last...)) > 0 {
		return off(last...)
	}
	return off(everyAxis...)
}

// axisFor is the axis on which a direction lies.
func (s *scene) axisFor(c *account, part, dir string) (planner.Axis, bool) { //nolint:gocyclo // one case after the other
	switch {
	case c.verb == "face":
		return 0, false
	case vertical(dir):
		if part == "" && c.verb == "" && !c.named && isAntenna(s.lastPart()) {
			return 0, false
		}
		return planner.Pitch, part != "body" && (!c.named || c.axis == planner.Pitch)
	case c.named && c.axis == planner.Pitch:
		return planner.Yaw, !c.noun
	case c.named && c.axis == planner.Roll, c.verb == "tilt" && part != "body":
		return planner.Roll, true
	case part == "body":
		return planner.BodyYaw, true
	case part == "head" && c.verb == "" && !c.named && c.it:
		if last := s.recent(planner.Roll, planner.Yaw); len(last) > 0 {
			return last[0], true
		}
		return planner.Yaw, true
	case part == "head" || c.verb == "look" || c.named:
		return planner.Yaw, true
	case c.verb == "turn" && s.within && s.lastPart() == "head":
		return planner.Yaw, true
	case c.verb == "turn":
		return planner.BodyYaw, true
	case c.is("turning"):
		if last := s.recent(planner.Yaw, planner.BodyYaw); len(last) > 0 {
			return last[0], true
		}
	}
	switch s.lastPart() {
	case "head":
		if last := s.recent(planner.Yaw, planner.Roll); len(last) > 0 && (last[0] == planner.Yaw || s.tilts) {
			return last[0], true
		}
		return planner.Yaw, true
	case "body":
		return planner.BodyYaw, true
	case "":
		return planner.BodyYaw, true
	}
	return 0, false
}

// spot is what is known when it is worked out where an axis goes.
type spot struct {
	*account
	toward
	at, mid, rest float64
	moved         float64 // by the last command
	last          float64 // lately, by whatever
	relative      bool    // the last command went by an amount
	amount        float64 // how far that was
}

// way is a side that is meant where none is said: where it went last, else where it is.
func (p *spot) outward(v ...float64) float64 {
	for _, x := range v {
		if math.Abs(x) > near {
			return signed(1, x)
		}
	}
	return 0
}

// value is where an axis goes, and whether it is told as a place or as a way to go; false where that is not known.
func (s *scene) value(c *account, t toward) (float64, planner.Way, bool) { //nolint:gocyclo // one case after the other
	p := spot{account: c, toward: t, at: *s.at.axis(t.axis), mid: s.at.middle(t.axis)}
	p.rest, p.moved, p.last = s.at.rest(t.axis), s.moved(t.axis), s.lastChange(t.axis)
	if p.last*p.moved > 0 && math.Abs(p.last) > math.Abs(p.moved) { // it came from the other side
		p.last = p.moved
	}
	if step, ok := lastMove(s.last); ok {
		for a, w := range step.Axes {
			if w == planner.Unnamed {
				continue
			}
			p.relative = w.Relative()
			if m := math.Abs(s.moved(planner.Axis(a))); m > near {
				p.amount = m
			} else {
				p.amount = math.Abs(s.at.rest(planner.Axis(a)))
			}
		}
	}
	if isAntenna(partOfAxis(t.axis)) {
		return s.antenna(&p)
	}
	if c.is("same-side") && p.sign == 0 {
		p.sign = s.lastSide(t.axis)
	}
	switch {
	case c.is("other-side"):
		size := math.Abs(p.rest)
		if c.hasDegs {
			size = c.degs
		}
		side := -p.outward(p.rest)
		if p.sign != 0 {
			side = p.sign
		}
		if c.size == "max" {
			return p.outermost(side)
		}
		return p.mid + side*size, planner.To, side != 0 && c.size == "" && c.share == 0
	case c.hasDegs:
		return p.byDegrees()
	case c.share != 0 || c.factor != 0:
		return p.byShare(s)
	case c.is("otherway"):
		return 0, 0, false
	case c.is("negate"):
		return p.mid - p.rest, planner.To, math.Abs(p.rest) > near && p.sign == 0
	case c.is("center", "straight", "level", "upright", "drop") && (p.sign == 0 || !c.sized()):
		if t.axis == planner.Yaw && math.Abs(s.at.BodyYaw) <= neckTurn { // ahead is where the room is
			return 0, planner.To, true
		}
		return p.mid, planner.To, true
	case c.is("same", "as-much") && c.size == "":
		return p.asMuch(s)
	case c.is("too") && c.part != "" && p.sign == 0 && !c.sized():
		return p.asMuch(s)
	case c.size == "little":
		return p.little()
	case c.size != "":
		side := p.sign
		if side == 0 && c.is("more", "on", "another") {
			side = p.outward(p.last)
		}
		if side == 0 && c.size == "max" {
			side = p.outward(p.last)
		}
		if c.is("back", "less", "toofar") {
			return 0, 0, false
		}
		return p.outermost(side)
	case p.sign != 0:
		return p.sided(s)
	case c.is("again") && !c.is("last") && len(s.last) > 1 && !c.names() && !s.within: // all of it
		return 0, 0, false
	case c.is("more", "another", "on", "again"):
		return p.at + p.last, planner.By, s.last != nil && math.Abs(p.last) > near
	case c.is("less", "toofar"):
		return p.at - p.moved/2, planner.By, math.Abs(p.moved) > near
	case c.is("back"):
		return p.at - p.last, planner.By, math.Abs(p.last) > near
	case c.names() && !c.it && c.verb == "": // "and the pitch"
		return p.asMuch(s)
	}
	return 0, 0, false
}

// lastSide is the side to which an axis goes that goes to the same side as the last movement.
func (s *scene) lastSide(to planner.Axis) float64 {
	axes := s.recent(planner.Yaw, planner.BodyYaw, planner.Roll)
	if len(axes) == 0 {
		return 0
	}
	side := signed(1, s.lastChange(axes[0]))
	if moved := s.moved(axes[0]); math.Abs(moved) > near {
		side = signed(1, moved)
	}
	if (axes[0] == planner.Roll) != (to == planner.Roll) {
		side = -side
	}
	return side
}

// byDegrees is where a number brings an axis.
func (p *spot) byDegrees() (float64, planner.Way, bool) { //nolint:gocyclo // one case after the other
	n := math.Abs(p.degs)
	change := p.is("more", "another", "again", "on", "less", "back", "toofar", "plus", "minus", "otherway")
	switch {
	case p.degs == 0 && p.sign == 0 && p.toward.axis == planner.Yaw && math.Abs(p.mid) <= neckTurn:
		return 0, planner.To, true
	case p.to || p.degs == 0 || p.is("of-centre"), p.is("make") && !change && p.sign == 0 && (!p.named || p.noun):
		switch {
		case p.signed && p.sign == 0:
			return p.degs, planner.To, true
		case p.sign != 0:
			return p.mid + p.sign*n, planner.To, true
		case p.named && !p.noun && p.account.axis != planner.Roll && math.Abs(p.rest) < near:
			return p.mid + n, planner.To, true
		}
		side := p.outward(p.rest, p.last)
		return p.mid + side*n, planner.To, side != 0 || n == 0
	case p.is("otherway"):
		side := -p.outward(p.moved, p.rest)
		if p.sign != 0 {
			side = p.sign
		}
		return p.at + side*n, planner.By, side != 0
	case p.is("plus", "minus") && p.named:
		return p.at + p.degs*map[bool]float64{true: 1, false: -1}[p.is("plus")], planner.By, !p.signed
	case p.is("less", "minus", "toofar"), p.is("back") && p.sign == 0, p.is("center"):
		side := -p.outward(p.moved, p.rest)
		if p.sign != 0 && p.is("less") {
			side = -p.sign
		} else if p.sign != 0 {
			side = p.sign
		}
		return p.at + side*n, planner.By, side != 0
	case p.sign != 0:
		return p.at + p.sign*n, planner.By, !p.signed
	case p.is("more") && !p.is("another", "again"): // outwards, after something was taken back
		side := p.outward(p.moved, p.rest)
		return p.at + side*n, planner.By, side != 0
	case p.is("another", "again", "on", "plus", "more", "same-side"):
		side := p.outward(p.last, p.rest)
		return p.at + side*n, planner.By, side != 0
	case p.named && !p.noun:
		return p.mid + p.degs, planner.To, true
	case (p.noun || p.is("turning")) && math.Abs(p.rest) > near:
		return p.mid + p.outward(p.rest)*n, planner.To, true
	}
	return 0, 0, false
}

// byShare is where a part of the last movement, or of where it is, brings an axis.
func (p *spot) byShare(s *scene) (float64, planner.Way, bool) {
	of := p.moved
	if s.scaled || !p.relative && p.rest*p.moved > 0 {
		of = p.rest
	}
	switch {
	case p.factor != 0 && p.sign != 0:
		return p.at + p.sign*p.factor*p.amount, planner.By, p.amount > 0
	case p.factor != 0 && (p.named || p.is("turning")):
		return p.mid + p.factor*p.rest, planner.To, math.Abs(p.rest) > near
	case p.factor != 0:
		return p.at + (p.factor-1)*of, planner.By, math.Abs(of) > near
	case p.is("center"):
		return p.at - p.share*p.rest, planner.By, math.Abs(p.rest) > near
	case p.is("less") && p.rest*p.moved > 0 && !p.is("back", "toofar"):
		return p.at - p.share*p.rest, planner.By, true
	case p.is("back", "less", "undo"):
		return p.at - p.share*p.moved, planner.By, math.Abs(p.moved) > near
	case p.is("more", "again", "another", "on"):
		return p.at + p.share*p.moved, planner.By, math.Abs(p.moved) > near
	case p.sign != 0 && p.sign*p.rest < 0 && p.verb != "":
		return p.at - (1-p.share)*p.rest, planner.By, true
	case p.sign != 0 && p.sign*p.moved < 0:
		return 0, 0, false
	case p.named || p.is("turning"):
		return p.mid + p.share*p.rest, planner.To, math.Abs(p.rest) > near
	}
	return p.at - (1-p.share)*of, planner.By, math.Abs(of) > near
}

// asMuch goes as far as the last movement, or where that went.
func (p *spot) asMuch(s *scene) (float64, planner.Way, bool) {
	if s.last == nil || p.amount == 0 && p.sign != 0 {
		return 0, 0, false
	}
	switch {
	case p.sign != 0 && p.is("same") && p.sign*p.rest < 0 && math.Abs(p.moved) > near: // as far to the other side
		return p.mid - p.rest, planner.To, true
	case p.sign != 0:
		return p.at + p.sign*p.amount, planner.By, true
	}
	step, _ := lastMove(s.last)
	axes := s.recent(everyAxis...)
	if len(axes) != 1 || axes[0] == p.toward.axis {
		return 0, 0, false
	}
	a := axes[0]
	if step.Axes[a] == planner.To {
		return p.mid + s.at.rest(a), planner.To, true
	}
	return p.at + s.moved(a), planner.By, math.Abs(s.moved(a)) > near
}

// little goes somewhat.
func (p *spot) little() (float64, planner.Way, bool) {
	switch {
	case p.is("less", "toofar"), p.is("back") && p.sign == 0:
		if p.sign != 0 {
			return 0, 0, false
		}
		return p.at - signed(min(littleTurn, math.Abs(p.moved)), p.moved), planner.By, math.Abs(p.moved) > near
	case p.sign != 0:
		return p.at + p.sign*littleTurn, planner.By, true
	case p.is("more", "another", "on", "again"):
		return p.at + p.outward(p.last)*littleTurn, planner.By, math.Abs(p.last) > near
	}
	return 0, 0, false
}

// outermost goes as far as "far" is, or as the axis can.
func (p *spot) outermost(side float64) (float64, planner.Way, bool) {
	if side == 0 {
		return 0, 0, false
	}
	size := farTurn
	switch {
	case p.size == "max" && p.toward.axis == planner.Yaw:
		size = math.Floor(neckTurn)
	case p.size == "max":
		size = arguments[p.toward.axis].limits.Max
	case p.toward.axis == planner.Pitch || p.toward.axis == planner.Roll:
		size = farTilt
	}
	if p.size == "far" && (p.rest*side > size-near || p.is("more", "on", "another")) {
		return 0, 0, false
	}
	return p.mid + side*size, planner.To, true
}

// sided goes to a side without a number.
func (p *spot) sided(s *scene) (float64, planner.Way, bool) {
	switch {
	case p.is("back") && p.rest*p.sign < 0:
		return p.mid, planner.To, true
	case p.is("again"):
		return p.at + p.sign*p.amount, planner.By, p.amount > 0
	}
	if past, ok := beyondMiddle(p.toward.axis, p.sign*usual(p.toward.axis), s.at); ok {
		s.crosses = append(s.crosses, p.toward.axis)
		return past, planner.From, true
	}
	return p.at + p.sign*usual(p.toward.axis), planner.From, true
}

// antenna is where an antenna goes.
func (s *scene) antenna(p *spot) (float64, planner.Way, bool) { //nolint:gocyclo // one case after the other
	a := p.toward.axis
	up, down := slices.Contains(p.dirs, "up"), slices.Contains(p.dirs, "down")
	by := func(way planner.Way, v float64) (float64, planner.Way, bool) {
		return goal(a, way, v, s.at, s.at), planner.By, true
	}
	switch {
	case up && down:
		return 0, 0, false
	case p.hasDegs && !p.to && (up || down) && !p.is("make") && !p.signed:
		if up {
			return by(planner.Rise, p.degs)
		}
		return by(planner.Sink, p.degs)
	case p.hasDegs && p.is("more", "another", "on", "plus", "again") && !p.to:
		side := p.outward(p.last)
		return p.at + side*p.degs, planner.By, side != 0
	case p.hasDegs && p.is("less", "back", "minus", "toofar") && !p.to:
		side := -p.outward(p.moved)
		return p.at + side*p.degs, planner.By, side != 0
	case p.is("like-left", "like-right") && !p.sized():
		return math.Abs(*s.at.axis(map[bool]planner.Axis{true: planner.LeftAntenna, false: planner.RightAntenna}[p.is("like-left")])), planner.To, true
	case p.factor != 0 && math.Abs(p.moved) > near && !up && !down:
		if p.relative {
			return p.at + (p.factor-1)*p.moved, planner.By, true
		}
		return p.at * p.factor, planner.To, true
	case p.is("other", "too", "same", "as-much", "other-side", "like-it") && !p.sized() && !up && !down:
		other := map[planner.Axis]planner.Axis{planner.LeftAntenna: planner.RightAntenna, planner.RightAntenna: planner.LeftAntenna}[a]
		lately := s.recent(planner.LeftAntenna, planner.RightAntenna)
		if len(lately) != 1 || lately[0] != other {
			return 0, 0, false
		}
		v := *s.at.axis(other)
		if step, ok := lastMove(s.last); ok && step.Axes[other] != planner.To && !p.is("like-it") {
			v = -v
		}
		return v, planner.To, true
	case p.hasDegs && p.is("otherway", "no"), p.is("back", "undo", "again", "more", "less", "otherway", "negate", "toofar"):
		return 0, 0, false
	case p.hasDegs:
		return p.degs, planner.To, true
	case p.share != 0 && up && math.Abs(p.moved) > near:
		return p.at - p.share*p.moved, planner.By, true
	case p.size == "little" && !up && !down:
		return by(planner.Sink, 0)
	}
	return 0, 0, false
}
