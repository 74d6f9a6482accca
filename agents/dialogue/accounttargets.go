package dialogue

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
)

// targets are the axes that a clause means, with the direction that it says.
func (s *scene) targets(c *account) ([]toward, bool) {
	lastPart := s.lastPart()
	next := c.nextAntenna(lastPart)
	if c.verb == "raise" || c.verb == "lower" {
		if len(c.dirs) == 0 {
			c.dirs = []string{raised[c.verb]}
		} else if slices.ContainsFunc(c.dirs, horizontal) && !slices.ContainsFunc(c.dirs, vertical) {
			return nil, false
		}
	}
	if a, isAxis := headAxes[lastPart]; isAxis { // it was asked about
		lastPart = "head"
		if c.it && !c.named && c.part == "" {
			c.axis, c.named = a, true
		}
	}
	if c.is("ear") && c.part == "" {
		if c.part = s.ear(); c.part == "" || c.is("shoulder") || c.verb == "tilt" {
			return nil, false
		}
	}
	if c.part != "" {
		next = c.part
	}
	if c.is("first-one") && next == "" {
		next = s.firstAntenna()
	}
	part, ok := c.meantPart(next, lastPart)
	switch {
	case !ok:
		return nil, false
	case c.is("both") && part == "":
		return s.towards(s.lately())
	case isAntenna(part):
		if slices.ContainsFunc(c.dirs, horizontal) || c.named || c.is("turning") {
			return nil, false
		}
		return s.towards(partAxes[part])
	case len(c.dirs) > 0:
		return s.directed(c, part)
	}
	return s.undirected(c, part, lastPart)
}

// firstAntenna is the antenna that was moved before the other one; "" where none was, or both at once.
func (s *scene) firstAntenna() string {
	for i, before := range s.undo {
		after := s.at
		if i+1 < len(s.undo) {
			after = s.undo[i+1]
		}
		left := math.Abs(change(planner.LeftAntenna, &before, &after)) > near
		right := math.Abs(change(planner.RightAntenna, &before, &after)) > near
		switch {
		case left && right:
			return ""
		case left:
			return "leftAntenna"
		case right:
			return "rightAntenna"
		}
	}
	return ""
}

// nextAntenna is the part that is named, or the antenna that a bare direction means after an antenna was moved.
func (c *account) nextAntenna(lastPart string) string {
	if c.part != "" || !isAntenna(lastPart) || len(c.dirs) == 0 || c.named || c.is("other", "both", "ear", "left-one", "right-one", "first-one") {
		return c.part
	}
	d := c.dirs[0]
	if len(c.dirs) == 2 && horizontal(d) != horizontal(c.dirs[1]) && c.verb == "" && !c.it { // "left up, right down"
		if vertical(d) {
			d = c.dirs[1]
		}
		c.dirs = slices.DeleteFunc(slices.Clone(c.dirs), horizontal)
		return d + "Antenna"
	}
	if len(c.dirs) > 1 {
		return c.part
	}
	switch {
	case vertical(d) && c.verb == "": // "and now up ten"
		return lastPart
	case horizontal(d) && (c.verb == "" || c.verb == "raise" || c.verb == "lower") && !c.it: // "and the left the same"
		c.dirs = nil
		return d + "Antenna"
	}
	return ""
}

// meantPart is the part that a clause means by a word for it, like "the other one", or by its name; false where there is none such.
func (c *account) meantPart(named, lastPart string) (string, bool) {
	switch {
	case c.is("left-one"), c.is("right-one"):
		onlyEars := c.verb == "raise" || c.verb == "lower" || slices.ContainsFunc(c.dirs, vertical) // nothing else goes up on one side
		return map[bool]string{true: "leftAntenna", false: "rightAntenna"}[c.is("left-one")], named == "" && (isAntenna(lastPart) || onlyEars)
	case c.is("other"), c.is("other-side") && otherAntenna[lastPart] != "" && named == "":
		return otherAntenna[lastPart], otherAntenna[lastPart] != ""
	case c.is("first-one"):
		return named, isAntenna(named)
	case c.is("both") && named == "" && (isAntenna(lastPart) || lastPart == "" && slices.ContainsFunc(c.dirs, vertical)): // the only pair
		return "antennas", true
	case c.it && !c.is("both") && named == "" && !c.named:
		return lastPart, true
	}
	return named, true
}

// directed are the axes on which the directions of a clause lie.
func (s *scene) directed(c *account, part string) (out []toward, ok bool) {
	for _, d := range c.dirs {
		a, ok := s.axisFor(c, part, d)
		if !ok {
			return nil, false
		}
		out = append(out, toward{a, directionOn(a, d)})
	}
	return out, true
}

// undirected are the axes of a clause that names no direction.
func (s *scene) undirected(c *account, part, lastPart string) ([]toward, bool) {
	switch {
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
		if len(axes) == 0 && c.is("same", "as-much", "too", "same-side") {
			axes = partAxes[part]
		}
		return s.towards(axes)
	case c.is("mirror") && len(sidewise(s.off(s.recent(everyAxis...)))) > 0: // up stays up
		return s.towards(sidewise(s.off(s.recent(everyAxis...))))
	case c.is("negate") && len(s.off(s.recent(everyAxis...))) > 0 && math.Abs(s.at.rest(s.off(s.recent(everyAxis...))[0])) < near:
		return s.towards(s.off(wholeParts[lastPart])) // what was moved before
	case lastPart == "" || c.verb == "turn" && c.hasDegs && !c.is(leanings...):
		return nil, false
	case isAntenna(lastPart):
		return s.towards(s.off(s.recent(planner.LeftAntenna, planner.RightAntenna)))
	case c.hasDegs:
		return s.towards(s.off(s.recent(everyAxis...)))
	}
	return s.towards(s.recent(everyAxis...))
}

// sidewise are those of some axes that a mirror turns round.
func sidewise(axes []planner.Axis) []planner.Axis {
	return slices.DeleteFunc(slices.Clone(axes), func(a planner.Axis) bool { return a == planner.Pitch || isAntenna(partOfAxis(a)) })
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
func (s *scene) axisFor(c *account, part, dir string) (planner.Axis, bool) {
	switch {
	case c.verb == "face":
		return 0, false
	case vertical(dir):
		if part == "" && c.verb == "" && !c.named && isAntenna(s.lastPart()) {
			return 0, false
		}
		return planner.Pitch, part != "body" && (!c.named || c.axis == planner.Pitch)
	}
	return s.sideways(c, part)
}

// sideways is the axis on which left and right lie.
func (s *scene) sideways(c *account, part string) (planner.Axis, bool) {
	switch {
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
	return s.sidewaysAgain()
}

// sidewaysAgain is the axis on which left and right lie where no more is said: that of what was moved last.
func (s *scene) sidewaysAgain() (planner.Axis, bool) {
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
