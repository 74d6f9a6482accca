package dialogue

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language"
)

// maxAims is how many steps the planner makes of a thing to look at and what is said of where it is.
const maxAims = 3

var (
	wholeVerbs = language.Words("whole-verbs")
	isAt       = language.Phrases("is-at")
	aims       = map[string]bool{"look_at": true, "find_object": true, "follow_object": true, "detect_objects": true, "track_face": true}
)

// wholly brings the body to the front, too, where it was turned last and "face forward", "back to the middle" are said of no part.
func (r *reader) wholly(reading Reading) Reading {
	steps := reading.Plan.Steps
	if len(steps) != 1 || steps[0].Tool != arguments[planner.Yaw].tool || steps[0].Axes[planner.Yaw] != planner.To || r.part() != "body" && !r.carried() ||
		math.Abs(r.now.Pose.BodyYaw) < near || reading.Base != nil {
		return reading
	}
	if yaw, _ := steps[0].Args[arguments[planner.Yaw].name].(float64); yaw != 0 {
		return reading
	}
	said := r.carried()
	for i, t := range r.u.Tokens {
		if key, n := parts.Match(r.u.Tokens, i); n > 0 && key == "head" && t.Word != "face" || gistVerbs[t.Word] == "look" && t.Word != "face" {
			return reading
		}
		said = said || wholeVerbs[t.Word]
	}
	if !said {
		return reading
	}
	turn := planner.Step{Tool: arguments[planner.BodyYaw].tool, Args: map[string]any{arguments[planner.BodyYaw].name: 0.0, "duration": 1.0}}
	turn.Axes[planner.BodyYaw] = planner.To
	reading.Plan.Steps = []planner.Step{turn, steps[0]}
	return reading
}

// carried reports whether the last movement of the head took the body along: "turn around" does.
func (r *reader) carried() bool {
	last, ok := r.lastMove()
	return ok && last.Axes[planner.Yaw] != planner.Unnamed && math.Abs(r.now.Pose.BodyYaw-r.Last.Before.BodyYaw) > near
}

// located reads where a thing is that is to be looked at: "look at the window, it is 45 degrees to your right". What is known need
// not be looked for.
func (r *reader) located() (Reading, bool) {
	steps := r.plan.Steps
	if r.plan.Outcome != planner.OutcomePlan && r.plan.Outcome != planner.OutcomeNone || len(steps) > maxAims || len(steps) > 0 && !aims[steps[0].Tool] {
		return Reading{}, false
	}
	pieces := r.pieces()
	if len(pieces) < 2 || len(pieces) > maxPieces {
		return Reading{}, false
	}
	verb, where := "", slots{}
	for i := range pieces {
		toks := pieces[i].toks
		said, ok := island(toks)
		u := language.Analyse(pieces[i].text)
		plan := r.p.PlanFor(u)
		switch at := isAt.Len(toks, 0); {
		case plan.Outcome == planner.OutcomePlan && len(plan.Steps) == 1 && aims[plan.Steps[0].Tool]:
			verb = "look"
			if slices.ContainsFunc(toks, func(t language.Token) bool { return gistVerbs[t.Word] == "turn" }) {
				verb = "turn your body"
			}
		case verb == "" || !ok || pieces[i].after || said.motion != "" || said.part != "" || said.loose > 0 || at == 0 && len(said.kinds) > 0:
		case len(said.dirs) == 1 && (said.hasDegs || at > 0):
			where = said
		case len(where.dirs) == 1 && !where.hasDegs && said.hasDegs && len(said.dirs) == 0:
			where.degs, where.hasDegs = said.degs, true
		}
	}
	if verb == "" || !where.hasDegs {
		return Reading{}, false
	}
	return r.whole(verb + " " + directionOf(where.dirs[0]) + " by " + tool.FormatNumber(math.Abs(where.degs)) + " degrees")
}

func directionOf(dir string) string {
	if w := directionWords[dir]; w != "" {
		return w
	}
	return dir
}
