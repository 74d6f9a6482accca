package dialogue

import (
	"cmp"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// corrects does what is said in the place of the last command.
func (s *scene) corrects(c *account) ([]planner.Step, bool) {
	if s.last == nil || c.is("other", "both", "back", "less", "again", "same", "undo") || c.share != 0 || c.factor != 0 {
		return nil, false
	}
	var changed []planner.Axis
	for _, a := range everyAxis {
		if math.Abs(s.moved(a)) > near {
			changed = append(changed, a)
		}
	}
	if changed = c.correctable(changed); len(changed) == 0 || isAntenna(partOfAxis(changed[0])) {
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

// correctable are those of the axes that were moved of which a correction can be meant: "no, chin down six" says nothing of the body.
func (c *account) correctable(changed []planner.Axis) []planner.Axis {
	switch {
	case c.named && c.part == "body":
		return only(changed, planner.BodyYaw)
	case c.named:
		return only(changed, c.axis)
	case len(changed) < 2:
		return changed
	case c.verb == "tilt" && len(c.dirs) == 1 && !vertical(c.dirs[0]) && c.part != "body":
		return only(changed, planner.Roll)
	case c.verb == "look" && len(c.dirs) == 1 && !vertical(c.dirs[0]):
		return only(changed, planner.Yaw)
	case c.part != "" && c.hasDegs:
		ofPart := only(changed, wholeParts[c.part]...)
		if len(c.dirs) == 1 {
			ofPart = slices.DeleteFunc(ofPart, func(a planner.Axis) bool { return directionOn(a, c.dirs[0]) == 0 })
		}
		if len(ofPart) == 1 {
			return ofPart
		}
	}
	return changed
}

// only are those of some axes that are wanted.
func only(axes []planner.Axis, wanted ...planner.Axis) []planner.Axis {
	return slices.DeleteFunc(slices.Clone(axes), func(a planner.Axis) bool { return !slices.Contains(wanted, a) })
}

// instead puts a clause in the place of the last command, which moved some axes; side is where it goes where that is known.
func (s *scene) instead(c *account, changed []planner.Axis, side float64) ([]planner.Step, bool) {
	if len(c.dirs) == 0 && c.part == "" && !c.hasDegs && c.size == "" {
		return nil, false
	}
	a, ok := c.among(changed)
	if !ok {
		return nil, false
	}
	target, ok := s.redirected(c, a, side)
	if !ok {
		return nil, false
	}
	size, ok := s.resized(c, a, target.axis)
	if !ok {
		return nil, false
	}
	back := s.at
	back.lessen(a, s.moved(a))
	to, way := back, planner.By
	value := *back.axis(target.axis) + target.sign*size
	if s.placed(c, a, target.axis) {
		rest := s.at.rest(a)
		if len(c.dirs) == 0 && math.Abs(rest) > near {
			target.sign = signed(1, rest)
		}
		value, way = to.middle(target.axis)+target.sign*size, planner.To
	}
	if rest := s.at.rest(a); s.adjusts && !c.sized() && target.axis == a && target.sign*rest < 0 && rest*s.moved(a) > 0 { // all of it was wrong
		value, way = s.at.middle(a)-rest, planner.To
	}
	if target.axis == planner.BodyYaw {
		to.Head.Yaw = language.Tidy(to.Head.Yaw + value - to.BodyYaw)
	}
	*to.axis(target.axis) = language.Tidy(value)
	var named planner.Axes
	named[target.axis] = way
	return s.redoes(back, to, named)
}

// among is the axis that a correction means: of several the one that goes the way that is said, or the opposite one.
func (c *account) among(changed []planner.Axis) (planner.Axis, bool) {
	if len(c.dirs) == 1 && c.part == "" && len(changed) > 1 {
		changed = slices.DeleteFunc(slices.Clone(changed), func(a planner.Axis) bool { return directionOn(a, c.dirs[0]) == 0 })
	}
	if len(changed) != 1 {
		return 0, false
	}
	return changed[0], true
}

// redirected is the axis, and the way on it, that a correction puts in the place of an axis.
func (s *scene) redirected(c *account, a planner.Axis, side float64) (toward, bool) {
	if isAntenna(c.part) || len(c.dirs) > 1 {
		return toward{}, false
	}
	target := toward{axis: a, sign: cmp.Or(side, signed(1, s.moved(a)))}
	if c.part != "" && (c.part != "head" || a == planner.BodyYaw) {
		target.axis = partAxes[c.part][0]
	}
	if len(c.dirs) == 0 {
		return target, true
	}
	d := c.dirs[0]
	sign := directionOn(target.axis, d)
	switch {
	case sign != 0:
		target.sign = sign
	case vertical(d):
		target = toward{planner.Pitch, directionOn(planner.Pitch, d)}
	case c.verb == "tilt":
		target = toward{planner.Roll, directionOn(planner.Roll, d)}
	case c.verb == "turn" && c.part == "":
		target = toward{planner.BodyYaw, directionOn(planner.Yaw, d)}
	default:
		target = toward{planner.Yaw, directionOn(planner.Yaw, d)}
	}
	return target, true
}

// resized is how far a correction goes that moves an axis in the place of another, or again the same.
func (s *scene) resized(c *account, a, target planner.Axis) (float64, bool) {
	switch {
	case c.hasDegs:
		return math.Abs(c.degs), !c.signed
	case c.size == "little":
		return littleTurn, true
	case c.size != "":
		return 0, false
	case target != a && c.part == "":
		return usual(target), true
	}
	return math.Abs(s.moved(a)), true
}

// placed reports whether the number of a correction is a place, not an amount.
func (s *scene) placed(c *account, a, target planner.Axis) bool {
	switch {
	case !c.hasDegs:
		return false
	case c.to, c.is("of-centre"):
		return true
	case len(c.dirs) > 0:
		return false
	case c.is("toofar") && c.part == "" && math.Abs(c.degs) >= math.Abs(s.moved(a)): // of all of it
		return true
	}
	last, ok := lastMove(s.last)
	return ok && last.Axes[a] == planner.To && target == a
}

// redoes goes to a pose in the place of the last command; from is where the robot was without that.
func (s *scene) redoes(from, to Pose, named planner.Axes) ([]planner.Step, bool) {
	steps := Towards(s.at, to)
	if s.at.beyond(steps) {
		return nil, false
	}
	base := s.before
	s.base = &base
	repeats := restoring(named, from, to)
	for i := range repeats {
		if !slices.Contains(named[:], planner.To) {
			repeats[i] = byAsMuch(repeats[i:i+1], from)[0]
		}
	}
	s.undo, s.last, s.repeats = append(s.undo, s.at), repeats, append(s.repeats, repeats...)
	s.at = to
	return steps, true
}
