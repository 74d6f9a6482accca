package dialogue

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// Planner says what a sentence by itself asks for.
type Planner interface {
	PlanFor(u *language.Utterance) planner.Plan
}

// doing is a planner whose plans are what is done: "follow it" follows, as "follow the duck" does.
type doing struct{ Planner }

// PlanFor implements Planner.
func (d doing) PlanFor(u *language.Utterance) planner.Plan {
	plan := d.Planner.PlanFor(u)
	plan.Steps = planner.Doing(plan.Steps)
	return plan
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
	Heard   string    // what the runtime is to read in place of what was said: an errand that an answer completes

	agreed  bool  // it is what the robot has asked about
	undone  int   // movements that are taken back
	partly  bool  // what one part has done is taken back
	repeats Steps // what "again" does again; nil when it does what it did before
	settled bool  // nobody need be asked a second time
	scaled  bool  // it is so many times what there was
	about   string
	// Known says that it asks for what the body knows, of something that was moved: nobody need be asked what else it could mean.
	Known bool
	held  *Held // a command that is to wait
	// Answer makes, in place of the words of get_robot_state, the answer to a question from where the robot is then; nil where none
	// is asked that needs one.
	Answer func(now Pose) string
}

// Steps are all that is to be run, where rounds that go on from each other are unrolled.
func (r *Reading) Steps() []planner.Step {
	if len(r.Restore) == 0 {
		return Expand(r.Plan.Steps)
	}
	return append(append([]planner.Step(nil), r.Restore...), Expand(r.Plan.Steps)...)
}

// Unread is what is left of a reading where somebody else answers: what the sentence was about, and what waits.
func (r *Reading) Unread() Reading { return Reading{about: r.about, held: r.held} }

// thing is what the steps look at or look for.
func (r *Reading) thing() string {
	for _, s := range r.Plan.Steps {
		if t, _ := s.Args["target"].(string); t != "" {
			return t
		}
		if n, _ := s.Args["name"].(string); n != "" && (s.Tool == "detect_objects" || s.Tool == "find_object") {
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
	// going says that a movement stood before in the same sentence.
	going bool
	// strange is how many words are not known of what is passed over.
	strange int
	// passedOver says that words may have been passed over.
	passedOver bool
}

// Read says what a sentence means, of which the planner by itself makes plan. It changes nothing.
func (s *State) Read(p Planner, u *language.Utterance, plan planner.Plan, now Now) Reading {
	r := reader{State: s, p: doing{p}, u: u, plan: plan, now: now}
	if rest := r.turnedTo(); rest != "" {
		mine := language.Analyse(rest)
		reading := s.Read(p, mine, r.p.PlanFor(mine), now)
		reading.Known = len(reading.Steps()) > 0
		return reading
	}
	if reading, ok := r.queried(); ok {
		return reading
	}
	r.reworded()
	reading, ok := r.excepting()
	if !ok {
		reading = r.considered()
	}
	if peeled, ok := r.peeled(&reading); ok {
		reading = peeled
	}
	if stirs(&reading) && (language.TellsOfOther(u) || r.calculates() || slices.ContainsFunc(r.u.Tokens, isShare) && r.hardly(&reading)) {
		return Reading{Plan: planner.Plan{Text: r.u.Text, Outcome: planner.OutcomeNone, Message: planner.NotUnderstood}, Text: r.u.Text}
	}
	if (stirs(&reading) || sets(&reading) || reading.Plan.Outcome == planner.OutcomeError) && r.forOthers() {
		return r.toWhom()
	}
	if acts := reading.Steps(); stirs(&reading) && !moves(acts) && r.callsFirst() {
		return r.asksWhom(strings.TrimSpace(r.u.Text[r.u.Tokens[1].End:]))
	}
	forgets := stirs(&reading) && (reading.undone == 1 || r.nevermind())
	if forgets && r.Last != nil && len(acts(r.Last.Steps)) > 0 && !moves(r.Last.Steps) { // of a nod nothing is left
		reading, _ = say(&r, "nothing-left")
		return reading
	}
	if why := planner.Unmeasured(r.u.Tokens, &reading.Plan); why != "" && !r.measures() {
		reading = Reading{Plan: planner.Plan{Text: r.u.Text, Outcome: planner.OutcomeError, Message: why}, Text: r.u.Text}
	}
	reading.Plan.Steps = slices.CompactFunc(slices.Clone(reading.Plan.Steps), twiceTold)
	if reading.about == "" {
		reading.about = r.asksAbout(u, &reading)
	}
	if reading.Plan.Outcome == planner.OutcomeError && reading.Ask == nil {
		reading.Ask = r.refused(language.Analyse(reading.Text))
	}
	return reading
}

// sets reports whether a reading changes how loud the robot is, or takes a picture: nobody else's volume, "Peter, turn the sound down".
func sets(r *Reading) bool {
	return slices.ContainsFunc(r.Steps(), func(s planner.Step) bool { return s.Tool == "set_volume" || s.Tool == "take_photo" })
}

// asksAbout is the part or the axis that a question names, of the robot's state or in talk: "why do you have ears? put them down".
func (r *reader) asksAbout(u *language.Utterance, reading *Reading) string {
	steps := reading.Plan.Steps
	if len(steps) != 1 || steps[0].Tool != "get_robot_state" {
		if len(reading.Steps()) == 0 && u.Question && (r.says("your") || r.says("you")) {
			return partIn(u.Tokens)
		}
		return ""
	}
	about := partIn(u.Tokens)
	for _, t := range u.Tokens {
		if _, isAxis := headAxes[t.Word]; isAxis && partIn(u.Tokens) == "" {
			about = t.Word
		}
	}
	return about
}

// nevermind reports whether nothing is said but that something is to be forgotten.
func (r *reader) nevermind() bool {
	key, n := followUps.Match(r.u.Tokens, r.u.Address.To)
	return key == "never-mind" && r.u.Address.To+n == len(r.u.Tokens)
}

// measures reports whether a percentage is one of what was done before.
func (r *reader) measures() bool {
	_, ok := r.accounted()
	return ok && r.Last != nil
}

// considered is what the sentence means; what is not settled is held against other readings.
func (r *reader) considered() Reading {
	for _, read := range []func() (Reading, bool){r.woken, r.released, r.holding, r.comes, r.nothingMeant, r.exchanged} {
		if reading, ok := read(); ok && r.Question == nil {
			return reading
		}
	}
	if reading, ok := r.telling(); ok {
		return reading
	}
	if reading, ok := r.accounted(); ok {
		return reading
	}
	if reading, ok := r.nearly(); ok {
		return reading
	}
	first := r.read()
	if first.settled {
		return first
	}
	second := r.learned(r.secondly(r.wholly(r.gazing(first))))
	if r.told() && len(first.Steps()) == 0 && len(second.Steps()) > 0 {
		return first
	}
	return second
}

// isShare reports whether a word may be a number and no angle: "one", "a third".
func isShare(t language.Token) bool {
	return t.Word == "one" || t.Word == "half" || t.Kind == language.Number && !t.Digits && t.Num > 0 && t.Num < 1
}

// hardly reports whether a reading moves something by a degree or less: "one" and "half" were no angles in "the lowered one again".
func (r *reader) hardly(reading *Reading) bool {
	if slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return t.Word == "degree" || t.Word == "degrees" }) {
		return false
	}
	end, moved := r.end(reading), false
	for a := range planner.NumAxes {
		d := math.Abs(change(a, &r.now.Pose, &end))
		if d > 1+near/2 {
			return false
		}
		moved = moved || d > near/2
	}
	return moved
}

var distances = language.Phrases("distances")

// comes reads what asks the robot to come or go, and nothing else: "a bit closer, please".
func (r *reader) comes() (Reading, bool) {
	toks, found := r.u.Tokens, false
	for i := 0; i < len(toks); {
		n := distances.Len(toks, i)
		found = found || n > 0
		if n = max(n, leadIns.Len(toks, i), tails.Len(toks, i), addresses.Len(toks, i)); n == 0 && !toks.IsMark(i) {
			return Reading{}, false
		}
		i += max(n, 1)
	}
	if !found {
		return Reading{}, false
	}
	return Reading{Plan: planner.Plan{Text: r.u.Text, Outcome: planner.OutcomeError, Message: replies["no-legs"]}, Text: r.u.Text}, true
}

// woken wakes a robot that sleeps where that is the last thing that is said to it: it can do nothing else before.
func (r *reader) woken() (Reading, bool) {
	toks := r.u.Tokens
	if r.now.Awake || r.plan.Outcome == planner.OutcomePlan || r.plan.Outcome == planner.OutcomeRefuse {
		return Reading{}, false
	}
	for i := len(toks) - 2; i > 0; i-- {
		if toks.IsMark(i) {
			plan := r.p.PlanFor(language.Analyse(strings.TrimSpace(r.u.Text[toks[i].End:])))
			wakes := len(plan.Steps) == 1 && plan.Steps[0].Tool == "wake_up"
			return Reading{Plan: plan, Text: r.u.Text, settled: true, repeats: plan.Steps}, wakes
		}
	}
	return Reading{}, false
}

// states are tools that bring the robot into a state: to say it in two ways asks for it once, as "good night, go to bed" does.
var states = map[string]bool{"go_to_sleep": true, "wake_up": true, "track_face": true, "stop": true}

func twiceTold(a, b planner.Step) bool {
	return states[a.Tool] && a.Tool == b.Tool && maps.Equal(a.Args, b.Args)
}

// Forms that mean something else within a conversation.
var (
	heights      = language.Reword("heights")       // what is above is up
	antennaSides = language.Reword("antenna-sides") // "the left" behind a movement of antennas
	loudness     = language.Reword("loudness")      // "make it 20" behind a change of the volume
	verbless     = language.Reword("verbless")      // "look up ten and twenty to the left"
	leaningOn    = language.Reword("leaning")       // "downer", "did I say ten? I meant twenty"
	feelings     = language.Reword("feelings")      // "now a happy one" behind a sad face
)

// reworded reads a sentence in other words where a place is named that need not be looked for, or one of the antennas that were moved.
func (r *reader) reworded() {
	text := verbless.Apply(r.u.Text)
	steps := r.plan.Steps
	if len(steps) == 0 || slices.ContainsFunc(steps, func(s planner.Step) bool { return aims[s.Tool] }) || r.plan.Outcome != planner.OutcomePlan {
		text = heights.Apply(text)
	}
	if isAntenna(r.part()) {
		text = antennaSides.Apply(text)
	}
	if r.Last != nil && len(r.Last.Steps) == 1 && r.Last.Steps[0].Tool == "set_volume" {
		text = loudness.Apply(text)
	}
	if again := feelings.Apply(text); again != text && r.felt() {
		if plan := r.p.PlanFor(language.Analyse(again)); len(plan.Steps) == 1 && plan.Steps[0].Tool == "express_emotion" {
			text = again
		}
	}
	if r.Last != nil {
		text = leaningOn.Apply(text)
		text = r.insteadOf(text)
	}
	if text == r.u.Text || r.u.TooLong || r.plan.Outcome == planner.OutcomeRefuse {
		return
	}
	r.u = language.Analyse(text)
	r.plan = r.p.PlanFor(r.u)
}

// read says what the sentence means.
func (r *reader) read() Reading {
	u, plan := r.u, r.plan
	plain := Reading{Plan: plan, Text: u.Text}
	if plan.Outcome == planner.OutcomePlan {
		plain.repeats = plan.Steps
	}
	if u.TooLong || plan.Outcome == planner.OutcomeRefuse || allows(u.Tokens) {
		return plain
	}
	said, leans := slotsOf(u.Tokens)
	if at := objection(u.Tokens, len(u.Tokens)); leans && at > 0 && at < len(u.Tokens) { // what comes before "no" is taken back
		said, _ = amended(u.Tokens, at)
	}
	r.said = said
	if r.Question != nil {
		if answer, ok := r.answered(leans); ok {
			return answer
		}
	}
	for _, read := range []func() (Reading, bool){r.greeted, r.asksPose, r.deeds, r.referring} {
		if reading, ok := read(); ok {
			return reading
		}
	}
	if leans && said.clash { // "the head right 20, the body left 20"
		if reading, ok := r.byPieces(); ok && (plan.Outcome != planner.OutcomePlan || len(plan.Steps) > 1) { // else the planner knows a correction
			return reading
		}
		leans = plan.Outcome != planner.OutcomePlan
	}
	if leans && r.said.has("again") && r.said.amount != "" && strings.Contains(u.Text, ", and ") { // "the same again, and a bit to the left"
		if reading, ok := r.byPieces(); ok {
			return reading
		}
	}
	if leans {
		if reading, ok := r.byRule(); ok {
			return reading
		}
	}
	for _, read := range []func() (Reading, bool){r.dropped, r.corrected, r.pronoun, r.located, r.gist} {
		if reading, ok := read(); ok {
			return reading
		}
	}
	if reading, ok := r.besideRemarks(); ok && !leans {
		return reading
	}
	for _, read := range []func() (Reading, bool){r.loosely, r.unfinished} {
		if reading, ok := read(); ok {
			return reading
		}
	}
	return plain
}

// leaves are what a stop is released with: no movement of its own, although "move again" stands in it.
var leaves = language.Phrases("leave-to-move")

func allows(toks language.Tokens) bool {
	for i := range toks {
		if leaves.Has(toks, i) {
			return true
		}
	}
	return false
}

// byRule asks the rules in order.
func (r *reader) byRule() (Reading, bool) {
	if r.Last != nil && r.Moved != nil && !moves(r.Last.Steps) && r.said.leansOnMove() { // a question was asked in between
		state := *r.State
		state.Last, r.State = r.Moved, &state
	}
	for i := range rules {
		if !rules[i].when(&r.said) {
			continue
		}
		if reading, ok := rules[i].read(r); ok {
			if reached != nil {
				reached(rules[i].name)
			}
			return reading, true
		}
	}
	return Reading{}, false
}

// dropped reads what stands behind "forget it,": that counts.
func (r *reader) dropped() (Reading, bool) {
	toks := r.u.Tokens
	at := r.u.Address.To
	for at < len(toks) && addresses.Len(toks, at) > 0 {
		at += addresses.Len(toks, at)
	}
	key, n := followUps.Match(toks, at)
	if at += n; key != "never-mind" || !toks.IsMark(at) || at+1 >= len(toks) {
		return Reading{}, false
	}
	rest := r.u.Text[toks[at+1].Start:]
	inner := *r
	inner.plan = r.p.PlanFor(language.Analyse(rest))
	if inner.plan.Outcome == planner.OutcomePlan {
		return inner.whole(rest)
	}
	said, leans := slotsOf(toks[at+1:])
	if inner.said = said; !leans {
		return Reading{}, false
	}
	return inner.byRule()
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
