package dialogue

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// rule is what a sentence does that leans on what was before. The rules are asked in order; one whose read says no passes.
type rule struct {
	name    string
	example string // a conversation, its turns between bars, the last of which the rule reads; a test says it
	when    func(s *slots) bool
	read    func(r *reader) (Reading, bool)
}

var rules = []rule{
	{"redo", "look left | undo that | undo the undo", func(s *slots) bool { return s.has("redo") && len(s.dirs) == 0 }, (*reader).redo},
	{"where it was better", "look left | no, right | it was better on the left, go back there", func(s *slots) bool {
		return s.has("better") && len(s.dirs) == 1 && !s.hasDegs && s.part == "" && !s.has("center")
	}, (*reader).better},
	{"undo", "look left | undo that", func(s *slots) bool { return (s.has("undo") || s.has("undo-all")) && s.share == 0 }, (*reader).undo},
	{"a movement back", "turn left | look up | the turn back", func(s *slots) bool {
		return s.names != "" && !s.verb && !s.hasDegs && len(s.dirs) == 0 && (s.has("back") || s.has("too"))
	}, (*reader).undo},
	{"wrong way", "turn left | no, the other way", func(s *slots) bool {
		return s.has("wrong-way") || s.first == "no" && s.has("other-way")
	}, (*reader).wrongWay},
	{"a goal with its sign", "turn left | to minus twenty", func(s *slots) bool {
		return s.to && s.signed && s.part == "" && s.axis == "" && len(s.dirs) == 0
	}, (*reader).toGoal},
	{"another goal with its sign", "turn your body to 20 | and minus 20", func(s *slots) bool {
		return s.hasDegs && s.degs < 0 && !s.has("more") && s.part == "" && s.axis == "" && len(s.dirs) == 0
	}, (*reader).signedGoal},
	{"a share", "turn left 40 | half of that again", func(s *slots) bool {
		return s.share > 0 && (len(s.dirs) == 0 || s.share < 1 && s.has("back") && len(s.dirs) == 1) && s.part == "" && s.axis == ""
	}, (*reader).portion},
	{"another amount", "turn left 60 | too far, make it 40", func(s *slots) bool {
		return s.hasDegs && !s.off && (s.has("less") || s.first == "no" || s.has("only") && !s.has("again") && !s.has("more")) && s.part == "" && len(s.dirs) == 0
	}, (*reader).otherAmount},
	{"another direction", "turn left | sorry, right", func(s *slots) bool {
		after := s.has("only") && !s.hasDegs && s.part == "" && !s.has("more") && !s.has("again") // "left after all"
		return (s.first == "no" || after) && len(s.dirs) == 1 && !s.verb && s.axis == "" && !s.has("center")
	}, (*reader).sided},
	{"correction", "turn left 20 | no, your head", func(s *slots) bool { return s.first == "no" }, (*reader).corrected},
	{"like the other", "left antenna 30 | now the right antenna same as the left", func(s *slots) bool { return s.has("same-as") }, (*reader).likeTheOther},
	{"a part reset", "left antenna 30 | reset just the antenna", func(s *slots) bool {
		return s.has("reset") && isAntenna(s.part) && !s.hasDegs && len(s.dirs) == 0
	}, (*reader).resetAntennas},
	{"the same to the other side", "turn left 40 | take ten off | the same angle the other way", (*slots).asMuchAcross, (*reader).opposite},
	{"swap", "left antenna 30 | swap them", func(s *slots) bool { return s.has("swap") }, (*reader).swap},
	{"as at the start", "look left | a bit more | put it back how it was at the start", func(s *slots) bool { return s.has("outset") }, (*reader).outset},
	{"axis", "look left 10 and down 10 | the yaw to zero too", func(s *slots) bool {
		angle := s.hasDegs && (s.to || s.degs == 0 || !s.signed && !s.has("more") && !s.off) && len(s.dirs) == 0
		return s.axis != "" && (s.has("reset") || angle || !s.hasDegs && len(s.dirs) == 1 && s.dirs[0] == "center")
	}, (*reader).axisTo},
	{"axis plus", "look left 10 | pitch minus five", func(s *slots) bool {
		return s.axis != "" && s.hasDegs && !s.to && len(s.dirs) == 0 && (s.signed || s.has("more"))
	}, (*reader).axisPlus},
	{"everything back", "turn left | look up | everything back to the start", func(s *slots) bool {
		return s.has("home") || s.has("too") && s.hasDegs && s.degs == 0 && s.part == ""
	}, (*reader).home},
	{"axis with a direction", "look left 10 | and roll ten degrees to the right", func(s *slots) bool {
		return s.axis != "" && len(s.dirs) == 1 && s.dirs[0] != "center"
	}, (*reader).axisBy},
	{"back to a side", "look up 15 | look left | and back down", func(s *slots) bool {
		return s.has("back") && len(s.dirs) == 1 && !s.hasDegs && s.amount == "" && !s.has("limit") && s.first != "no"
	}, (*reader).homeward},
	{"limit", "turn left | as far as you can", func(s *slots) bool { return s.has("limit") && !s.hasDegs && !s.has("back") }, (*reader).limit},
	{"other way by some degrees", "turn left 60 | your body 20 the other way", func(s *slots) bool {
		return s.has("other-way") && s.hasDegs && len(s.dirs) == 0
	}, (*reader).otherWay},
	{"direction", "turn left | and now right", func(s *slots) bool {
		return len(s.dirs) > 0 || s.part != "" && (s.hasDegs || s.amount != "")
	}, (*reader).fragment},
	{"other side", "tilt your head to the left | and the other side", func(s *slots) bool { return s.has("other-side") }, (*reader).otherSide},
	{"other way", "turn left | the other way", func(s *slots) bool { return s.has("other-way") }, (*reader).otherWay},
	{"other antenna", "raise your left antenna | now the other antenna", func(s *slots) bool { return s.has("other") }, (*reader).other},
	{"same with a part", "look left | the same with your body", func(s *slots) bool {
		return s.part != "" && !s.has("back") && !s.has("limit") && (!s.verb || s.has("same") || s.has("too"))
	}, (*reader).samePart},
	{"both", "raise your left antenna to 40 | both", func(s *slots) bool { return s.has("too") && !s.verb && !s.has("more") && !s.has("less") }, (*reader).both},
	{"further back", "turn left 60 | back a bit | a bit further back", func(s *slots) bool { return s.has("back") && s.has("more") }, (*reader).furtherBack},
	{"the rest of the way back", "turn left 60 | twenty back | and go back the rest", func(s *slots) bool { return s.has("rest") }, (*reader).rest},
	{"less", "turn left 40 | not so far", func(s *slots) bool { return s.has("less") }, (*reader).less},
	{"another number", "turn left 20 | and 5", func(s *slots) bool {
		return s.hasDegs && s.degs != 0 && !s.to && len(s.kinds) == 0 && s.count == 0 && !s.verb && s.axis == "" && strings.HasPrefix(s.text, "and ")
	}, (*reader).further},
	{"some way back", "turn left 40 | ten back", func(s *slots) bool { return s.hasDegs && s.off && !s.to }, (*reader).less},
	{"goal", "turn left | to 50 degrees", func(s *slots) bool { return s.hasDegs && (s.to || s.degs == 0) }, (*reader).toGoal},
	{"back", "look left | and back", func(s *slots) bool { return s.has("back") && s.count == 0 && !s.hasDegs }, (*reader).back},
	{"pace", "look left | again, but slower", func(s *slots) bool {
		return s.has("faster") || s.has("slower") || s.pace != "" && (s.has("again") || s.has("same") || len(s.kinds) == 0 && s.count == 0)
	}, (*reader).pace},
	{"count", "nod | twice more", func(s *slots) bool { return s.count > 0 && (!s.hasDegs || !s.has("more")) }, (*reader).again},
	{"more", "turn left | a bit more", func(s *slots) bool { return s.has("more") || s.has("again") && s.hasDegs }, (*reader).further},
	{"again", "nod | do it again", func(s *slots) bool { return s.has("again") && !s.hasDegs }, (*reader).again},
	{"same", "nod | the same", func(s *slots) bool { return s.alike && s.bare() }, (*reader).again},
}

// asMuchAcross reports whether the same is asked for on another side, with nothing else said.
func (s *slots) asMuchAcross() bool {
	sided := s.has("other-way") || len(s.dirs) == 1
	alone := !s.has("center") && !s.has("again") && !s.hasDegs && s.amount == "" && s.share == 0 && s.part == "" && s.axis == ""
	return s.alike && s.first != "no" && sided && alone
}

// mostUndone is how many movements a number may mean that are to be taken back.
const mostUndone = 4

// undo takes back the last movements.
func (r *reader) undo() (Reading, bool) {
	n := max(1, int(r.said.count))
	switch {
	case r.said.has("undo-all"):
		n = len(r.Undo)
	case r.said.has("too") && !isAntenna(r.part()): // "undo both"
		n = 2
	}
	if r.said.hasDegs && r.said.degs <= mostUndone { // "undo the last five" are degrees
		n = max(1, int(r.said.degs))
	}
	if len(r.Undo) == 0 {
		return say(r, "nothing-before")
	}
	if axes := r.namedAxes(); len(axes) > 0 {
		if reading, ok := r.takenBack(axes...); ok || r.said.names == "" {
			reading.partly = true
			return reading, ok
		}
	}
	n = min(n, len(r.Undo))
	reading := r.run(Towards(r.now.Pose, r.Undo[len(r.Undo)-n]))
	reading.undone = n
	return reading, true
}

// redo goes to where the robot was before the last was undone.
func (r *reader) redo() (Reading, bool) {
	switch {
	case r.Redo != nil:
		return r.run(Towards(r.now.Pose, *r.Redo)), true
	case r.Last == nil:
		return say(r, "nothing-before")
	}
	return r.again()
}

// home brings all to where it began; "both to zero" of antennas means these.
func (r *reader) home() (Reading, bool) {
	if !r.said.has("home") && isAntenna(r.part()) || r.said.verb && r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false
	}
	return r.whole(homeText)
}

// homeText is the command that brings all to where it began.
const homeText = "go to the neutral pose"

// run is a reading of steps, which "again" does not repeat.
func (r *reader) run(steps []planner.Step) Reading {
	reading := Reading{Plan: planner.Plan{Text: r.u.Text, Outcome: planner.OutcomePlan, Steps: steps}, Text: r.u.Text}
	if r.Last != nil {
		reading.Text = r.Last.Text
	}
	if len(steps) == 0 {
		reading.Plan.Steps, reading.Say = []planner.Step{}, replies["there-already"]
	}
	return reading
}

// deed is a reading of steps that "again" repeats.
func (r *reader) deed(steps []planner.Step) Reading {
	reading := r.run(steps)
	reading.repeats = steps
	return reading
}

// back goes to where the robot was before the last movement, or before that of the part that is named.
func (r *reader) back() (Reading, bool) {
	middle := slices.Equal(r.said.dirs, []string{"center"}) || r.says("all") && r.says("way") // "all the way back"
	if part := r.part(); part != "" && !isAntenna(part) && middle {
		return r.whole(r.command(part, []string{"center"}))
	}
	if axes := r.namedAxes(); len(axes) > 0 {
		if r.plan.Outcome == planner.OutcomePlan && !r.said.has("undo") && len(r.Undo) == 0 {
			return Reading{}, false
		}
		if reading, ok := r.takenBack(axes...); ok {
			return reading, true
		}
		return say(r, "nothing-before")
	}
	for i := len(r.Undo) - 1; i >= 0; i-- {
		if same(r.Undo[i], r.now.Pose) {
			continue
		}
		return r.run(Towards(r.now.Pose, r.Undo[i])), true
	}
	if r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false // "look back" is behind
	}
	return say(r, "nothing-before")
}

// rest goes back to where the robot was before the last command.
func (r *reader) rest() (Reading, bool) {
	if r.Last == nil || !moves(r.Last.Steps) {
		return Reading{}, false
	}
	if r.says("way") && !r.says("back") && len(r.Undo) > 0 && same(r.Undo[len(r.Undo)-1], r.Last.Before) { // nothing has gone back yet
		return r.limit()
	}
	return r.run(Towards(r.now.Pose, r.Last.Before)), true
}

// otherSide does the last movement to the other side, from where the robot was before it.
func (r *reader) otherSide() (Reading, bool) {
	reading, ok := r.otherWay()
	if step, turned := r.mirroredHead(); ok && turned {
		return r.deed([]planner.Step{step}), true
	}
	if ok && !r.said.has("same") && reading.Say == "" {
		base, named := r.Last.Before, planner.Axes{}
		reading.Base, reading.Plan.Steps = &base, fromBase(reading.Plan.Steps, &named)
	}
	return reading, ok
}

// mirroredHead holds the head as far to the other side as it is held now, after a movement that went on from another.
func (r *reader) mirroredHead() (planner.Step, bool) {
	last, ok := r.lastMove()
	if _, said := r.amount(); !ok || said || last.Tool != "move_head" || r.said.has("same") {
		return last, false
	}
	step, on := planner.Step{Tool: last.Tool, Args: map[string]any{"duration": 1.0}}, false
	for a, way := range last.Axes {
		axis := planner.Axis(a)
		middle := r.now.Pose.middle(axis)
		if rest := *r.now.Pose.axis(axis) - middle; way != planner.Unnamed && math.Abs(rest) > near {
			step.Args[arguments[a].name], step.Axes[a] = language.Tidy(middle-rest), planner.To
			on = on || math.Abs(*r.Last.Before.axis(axis)-middle) > near
		}
	}
	return step, on
}

// furtherBack goes on towards where the last movement began.
func (r *reader) furtherBack() (Reading, bool) {
	r.said.off = r.said.off || r.said.hasDegs // "back another ten"
	return r.less()
}

// otherAmount does the last movement with another angle, in its place.
func (r *reader) otherAmount() (Reading, bool) {
	last, ok := r.lastMove()
	if !ok || r.said.verb && r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false
	}
	if isAntenna(r.part()) && r.said.has("too") {
		return r.whole(r.command("antennas", nil))
	}
	args := maps.Clone(last.Args)
	for a, way := range last.Axes {
		if value, isNumber := args[arguments[a].name].(float64); isNumber && way != planner.Unnamed {
			args[arguments[a].name] = signed(math.Abs(r.said.degs), orOne(value)*orOne(r.said.degs))
		}
	}
	return r.replaces(r.deed([]planner.Step{{Tool: last.Tool, Args: args, Axes: last.Axes}})), true
}

// toGoal brings what was moved last to an angle.
func (r *reader) toGoal() (Reading, bool) {
	if _, ok := r.lastMove(); !ok && r.said.degs == 0 && r.plan.Outcome != planner.OutcomePlan {
		return r.whole("look straight ahead")
	}
	r.said.to = true
	if isAntenna(r.part()) && r.said.has("too") {
		return r.whole(r.command("antennas", nil))
	}
	return r.further()
}

// signedGoal brings what went to an angle last to another one.
func (r *reader) signedGoal() (Reading, bool) {
	if !r.wentTo() {
		return Reading{}, false
	}
	return r.toGoal()
}

// wrongWay does the last movement to the other side in its place: as sentences of which every word is accounted for do it, where that
// can be said of the movement.
func (r *reader) wrongWay() (Reading, bool) {
	if r.said.bare() {
		reading, ok := r.doesAll([]account{{kinds: map[string]bool{"wrong-way": true}}})
		if ok && len(reading.Plan.Steps) > 0 {
			return reading, true
		}
	}
	reading, ok := r.otherWay()
	if !ok || reading.Say != "" {
		return reading, ok
	}
	return r.replaces(reading), true
}

// otherWay does the last movement mirrored.
func (r *reader) otherWay() (Reading, bool) {
	if r.Last == nil {
		return Reading{}, false
	}
	if r.said.part != "" && r.said.part != r.part() {
		return r.otherWayWith(r.said.part)
	}
	if last, _ := r.lastMove(); last.Axes[planner.LeftAntenna] == planner.To && last.Axes[planner.RightAntenna] == planner.To && !r.said.hasDegs {
		return r.swap()
	}
	steps, ok := mirrored(r.Last.Steps)
	if !ok {
		return say(r, "no-other-way")
	}
	if amount, said := r.amount(); said {
		for _, s := range steps {
			for a, w := range s.Axes {
				if v, isNumber := s.Args[arguments[a].name].(float64); isNumber && w.Relative() {
					s.Args[arguments[a].name] = signed(amount(planner.Axis(a)), v)
				}
			}
		}
	}
	return r.deed(r.across(steps)), true
}

// across goes to the other side of the middle where the other way would lead further from it: after "not so far".
func (r *reader) across(steps []planner.Step) []planner.Step {
	if r.said.hasDegs || r.said.amount != "" || len(steps) != 1 {
		return steps
	}
	resolved, _ := Resolve(steps[0], r.now.Pose, r.now.Pose)
	end, out := After(resolved, r.now.Pose), planner.Step{Tool: steps[0].Tool, Args: maps.Clone(steps[0].Args), Axes: steps[0].Axes}
	for _, a := range []planner.Axis{planner.Pitch, planner.Roll, planner.Yaw, planner.BodyYaw} {
		zero := r.now.Pose.middle(a)
		rest, next := *r.now.Pose.axis(a)-zero, *end.axis(a)-zero
		if steps[0].Axes[a] != planner.Unnamed && math.Abs(rest) > near && rest*next > 0 && math.Abs(next) > math.Abs(rest) {
			out.Args[arguments[a].name], out.Axes[a] = language.Tidy(zero-rest), planner.To
		}
	}
	return []planner.Step{out}
}

// otherWayWith does the last movement mirrored with another part: "now the head the other way".
func (r *reader) otherWayWith(part string) (Reading, bool) {
	last, ok := r.lastMove()
	if !ok {
		return Reading{}, false
	}
	step, ok := withPart(last, part)
	if !ok {
		return Reading{}, false
	}
	steps, ok := mirrored([]planner.Step{step})
	if amount, said := r.amount(); ok && said {
		for a := range planner.NumAxes {
			if v, isNumber := steps[0].Args[arguments[a].name].(float64); isNumber && steps[0].Axes[a].Relative() {
				steps[0].Args[arguments[a].name] = signed(amount(a), v)
			}
		}
	}
	return r.deed(steps), ok
}

// pace does the last command at another speed from where it began: what is going on goes on, what has ended is made anew. "Again, but
// slower" makes it once more from where the robot is.
func (r *reader) pace() (Reading, bool) {
	if r.Last == nil || r.said.verb && moves(r.plan.Steps) { // "turn right slowly" is a command of its own
		return Reading{}, false
	}
	factor := 2.0
	if r.said.has("faster") || r.said.pace == "fast" {
		factor = 0.5
	}
	reading := r.deed(scaled(r.Last.Steps, factor))
	base := r.Last.Before
	switch {
	case !r.Last.Done && r.now.Moving:
		reading.Base = &base
	case moves(r.Last.Steps) && !r.said.has("again") && !r.said.has("same"):
		reading.Base, reading.Restore = &base, Towards(r.now.Pose, base)
	}
	return reading, true
}

// again does the last command again, perhaps several times.
func (r *reader) again() (Reading, bool) {
	if r.Last == nil {
		if r.plan.Outcome == planner.OutcomePlan || !r.said.has("again") {
			return Reading{}, false
		}
		return say(r, "nothing-again")
	}
	if r.said.verb && r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false
	}
	steps := []planner.Step(r.Last.Steps)
	if inner, ok := steps[0].Args["steps"].([]planner.Step); ok && len(steps) == 1 && r.said.count > 0 && r.said.has("only") { // "again, but only once"
		steps = inner
	}
	if n := r.said.count; n > 1 {
		args := map[string]any{"steps": steps, "times": n, "interval": 0.0}
		steps = []planner.Step{{Tool: "repeat", Args: args}}
	}
	reading := r.run(steps)
	reading.repeats = r.Last.Steps
	return reading, true
}
