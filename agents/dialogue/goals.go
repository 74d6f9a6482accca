package dialogue

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/perception/language"
)

// headAxes are the axes of the head by their names.
var headAxes = map[string]planner.Axis{"yaw": planner.Yaw, "pitch": planner.Pitch, "roll": planner.Roll}

// axisTo brings an axis of the head that is named to an angle; the others stay.
func (r *reader) axisTo() (Reading, bool) { return r.axisAt(planner.To) }

// axisPlus goes on about an axis that is named by an angle with its sign.
func (r *reader) axisPlus() (Reading, bool) { return r.axisAt(planner.By) }

func (r *reader) axisAt(how planner.Way) (Reading, bool) {
	a := headAxes[r.said.axis]
	if r.said.part == "body" {
		a = planner.BodyYaw
	}
	step := planner.Step{Tool: arguments[a].tool, Args: map[string]any{arguments[a].name: r.said.degs, "duration": 1.0}}
	step.Axes[a] = how
	return r.deed([]planner.Step{step}), true
}

// axisBy turns the head about an axis that is named, in a direction of it.
func (r *reader) axisBy() (Reading, bool) {
	a, sign := headAxes[r.said.axis], map[string]float64{"left": -1, "right": 1, "up": -1, "down": 1}[r.said.dirs[0]]
	if r.Last == nil && r.plan.Outcome != planner.OutcomeNone || r.plan.Outcome == planner.OutcomePlan && r.said.first != "filler" ||
		sign == 0 || r.said.part == "body" {
		return Reading{}, false
	}
	if a == planner.Yaw {
		sign = -sign
	}
	if vertical := level[r.said.dirs[0]]; vertical == (a == planner.Pitch) {
		return Reading{}, false
	}
	size := usual(a)
	if amount, said := r.amount(); said {
		size = amount(a)
	}
	step := planner.Step{Tool: arguments[a].tool, Args: map[string]any{arguments[a].name: sign * size, "duration": 1.0}}
	step.Axes[a] = planner.By
	if r.said.to {
		step.Axes[a] = planner.To
	}
	if r.said.has("limit") {
		step = r.toLimits(step)
	}
	return r.deed([]planner.Step{step}), true
}

// neckTurn is how far the head turns to each side of the body, degrees.
const neckTurn = kinematics.MaxHeadToBody * 180 / math.Pi

// limit goes on in the direction of the last movement, or in that which is named, until it can go no further.
func (r *reader) limit() (Reading, bool) {
	if moves(r.plan.Steps) && r.said.verb {
		return Reading{}, false
	}
	part := r.part()
	switch {
	case r.said.part != "":
		part = r.said.part
	case r.said.axis != "":
		part = "head"
	case len(r.said.dirs) > 0 && r.said.verb && (part == "" || isAntenna(part)):
		part = map[bool]string{true: "body", false: "head"}[level[r.said.dirs[0]]]
	}
	if part == "" || isAntenna(part) {
		return Reading{}, false
	}
	if len(r.said.dirs) > 0 {
		return r.toLimit(r.command(part, r.said.dirs))
	}
	last, ok := r.lastMove()
	if !ok {
		return Reading{}, false
	}
	if r.said.has("other-side") || r.said.has("other-way") {
		if turned, ok := mirrored([]planner.Step{last}); ok {
			last = turned[0]
		}
	}
	step := planner.Step{Tool: last.Tool, Args: maps.Clone(last.Args), Axes: last.Axes}
	for a, way := range last.Axes {
		if way == planner.Unnamed || way.Relative() {
			continue
		}
		moved := *r.now.Pose.axis(planner.Axis(a)) - *r.Last.Before.axis(planner.Axis(a)) // it went to a place: on from where it came
		if math.Abs(moved) < near {
			moved = 0
		}
		step.Args[arguments[a].name] = moved
	}
	if step = r.toLimits(step); !step.Axes.Named() {
		return Reading{}, false
	}
	return r.deed([]planner.Step{step}), true
}

// toLimits is a step that goes on in its directions as far as they go.
func (r *reader) toLimits(s planner.Step) planner.Step {
	out := planner.Step{Tool: s.Tool, Args: maps.Clone(s.Args), Axes: s.Axes}
	for a := range planner.NumAxes {
		value, _ := s.Args[arguments[a].name].(float64)
		if s.Axes[a] == planner.Unnamed || value == 0 {
			out.Axes[a] = planner.Unnamed
			continue
		}
		limit := arguments[a].limits.Max
		if a == planner.Yaw {
			limit = language.Tidy(neckTurn)
		}
		limit = signed(limit, value)
		if a == planner.Yaw { // the neck turns on the body
			limit = language.Tidy(limit + r.now.Pose.BodyYaw)
		}
		out.Args[arguments[a].name], out.Axes[a] = limit, planner.To
	}
	return out
}

// toLimit reads a command without its distance, and goes as far as that can.
func (r *reader) toLimit(text string) (Reading, bool) {
	reading, ok := r.whole(text)
	if !ok || len(reading.Plan.Steps) != 1 || !moves(reading.Plan.Steps) {
		return Reading{}, false
	}
	reading.Plan.Steps = []planner.Step{r.toLimits(reading.Plan.Steps[0])}
	reading.repeats = reading.Plan.Steps
	return reading, true
}

// homeward brings an axis back that is on the other side of the middle than where it is to go.
func (r *reader) homeward() (Reading, bool) {
	a, sign := planner.Pitch, map[string]float64{"up": -1, "down": 1, "left": 1, "right": -1}[r.said.dirs[0]]
	part := r.said.part
	if part == "" {
		part = r.part()
	}
	at := r.now.Pose.Head.Pitch
	last, _ := r.lastMove()
	switch level := level[r.said.dirs[0]]; {
	case sign == 0 || isAntenna(part):
		return Reading{}, false
	case level && part == "body":
		a, at = planner.BodyYaw, r.now.Pose.BodyYaw
	case level && (r.said.tilts || r.tilted(&last)):
		a, at, sign = planner.Roll, r.now.Pose.Head.Roll, -sign
	case level:
		a, at = planner.Yaw, r.now.Pose.Head.Yaw-r.now.Pose.BodyYaw
	}
	if at*sign >= 0 || math.Abs(at) < near {
		return Reading{}, false
	}
	to := 0.0
	if a == planner.Yaw {
		to = r.now.Pose.BodyYaw
	}
	step := planner.Step{Tool: arguments[a].tool, Args: map[string]any{arguments[a].name: to, "duration": 1.0}}
	step.Axes[a] = planner.To
	return r.deed([]planner.Step{step}), true
}

// otherAntenna is the antenna on the other side.
var otherAntenna = map[string]string{"leftAntenna": "rightAntenna", "rightAntenna": "leftAntenna"}

// likeTheOther brings an antenna to where the other is.
func (r *reader) likeTheOther() (Reading, bool) {
	if r.said.has("limit") { // "as far as you can"
		return Reading{}, false
	}
	part := r.said.whose
	if part == "" && r.said.has("other") {
		part = otherAntenna[r.part()]
	}
	if otherAntenna[part] == "" {
		return Reading{}, false
	}
	return r.deed([]planner.Step{antennasTo(map[string]float64{part: r.antenna(otherAntenna[part])})}), true
}

// resetAntennas brings antennas to where they stand in the neutral pose; "the antenna" is that which was moved last.
func (r *reader) resetAntennas() (Reading, bool) {
	part := r.said.part
	if part == "antennas" && r.antennaNamedOnce() && isAntenna(r.part()) {
		part = r.part()
	}
	to := r.now.Pose
	for _, a := range partAxes[part] {
		rest := Pose{Antennas: restingAntennas}
		*to.axis(a) = *rest.axis(a)
	}
	return r.run(Towards(r.now.Pose, to)), true
}

func (r *reader) antennaNamedOnce() bool {
	return slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return t.Word == "antenna" || t.Word == "ear" || t.Word == "feeler" })
}

// swap brings each antenna to where the other is.
func (r *reader) swap() (Reading, bool) {
	if !isAntenna(r.part()) && !isAntenna(r.said.part) {
		return Reading{}, false
	}
	left, right := r.antenna("rightAntenna"), r.antenna("leftAntenna")
	if left < 0 && right >= 0 { // each is out on its own side
		left, right = -left, -right
	}
	return r.deed([]planner.Step{antennasTo(map[string]float64{"leftAntenna": left, "rightAntenna": right})}), true
}

// antennasBy moves an antenna, or both, on by an angle.
func antennasBy(part string, degs float64) planner.Step {
	step := planner.Step{Tool: "set_antennas", Args: map[string]any{"duration": 1.0}}
	for _, a := range partAxes[part] {
		step.Args[arguments[a].name], step.Axes[a] = language.Tidy(degs), planner.By
	}
	return step
}

// antenna is where an antenna is.
func (r *reader) antenna(part string) float64 { return *r.now.Pose.axis(partAxes[part][0]) }

// antennasTo moves antennas to angles, by the parts' names.
func antennasTo(to map[string]float64) planner.Step {
	step := planner.Step{Tool: "set_antennas", Args: map[string]any{"duration": 1.0}}
	for part, angle := range to {
		a := partAxes[part][0]
		step.Args[arguments[a].name], step.Axes[a] = language.Tidy(angle), planner.To
	}
	return step
}

// refused is what may follow a command that goes too far: its distance is left open.
func (r *reader) refused(u *language.Utterance) *Question {
	toks := u.Tokens
	at := slices.IndexFunc(toks, func(t language.Token) bool { return t.Kind == language.Number })
	if u.TooLong || at <= 0 {
		return nil
	}
	q, n := language.QuantityAt(toks, at)
	if n == 0 || q.Dim == language.Time {
		return nil
	}
	text := u.Text[:toks[at-1].End] + " " + Hole
	if at+n < len(toks) {
		text += strings.TrimRight(u.Text[toks[at+n-1].End:], " .!?")
	}
	if again, ok := r.whole(strings.Replace(text, Hole, "ten degrees", 1)); !ok || !moves(again.Plan.Steps) {
		return nil
	}
	return &Question{Text: text}
}

// withoutHole is a command without the distance that is left open.
func withoutHole(text string) string {
	for _, link := range []string{" by ", " to ", " "} {
		text = strings.Replace(text, link+Hole, "", 1)
	}
	return text
}
