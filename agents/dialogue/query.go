package dialogue

import (
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
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
		if text == "" && q.has("looks", "faces") && !q.axis() {
			text = gaze(axes, &now)
		}
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
