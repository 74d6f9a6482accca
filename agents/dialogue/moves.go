package dialogue

import (
	"maps"
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

// The sizes of movements without a number, degrees; those of the planner.
const (
	littleTurn      = 10.0
	farTurn         = 60.0
	farTilt         = 35.0
	defaultAntennas = 30.0
)

func signed(v, like float64) float64 { return math.Copysign(v, like) }

// amount is how far a sentence says, by the axis; said is false when it does not.
func (r *reader) amount() (by func(a planner.Axis) float64, said bool) {
	s := &r.said
	return func(a planner.Axis) float64 {
		switch {
		case s.hasDegs:
			return math.Abs(s.degs)
		case s.amount == "far" && (a == planner.Pitch || a == planner.Roll):
			return farTilt
		case s.amount == "far":
			return farTurn
		}
		return littleTurn
	}, s.hasDegs || s.amount != ""
}

// usual is how far an axis goes when nobody says it.
func usual(a planner.Axis) float64 {
	switch a {
	case planner.Pitch, planner.Roll:
		return catalog.UsualTilt
	case planner.LeftAntenna, planner.RightAntenna:
		return defaultAntennas
	}
	return catalog.UsualTurn
}

// lastMove is the last movement of the last command.
func (r *reader) lastMove() (planner.Step, bool) {
	if r.Last == nil {
		return planner.Step{}, false
	}
	return lastMove(r.Last.Steps)
}

func lastMove(steps []planner.Step) (planner.Step, bool) {
	for _, s := range slices.Backward(steps) {
		if inner, ok := s.Args["steps"].([]planner.Step); ok {
			if found, ok := lastMove(inner); ok {
				return found, true
			}
		}
		if s.Axes.Named() {
			return s, true
		}
	}
	return planner.Step{}, false
}

// further goes on in the direction of the last movement.
func (r *reader) further() (Reading, bool) {
	if r.Last == nil || r.said.verb && r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false
	}
	last, ok := r.lastMove()
	if !ok {
		if r.said.bare() && r.said.has("more") {
			return r.again()
		}
		return Reading{}, false
	}
	if step, ok := r.onceMore(last); ok {
		return r.deed([]planner.Step{step}), true
	}
	return r.on(last)
}

// onceMore goes a number of degrees again the way that was gone last, where that went back from the last movement: "ten back, and ten again".
func (r *reader) onceMore(last planner.Step) (planner.Step, bool) {
	step := planner.Step{Tool: last.Tool, Args: map[string]any{"duration": 1.0}}
	if !r.says("again") || r.says("more") || !r.said.hasDegs || r.said.to || len(r.Undo) == 0 || same(r.Undo[len(r.Undo)-1], r.Last.Before) {
		return step, false
	}
	for a, way := range last.Axes {
		d := change(planner.Axis(a), &r.Undo[len(r.Undo)-1], &r.now.Pose)
		if way != planner.Unnamed && math.Abs(d) > near {
			step.Args[arguments[a].name], step.Axes[a] = signed(r.said.degs, d), planner.By
		}
	}
	return step, step.Axes.Named()
}

// lastOf is what the last command did with a part.
func (r *reader) lastOf(part string) (planner.Step, bool) {
	if r.Last == nil {
		return planner.Step{}, false
	}
	for _, s := range slices.Backward(r.Last.Steps) {
		if partOf(s) == part && s.Axes.Named() {
			return s, true
		}
	}
	return planner.Step{}, false
}

// on goes on in the direction of a movement.
func (r *reader) on(last planner.Step) (Reading, bool) {
	step := planner.Step{Tool: last.Tool, Args: maps.Clone(last.Args), Axes: last.Axes}
	step.Args["duration"] = 1.0
	amount, said := r.amount()
	going := false
	for a := range planner.NumAxes {
		way := last.Axes[a]
		if way == planner.Unnamed {
			continue
		}
		value, _ := last.Args[arguments[a].name].(float64)
		if r.said.to {
			degs := r.said.degs
			if !r.said.signed { // on the side to which it went
				degs = signed(degs, value)
			}
			step.Args[arguments[a].name], step.Axes[a] = degs, planner.To
			going = true
			continue
		}
		if !way.Relative() { // it went to a place: on in the direction from where it came
			value, way = *r.now.Pose.axis(a)-*r.Last.Before.axis(a), planner.By
			if math.Abs(value) < near {
				step.Axes[a] = planner.Unnamed
				continue
			}
			if r.said.share == 0 {
				value = signed(usual(a), value)
			}
		}
		if way == planner.From {
			way = planner.By
		}
		if said {
			value = signed(amount(a), orOne(value))
		} else {
			value = language.Tidy(value * r.said.onBy())
		}
		step.Args[arguments[a].name], step.Axes[a] = value, way
		going = true
	}
	if !going {
		return say(r, "no-other-way")
	}
	reading := r.deed([]planner.Step{step})
	reading.scaled = !said && !r.said.to && r.said.share == 0 // what is said of it then is said of all of it
	return reading, true
}

func orOne(v float64) float64 {
	if v == 0 {
		return 1
	}
	return signed(1, v)
}

// less goes back some of the way of the last movement.
func (r *reader) less() (Reading, bool) {
	last, ok := r.lastMove()
	if !ok {
		return Reading{}, false
	}
	step := planner.Step{Tool: last.Tool, Args: map[string]any{"duration": 1.0}}
	amount, said := r.amount()
	if r.said.hasDegs && !r.said.off { // "not so far": by half
		said = false
	}
	for a, way := range last.Axes {
		if way == planner.Unnamed {
			continue
		}
		axis := planner.Axis(a)
		moved := *r.now.Pose.axis(axis) - *r.Last.Before.axis(axis)
		if math.Abs(moved) < near {
			continue
		}
		back := math.Abs(moved) * r.said.backBy()
		if said {
			if back = amount(axis); !r.said.hasDegs {
				back = min(back, math.Abs(moved))
			}
		}
		step.Args[arguments[a].name], step.Axes[a] = language.Tidy(-signed(back, moved)), planner.By
	}
	if !step.Axes.Named() {
		return say(r, "nothing-before")
	}
	return r.run([]planner.Step{step}), true
}

// directionWords are the directions as the planner reads them.
var directionWords = map[string]string{
	"center": "to the center", "upleft": "up and left", "upright": "up and right", "downleft": "down and left", "downright": "down and right",
	"vertical": "all the way up", "flatdown": "all the way down",
}

// atRest are words for where the antennas stand in the neutral pose, which is not upright.
var atRest = language.Words("at-rest")

// toRest reports whether the place to go to is that of the neutral pose.
func (r *reader) toRest() bool {
	return slices.Equal(r.said.dirs, []string{"center"}) && slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return atRest[t.Word] })
}

// fragment moves what is named, or what was moved last, as a sentence without a verb says: "and now right", "the left one to 20".
func (r *reader) fragment() (Reading, bool) {
	s := &r.said
	if last, moved := r.lastOf(s.part); moved && s.has("more") && !s.to && len(s.dirs) == 0 && !isAntenna(s.part) { // "the body ten further"
		return r.on(last)
	}
	part := r.part()
	s.tilts = s.tilts || s.axis == "roll"
	planned := r.plan.Outcome == planner.OutcomePlan && !aims[r.plan.Steps[0].Tool] // "look the same amount down" aims at no thing
	if (s.verb || s.axis != "") && planned || s.part != "" && part == "" && r.plan.Outcome == planner.OutcomePlan {
		return Reading{}, false
	}
	side := ""
	if len(s.dirs) == 1 {
		side = map[string]string{"left": "leftAntenna", "right": "rightAntenna"}[s.dirs[0]]
	}
	if isAntenna(part) && s.part == "" && side != "" && s.amount == "" {
		return r.sideMoved(side)
	}
	if isAntenna(part) && r.toRest() {
		if s.part = part; s.has("too") {
			s.part = "antennas"
		}
		return r.resetAntennas()
	}
	if part = s.moving(part, side); part == "" {
		return Reading{}, false
	}
	if isAntenna(part) && s.goesOn() {
		return r.deed([]planner.Step{antennasBy(part, s.degs)}), true
	}
	reading, ok := r.commanded(part)
	if ok && (s.first == "no" || s.has("less")) && r.Last != nil && reading.Plan.Outcome == planner.OutcomePlan {
		reading = r.replaces(reading)
	}
	return reading, ok
}

// sideMoved moves one of the antennas after a movement of antennas: "the left one to 20", "right, 5 less".
func (r *reader) sideMoved(side string) (Reading, bool) {
	switch s := &r.said; {
	case !s.hasDegs:
		return r.transferTo(side)
	case s.goesOn():
		return r.deed([]planner.Step{antennasBy(side, s.degs)}), true
	case s.has("less"):
		return r.deed([]planner.Step{antennasBy(side, -s.degs)}), true
	}
	return r.whole(r.command(side, nil))
}

// moving is the part that is meant, where part was moved last; empty when none is.
func (s *slots) moving(part, side string) string {
	upright := slices.ContainsFunc(s.dirs, func(d string) bool { return !level[d] })
	switch {
	case s.part != "":
		return s.part
	case isAntenna(part) && s.has("too"):
		return "antennas"
	case part == "" && side != "" && s.first != "back":
		return "body"
	case part == "" && len(s.dirs) > 0, part == "body" && upright:
		return "head"
	}
	return part
}

// goesOn reports whether a number says how far an antenna goes on from where it is.
func (s *slots) goesOn() bool { return s.hasDegs && !s.to && (s.has("more") || s.signed) }

// level are directions that a body can take, too.
var level = map[string]bool{"left": true, "right": true, "center": true, "around": true, "back": true}

// command is a whole command of a part: its directions, and how far and how fast a sentence says.
func (r *reader) command(part string, dirs []string) string {
	s := &r.said
	last, _ := r.lastMove()
	verb := "turn"
	switch {
	case isAntenna(part):
		verb = "move"
	case part == "head" && s.tilts:
		verb = "tilt"
	case part == "head" && len(dirs) > 0 && (dirs[0] == "left" || dirs[0] == "right") && r.tilted(&last):
		verb = "tilt"
	}
	text := verb + " your " + partNames[part]
	switch {
	case s.hasDegs && (s.to || r.wentTo() && (s.first == "no" || s.has("less"))):
		text += " to " + tool.FormatNumber(s.degs) + " degrees"
	case s.hasDegs && isAntenna(part):
		text += " to " + tool.FormatNumber(s.degs) + " degrees"
	case s.hasDegs:
		text += " by " + tool.FormatNumber(s.degs) + " degrees"
	case s.amount == "far":
		text += " far"
	case s.amount != "":
		text += " a little"
	case (s.has("again") || s.has("same")) && len(dirs) == 1:
		if size := turned(last); size > 0 {
			text += " by " + tool.FormatNumber(size) + " degrees"
		}
	}
	for i, d := range dirs {
		if i > 0 {
			text += " and"
		}
		if w := directionWords[d]; w != "" {
			d = w
		}
		text += " " + d
	}
	if s.has("more") {
		text += " more"
	}
	if s.count > 1 && len(dirs) > 0 {
		text += " " + tool.FormatNumber(s.count) + " times"
	}
	return text + map[string]string{"slow": " slowly", "fast": " quickly"}[s.pace]
}

// tilted reports whether left and right are those of a tilt: the head was tilted last, or was straightened after it.
func (r *reader) tilted(last *planner.Step) bool {
	if last.Axes[planner.Yaw] == planner.Unnamed {
		return last.Axes[planner.Roll] != planner.Unnamed
	}
	return r.Tilts && r.said.part == "" && last.Tool == arguments[planner.Roll].tool
}

// wentTo reports whether the last movement went to an angle that was said.
func (r *reader) wentTo() bool {
	last, ok := r.lastMove()
	return ok && has(last.Axes, planner.To)
}

// turned is by how many degrees a step turns, where that is one angle; else 0.
func turned(s planner.Step) float64 {
	size := 0.0
	for a, way := range s.Axes {
		if way == planner.Unnamed {
			continue
		}
		v, _ := s.Args[arguments[a].name].(float64)
		if size != 0 || !way.Relative() {
			return 0
		}
		size = math.Abs(v)
	}
	return size
}

func isAntenna(part string) bool {
	return part == "antennas" || part == "leftAntenna" || part == "rightAntenna"
}

// other does the last movement with the other antenna, or looks at the thing before the last.
func (r *reader) other() (Reading, bool) {
	if part := otherAntenna[r.part()]; part != "" && (r.said.hasDegs || r.said.amount != "") {
		return r.whole(r.command(part, nil))
	} else if part != "" {
		return r.transferTo(part)
	}
	if r.Last != nil && r.Other != "" && (&Reading{Plan: planner.Plan{Steps: r.Last.Steps}}).thing() != "" {
		return r.whole("look at the " + r.Other)
	}
	if r.Last != nil && r.plan.Outcome == planner.OutcomeNone {
		which := questions["which-one"]
		return Reading{Plan: r.silent(), Text: r.u.Text, Say: which, Ask: &Question{Text: r.Last.Text + ", no, " + Hole, Say: which}}, true
	}
	return Reading{}, false
}

func (r *reader) samePart() (Reading, bool) { return r.transferTo(r.said.part) }

// both does the last movement of one antenna with both.
func (r *reader) both() (Reading, bool) {
	switch part := r.part(); {
	case r.said.part != "" && !isAntenna(r.said.part): // "reset the head as well"
		return Reading{}, false
	case isAntenna(part) && r.said.hasDegs:
		return r.whole(r.command("antennas", nil))
	case !r.said.hasDegs && (part == "leftAntenna" || part == "rightAntenna"):
		return r.transferTo("antennas")
	}
	return Reading{}, false
}

// transferTo does the last movement with another part; a correction in place of the last one.
func (r *reader) transferTo(part string) (Reading, bool) {
	reading, ok := r.transfer(part)
	if ok && reading.Say == "" && r.said.first == "no" {
		reading = r.replaces(reading)
	}
	return reading, ok
}

func (r *reader) transfer(part string) (Reading, bool) {
	last, ok := r.lastMove()
	if !ok {
		return Reading{}, false
	}
	step, ok := withPart(last, part)
	if !ok {
		if r.plan.Outcome == planner.OutcomePlan {
			return Reading{}, false
		}
		return say(r, "no-other")
	}
	return r.deed([]planner.Step{step}), true
}
