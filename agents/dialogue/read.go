package dialogue

import (
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// Planner says what a sentence by itself asks for.
type Planner interface {
	PlanFor(u *language.Utterance) planner.Plan
}

// Reading is what a sentence means where it was said.
type Reading struct {
	Plan planner.Plan // what to do
	Text string       // the command in whole words, for what leans on it later
	// Base is what relative angles count from, where that is not where the robot is: a correction counts from where the robot was
	// before what it corrects.
	Base *Pose
	// Restore are the steps that take back what is corrected. They are run before those of the plan.
	Restore []planner.Step
	Say     string    // a reply without any deed; empty: the plan says it
	Ask     *Question // what the robot asks

	undone  int   // movements that are taken back
	repeats Steps // what "again" does again; nil when it does what it did before
}

// Steps are all that is to be run, where rounds that go on from each other are unrolled.
func (r *Reading) Steps() []planner.Step {
	if len(r.Restore) == 0 {
		return Expand(r.Plan.Steps)
	}
	return append(append([]planner.Step(nil), r.Restore...), Expand(r.Plan.Steps)...)
}

// thing is what the steps look at or look for.
func (r *Reading) thing() string {
	for _, s := range r.Plan.Steps {
		if t, _ := s.Args["target"].(string); t != "" {
			return t
		}
		if n, _ := s.Args["name"].(string); n != "" && s.Tool == "detect_objects" {
			return n
		}
	}
	return ""
}

// reader reads one sentence.
type reader struct {
	*State
	p    Planner
	u    *language.Utterance
	plan planner.Plan // of the sentence by itself
	now  Now
	said slots
}

// Read says what a sentence means, of which the planner by itself makes plan. It changes nothing.
func (s *State) Read(p Planner, u *language.Utterance, plan planner.Plan, now Now) Reading {
	plain := Reading{Plan: plan, Text: u.Text}
	if plan.Outcome == planner.OutcomePlan {
		plain.repeats = plan.Steps
	}
	if u.TooLong || plan.Outcome == planner.OutcomeRefuse {
		return plain
	}
	r := reader{State: s, p: p, u: u, plan: plan, now: now}
	said, leans := slotsOf(u.Tokens)
	r.said = said
	if s.Question != nil {
		if answer, ok := r.answered(leans); ok {
			return answer
		}
	}
	if leans {
		for i := range rules {
			if !rules[i].when(&r.said) {
				continue
			}
			if reading, ok := rules[i].read(&r); ok {
				if reached != nil {
					reached(rules[i].name)
				}
				return reading
			}
		}
	}
	if reading, ok := r.corrected(); ok {
		return reading
	}
	if reading, ok := r.pronoun(); ok {
		return reading
	}
	if plan.Outcome == planner.OutcomeNone {
		if reading, ok := r.unfinished(); ok {
			return reading
		}
	}
	return plain
}

// whole reads a command that was put together, and reports whether the planner makes something of it.
func (r *reader) whole(text string) (Reading, bool) {
	plan := r.p.PlanFor(language.Analyse(text))
	reading := Reading{Plan: plan, Text: text}
	reading.Plan.Text = r.u.Text
	if plan.Outcome == planner.OutcomePlan {
		reading.repeats = plan.Steps
	}
	return reading, plan.Outcome == planner.OutcomePlan || plan.Outcome == planner.OutcomeError
}

func say(r *reader, key string) (Reading, bool) {
	return Reading{Plan: r.silent(), Text: r.u.Text, Say: replies[key]}, true
}

// silent is a plan of nothing.
func (r *reader) silent() planner.Plan {
	return planner.Plan{Text: r.u.Text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}}
}

var (
	replies   = language.Texts("follow-up-replies")
	questions = language.Texts("questions")
)

// answered completes the command that the robot has asked about. A whole command of its own is no answer.
func (r *reader) answered(leans bool) (Reading, bool) {
	q := r.Question
	switch {
	case leans && r.said.bare() && (r.said.has("never-mind") || r.said.has("no")):
		return say(r, "dropped")
	case leans && r.said.bare() && r.said.has("yes"):
		return Reading{Plan: r.silent(), Text: r.u.Text, Say: q.Say, Ask: q}, true
	case r.plan.Outcome == planner.OutcomePlan && (!leans || r.said.verb):
		return Reading{}, false
	}
	answer := strings.Trim(essence(r.u), " .!?,")
	if answer == "" {
		return Reading{}, false
	}
	for _, link := range []string{"", "to the ", "by ", "the ", "at "} {
		text := strings.Replace(q.Text, Hole, link+answer, 1)
		if !strings.Contains(q.Text, Hole) {
			text = q.Text + " " + link + answer
		}
		if reading, ok := r.whole(text); ok {
			return reading, true
		}
	}
	return Reading{}, false
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

// corrected reads "no, the duck", "I meant the body": the last command with something else in it.
func (r *reader) corrected() (Reading, bool) {
	key, n := followUps.Match(r.u.Tokens, r.u.Address.To)
	if r.Last == nil || key != "no" || r.u.Address.To+n >= len(r.u.Tokens) {
		return Reading{}, false
	}
	at := r.u.Address.To + n
	for r.u.Tokens.IsMark(at) {
		at++
	}
	if at >= len(r.u.Tokens) {
		return Reading{}, false
	}
	if r.plan.Outcome == planner.OutcomePlan { // a whole command: "no, look left"
		return r.replaces(Reading{Plan: r.plan, Text: r.u.Text, repeats: r.plan.Steps}), true
	}
	rest := r.u.Text[r.u.Tokens[at].Start:]
	for _, text := range []string{r.Last.Text + ", no, " + rest, r.Last.Text + ", no, the " + rest} {
		reading, ok := r.whole(text)
		if ok && (reading.Plan.Outcome != planner.OutcomePlan || !alike(reading.Plan.Steps, r.Last.Steps)) {
			reading.Text = strings.Join(strings.Fields(text), " ")
			return r.replaces(reading), true
		}
	}
	return Reading{}, false
}

// replaces makes a reading take the place of the last command: what that moved and this does not goes back first.
func (r *reader) replaces(reading Reading) Reading {
	base := r.Last.Before
	if !moves(reading.Plan.Steps) || !moves(r.Last.Steps) {
		return reading
	}
	reading.Base = &base
	wrong := r.now.Pose
	for _, s := range reading.Plan.Steps {
		for a, w := range s.Axes {
			if w != planner.Unnamed {
				*wrong.axis(planner.Axis(a)) = *base.axis(planner.Axis(a))
			}
		}
	}
	reading.Restore = Towards(wrong, base)
	return reading
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

// thingPronouns stand for what was looked at or named last.
var thingPronouns = language.Phrases("thing-pronouns")

// pronoun reads a sentence with "it" as one with what "it" is: the part that was moved, or the thing that was looked at.
func (r *reader) pronoun() (Reading, bool) {
	for i := range r.u.Tokens {
		n := thingPronouns.Len(r.u.Tokens, i)
		if n == 0 {
			continue
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

// part is what the last command moved.
func (r *reader) part() string {
	if r.Last == nil {
		return ""
	}
	for i := len(r.Last.Steps) - 1; i >= 0; i-- {
		if part := partOf(r.Last.Steps[i]); part != "" {
			return part
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
	if m := r.plan.Message; strings.HasSuffix(m, "?") {
		return ask(text, m)
	}
	toks := r.u.Tokens
	for len(toks) > 0 && toks[len(toks)-1].Kind == language.Mark {
		toks = toks[:len(toks)-1]
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
	if n := len(toks); n > 1 && breaksOff[toks.Word(n-1)] {
		whole, ok := r.whole(r.u.Text[:toks[n-2].End])
		if ok && moves(whole.Plan.Steps) {
			return ask(text, questions["how-far"])
		}
	}
	return Reading{}, false
}

// reached is told which rule has read a sentence; nil but in tests.
var reached func(name string)
