package dialogue

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// directionOn is the sign of a direction on an axis; 0 when the axis has no such direction.
func directionOn(a planner.Axis, dir string) float64 {
	return map[planner.Axis]map[string]float64{
		planner.Pitch: {"up": -1, "down": 1}, planner.Roll: {"left": -1, "right": 1},
		planner.Yaw: {"left": 1, "right": -1}, planner.BodyYaw: {"left": 1, "right": -1},
	}[a][dir]
}

// performed are the steps that do what is wanted, one after the other.
func (r *reader) performed(all []wanted) (steps []planner.Step, ok bool) {
	at := r.now.Pose
	last, before := r.lastAxes()
	for i := range all {
		w := &all[i]
		w.whichOne(last)
		if w.steps != nil {
			steps = append(steps, w.steps...)
			continue
		}
		var done []planner.Step
		switch {
		case w.is("undo-all") && len(r.Undo) > 0:
			done = Towards(at, r.Undo[0])
		case w.is("undo") && !w.names() && len(r.Undo) > 0:
			done = Towards(at, r.Undo[len(r.Undo)-1])
		case w.is("home") && !w.names() && !w.sidedOrSized():
			done = Towards(at, Pose{Antennas: restingAntennas})
		default:
			if done, ok = w.perform(at, last, before); !ok {
				return nil, false
			}
		}
		if w.wait > 0 && len(all) > 1 {
			steps = append(steps, planner.Step{Tool: "wait", Args: map[string]any{"seconds": w.wait}})
		}
		for _, s := range done {
			resolved, _ := Resolve(s, r.now.Pose, at)
			before = at
			at = After(resolved, at)
			last = s.Axes
		}
		steps = append(steps, done...)
	}
	return steps, true
}

// whichOne says what "the left one" is.
func (w *wanted) whichOne(last planner.Axes) {
	antenna := last[planner.LeftAntenna] != planner.Unnamed || last[planner.RightAntenna] != planner.Unnamed
	switch {
	case w.is("both") && w.part == "" && antenna && !w.names():
		w.part = "antennas"
	case w.one == "":
	case isAntenna(w.part), w.part == "" && antenna: // perhaps taken over from what stands before: "the left antenna up, the right one down"
		w.part = w.one + "Antenna"
	case !slices.Contains(w.dirs, w.one):
		w.dirs = append(w.dirs, w.one)
	}
}

// sidedOrSized reports whether a direction or a size is said.
func (w *wanted) sidedOrSized() bool {
	return len(w.dirs) > 0 && !slices.Equal(w.dirs, []string{"center"}) || w.sized()
}

// lastAxes are the axes that moved last, and where the robot was before.
func (r *reader) lastAxes() (axes planner.Axes, before Pose) {
	for _, c := range []*Command{r.Last, r.Moved} {
		if c == nil {
			continue
		}
		if step, ok := lastMove(c.Steps); ok {
			return step.Axes, c.Before
		}
	}
	return axes, r.now.Pose
}

// toward is an axis with the direction on it that is said, 0 for none.
type toward struct {
	axis planner.Axis
	sign float64
}

// axes are those that are meant.
func (w *wanted) axes(last planner.Axes) (out []toward) {
	if isAntenna(w.part) {
		for _, a := range partAxes[w.part] {
			out = append(out, toward{axis: a})
		}
		return out
	}
	for _, d := range w.dirs {
		if d == "center" {
			continue
		}
		if a, ok := w.axisFor(d, last); ok {
			out = append(out, toward{a, directionOn(a, d)})
		}
	}
	switch {
	case len(out) > 0:
		return out
	case w.hasAxis && w.axis == planner.Yaw && (w.part == "body" || w.part == "" && w.is("drop") && last[planner.BodyYaw] != planner.Unnamed):
		return []toward{{axis: planner.BodyYaw}}
	case w.hasAxis:
		return []toward{{axis: w.axis}}
	case w.part == "body":
		return []toward{{axis: planner.BodyYaw}}
	case w.part == "head" && slices.Contains(w.dirs, "center"), w.part == "head" && w.is("drop"):
		return []toward{{axis: planner.Pitch}, {axis: planner.Yaw}, {axis: planner.Roll}}
	case w.verb == "turn" && (w.is("drop") || w.is("back")) && last[planner.BodyYaw] == planner.Unnamed:
		return []toward{{axis: planner.Yaw}}
	}
	for a, way := range last {
		axis := planner.Axis(a)
		if way != planner.Unnamed && (w.part != "head" || axis == planner.Pitch || axis == planner.Yaw || axis == planner.Roll) {
			out = append(out, toward{axis: axis})
		}
	}
	return out
}

// axisFor is the axis on which a direction lies.
func (w *wanted) axisFor(dir string, last planner.Axes) (planner.Axis, bool) {
	switch {
	case !horizontal(dir):
		return planner.Pitch, w.part != "body"
	case w.hasAxis && w.axis == planner.Roll:
		return planner.Roll, true
	case w.part == "body":
		return planner.BodyYaw, true
	case w.part == "head" || w.verb == "look" || w.hasAxis:
		return planner.Yaw, true
	}
	for _, a := range []planner.Axis{planner.Roll, planner.Yaw, planner.BodyYaw} {
		if last[a] != planner.Unnamed && (a != planner.Roll || last[planner.Yaw] == planner.Unnamed) {
			return a, true
		}
	}
	if w.verb == "turn" || w.verb == "" {
		return planner.BodyYaw, true
	}
	return planner.Yaw, true
}

// perform is the step that does what is wanted.
func (w *wanted) perform(at Pose, last planner.Axes, before Pose) ([]planner.Step, bool) {
	byTool := map[string]*planner.Step{}
	var steps []planner.Step
	for _, t := range w.axes(last) {
		value, way, ok := w.value(t, at, before)
		if !ok {
			return nil, false
		}
		if way == planner.Unnamed {
			continue
		}
		arg := arguments[t.axis]
		if byTool[arg.tool] == nil {
			byTool[arg.tool] = &planner.Step{Tool: arg.tool, Args: map[string]any{"duration": 1.0}}
		}
		byTool[arg.tool].Args[arg.name], byTool[arg.tool].Axes[t.axis] = language.Tidy(value), way
	}
	for _, tool := range []string{"turn_body", "move_head", "set_antennas"} {
		if s := byTool[tool]; s != nil {
			steps = append(steps, *s)
		}
	}
	return steps, len(steps) > 0
}

// course is what is known when it is worked out where an axis goes.
type course struct {
	*wanted
	toward
	zero     float64 // the middle of the axis
	rest     float64 // how far it is from there
	moved    float64 // by how much it was moved last
	side     float64 // the sign of where it goes: as is said, else where it is, else where it came from
	size     float64
	sized    bool
	homeward bool
	before   Pose
}

// value is where an axis goes, or by how much. It stays where it is when the way is Unnamed.
func (w *wanted) value(t toward, at, before Pose) (float64, planner.Way, bool) {
	c := course{wanted: w, toward: t, before: before, side: t.sign, size: math.Abs(w.degs), sized: w.hasDegs}
	c.zero = at.middle(t.axis)
	c.rest, c.moved = *at.axis(t.axis)-c.zero, *at.axis(t.axis)-*before.axis(t.axis)
	for _, v := range []float64{c.rest, c.moved} {
		if c.side == 0 && math.Abs(v) > near {
			c.side = signed(1, v)
		}
	}
	if !c.sized && w.size == "little" {
		c.size, c.sized = littleTurn, true
	}
	c.homeward = w.is("less") || w.is("back") || w.is("drop") && w.share != 0
	for _, rule := range courses {
		if rule.when(&c) {
			return rule.goes(&c)
		}
	}
	return c.side * usual(t.axis), planner.From, t.sign != 0
}

// central reports whether only the middle is named as a direction.
func (c *course) central() bool { return slices.Contains(c.dirs, "center") && c.sign == 0 }

// courses are the ways in which a wish can be meant, the more special ones first.
var courses = []struct {
	when func(c *course) bool
	goes func(c *course) (float64, planner.Way, bool)
}{
	{ // "back to minus five"
		func(c *course) bool { return c.is("to") && c.hasDegs && c.homeward && (c.side != 0 || c.signed) },
		(*course).goal,
	},
	{
		func(c *course) bool { return isAntenna(partOfAxis(c.toward.axis)) && !c.changes() },
		func(c *course) (float64, planner.Way, bool) { return c.antenna(c.toward.axis) },
	},
	{func(c *course) bool { return c.is("other") }, (*course).across},
	{ // "a quarter of that back"
		func(c *course) bool { return c.share != 0 && c.homeward && c.is("that") },
		func(c *course) (float64, planner.Way, bool) { return c.by(-c.share*c.moved, c.moved) },
	},
	{
		func(c *course) bool { return c.share != 0 && (c.homeward || slices.Contains(c.dirs, "center")) },
		func(c *course) (float64, planner.Way, bool) { return c.by(-c.share*c.rest, c.rest) },
	},
	{
		func(c *course) bool { return c.share != 0 && c.is("more") },
		func(c *course) (float64, planner.Way, bool) { return c.by(c.share*c.moved, c.moved) },
	},
	{ // "only half of that"
		func(c *course) bool { return c.share != 0 },
		func(c *course) (float64, planner.Way, bool) { return c.by(-(1-c.share)*c.moved, c.moved) },
	},
	{ // "twice that to the left"
		func(c *course) bool { return c.factor != 0 && c.sign != 0 },
		func(c *course) (float64, planner.Way, bool) {
			return c.zero + c.sign*math.Abs(c.rest)*c.factor, planner.To, math.Abs(c.rest) > near
		},
	},
	{
		func(c *course) bool { return c.factor != 0 },
		func(c *course) (float64, planner.Way, bool) { return c.by((c.factor-1)*c.rest, c.rest) },
	},
	{
		func(c *course) bool { return c.central() && !c.sized || c.is("drop") && !c.sized || c.is("home") },
		func(*course) (float64, planner.Way, bool) { return 0, planner.To, true },
	},
	{
		func(c *course) bool { return c.is("undo") },
		func(c *course) (float64, planner.Way, bool) { return *c.before.axis(c.toward.axis), planner.To, true },
	},
	{func(c *course) bool { return c.sized && (c.homeward || c.central() && !c.is("to")) }, (*course).homewards},
	{ // "not so far"
		func(c *course) bool { return c.is("less") },
		func(c *course) (float64, planner.Way, bool) { return c.by(-half*c.moved, c.moved) },
	},
	{
		func(c *course) bool { return c.is("back") && c.sign == 0 },
		func(c *course) (float64, planner.Way, bool) { return *c.before.axis(c.toward.axis), planner.To, true },
	},
	{func(c *course) bool { return c.wanted.size == "far" }, (*course).outermost},
	{ // "to twenty"; a number without a direction is a goal on the side where it is
		func(c *course) bool {
			return c.hasDegs && (c.is("to") || c.degs == 0 || c.sign == 0 && !c.signed && !c.is("more") && !c.is("by"))
		},
		(*course).goal,
	},
	{
		func(c *course) bool { return c.signed && c.sign == 0 },
		func(c *course) (float64, planner.Way, bool) { return c.degs, planner.By, true },
	},
	{
		func(c *course) bool { return c.sized },
		func(c *course) (float64, planner.Way, bool) { return c.side * c.size, planner.By, c.side != 0 },
	},
	{
		func(c *course) bool { return c.is("more") },
		func(c *course) (float64, planner.Way, bool) { return c.side * littleTurn, planner.By, c.side != 0 },
	},
}

// by goes by a value that is some of another, where that is anything.
func (c *course) by(value, of float64) (float64, planner.Way, bool) {
	return value, planner.By, math.Abs(of) > near
}

// goal goes to the number.
func (c *course) goal() (float64, planner.Way, bool) {
	if c.signed && c.sign == 0 {
		return c.degs, planner.To, true
	}
	return c.side * c.size, planner.To, c.side != 0 || c.size == 0
}

// across goes to the other side of the middle.
func (c *course) across() (float64, planner.Way, bool) {
	size, side := c.size, c.side
	if !c.sized {
		size = math.Abs(c.rest)
	}
	if c.sign == 0 {
		side = -side
	}
	return c.zero + side*size, planner.To, side != 0 && size > 0
}

// homewards goes so far towards the middle.
func (c *course) homewards() (float64, planner.Way, bool) {
	switch {
	case c.sign != 0 && !c.is("less"):
		return c.sign * c.size, planner.By, true
	case math.Abs(c.rest) < near:
		return 0, planner.Unnamed, false
	}
	return -signed(c.size, c.rest), planner.By, true
}

// outermost goes as far as the axis can.
func (c *course) outermost() (float64, planner.Way, bool) {
	if c.toward.axis == planner.Yaw {
		return c.zero + c.side*language.Tidy(neckTurn), planner.To, c.side != 0
	}
	return c.side * arguments[c.toward.axis].limits.Max, planner.To, c.side != 0
}

// antenna is where an antenna goes.
func (w *wanted) antenna(a planner.Axis) (float64, planner.Way, bool) {
	switch {
	case w.hasDegs && w.is("by") && slices.Contains(w.dirs, "up"):
		return w.degs, planner.Rise, true
	case w.hasDegs && w.is("by") && slices.Contains(w.dirs, "down"):
		return w.degs, planner.Sink, true
	case w.hasDegs:
		return w.degs, planner.To, true
	case slices.Contains(w.dirs, "up") && w.size == "little":
		return 0, planner.Rise, true
	case slices.Contains(w.dirs, "down") && w.size == "little":
		return 0, planner.Sink, true
	case slices.Contains(w.dirs, "up"), slices.Contains(w.dirs, "center"):
		return 0, planner.To, true
	case slices.Contains(w.dirs, "down"):
		return directionDown[a], planner.To, true
	case w.is("home"):
		rest := Pose{Antennas: restingAntennas}
		return *rest.axis(a), planner.To, true
	}
	return 0, planner.Unnamed, false
}

var directionDown = map[planner.Axis]float64{planner.LeftAntenna: 180, planner.RightAntenna: -180}

// partOfAxis is the part that an axis belongs to.
func partOfAxis(a planner.Axis) string {
	switch a {
	case planner.LeftAntenna:
		return "leftAntenna"
	case planner.RightAntenna:
		return "rightAntenna"
	case planner.BodyYaw:
		return "body"
	}
	return "head"
}
