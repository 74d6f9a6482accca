package dialogue

import (
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/perception/language"
)

// Questions about the robot's own state are read as what is asked, of which axes, and when; the answer is made from the pose and from
// the poses of before. Every word of one is of the tables in perception/language/en/asked.txt.

var (
	askedOpens   = language.Phrases("asked-opens")
	askedOf      = language.Phrases("asked-of")
	askedStates  = language.Phrases("asked-states")
	askedWhen    = language.Phrases("asked-when")
	askedNever   = language.Phrases("asked-never")
	askedNouns   = language.Words("asked-nouns")
	askedSmall   = language.Words("asked-small")
	askedAnswers = language.Texts("asked-answers")
)

// query is a question about the robot's own state.
type query struct {
	open   string   // of asked-opens; empty: it is no sentence, or says what it asks whether it is so
	of     []string // of asked-of
	states []string // of asked-states
	when   string   // of asked-when
	degs   float64  // said when hasDegs
	noun   bool     // an angle or a position is asked for

	hasDegs bool
	did     bool // it is about what was done
	does    bool // it is about what is so at any time: "how far does your body turn"
	second  bool // the robot is spoken to first: "you look up or down?"
}

func (q *query) has(states ...string) bool {
	return slices.ContainsFunc(states, func(s string) bool { return slices.Contains(q.states, s) })
}

func (q *query) about(parts ...string) bool {
	return slices.ContainsFunc(parts, func(s string) bool { return slices.Contains(q.of, s) })
}

// queryIn reads a question all of whose words are of the tables; nil where one is not.
func queryIn(toks language.Tokens, antenna bool) *query {
	q := &query{}
	begun := false
	for i := 0; i < len(toks); {
		if askedNever.Has(toks, i) {
			return nil
		}
		w := toks.Word(i)
		q.did, q.does = q.did || w == "did", q.does || w == "does" || w == "do"
		var n int
		switch {
		case toks.IsMark(i) || toks[i].Pronoun:
			i++
			continue
		case toks[i].Kind == language.Number:
			n = q.number(toks[i].Num)
		default:
			n = q.phrase(toks, i, begun, antenna)
		}
		if n == 0 {
			return nil
		}
		begun = begun || q.open != "" || !askedSmall[w] || n > 1
		i += n
	}
	return q
}

// number takes in a number, of which there may be one beside 0.
func (q *query) number(v float64) int {
	switch {
	case v == 0:
		q.states = append(q.states, "straight")
	case q.hasDegs:
		return 0
	default:
		q.degs, q.hasDegs = v, true
	}
	return 1
}

// phrase takes in the longest phrase at a place, and returns its length; 0 where there is none.
func (q *query) phrase(toks language.Tokens, i int, begun, antenna bool) int {
	of, n := askedOf.Match(toks, i)
	state, m := askedStates.Match(toks, i)
	when, k := askedWhen.Match(toks, i)
	open, l := askedOpens.Match(toks, i)
	switch longest := max(n, m, k, l); {
	case l > 0 && l == longest && !begun:
		q.open = open
		q.noun = i+l < len(toks) && askedNouns[toks.Word(i+l-1)]
		if open == "got" {
			q.of = append(q.of, "it")
		}
		q.of = append(q.of, spoken(toks.Word(i+l-1))...)
		return l
	case n > 0 && n == longest:
		q.of = append(q.of, of)
		q.noun = q.noun || of == "body" && n > 1 // "the body yaw"
		q.second = q.second || !begun && of == "you"
		return n
	case antenna && m > 0 && (state == "left" || state == "right") && toks.At(i+m).Pronoun:
		q.of = append(q.of, state+"-ear")
		return m + 1
	case m > 0 && m == longest:
		q.states = append(q.states, state)
		return m
	case k > 0 && k == longest:
		q.when = when
		return k
	case askedNouns[toks.Word(i)]:
		q.noun = true
		return 1
	case l > 0: // "tell me which way you look"
		if (q.open == "tell" || q.open == "which") && open != "whether" {
			q.open = open
		}
		q.of = append(q.of, spoken(toks.Word(i+l-1))...)
		return l
	case askedSmall[toks.Word(i)]:
		return 1
	}
	return 0
}

// spoken is what the last word of what a question begins with is about: "are you".
func spoken(w string) []string {
	if w == "you" {
		return []string{w}
	}
	return nil
}

// asksAnything reports whether a question asks for something that can be told, and not for a movement; asked, whether it has the form
// of a question, and moved, whether there is a movement that "it" can be.
func (q *query) asksAnything(asked, moved bool) bool {
	switch {
	case q.has("can"):
		return asked && q.open == "value" && q.has("further") && q.has("left", "right", "up", "down")
	case q.has("further"), q.does && q.has("turned"):
		return false
	case !q.part() && !q.about("you", "both") && (!q.about("it") || !moved):
		return q.has("moved") && (q.open == "did" || q.open == "value" && q.has("first", "last"))
	case q.open == "":
		return asked && q.bare()
	}
	return q.asksOfAll()
}

// asksOfAll reports whether a question with its opening words asks for something that can be told.
func (q *query) asksOfAll() bool {
	switch {
	case q.open == "tell":
		return (q.axis() || q.part() && q.noun) && !q.hasDegs && !q.place() || q.about("all")
	case q.open == "did":
		return q.stands() || q.has("any") && q.axis()
	case q.open == "times":
		return q.stands()
	case q.has("first", "last"), q.did && q.has("looks"): // which deed was first is told from what was said
		return !q.has("looks") && (q.has("moved") || q.about("parts"))
	case q.has("order"), q.open == "got":
		return true
	case q.open == "which":
		return q.has("up", "down", "higher", "lower", "moved", "straight", "turned")
	case q.open == "whether":
		return q.claims()
	}
	return q.asksValue()
}

// asksValue reports whether a question that begins as one for a value names what has one.
func (q *query) asksValue() bool {
	it := q.about("it")
	named := q.axis() || q.part() && !q.has("moved") || q.noun && (it || q.about("you"))
	return named || q.stands() || it && (q.when == "now" || q.has("up", "down")) || q.when != "" && q.when != "now"
}

func (q *query) axis() bool { return q.about("yaw", "pitch", "roll", "head-angles") }

func (q *query) part() bool {
	return q.axis() || q.about("body", "head", "left-ear", "right-ear", "ear", "ears", "all", "parts")
}

func (q *query) place() bool { return q.has("left", "right", "up", "down", "straight", "level") }

func (q *query) stands() bool { return q.has("turned", "faces", "looks", "pitched", "tilted", "moved") }

// bare reports whether what is no sentence asks for a value: "roll value?", "you look up or down?".
func (q *query) bare() bool {
	if q.second {
		return (q.stands() || q.part()) && q.place()
	}
	value := q.noun && q.part() || q.axis() && !q.place()
	return value && !q.hasDegs && !q.has("moved", "turned")
}

// claims reports whether a question says what may be so or not.
func (q *query) claims() bool {
	if q.part() {
		return q.place() || q.stands() || q.hasDegs || q.has("same", "higher", "lower", "apart")
	}
	leans := q.has("or", "same", "higher", "lower") || q.place() && !q.has("left", "right", "up")
	return q.stands() && (q.place() || q.has("turned", "tilted")) || q.about("it", "both") && leans
}

// queried answers a question about the robot's own state, also behind a command: "turn left 20 and tell me your yaw".
func (r *reader) queried() (Reading, bool) {
	if r.u.TooLong || r.plan.Outcome == planner.OutcomeRefuse || r.Question != nil && r.Question.Whether {
		return Reading{}, false
	}
	toks := r.u.Tokens[r.u.Address.To:]
	for from := range toks {
		if from > 0 && !toks.IsMark(from-1) {
			continue
		}
		if q := r.query(toks[from:], r.u.Text[toks[from].Start:]); q != nil && (r.besideAll(toks[:from]) || q.part() && q.open != "" && r.chat(toks[:from])) {
			return r.answering(q, r.poseTold()), true
		}
	}
	for i := 1; i+2 < len(toks); i++ {
		if w := toks.Word(i); w != "and" && w != "then" || toks.IsMark(i+1) {
			continue
		}
		at := i + 1
		if toks.Word(at) == "then" {
			at++
		}
		q := r.query(toks[at:], r.u.Text[toks[at].Start:])
		if q == nil || q.open != "tell" && q.open != "value" {
			continue
		}
		inner := *r
		inner.u = language.Analyse(strings.TrimRight(r.u.Text[:toks[i].Start], " ,;"))
		inner.plan = r.p.PlanFor(inner.u)
		command := inner.considered()
		if !moves(command.Steps()) || command.Ask != nil || command.Say != "" || command.held != nil {
			return Reading{}, false
		}
		command.Plan.Steps = append(slices.Clone(command.Plan.Steps), r.poseTold().Plan.Steps...)
		command.Plan.Text = r.u.Text
		return r.answering(q, command), true
	}
	return Reading{}, false
}

// besideAll reports whether all clauses of some words may stand beside a question.
func (r *reader) besideAll(toks language.Tokens) bool {
	return !slices.ContainsFunc(clausesOf(toks), func(c language.Tokens) bool {
		if r.beside(c) {
			return false
		}
		return slices.ContainsFunc(c, func(t language.Token) bool { return !askedSmall[t.Word] })
	})
}

// chat reports whether the clauses before a question that names what it is about ask for nothing: "for the record,".
func (r *reader) chat(toks language.Tokens) bool {
	if len(toks) == 0 {
		return false
	}
	clauses := clausesOf(toks)
	return remarks(clauses, conditions) && !slices.ContainsFunc(clauses, func(c language.Tokens) bool {
		_, leans := slotsOf(c)
		plan := r.p.PlanFor(language.Analyse(r.u.Text[c[0].Start:c[len(c)-1].End]))
		return leans && !r.beside(c) || plan.Outcome != planner.OutcomeNone && !askedSmall[c.Word(len(c)-1)] || namesMovement(c)
	})
}

func (r *reader) query(toks language.Tokens, text string) *query {
	if len(toks) > maxPoseQuestion {
		return nil
	}
	q := queryIn(toks, isAntenna(r.part()))
	if q == nil || !q.asksAnything(strings.HasSuffix(strings.TrimRight(text, " !."), "?") || q.open != "", r.hasMoved()) {
		return nil
	}
	return q
}

// answering is a reading that ends with the answer to a question, made when what stands before it is done.
func (r *reader) answering(q *query, reading Reading) Reading {
	axes := r.axesOf(q)
	state := r.Copy()
	state.About = r.part()
	reading.settled, reading.Known = true, true
	if len(axes) > 0 {
		reading.about = partOfAxis(axes[0])
	}
	for _, of := range q.of { // "it" is the axis that was asked for, not the whole head
		if _, isAxis := headAxes[of]; isAxis && len(axes) == 1 {
			reading.about = of
		}
	}
	reading.Answer = func(now Pose) string {
		text := (&inquiry{query: q, past: &state, now: now, axes: axes}).answer()
		if text == "" {
			text = values(axes, &now, "is")
		}
		return verbalize.Sentence(text)
	}
	return reading
}

var (
	headOnly = []planner.Axis{planner.Yaw, planner.Pitch, planner.Roll}
	bothEars = []planner.Axis{planner.LeftAntenna, planner.RightAntenna}
	allAxes  = append(append(slices.Clone(headOnly), planner.BodyYaw), bothEars...)
)

var axesNamed = map[string][]planner.Axis{
	"yaw": {planner.Yaw}, "pitch": {planner.Pitch}, "roll": {planner.Roll}, "body": {planner.BodyYaw}, "left-ear": {planner.LeftAntenna},
	"right-ear": {planner.RightAntenna}, "ears": bothEars, "head-angles": headOnly, "all": allAxes, "parts": allAxes,
}

// axesOfIt are the axes of what was spoken of last; "they" are both antennas, whichever moved.
func (r *reader) axesOfIt(q *query) []planner.Axis {
	plural := isAntenna(r.part()) && (r.says("they") || r.says("them") || r.says("those") || r.says("these"))
	if plural || q.has("same", "higher", "lower") {
		return bothEars
	}
	if _, isAxis := headAxes[r.About]; isAxis {
		return axesNamed[r.About]
	}
	if r.part() == "head" {
		return q.ofHead()
	}
	return wholeParts[r.part()]
}

// axesOf are the axes that a question is about.
func (r *reader) axesOf(q *query) (axes []planner.Axis) {
	for i, of := range q.of {
		switch of {
		case "head":
			if i+1 < len(q.of) && len(axesNamed[q.of[i+1]]) == 1 && slices.Contains(headOnly, axesNamed[q.of[i+1]][0]) {
				continue
			}
			axes = append(axes, q.ofHead()...)
		case "ear":
			switch part := r.part(); {
			case q.open != "which" && (part == "leftAntenna" || part == "rightAntenna"):
				axes = append(axes, wholeParts[part]...)
			default:
				axes = append(axes, bothEars...)
			}
		default:
			axes = append(axes, axesNamed[of]...)
		}
	}
	switch {
	case len(axes) > 0:
	case q.about("both"):
		axes = bothEars
	case q.about("it") || q.open == "got":
		axes = r.axesOfIt(q)
	case q.has("looks", "tilted", "pitched"), q.has("faces") && !q.has("turned"):
		axes = q.ofHead()
		if q.has("faces") && math.Abs(r.now.Pose.BodyYaw) > near {
			axes = []planner.Axis{planner.BodyYaw, planner.Yaw}
		}
	case q.has("turned", "can"):
		axes = []planner.Axis{planner.BodyYaw}
		if head := math.Abs(r.now.Pose.Head.Yaw-r.now.Pose.BodyYaw) > near; head && math.Abs(r.now.Pose.BodyYaw) <= near {
			axes = []planner.Axis{planner.Yaw}
		}
		if q.has("can") && q.has("up", "down") {
			axes = []planner.Axis{planner.Pitch}
		}
	default:
		axes = allAxes
	}
	var once []planner.Axis // in the order in which they are named
	for _, a := range axes {
		if !slices.Contains(once, a) {
			once = append(once, a)
		}
	}
	return once
}

// ofHead are the axes of the head that what is said of it means.
func (q *query) ofHead() []planner.Axis {
	switch {
	case q.has("tilted"):
		return []planner.Axis{planner.Roll}
	case q.has("pitched", "up", "down"):
		return []planner.Axis{planner.Pitch}
	case q.has("turned", "faces", "left", "right"):
		return []planner.Axis{planner.Yaw}
	case q.has("looks"):
		return []planner.Axis{planner.Yaw, planner.Pitch}
	case q.has("level"):
		return []planner.Axis{planner.Pitch, planner.Roll}
	}
	return headOnly
}

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
