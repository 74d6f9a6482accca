package dialogue

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// The changes of a conversation are the ways between the poses that it remembers. What takes back, repeats a share or names a movement
// is a function of them.

// namedMovements are the axes that the name of a movement may mean, in the order in which they are looked for.
var namedMovements = map[string][][]planner.Axis{
	"tilt": {{planner.Roll}, {planner.Pitch}},
	"look": {{planner.Yaw, planner.Pitch}},
	"turn": {{planner.BodyYaw}, {planner.Yaw}},
	"up":   {{planner.Pitch}},
	"down": {{planner.Pitch}},
}

// wholeParts are all axes of a part.
var wholeParts = map[string][]planner.Axis{
	"head": {planner.Pitch, planner.Yaw, planner.Roll}, "body": {planner.BodyYaw},
	"leftAntenna": {planner.LeftAntenna}, "rightAntenna": {planner.RightAntenna}, "antennas": {planner.LeftAntenna, planner.RightAntenna},
	"pitch": {planner.Pitch}, "yaw": {planner.Yaw}, "roll": {planner.Roll},
}

// namedAxes are the groups of axes that a sentence names, by an axis, a movement or a part.
func (r *reader) namedAxes() [][]planner.Axis {
	if a, named := headAxes[r.said.axis]; named {
		return [][]planner.Axis{{a}}
	}
	if groups := namedMovements[r.said.names]; groups != nil {
		return groups
	}
	if part := wholeParts[r.said.part]; part != nil {
		return [][]planner.Axis{part}
	}
	return nil
}

// change is by how much an axis was moved between two poses; the head counts from the body, which carries it.
func change(a planner.Axis, from, to *Pose) float64 {
	d := *to.axis(a) - *from.axis(a)
	if a == planner.Yaw {
		d -= to.BodyYaw - from.BodyYaw
	}
	return d
}

// lessen takes a change of an axis back; the body carries the head along.
func (p *Pose) lessen(a planner.Axis, d float64) {
	*p.axis(a) -= d
	if a == planner.BodyYaw {
		p.Head.Yaw -= d
	}
}

// takenBack takes back the last change of a group of axes, of the first group that has any; all else stays.
func (r *reader) takenBack(groups ...[]planner.Axis) (Reading, bool) {
	for _, group := range groups {
		after := r.now.Pose
		for i := len(r.Undo) - 1; i >= 0; i-- {
			before, to, found := r.Undo[i], r.now.Pose, false
			for _, a := range group {
				d := change(a, &before, &after)
				if math.Abs(d) <= near {
					continue
				}
				found = true
				to.lessen(a, d)
			}
			if found {
				return r.run(Towards(r.now.Pose, to)), true
			}
			after = before
		}
	}
	return Reading{}, false
}

// portion goes on by a share of the last movement, or leaves only a share of it.
func (r *reader) portion() (Reading, bool) {
	r.said.degs, r.said.hasDegs, r.said.to, r.said.off = 0, false, false, false // "half as far again, that's twenty": no other amount
	switch {
	case r.said.has("more"), r.said.has("again"):
		return r.further()
	case r.said.has("back") && isAntenna(r.part()): // "halfway back up"
		r.said.share = 1 - r.said.share
		return r.scale()
	case r.said.has("undo"): // "undo half of that"
		r.said.share = 1 - r.said.share
		return r.scale()
	case r.said.has("back"), r.said.has("less"):
		return r.less()
	}
	return r.scale()
}

// scale makes the last movement so many times as far: all of it, where that is itself so many times another, or went to a place.
func (r *reader) scale() (Reading, bool) {
	last, ok := r.lastMove()
	if !ok || r.said.verb && r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false
	}
	step := planner.Step{Tool: last.Tool, Args: map[string]any{"duration": 1.0}}
	for a, way := range last.Axes {
		if way == planner.Unnamed {
			continue
		}
		axis := planner.Axis(a)
		moved, rest := change(axis, &r.Last.Before, &r.now.Pose), r.now.Pose.rest(axis)
		of := moved
		if r.Last.Scaled || !way.Relative() && rest*moved > 0 {
			of = rest
		}
		if math.Abs(of) > near {
			step.Args[arguments[a].name], step.Axes[a] = language.Tidy(of*(r.said.share-1)), planner.By
		}
	}
	if !step.Axes.Named() {
		return say(r, "nothing-before")
	}
	reading := r.run([]planner.Step{step})
	if r.said.share > 1 {
		reading.repeats = reading.Plan.Steps
		reading.scaled = true
	}
	reading.settled = true
	return reading, true
}

// opposite holds what was moved last as far to the other side of the middle as it is now; with a direction, only where that is the
// other side: "the same angle to the right".
func (r *reader) opposite() (Reading, bool) {
	last, ok := r.lastMove()
	if !ok || isAntenna(partOf(last)) {
		return Reading{}, false
	}
	if len(acts(r.Last.Steps)) > 0 { // with all that was done beside it
		return r.otherWay()
	}
	step := planner.Step{Tool: last.Tool, Args: map[string]any{"duration": 1.0}}
	for a, way := range last.Axes {
		axis := planner.Axis(a)
		rest := r.now.Pose.rest(axis)
		if way == planner.Unnamed || math.Abs(rest) < near {
			continue
		}
		if len(r.said.dirs) == 1 && directionOn(axis, r.said.dirs[0])*rest >= 0 {
			continue
		}
		step.Args[arguments[a].name], step.Axes[a] = language.Tidy(r.now.Pose.middle(axis)-rest), planner.To
	}
	if !step.Axes.Named() {
		return Reading{}, false
	}
	step.Args["duration"] = map[string]float64{"slow": 2, "fast": 0.5, "": 1}[r.said.pace]
	reading := r.deed([]planner.Step{step})
	reading.settled = true
	return reading, true
}

// onBy is how much of the last movement comes to it: all of it, where no share is said.
func (s *slots) onBy() float64 {
	switch {
	case s.share > 1:
		return s.share - 1
	case s.share > 0:
		return s.share
	}
	return 1
}

// backBy is how much of the last movement is taken back: half of it, where no share is said.
func (s *slots) backBy() float64 {
	switch {
	case s.share > 0 && s.has("back"):
		return s.share
	case s.share > 0:
		return 1 - s.share
	}
	return half
}

// better goes back to where what was moved last was on the side that is said to have been better.
func (r *reader) better() (Reading, bool) {
	if r.Last == nil {
		return Reading{}, false
	}
	for _, was := range slices.Backward(r.Undo) {
		for a := range planner.NumAxes {
			sign := directionOn(a, r.said.dirs[0])
			if sign*(*was.axis(a)-was.middle(a)) > near && math.Abs(change(a, &r.Last.Before, &r.now.Pose)) > near {
				return r.run(Towards(r.now.Pose, was)), true
			}
		}
	}
	return Reading{}, false
}

// outset brings what was moved last to where it was when the conversation began; all else stays.
func (r *reader) outset() (Reading, bool) {
	axes := wholeParts[r.part()]
	if len(r.Undo) == 0 || axes == nil {
		return Reading{}, false
	}
	to := r.now.Pose
	for _, a := range axes {
		d := 0.0
		for i, before := range r.Undo {
			after := &r.now.Pose
			if i+1 < len(r.Undo) {
				after = &r.Undo[i+1]
			}
			d += change(a, &before, after)
		}
		to.lessen(a, d)
	}
	return r.run(Towards(r.now.Pose, to)), true
}

// commanded reads the command that a part, its directions and a number come to.
func (r *reader) commanded(part string) (Reading, bool) {
	s := &r.said
	if part == "head" && s.hasDegs && s.degs == 0 && len(s.dirs) == 0 && s.axis == "" { // "zero the head": about every axis
		return r.whole("your head back to zero")
	}
	reading, ok := r.whole(r.command(part, s.dirs))
	if reading.Plan.Outcome == planner.OutcomeError && s.hasDegs && !s.to && len(s.dirs) == 1 {
		reading = r.within(part, &reading)
	}
	return reading, ok
}

// within is a movement that is further than an axis goes to a side, but no further than it can go from where it is; else refused.
func (r *reader) within(part string, refused *Reading) Reading {
	inner := *r
	inner.said.degs = littleTurn
	reading, _ := inner.whole(inner.command(part, r.said.dirs))
	if len(reading.Plan.Steps) != 1 {
		return *refused
	}
	step := reading.Plan.Steps[0]
	for a, way := range step.Axes {
		if v, ok := step.Args[arguments[a].name].(float64); ok && way.Relative() {
			step.Args[arguments[a].name] = signed(r.said.degs, v)
		}
	}
	if _, limits := Resolve(step, r.now.Pose, r.now.Pose); len(limits) > 0 {
		return *refused
	}
	return reading
}
