package dialogue

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language"
)

// answered completes the command that the robot has asked about. A whole command of its own is no answer.
func (r *reader) answered(leans bool) (Reading, bool) {
	q := r.Question
	switch {
	case q.Whether:
		return r.agreed()
	case q.Errand:
		return r.errandAnswered(strings.Trim(essence(r.u), " .!?,"))
	case q.Say == "":
		return r.otherThanRefused(leans)
	case leans && r.said.bare() && (r.said.has("never-mind") || r.said.has("no")):
		return say(r, "dropped")
	case leans && (r.said.has("again") || r.said.has("undo")):
		return Reading{}, false
	case leans && r.said.bare() && r.said.has("yes"):
		return Reading{Plan: r.silent(), Text: r.u.Text, Say: q.Say, Ask: q}, true
	case r.plan.Outcome == planner.OutcomePlan && (!leans || r.said.verb):
		return Reading{}, false
	}
	if reading, ok := r.supplied(); ok {
		return reading, true
	}
	answer := strings.Trim(essence(r.u), " .!?,")
	if answer == "" {
		return Reading{}, false
	}
	answer = strings.TrimPrefix(answer, "the ")
	if side := r.antennaSaid(); leans && side != "" && strings.Contains(q.Text, antennaHole) {
		return r.withSide(strings.Replace(q.Text, antennaHole, side, 1))
	}
	for _, link := range []string{"", "to the ", "by ", "the ", "at "} {
		text := strings.Replace(q.Text, Hole, link+answer, 1)
		if !strings.Contains(q.Text, Hole) {
			text = q.Text + " " + link + answer
		}
		if reading, ok := r.whole(text); ok && !slices.ContainsFunc(reading.Plan.Steps, stopsOften) {
			if again, ok := r.sideless(text, reading.Plan); ok { // "turn your head" - "how far?" - "fifteen degrees"
				return again, true
			}
			return reading, true
		} else if m := reading.Plan.Message; strings.HasSuffix(m, "?") {
			return Reading{Plan: r.silent(), Text: r.u.Text, Say: m, Ask: &Question{Text: text, Say: m}}, true
		}
	}
	return Reading{}, false
}

// stopsOften reports whether a step is a stop that is repeated: "45 more" is no answer that completes "turn left, then stop".
func stopsOften(s planner.Step) bool {
	inner, _ := s.Args["steps"].([]planner.Step)
	return slices.ContainsFunc(inner, func(s planner.Step) bool { return s.Tool == "stop" })
}

// sideless asks which way where a command that was put together does not say it.
func (r *reader) sideless(text string, plan planner.Plan) (Reading, bool) {
	inner := *r
	inner.u, inner.plan = language.Analyse(text), plan
	command, ok := inner.undirected()
	if !ok {
		return Reading{}, false
	}
	q := Question{Text: command + " " + Hole, Say: questions["which-side"]}
	return Reading{Plan: r.silent(), Text: r.u.Text, Say: q.Say, Ask: &q}, true
}

// supplied puts a direction that is answered, perhaps with a part or another number, together with what the question has already.
func (r *reader) supplied() (Reading, bool) {
	said, ok := island(r.u.Tokens[r.u.Address.To:])
	asked, known := island(language.Analyse(withoutHole(r.Question.Text)).Tokens)
	if !ok || !known || said.loose+said.behind > 0 || len(said.dirs) != 1 || !asked.hasDegs && said.part == "" || asked.part != "" && isAntenna(asked.part) {
		return Reading{}, false
	}
	if !said.hasDegs {
		said.degs, said.hasDegs, said.to = asked.degs, asked.hasDegs, asked.to
	}
	if said.part == "" && said.axis != "" { // "the head yaw, to the left"
		said.part = "head"
	}
	if said.part == "" {
		said.part = asked.part
		if said.motion == "" || asked.motion == "tilt" {
			said.motion = asked.motion
		}
	}
	said.kinds, said.first, said.verb = nil, "", false
	said.direct()
	said.tilts = said.tilts && level[said.dirs[0]]
	state := r.Copy()
	state.Question = nil
	inner := *r
	inner.State, inner.said, inner.plan = &state, said, r.silent()
	return inner.fragment()
}

// withSide reads a command in which the antenna has been filled in, and asks how far where that is not said.
func (r *reader) withSide(text string) (Reading, bool) {
	reading, ok := r.whole(text)
	open := strings.HasSuffix(reading.Plan.Message, "?") // "where should I move it?"
	if !ok && !open || moves(reading.Plan.Steps) || r.said.hasDegs {
		return reading, ok
	}
	q := Question{Text: text + " to " + Hole, Say: questions["how-far"]}
	return Reading{Plan: r.silent(), Text: r.u.Text, Say: q.Say, Ask: &q}, true
}

// otherThanRefused reads another amount after a command that could not go that far: nothing was asked.
func (r *reader) otherThanRefused(leans bool) (Reading, bool) {
	q := r.Question
	switch {
	case leans && r.said.hasDegs && len(r.said.dirs) == 0 && r.said.part == "" && !r.said.verb:
		text := q.Text
		if r.said.to {
			text = strings.Replace(text, " by "+Hole, " "+Hole, 1)
		}
		if !strings.Contains(text, " to "+Hole) && !strings.Contains(text, " by "+Hole) {
			text = strings.Replace(text, Hole, map[bool]string{true: "to ", false: "by "}[r.said.to]+Hole, 1)
		}
		return r.whole(strings.Replace(text, Hole, tool.FormatNumber(r.said.degs)+" degrees", 1))
	case !leans || !r.said.has("limit") || len(r.said.dirs) > 0:
		return Reading{}, false
	}
	if reading, ok := r.toLimit(withoutHole(q.Text)); ok {
		return reading, true
	}
	return r.toLimit(strings.Replace(q.Text, Hole, "ten degrees", 1)) // "to 200 degrees" says which way
}

// antennaSaid is which antenna an answer names; empty when it names none.
func (r *reader) antennaSaid() string {
	switch {
	case r.said.has("too"):
		return "both antennas"
	case len(r.said.dirs) == 1:
		return "the " + r.said.dirs[0] + " antenna"
	case isAntenna(r.said.part):
		return "the " + partNames[r.said.part]
	}
	return ""
}

// essence is a text without what calls the robot and is polite before it.
func essence(u *language.Utterance) string {
	from := u.Address.To
	for from < len(u.Tokens) {
		n := max(addresses.Len(u.Tokens, from), fillerLen(u.Tokens, from))
		if u.Tokens.IsMark(from) {
			n = 1
		}
		if n == 0 {
			break
		}
		from += n
	}
	if from >= len(u.Tokens) {
		return ""
	}
	return u.Text[u.Tokens[from].Start:]
}

// answerFillers may stand before an answer: "maybe", "just", "I would say".
var answerFillers = language.Phrases("answer-fillers")

func fillerLen(toks language.Tokens, i int) int { return answerFillers.Len(toks, i) }
