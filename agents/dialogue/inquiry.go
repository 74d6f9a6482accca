package dialogue

import (
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
)

// inquiry is a question with what is known when it is answered.
type inquiry struct {
	*query
	past *State
	now  Pose
	axes []planner.Axis
}

// answer is the answer; empty where all axes are to be told.
func (q *inquiry) answer() string {
	switch {
	case q.has("can"):
		return q.room()
	case q.has("order", "first") || q.has("last") && q.has("moved", "turned"):
		return q.ordered()
	case q.open == "times":
		return q.counted()
	case q.open == "did", q.open == "value" && q.has("moved"), q.open == "value" && q.has("turned", "tilted", "pitched") && (q.did || q.when == "total"):
		return q.changed()
	case q.when == "before" || q.when == "start":
		at := q.now
		if n := len(q.past.Undo); n > 0 {
			at = q.past.Undo[map[bool]int{true: 0, false: n - 1}[q.when == "start"]]
		}
		return values(q.axes, &at, "was")
	case q.has("higher", "lower", "same", "apart"):
		return q.compared()
	case q.open == "which":
		return q.which()
	case q.open == "whether" || q.open == "" && q.second:
		return q.whether()
	}
	return ""
}

// angle is that of an axis; the head's yaw is that in the room.
func angle(p *Pose, a planner.Axis) float64 { return tenths(*p.axis(a)) }

// onBody is the angle of an axis as the joints have it: the head's yaw is that on the body.
func onBody(p *Pose, a planner.Axis) float64 {
	if a == planner.Yaw {
		return tenths(p.Head.Yaw - p.BodyYaw)
	}
	return angle(p, a)
}

func tenths(v float64) float64 { return math.Round(v*10)/10 + 0 }

func sideOf(a planner.Axis, v float64) string { return strings.TrimPrefix(sides[a][v > 0], "to the ") }

// inAnswer fills the holes of an answer.
func inAnswer(key string, holes ...string) string {
	return strings.NewReplacer(holes...).Replace(askedAnswers[key])
}

func degrees(v float64) string { return tool.FormatNumber(math.Abs(v)) }

var axisKeys = map[planner.Axis]string{planner.Yaw: "yaw", planner.Pitch: "pitch", planner.Roll: "roll", planner.BodyYaw: "body"}

// earOf is the side of an antenna.
func earOf(a planner.Axis) string {
	return map[bool]string{true: "left", false: "right"}[a == planner.LeftAntenna]
}

func isEar(a planner.Axis) bool { return a == planner.LeftAntenna || a == planner.RightAntenna }

// restingTilt is how far an antenna leans outward in the neutral pose, degrees.
const restingTilt = 10.0

// value tells one angle.
func value(a planner.Axis, p *Pose, is string) string {
	v := angle(p, a)
	if isEar(a) {
		key, out := "ear", v > 0 == (a == planner.LeftAntenna)
		switch {
		case math.Abs(v) <= restingTilt+near:
			key = "ear-up"
		case !out:
			key = "ear-inward"
		}
		return inAnswer(key, "{ear}", earOf(a), "{is}", is, "{v}", tool.FormatNumber(v), "{rest}", degrees(tenths(math.Abs(v)-restingTilt)))
	}
	key := axisKeys[a]
	zero := math.Abs(v) <= near
	if zero {
		key += "-0"
	}
	more := ""
	if a == planner.Yaw && math.Abs(p.BodyYaw) > near {
		key += "-body"
		if on := onBody(p, a); math.Abs(on) > near {
			more = inAnswer("of-body", "{v}", degrees(on), "{side}", sideOf(a, on))
		} else {
			more = askedAnswers["of-body-0"]
		}
	}
	return inAnswer(key, "{is}", is, "{v}", degrees(v), "{side}", sideOf(a, v), "{more}", more)
}

// values tells angles.
func values(axes []planner.Axis, p *Pose, is string) string {
	said := make([]string, 0, len(axes))
	for _, a := range axes {
		said = append(said, value(a, p, is))
	}
	return verbalize.List(said)
}

// gaze tells where the head looks in the words of people; empty where there is more to tell.
func gaze(axes []planner.Axis, p *Pose) string {
	var to []string
	for _, a := range axes {
		if a == planner.BodyYaw {
			continue
		}
		v := angle(p, a)
		switch off := math.Abs(v) > near; {
		case off && a != planner.Yaw && a != planner.Pitch:
			return ""
		case off:
			to = append(to, degrees(v)+"° "+sideOf(a, v))
		}
	}
	switch {
	case len(to) == 0 && math.Abs(p.BodyYaw) <= near && len(axes) > 1:
		return askedAnswers["look-0"]
	case len(to) == 0:
		return ""
	}
	text := inAnswer("look", "{where}", verbalize.List(to))
	if on := onBody(p, planner.Yaw); math.Abs(p.BodyYaw) > near && math.Abs(on) > near {
		text += ", " + inAnswer("of-body", "{v}", degrees(on), "{side}", sideOf(planner.Yaw, on))
	} else if math.Abs(p.BodyYaw) > near {
		text += ", " + askedAnswers["of-body-0"]
	}
	return text
}

// holds reports whether what is claimed of an axis is so.
func (q *inquiry) holds(a planner.Axis) bool {
	v := angle(&q.now, a)
	off := math.Abs(v) > 1
	if isEar(a) {
		off = math.Abs(v) > restingTilt+near
	}
	switch {
	case q.hasDegs && q.has("over"):
		off = math.Abs(v) > q.degs-near
	case q.hasDegs && q.has("under"):
		off = math.Abs(v) < q.degs+near
	case q.hasDegs && isEar(a):
		off = math.Abs(math.Abs(v)-q.degs) <= 1 || math.Abs(math.Abs(v)-restingTilt-q.degs) <= 1
	case q.hasDegs:
		off = math.Abs(math.Abs(v)-q.degs) <= 1
	}
	side := true
	switch {
	case isEar(a) && q.has("up"), isEar(a) && q.has("straight") && !q.hasDegs:
		return !off
	case isEar(a):
	case a == planner.Pitch && q.has("up", "down"):
		side = q.has("down") == (v > 0)
	case a != planner.Pitch && q.has("left"):
		side = sideOf(a, v) == "left"
	case a != planner.Pitch && q.has("right"):
		side = sideOf(a, v) == "right"
	case q.has("straight", "level"):
		return !off
	}
	return off && side
}

// whether answers whether something is so.
func (q *inquiry) whether() string {
	if q.has("or") || q.noun && !q.hasDegs && !q.has("straight", "left", "right", "up", "down", "level") {
		return ""
	}
	all := q.has("straight", "level", "up", "down") || slices.ContainsFunc(q.axes, isEar)
	so := all
	for _, a := range q.axes {
		if all {
			so = so && q.holds(a)
		} else {
			so = so || q.holds(a)
		}
	}
	if q.has("not") {
		so = !so
	}
	return q.said(so, values(q.telling(), &q.now, "is"))
}

// telling are the axes that matter for an answer: those that are off zero, or all.
func (q *inquiry) telling() []planner.Axis {
	off := slices.DeleteFunc(slices.Clone(q.axes), func(a planner.Axis) bool { return !q.off(a) })
	if len(off) == 0 {
		off = q.axes
		if len(off) == len(allAxes) {
			return []planner.Axis{planner.Yaw, planner.BodyYaw}
		}
	}
	return off
}

// off reports whether an axis is not where it rests.
func (q *inquiry) off(a planner.Axis) bool {
	v := math.Abs(onBody(&q.now, a))
	return isEar(a) && v > restingTilt+near || !isEar(a) && v > near
}

func (q *inquiry) said(so bool, fact string) string {
	return inAnswer(map[bool]string{true: "yes", false: "no"}[so], "{fact}", fact)
}

// which tells which of several is as it is asked for.
func (q *inquiry) which() string {
	if !slices.ContainsFunc(q.axes, isEar) || len(q.axes) > len(bothEars) {
		off := slices.DeleteFunc(slices.Clone(q.axes), func(a planner.Axis) bool { return !q.off(a) })
		if len(off) == 0 {
			return askedAnswers["none"]
		}
		return values(off, &q.now, "is")
	}
	so := slices.DeleteFunc(slices.Clone(bothEars), func(a planner.Axis) bool { return !q.holds(a) })
	if len(so) == 1 {
		return value(so[0], &q.now, "is")
	}
	key := map[bool]string{true: "both", false: "neither"}[len(so) > 0]
	state := map[bool]string{true: "up", false: "down"}[q.has("up", "straight")]
	return inAnswer(key, "{state}", state) + ": " + values(bothEars, &q.now, "is")
}

// compared answers how the antennas are against each other.
func (q *inquiry) compared() string {
	left, right := math.Abs(q.now.Antennas.Left), math.Abs(q.now.Antennas.Right)
	alike, fact := math.Abs(left-right) <= 1, values(bothEars, &q.now, "is")
	lower, higher := planner.LeftAntenna, planner.RightAntenna
	if right > left {
		lower, higher = higher, lower
	}
	first := planner.NumAxes
	for _, of := range q.of {
		if one := axesNamed[of]; len(one) == 1 && isEar(one[0]) && first == planner.NumAxes {
			first = one[0]
		}
	}
	switch {
	case q.has("apart"):
		return inAnswer("apart", "{v}", degrees(tenths(left-right))) + ": " + fact
	case q.has("same"):
		return q.said(alike, fact)
	case q.open == "whether" && first != planner.NumAxes:
		return q.said(!alike && first == map[bool]planner.Axis{true: higher, false: lower}[q.has("higher")], fact)
	case alike:
		return askedAnswers["same"] + ": " + fact
	}
	return value(map[bool]planner.Axis{true: higher, false: lower}[q.has("higher")], &q.now, "is")
}

// room tells how much further an axis can go.
func (q *inquiry) room() string {
	a := q.axes[0]
	limit, side := arguments[a].limits.Max, q.states[slices.IndexFunc(q.states, func(s string) bool { return sideNames[s] })]
	if sideOf(a, limit) != side {
		limit = arguments[a].limits.Min
	}
	return inAnswer("room", "{v}", degrees(tenths(limit-angle(&q.now, a))), "{side}", side)
}

var sideNames = map[string]bool{"left": true, "right": true, "up": true, "down": true}

// changed tells how far axes have gone: by the last movement, or since the beginning.
func (q *inquiry) changed() string {
	poses := q.poses()
	from := max(0, len(poses)-2)
	if q.when == "start" || q.when == "total" {
		from = 0
	}
	var said []string
	for _, a := range q.changing() {
		before := &poses[from]
		d := tenths(onBody(&q.now, a) - onBody(before, a))
		if math.Abs(d) > near {
			said = append(said, wentBy(a, d, before, &q.now))
		}
	}
	fact := verbalize.List(said)
	if len(said) == 0 {
		fact = askedAnswers["unmoved"]
	}
	asks := q.open == "did"
	if !asks {
		return fact
	}
	so := len(said) > 0
	for _, side := range []string{"left", "right", "up", "down"} {
		if q.has(side) && so {
			so = strings.Contains(fact, side)
		}
	}
	return q.said(so, fact)
}

// changing are the axes of which it is asked whether they have changed.
func (q *inquiry) changing() []planner.Axis {
	if q.about("you") && len(q.of) == 1 || q.about("it") && len(q.axes) == 0 {
		if q.has("turned") {
			return []planner.Axis{planner.BodyYaw, planner.Yaw}
		}
		return allAxes
	}
	return q.axes
}

// wentBy says how far an axis went.
func wentBy(a planner.Axis, d float64, from, to *Pose) string {
	if isEar(a) {
		d = math.Abs(angle(to, a)) - math.Abs(angle(from, a))
		return inAnswer("changed-ear", "{ear}", earOf(a), "{v}", degrees(tenths(angle(to, a)-angle(from, a))), "{side}",
			map[bool]string{true: "down", false: "up"}[d > 0])
	}
	return inAnswer("changed-"+axisKeys[a], "{v}", degrees(d), "{side}", sideOf(a, d))
}

// poses are where the robot was before each movement, and is now.
func (q *inquiry) poses() []Pose { return append(slices.Clone(q.past.Undo), q.now) }

// counted tells how many movements changed the axes.
func (q *inquiry) counted() string {
	poses, n := q.poses(), 0
	for i := 1; i < len(poses); i++ {
		for _, a := range q.changing() {
			d := onBody(&poses[i], a) - onBody(&poses[i-1], a)
			if math.Abs(d) > near && (isEar(a) || !q.has("left", "right", "up", "down") || q.has(sideOf(a, d))) {
				n++
				break
			}
		}
	}
	times := inAnswer("times", "{n}", tool.FormatNumber(float64(n)))
	switch n {
	case 1:
		times = askedAnswers["once"]
	case 2:
		times = askedAnswers["twice"]
	}
	return inAnswer("counted", "{n}", times)
}

// ordered tells which parts moved first, and which after them.
func (q *inquiry) ordered() string {
	type group struct {
		name string
		axes []planner.Axis
	}
	groups := []group{{"head", headOnly}, {"body", []planner.Axis{planner.BodyYaw}}, {"left antenna", bothEars[:1]}, {"right antenna", bothEars[1:]}}
	poses := q.poses()
	type event struct {
		at   int
		name string
	}
	var events []event
	for _, g := range groups {
		named := func(a planner.Axis) bool { return slices.Contains(q.axes, a) }
		if len(q.of) > 0 && !q.about("parts", "you", "it") && !slices.ContainsFunc(g.axes, named) {
			continue
		}
		for i := len(poses) - 1; i > 0; i-- {
			if slices.ContainsFunc(g.axes, func(a planner.Axis) bool { return math.Abs(onBody(&poses[i], a)-onBody(&poses[i-1], a)) > near }) {
				events = append(events, event{i, g.name})
				break
			}
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at - b.at })
	switch n := len(events); {
	case n == 0:
		return askedAnswers["nothing"]
	case n == 1:
		return inAnswer("only", "{a}", events[0].name)
	case events[0].at == events[n-1].at:
		return inAnswer("at-once", "{a}", events[0].name, "{b}", events[n-1].name)
	case q.has("order") && len(q.axes) > 0: // the part that is named first is asked about
		asked := func(g group) bool {
			return g.name == events[0].name && (slices.Contains(g.axes, q.axes[0]) || isEar(g.axes[0]) && isEar(q.axes[0]))
		}
		if slices.ContainsFunc(groups, asked) {
			return inAnswer("before", "{a}", events[0].name, "{b}", events[n-1].name)
		}
		return inAnswer("after", "{a}", events[n-1].name, "{b}", events[0].name)
	default:
		return inAnswer("first", "{a}", events[0].name, "{b}", events[n-1].name)
	}
}
