package dialogue

import (
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// corrected reads "no, the duck", "oh sorry, I meant the body": the last command with something else in it.
func (r *reader) corrected() (Reading, bool) {
	toks := r.u.Tokens
	at := objection(toks, mostBefore)
	if r.Last == nil || at <= 0 || at >= len(toks) {
		return Reading{}, false
	}
	rest := r.u.Text[toks[at].Start:]
	if said, leans := slotsOf(toks[at:]); leans && !said.verb && !said.bare() {
		inner := *r
		inner.said, inner.said.first = said, "no"
		if inner.said.settle(); inner.said.first == "" { // "rather ten further"
			switch {
			case said.share > 0:
				return inner.portion()
			case len(said.dirs) > 0 || said.part != "":
				return inner.fragment()
			}
			return inner.further()
		}
		if said.hasDegs && len(said.dirs) == 0 && said.part == "" {
			return inner.otherAmount()
		}
		if said.part != "" && !said.hasDegs && said.amount == "" && len(said.dirs) == 0 {
			if reading, ok := inner.transferTo(said.part); ok && reading.Say == "" {
				return reading, true
			}
		} else if reading, ok := inner.sided(); ok {
			return reading, true
		}
	}
	if plan := r.p.PlanFor(language.Analyse(rest)); plan.Outcome == planner.OutcomePlan { // a whole command: "no, look left"
		plan.Text = r.u.Text
		return r.replaces(Reading{Plan: plan, Text: rest, repeats: plan.Steps}), true
	}
	for _, text := range []string{r.Last.Text + ", no, " + rest, r.Last.Text + ", no, the " + rest} {
		reading, ok := r.whole(text)
		if ok && (reading.Plan.Outcome != planner.OutcomePlan || !alike(reading.Plan.Steps, r.Last.Steps)) {
			return r.replaces(reading), true
		}
	}
	return Reading{}, false
}

// sided does the last movement in another direction, as far as it went.
func (r *reader) sided() (Reading, bool) {
	r.said.first = "no"
	if last, ok := r.lastMove(); ok && len(r.said.dirs) == 1 && r.said.amount == "" && !r.said.hasDegs && r.said.part == "" {
		tilts := last.Axes[planner.Pitch] != planner.Unnamed
		if vertical := r.said.dirs[0] == "up" || r.said.dirs[0] == "down"; vertical == tilts {
			r.said.degs = turned(last)
			if r.said.degs == 0 {
				r.said.degs = turnedOn(&last, r.said.dirs[0])
			}
			r.said.hasDegs = r.said.degs > 0
		}
	}
	return r.fragment()
}

// mostBefore is how many words may stand before a correction among words of which nothing is known.
const mostBefore = 5

// noBefore are words before which "no" objects to nothing: "no need".
var noBefore = language.Words("no-before")

// objection is where what is meant begins behind "no", "I meant" and their like; 0 when there is none. A few words may stand
// before it.
func objection(toks language.Tokens, mostBefore int) int {
	found := 0
	for i := 0; i < min(len(toks), mostBefore+found); {
		key, n := followUps.Match(toks, i)
		if key != "no" || n == 1 && noBefore[toks.Word(i+1)] {
			i++
			continue
		}
		i += n
		if toks.At(i).Word == "?" {
			continue
		}
		for toks.IsMark(i) {
			i++
		}
		found = i
	}
	return found
}

// replaces makes a reading take the place of the last command: it counts from where the robot was before that, and what that moved
// and this does not goes back first.
func (r *reader) replaces(reading Reading) Reading {
	base := r.Last.Before
	if !moves(reading.Plan.Steps) || !moves(r.Last.Steps) {
		return reading
	}
	reading.Base = &base
	var named, wrong planner.Axes
	reading.Plan.Steps = fromBase(reading.Plan.Steps, &named)
	axesOf(r.Last.Steps, &wrong)
	for a := range wrong {
		if named[a] != planner.Unnamed {
			wrong[a] = planner.Unnamed
		}
	}
	reading.Restore = restoring(wrong, r.now.Pose, base)
	return reading
}

// fromBase are steps of which the first of each axis counts from where the sentence begins. named takes the axes of all.
func fromBase(steps []planner.Step, named *planner.Axes) []planner.Step {
	out := slices.Clone(steps)
	for i := range out {
		if inner, ok := out[i].Args["steps"].([]planner.Step); ok {
			axesOf(inner, named)
			continue
		}
		for a, w := range out[i].Axes {
			if w == planner.By && named[a] == planner.Unnamed {
				out[i].Axes[a] = planner.From
			}
			if w != planner.Unnamed {
				named[a] = w
			}
		}
	}
	return out
}

// axesOf adds the axes that steps name.
func axesOf(steps []planner.Step, named *planner.Axes) {
	for _, s := range steps {
		for a, w := range s.Axes {
			if w != planner.Unnamed {
				named[a] = w
			}
		}
		inner, _ := s.Args["steps"].([]planner.Step)
		axesOf(inner, named)
	}
}

// moves reports whether a step names an angle.
func moves(steps []planner.Step) bool {
	for _, s := range steps {
		inner, _ := s.Args["steps"].([]planner.Step)
		if s.Axes.Named() || moves(inner) {
			return true
		}
	}
	return false
}
