package dialogue

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// thingPronouns stand for what was looked at or named last.
var thingPronouns = language.Phrases("thing-pronouns")

// pronoun reads a sentence with "it" as one with what "it" is: the part that was moved, or the thing that was looked at.
func (r *reader) pronoun() (Reading, bool) {
	for i := range r.u.Tokens {
		n := thingPronouns.Len(r.u.Tokens, i)
		if n == 0 {
			continue
		}
		if said, ok := island(r.u.Tokens); ok && said.hasDegs && said.has("more") != said.to && len(said.dirs) == 0 && said.part == "" && said.loose == 0 {
			inner := *r // "incline it eight degrees further": in its direction
			inner.said, inner.plan = said, r.silent()
			if reading, ok := inner.further(); ok {
				return reading, true
			}
		}
		before, after := r.u.Text[:r.u.Tokens[i].Start], r.u.Text[r.u.Tokens[i+n-1].End:]
		if part := r.part(); part != "" && r.plan.Outcome == planner.OutcomePlan && moves(r.plan.Steps) {
			return r.whole(before + "your " + partNames[part] + after)
		}
		if r.Thing != "" && r.plan.Outcome == planner.OutcomeNone {
			if reading, ok := r.whole(before + "the " + r.Thing + after); ok {
				return reading, true
			}
		}
		if part := r.part(); part != "" && r.plan.Outcome == planner.OutcomeNone {
			return r.whole(before + "your " + partNames[part] + after)
		}
	}
	return Reading{}, false
}

// partNames are the parts as the planner reads them.
var partNames = map[string]string{
	"head": "head", "body": "body", "antennas": "antennas", "leftAntenna": "left antenna", "rightAntenna": "right antenna",
}

// part is what the last command moved, or what was asked about after it.
func (r *reader) part() string {
	if _, isAxis := headAxes[r.About]; isAxis {
		return "head"
	}
	if r.About != "" {
		return r.About
	}
	if r.Last == nil {
		return ""
	}
	for _, c := range []*Command{r.Last, r.Moved} {
		if c == nil {
			continue
		}
		for _, s := range slices.Backward(c.Steps) {
			if part := partOf(s); part != "" {
				return part
			}
		}
	}
	return ""
}

func partOf(s planner.Step) string {
	inner, _ := s.Args["steps"].([]planner.Step)
	switch left, right := s.Axes[planner.LeftAntenna] != planner.Unnamed, s.Axes[planner.RightAntenna] != planner.Unnamed; {
	case len(inner) > 0:
		return partOf(inner[len(inner)-1])
	case s.Tool == "turn_body":
		return "body"
	case s.Tool == "move_head":
		return "head"
	case left && right:
		return "antennas"
	case left:
		return "leftAntenna"
	case right:
		return "rightAntenna"
	}
	return ""
}

// atSome completes a command that says no angle, to see whether it could be one: "move an antenna".
func atSome(plan planner.Plan) string {
	if moves(plan.Steps) {
		return ""
	}
	return " to ten degrees"
}

var (
	breaksOff  = language.Words("breaks-off")
	broken     = language.Phrases("unfinished")
	oneAntenna = language.Phrases("one-antenna")
)

// unfinished asks for what a command lacks.
func (r *reader) unfinished() (Reading, bool) {
	ask := func(text, question string) (Reading, bool) {
		reading := Reading{Plan: r.silent(), Text: r.u.Text, Say: question, Ask: &Question{Text: text, Say: question}}
		return reading, true
	}
	text := strings.TrimRight(essence(r.u), " .!?,…")
	toks := r.u.Tokens
	for len(toks) > 0 && toks[len(toks)-1].Kind == language.Mark {
		toks = toks[:len(toks)-1]
	}
	if n := len(toks); n > 1 && breaksOff[toks.Word(n-1)] {
		whole, ok := r.whole(r.u.Text[:toks[n-2].End])
		if ok && moves(whole.Plan.Steps) {
			return ask(text, questions["how-far"])
		}
		if part := partIn(toks); part != "" && toks.Word(n-1) == "to" && len(acts(r.plan.Steps)) > 0 { // "swing the right antenna to"
			return ask("move your "+partNames[part]+" to", questions["how-far"])
		}
	}
	for i := range toks {
		n := oneAntenna.Len(toks, i)
		if w := toks.Word(i); n == 0 || (w == "the" || w == "your") && isAntenna(r.part()) {
			continue
		}
		before, after := r.u.Text[:toks[i].Start], r.u.Text[toks[i+n-1].End:]
		if whole, ok := r.whole(before + "the left antenna" + strings.TrimRight(after, " .!") + atSome(r.plan)); ok && moves(whole.Plan.Steps) {
			return ask(before+antennaHole+strings.TrimRight(after, " .!"), questions["which-antenna"])
		}
	}
	if command, ok := r.undirected(); ok {
		return ask(command+" "+Hole, questions["which-side"])
	}
	if r.plan.Outcome != planner.OutcomeNone {
		return Reading{}, false
	}
	if reading, ok := r.errand(text); ok {
		return reading, true
	}
	if m := r.plan.Message; strings.HasSuffix(m, "?") {
		return ask(text, m)
	}
	from := r.u.Address.To
	for {
		n := max(leadIns.Len(toks, from), addresses.Len(toks, from))
		if broken.Len(toks, from) == len(toks)-from || n == 0 {
			break
		}
		from += n
	}
	if key, n := broken.Match(toks, from); n > 0 && from+n == len(toks) {
		return ask(r.u.Text[toks[from].Start:toks[len(toks)-1].End], questions[key])
	}
	return Reading{}, false
}

// reached is told which rule has read a sentence; nil but in tests.
var reached func(name string)
