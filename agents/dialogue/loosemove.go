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
		planner.Pitch: {"up": -1, "down": 1}, planner.Yaw: {"left": 1, "right": -1}, planner.BodyYaw: {"left": 1, "right": -1}, planner.Roll: {"left": -1, "right": 1},
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
		case w.is("home") && !w.names() && !w.where0():
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
	case w.part == "antennas", w.part == "" && antenna:
		w.part = w.one + "Antenna"
	case !slices.Contains(w.dirs, w.one):
		w.dirs = append(w.dirs, w.one)
	}
}

// where0 reports whether a direction or a size is said.
func (w *wanted) where0() bool {
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

// value is where an axis goes, or by how much. It stays where it is when the way is Unnamed.
func (w *wanted) value(t toward, at, before Pose) (float64, planner.Way, bool) {
	cur, zero := *at.axis(t.axis), 0.0
	if t.axis == planner.Yaw {
		zero = at.BodyYaw
	}
	rest := cur - zero
	moved := cur - *before.axis(t.axis)
	side := t.sign
	for _, v := range []float64{rest, moved} {
		if side == 0 && math.Abs(v) > near {
			side = signed(1, v)
		}
	}
	size, sized := math.Abs(w.degs), w.hasDegs
	if !sized && w.size == "little" {
		size, sized = littleTurn, true
	}
	back := w.is("less") || w.is("back") || w.is("drop") && w.share != 0
	switch {
	case w.is("to") && w.hasDegs && back && (side != 0 || w.signed):
		if w.signed && t.sign == 0 {
			return w.degs, planner.To, true
		}
		return side * size, planner.To, true
	case isAntenna(partOfAxis(t.axis)) && !w.changes():
		return w.antenna(t.axis)
	case w.is("other"):
		if !sized {
			size = math.Abs(rest)
		}
		if t.sign == 0 {
			side = -side
		}
		return zero + side*size, planner.To, side != 0 && size > 0
	case w.share != 0 && back && w.is("that"):
		return -w.share * moved, planner.By, math.Abs(moved) > near
	case w.share != 0 && back, w.share != 0 && slices.Contains(w.dirs, "center"):
		return -w.share * rest, planner.By, math.Abs(rest) > near
	case w.share != 0 && w.is("more"):
		return w.share * moved, planner.By, math.Abs(moved) > near
	case w.share != 0:
		return -(1 - w.share) * moved, planner.By, math.Abs(moved) > near
	case w.factor != 0 && t.sign != 0:
		return zero + t.sign*math.Abs(rest)*w.factor, planner.To, math.Abs(rest) > near
	case w.factor != 0:
		return (w.factor - 1) * rest, planner.By, math.Abs(rest) > near
	case slices.Contains(w.dirs, "center") && t.sign == 0 && !sized, w.is("drop") && !sized, w.is("home"):
		return 0, planner.To, true
	case w.is("undo"):
		return *before.axis(t.axis), planner.To, true
	case back && sized, slices.Contains(w.dirs, "center") && t.sign == 0 && sized && !w.is("to"):
		if t.sign != 0 && !w.is("less") {
			return t.sign * size, planner.By, true
		}
		if math.Abs(rest) < near {
			return 0, planner.Unnamed, false
		}
		return -signed(size, rest), planner.By, true
	case w.is("less"):
		return -moved / 2, planner.By, math.Abs(moved) > near //nolint:mnd // half of the way
	case w.is("back") && t.sign == 0:
		return *before.axis(t.axis), planner.To, true
	case w.size == "far" && t.axis == planner.Yaw:
		return zero + side*language.Tidy(neckTurn), planner.To, side != 0
	case w.size == "far":
		return side * arguments[t.axis].limits.Max, planner.To, side != 0
	case w.hasDegs && (w.is("to") || w.degs == 0) && w.signed && t.sign == 0:
		return w.degs, planner.To, true
	case w.hasDegs && (w.is("to") || w.degs == 0 || t.sign == 0 && !w.is("more") && !w.is("by")):
		return side * size, planner.To, side != 0 || size == 0
	case w.signed && t.sign == 0:
		return w.degs, planner.By, true
	case sized:
		return side * size, planner.By, side != 0
	case w.is("more"):
		return side * littleTurn, planner.By, side != 0
	}
	return side * usual(t.axis), planner.From, t.sign != 0
}

// antenna is where an antenna goes.
func (w *wanted) antenna(a planner.Axis) (float64, planner.Way, bool) {
	switch {
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
