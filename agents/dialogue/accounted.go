package dialogue

import (
	"slices"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/perception/language/frames"
)

// accounted reads a sentence of which every word is accounted for.
func (r *reader) accounted() (Reading, bool) { return r.accountedBut(0) }

// maxStrange is how many words may be left out of a sentence that nobody else reads.
const maxStrange = 3

// nearly reads a sentence of which a few words are not accounted for, unless the network is sure of something else.
func (r *reader) nearly() (Reading, bool) {
	if r.unlearned || r.u.Question || r.plan.Outcome != planner.OutcomeNone {
		return Reading{}, false
	}
	reading, ok := r.accountedBut(maxStrange)
	if !ok || len(reading.Steps()) == 0 {
		return Reading{}, false
	}
	got := frames.Read(r.u, r.before())
	second, read := r.asked(got.Frames, got.Numbers)
	switch {
	case !read:
		return reading, got.Sure < sureOfMore
	case len(second.Steps()) == 0 && second.Ask == nil:
		return reading, got.Sure < sureToDiffer
	}
	return reading, same(r.end(&reading), r.end(&second)) || got.Sure < sureOfMore
}

// accountedBut reads a sentence of which at most so many words are not accounted for.
func (r *reader) accountedBut(most int) (Reading, bool) {
	if !r.accountable() {
		return Reading{}, false
	}
	all, ok := r.accounts(most)
	if !ok {
		return Reading{}, false
	}
	r.passedOver = most > 0
	remarked := slices.ContainsFunc(all, func(c account) bool { return c.strange > 0 && c.empty() })
	if all = united(all); len(all) == 0 || !r.sayable(all, remarked) {
		return Reading{}, false
	}
	backBy := slices.ContainsFunc(all, func(c account) bool { return c.is("back") && c.hasDegs && c.degs < rightAngle }) // no half turn
	sized := slices.ContainsFunc(all, func(c account) bool { return c.hasDegs || c.size == "max" })
	if r.plan.Outcome == planner.OutcomeError && sized && !backBy { // too far
		return Reading{}, false
	}
	if r.asksOnlyPart(all) {
		reading := r.poseTold()
		reading.settled, reading.Known, reading.about = true, true, partIn(r.u.Tokens)
		return reading, true
	}
	if r.leftToPlanner(all) {
		return Reading{}, false
	}
	if reading, ok := r.asksSide(all); ok {
		return reading, true
	}
	return r.doesAll(all)
}

// accountable reports whether a sentence may be read clause by clause at all.
func (r *reader) accountable() bool {
	asked := r.Question != nil && (r.Question.Say != "" || !moves(r.plan.Steps)) // a whole command after a refused one is no answer
	if r.byRules || r.u.TooLong || asked || r.plan.Outcome == planner.OutcomeRefuse || stops(r.plan.Steps) {
		return false
	}
	for i := range r.u.Tokens {
		if n := gazeKeepers.Len(r.u.Tokens, i); n > 0 && directions.Len(r.u.Tokens, i+n) == 0 { // "keep looking left" says where
			return false
		}
	}
	if from := r.u.Address.To; r.u.Tokens.At(len(r.u.Tokens)-1).Word == "?" && poseAsks[r.u.Tokens.Word(from)] && accountWords.Len(r.u.Tokens, from) < 3 {
		return false // "is it up?"
	}
	return !breaksOff[r.u.Tokens.Word(len(r.u.Tokens)-1)]
}

// asksOnlyPart reports whether a question names a part or an axis and nothing else: "and your head?".
func (r *reader) asksOnlyPart(all []account) bool {
	if n := len(r.u.Tokens); r.u.Tokens.At(n-1).Word != "?" || len(all) != 1 || !r.hasMoved() {
		return false
	}
	c := &all[0]
	return (c.part != "" || c.named) && len(c.dirs) == 0 && !c.sized() && c.verb == "" && !c.is(leanings...)
}

// leftToPlanner reports whether the planner already has what is said: "as far as you can", "look at me".
func (r *reader) leftToPlanner(all []account) bool {
	if moves(r.plan.Steps) {
		if slices.ContainsFunc(r.plan.Steps, func(s planner.Step) bool { return has(s.Axes, planner.From) && has(s.Axes, planner.Back) }) {
			return true // a list of looks
		}
		return slices.ContainsFunc(all, func(c account) bool {
			return c.size == "max" && !c.is("max-side") && !isAntenna(c.part) && (c.part != "" || !c.names())
		})
	}
	if n := len(r.plan.Steps); n > 0 && len(acts(r.plan.Steps)) == n { // "move your ears up and down" is a gesture
		return true
	}
	return len(all) == 1 && all[0].is("center") && r.plan.Outcome == planner.OutcomePlan
}

// doesAll does what the clauses say, one after the other.
func (r *reader) doesAll(all []account) (Reading, bool) {
	var kept []planner.Axis
	for i := range all {
		kept = append(kept, all[i].kept...)
	}
	s := r.scene()
	for i := range all {
		kept = append(kept, s.standing(all[i].keptAt)...)
	}
	var whole []planner.Step
	for i := range all {
		if i > 0 {
			all[i].inherits(all[i-1].verb)
		}
		s.within, all[i].kept = i > 0, kept
		steps, ok := s.does(&all[i])
		if !ok {
			return Reading{}, false
		}
		whole = append(whole, steps...)
	}
	if !r.says("then") && !r.says("first") {
		whole = oneStep(whole)
	}
	out := r.run(whole)
	out.Text = r.u.Text
	if s.base != nil {
		out.Base = s.base
	}
	out.scaled = s.scales
	out.Known = !r.passedOver && !slices.ContainsFunc(all, func(c account) bool { return !c.names() && c.verb == "" && (len(c.dirs) == 0 || !c.sized()) })
	out.repeats, out.settled, out.undone = oneStep(s.repeats), true, s.undone
	return out, true
}

// asksSide asks which way where a number is said and no side: nobody guesses one.
func (r *reader) asksSide(all []account) (Reading, bool) {
	c := &all[0]
	if c.verb == "raise" || c.verb == "lower" || c.verb == "turn" && c.to {
		return Reading{}, false
	}
	verbs := c.verb == "turn" || c.verb == "look" || c.verb == "tilt" || c.part == "head"
	leans := c.is(leanings...) || c.is("make", "no", "sorry", "turning", "plus", "minus")
	if len(all) > 1 || !verbs || !c.hasDegs || c.signed || c.degs == 0 || len(c.dirs) > 0 || c.named || c.it || leans {
		return Reading{}, false
	}
	if c.part != "" && c.part != "head" && (c.part != "body" || c.to) || c.to && c.part == "" {
		return Reading{}, false
	}
	verb := c.verb
	if verb == "" {
		verb = "turn"
	}
	text := verb + " " + map[string]string{"head": "your head ", "body": "your body "}[c.part]
	text += map[bool]string{true: "to ", false: "by "}[c.to] + tool.FormatNumber(c.degs) + " degrees " + Hole
	q := Question{Text: text, Say: questions["which-side"]}
	if verb == "look" || c.part == "head" {
		q.Say = questions["which-way"]
	}
	return Reading{Plan: r.silent(), Text: r.u.Text, Say: q.Say, Ask: &q, settled: true}, true
}
