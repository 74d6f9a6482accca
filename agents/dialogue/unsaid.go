package dialogue

import (
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language"
)

var (
	undirectedCommands = language.Phrases("undirected")
	gazeKeepers        = language.Phrases("keeps-gaze")
)

// undirected returns the command of a sentence that is nothing but a turn or a tilt that does not say which way.
func (r *reader) undirected() (command string, ok bool) {
	toks := r.u.Tokens
	sized := r.plan.Outcome == planner.OutcomeNone && r.Last == nil && (r.said.hasDegs || slices.ContainsFunc(toks, isNumber)) // "go 20 degrees"
	if !sized && (r.plan.Outcome != planner.OutcomePlan || len(r.plan.Steps) != 1 || has(r.plan.Steps[0].Axes, planner.To) || !moves(r.plan.Steps)) {
		return "", false
	}
	for i := 0; i < len(toks); {
		if directions.Len(toks, i) > 0 {
			return "", false
		}
		q, size := language.QuantityAt(toks, i)
		if q.Value <= 0 || q.Dim != language.Angle && q.Dim != language.NoUnit {
			size = 0
		}
		n := undirectedCommands.Len(toks, i)
		ok = ok || n > 0
		if n = max(n, size, amounts.Len(toks, i), paces.Len(toks, i)); n > 0 {
			command += " " + r.u.Text[toks[i].Start:toks[i+n-1].End]
			i += n
			continue
		}
		if key, size := followUps.Match(toks, i); key == "filler" {
			n = size
		}
		if n = max(n, leadIns.Len(toks, i), tails.Len(toks, i), addresses.Len(toks, i)); n == 0 && !toks.IsMark(i) {
			return "", false
		}
		i += max(n, 1)
	}
	return strings.TrimSpace(command), ok
}

// nothingMeant asks what is meant where "it" is to go to an angle and nothing has been moved or named yet: "set it to twenty".
func (r *reader) nothingMeant() (Reading, bool) {
	steps := r.plan.Steps
	if r.hasMoved() || r.About != "" || r.Question != nil || len(steps) != 1 || !has(steps[0].Axes, planner.To) || !r.says("it") {
		return Reading{}, false
	}
	degs := ""
	toks := r.u.Tokens
	for i := r.u.Address.To; i < len(toks); {
		q, n := language.QuantityAt(toks, i)
		switch {
		case n > 0 && !toks[i].Pronoun && degs == "" && (q.Dim == language.Angle || q.Dim == language.NoUnit):
			degs = tool.FormatNumber(q.Value)
			i += n
			continue
		case toks.IsMark(i), itGoes[toks.Word(i)]:
			i++
			continue
		}
		n = max(leadIns.Len(toks, i), tails.Len(toks, i), addresses.Len(toks, i))
		if n == 0 {
			return Reading{}, false
		}
		i += n
	}
	q := Question{Text: "set " + Hole + " to " + degs + " degrees", Say: questions["which-part"]}
	return Reading{Plan: r.silent(), Text: r.u.Text, Say: q.Say, Ask: &q, settled: true}, degs != ""
}

// itGoes are the words of a command that brings "it" somewhere.
var itGoes = language.Words("it-goes")

// gazing keeps the head where it looks when the body is to follow it, or is told to leave it: turning the body carries the head.
func (r *reader) gazing(reading Reading) Reading {
	steps := reading.Plan.Steps
	if len(steps) != 1 || steps[0].Axes[planner.BodyYaw] == planner.Unnamed || !r.keepsGaze() {
		return reading
	}
	start := r.now.Pose
	if reading.Base != nil {
		start = *reading.Base
	}
	done, _ := Resolve(steps[0], start, r.now.Pose)
	to, _ := done.Args[arguments[planner.BodyYaw].name].(float64)
	if math.Abs(r.now.Pose.Head.Yaw-to) > neckTurn {
		return reading
	}
	look := planner.Step{Tool: arguments[planner.Yaw].tool, Args: map[string]any{arguments[planner.Yaw].name: r.now.Pose.Head.Yaw, "duration": 1.0}}
	look.Axes[planner.Yaw] = planner.To
	reading.Plan.Steps = []planner.Step{steps[0], look}
	return reading
}

func (r *reader) keepsGaze() bool {
	for i := range r.u.Tokens {
		if gazeKeepers.Has(r.u.Tokens, i) {
			return true
		}
	}
	last, ok := r.lastMove()
	return ok && r.said.part == "body" && (r.said.has("too") || r.said.has("same")) &&
		last.Axes[planner.Yaw] != planner.Unnamed && math.Abs(r.now.Pose.Head.Yaw-r.now.Pose.BodyYaw) > near
}
