package dialogue

import (
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/frames"
)

// What a network that learned from many people's sentences makes of one (package frames) is said in words that the rules read: so it
// means what these words mean where they are said, within the same limits. The words are in perception/language/en/frames.txt.

var (
	frameWords   = language.Texts("frames")
	frameParts   = language.Texts("frame-parts")
	frameAmounts = language.Texts("frame-amounts")
)

// How sure the network must be, measured on writers whose sentences it did not learn (agents/eval/frames, RATIONALE.md).
const (
	sureToMove   = 0.4  // of a movement, where nobody else has read the sentence
	sureToAct    = 0.5  // of what else the robot does
	sureToDiffer = 0.3  // where the rules have searched the sentence for what it names
	sureOfTalk   = 0.45 // that nothing is to move, where they have found something
	sureOfMore   = 0.65 // of what leaves out a number, or takes back everything, or that something is asked that the planner does
	sureOfPlan   = 0.65 // where the planner reads the sentence as a command
	sureOfIt     = 0.85 // that nothing is to be done, where nothing moves; where "it" may be what the rules know it to be
	sureOfOther  = 0.75 // where something is corrected in it, or lacks; or it is said to somebody else
)

// speeches are frames that move nothing.
var speeches = map[string]bool{
	"talk": true, "ask": true, "chat": true, "praise": true, "blame": true, "greet": true, "thanks": true, "remember": true,
}

// learned holds what was read against what the network reads.
func (r *reader) learned(first Reading) Reading {
	if r.unlearned || r.closed(&first) || r.terse() {
		return first
	}
	got := frames.Read(r.u, r.before())
	if all(got.Frames, "ask") && got.Sure >= sureOfTalk && len(first.Steps()) == 0 && r.plan.Message == planner.NotUnderstood && r.asksOfPose() {
		return r.poseTold()
	}
	second, ok := r.asked(got.Frames, got.Numbers)
	if !ok || got.Sure < r.need(&first, &second, &got) || looksUp(&first) && len(second.Steps()) == 0 {
		return first
	}
	if stirs(&second) && !stirs(&first) && noMovements.Find(r.u.Said) != nil {
		return first
	}
	if stirs(&second) && !stirs(&first) && r.asksOrReports() {
		if from := r.u.Address.To; poseAsks[r.u.Tokens.Word(from)] && partIn(r.u.Tokens) != "" {
			return r.poseTold()
		}
		return first
	}
	return second
}

// asksOrReports reports whether a sentence asks for what is so or tells what others do, and asks for no movement beside that: "what did I make
// you undo", "there we go, he's giggling again", "is your body left or right of straight ahead now I can't see it".
func (r *reader) asksOrReports() bool {
	found := false
	for _, c := range clausesOf(r.u.Tokens[r.u.Address.To:]) {
		from := 0
		for from < len(c)-1 && (openers[c.Word(from)] || c.Word(from) == "and" || c.Word(from) == "but") {
			from++
		}
		w, next, third := c.Word(from), c.Word(from+1), c.Word(from+2)
		switch {
		case gistRemarks.Len(c, from) > 0: // "where was I, ah yes"
			return false
		case factWords[w] && next != "about" && next != "if" && next != "not" && (w != "why" || next != "do"),
			poseAsks[w] && next == "your",
			otherPersons[w] && (poseAsks[next] || next == "has" || next == "have") && strings.HasSuffix(third, "ing"),
			otherPersons[w] && from == 0 && next != "" && !othersAsk[next] && !poseAsks[next]: // "he made a lovely bow"
			found = true
		case r.beside(c), peels(c, peelLeads):
		default:
			if _, names := island(c); names {
				return false
			}
		}
	}
	return found
}

// factWords begin questions for what is so, otherPersons are who is told of.
var (
	factWords    = language.Words("fact-words")
	otherPersons = language.Words("other-persons")
	othersAsk    = language.Words("others-ask")
	noMovements  = language.Patterns("no-movements")
)

// looksUp reports whether a reading is a question for the eyes, which the network knows as a question only: "where is the duck".
func looksUp(r *Reading) bool {
	steps := r.Steps()
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s planner.Step) bool { return !lookups[s.Tool] })
}

var lookups = map[string]bool{
	"find_object": true, "detect_objects": true, "analyze_scene": true, "describe_image": true, "get_robot_state": true, "search_web": true,
}

// asked is what frames mean where they are said; false where they have no words that the rules read.
func (r *reader) asked(all []frames.Frame, numbers []float64) (Reading, bool) {
	requests := slices.DeleteFunc(slices.Clone(all), func(f frames.Frame) bool { return speeches[f[0]] })
	silent := Reading{Plan: r.silent(), Text: r.u.Text}
	switch {
	case len(all) == 0:
		return Reading{}, false
	case len(requests) == 0:
		return silent, true
	case slices.ContainsFunc(requests, func(f frames.Frame) bool { return f[0] == "when" }):
		if r.asksOrReports() { // "when is Easter" waits for nothing
			return silent, true
		}
		silent.Say = replies["no-conditions"]
		return silent, true
	}
	if len(requests) > 1 && slices.ContainsFunc(requests[1:], leansOn) {
		if reading, ok := r.inTurn(requests, numbers); ok {
			return reading, true
		}
	}
	return r.inRules(requests, numbers)
}

// leansOn reports whether a frame changes what was done before it.
func leansOn(f frames.Frame) bool {
	return changes[f[0]] || f[0] == "instead" || f[0] == "move" && at(f, 1) == "it"
}

// changes are frames that change what was done.
var changes = map[string]bool{
	"other-way": true, "again": true, "double": true, "half": true, "undo": true, "back": true, "more": true, "less": true,
	"third": true, "quarter": true, "same": true, "undo-all": true,
}

// beside are frames that belong to the one beside them: "again, slower".
var beside = map[string]bool{"keep": true, "slower": true, "faster": true}

// inTurn reads frames one after the other, each where those before it have brought the robot: "turn left 40, then back 10".
func (r *reader) inTurn(requests []frames.Frame, numbers []float64) (Reading, bool) {
	state, now := r.Copy(), r.now
	all := Reading{Plan: planner.Plan{Text: r.u.Text, Outcome: planner.OutcomePlan}}
	for _, f := range requests {
		if f[0] == "hold" {
			continue
		}
		inner := *r
		inner.State, inner.now = &state, now
		one, ok := inner.inRules([]frames.Frame{f}, numbers)
		if !ok || one.Ask != nil || beside[f[0]] {
			return Reading{}, false
		}
		before, start := now.Pose, now.Pose
		if one.Base != nil {
			start = *one.Base
		}
		state.Begin(&one, before)
		for _, s := range one.Steps() {
			if _, ok := s.Args["steps"]; ok && s.Axes.Named() {
				return Reading{}, false
			}
			step, _ := Resolve(s, start, now.Pose)
			for a := range planner.NumAxes {
				if arguments[a].tool == s.Tool && step.Args[arguments[a].name] != nil {
					step.Axes[a] = planner.To
				}
			}
			now.Pose = After(step, now.Pose)
			all.Plan.Steps = append(all.Plan.Steps, step)
		}
		state.End(&one, before, now.Pose, true)
		all.Text, all.repeats = one.Text, append(all.repeats, one.repeats...)
	}
	return all, len(all.Plan.Steps) > 0
}

// closed reports whether nobody need be asked what a sentence means: it answers a question, or was refused.
func (r *reader) closed(first *Reading) bool {
	return r.u.TooLong || len(r.u.Tokens) == 0 || r.Question != nil || first.Plan.Outcome == planner.OutcomeRefuse
}

// politely reports whether an "if" is politeness rather than a condition: "if you would", "if it's no trouble".
func (r *reader) politely() bool {
	for i := range r.u.Tokens {
		if politeIfs.Has(r.u.Tokens, i) {
			return true
		}
	}
	return false
}

var politeIfs = language.Phrases("polite-ifs")

// maxTerse is how many words a command has about which nobody need be asked a second time.
const maxTerse = 5

// terse reports whether the sentence is a short command that begins with its verb, and that the planner reads by itself.
func (r *reader) terse() bool {
	toks := r.u.Tokens[r.u.Address.To:]
	if len(toks) > 0 && toks.IsMark(len(toks)-1) {
		toks = toks[:len(toks)-1]
	}
	mark := slices.ContainsFunc(toks, func(t language.Token) bool { return t.Kind == language.Mark })
	if wordy(r.plan.Steps) {
		return false
	}
	return r.plan.Outcome == planner.OutcomePlan && len(toks) <= maxTerse && !mark && language.IsVerb(toks.Word(0))
}

// wordy reports whether something is looked at of so many words that it may be none: "give the audience a bow".
func wordy(steps []planner.Step) bool {
	return slices.ContainsFunc(steps, func(s planner.Step) bool {
		thing, _ := s.Args["target"].(string)
		return aims[s.Tool] && strings.Count(thing, " ") > 1
	})
}

// need is how sure the network must be that its reading counts and not the first.
func (r *reader) need(first, second *Reading, got *frames.Reading) float64 {
	acted, does := len(first.Steps()) > 0, does(second)
	// What the planner looks at may be any words.
	planned := r.plan.Outcome == planner.OutcomePlan && !slices.ContainsFunc(first.Steps(), func(s planner.Step) bool { return aims[s.Tool] })
	switch {
	case r.sticks(first, second, got), planned && does && second.Ask == nil && len(second.Steps()) < len(first.Steps()):
		return never
	case r.says("it") && (all(got.Frames, "reset") || vague[at(got.Frames[0], 1)] && r.known()): // the rules know what it is
		return sureOfIt
	case acted && missed(first, got) && !r.fixesWithin():
		return sureToDiffer
	case acted && r.known():
		return never
	case acted && r.fixesWithin(), first.Ask != nil,
		does && slices.ContainsFunc(clausesOf(r.u.Tokens), r.calls): // somebody else is called by name
		return sureOfOther
	case planned && second.Ask == nil:
		return sureOfPlan
	case r.plan.Outcome == planner.OutcomePlan, does && unused(got), all(got.Frames, "reset"), named(got, "undo-all"):
		return sureOfMore
	case !does && second.Say == "" && stirs(first):
		return sureOfTalk
	case !does && second.Say == "":
		return sureOfIt
	case acted:
		return sureToDiffer
	case moves(second.Steps()) || second.Ask != nil:
		return sureToMove
	}
	return sureToAct
}

// does reports whether a reading does something, or asks what it lacks.
func does(r *Reading) bool { return len(r.Steps()) > 0 || r.Ask != nil }

func named(got *frames.Reading, name string) bool {
	return slices.ContainsFunc(got.Frames, func(f frames.Frame) bool { return f[0] == name })
}

// sticks reports whether the first reading counts, however sure the network is.
func (r *reader) sticks(first, second *Reading, got *frames.Reading) bool {
	acted, does := len(first.Steps()) > 0, does(second)
	feels := !slices.ContainsFunc(got.Frames, func(f frames.Frame) bool { return f[0] != "emotion" && f[0] != "sleep" && f[0] != "wake" })
	switch {
	case feels && (r.u.Question || len(got.Numbers) > 0): // "are you tired?", an alarm
		return true
	case !acted && !does: // neither does anything, but one may say why
		return second.Say == "" || named(got, "when") && r.politely()
	case named(got, "when"):
		return r.politely()
	case !does && (first.Ask != nil || !stirs(first) && !named(got, "talk")): // to ask does no harm; it answers a question
		return true
	}
	return performs(first) && (!performs(second) || slices.ContainsFunc(acts(first.Steps()), unlearned)) // the rules know more gestures
}

// unlearned reports whether a step is a gesture that the network has no word for: a wave.
func unlearned(s planner.Step) bool { return s.Tool == "gesture" && frameWords[frameNamed(s)] == "" }

// stirs reports whether a reading moves the robot.
func stirs(r *Reading) bool {
	return slices.ContainsFunc(r.Steps(), func(s planner.Step) bool {
		known := catalog.ToolNamed(s.Tool)
		return known != nil && known.Moves || s.Tool == "repeat"
	})
}

// performs reports whether a reading is of gestures and feelings only.
func performs(r *Reading) bool {
	steps := r.Steps()
	return len(steps) > 0 && len(acts(steps)) == len(steps)
}

// known reports whether the rules know every word of the sentence, or the planner how it corrects itself.
func (r *reader) known() bool {
	_, leans := slotsOf(r.u.Tokens)
	return leans || r.plan.Outcome == planner.OutcomePlan && r.fixesWithin()
}

// all reports whether frames are nothing but one name.
func all(requests []frames.Frame, name string) bool {
	return len(requests) > 0 && !slices.ContainsFunc(requests, func(f frames.Frame) bool { return len(f) > 1 || f[0] != name })
}

// vague are parts of a frame that "it" may be.
var vague = map[string]bool{"": true, "turn": true, "head": true, "it": true, "same": true}

// missed reports whether steps leave out a number that the frames have.
func missed(first *Reading, got *frames.Reading) bool {
	if unused(got) {
		return false
	}
	var has []float64
	var collect func(steps []planner.Step)
	collect = func(steps []planner.Step) {
		for _, s := range steps {
			for _, v := range s.Args {
				switch v := v.(type) {
				case float64:
					has = append(has, math.Abs(v))
				case []planner.Step:
					collect(v)
				}
			}
		}
	}
	collect(first.Plan.Steps)
	for _, n := range got.Numbers {
		i := slices.Index(has, math.Abs(n))
		if i < 0 {
			return true
		}
		has = slices.Delete(has, i, i+1)
	}
	return false
}

// unused reports whether a number is said that no frame has.
func unused(got *frames.Reading) bool {
	used := 0
	for _, f := range got.Frames {
		for _, symbol := range f {
			if _, ok := number(symbol, got.Numbers); ok {
				used++
			}
		}
	}
	return used < len(got.Numbers)
}

// never is surer than the network can be.
const never = 2

// inRules lets the rules read frames in their words; false when they do not know them.
func (r *reader) inRules(requests []frames.Frame, numbers []float64) (Reading, bool) {
	text, ok := inWords(requests, numbers)
	if !ok {
		return Reading{}, false
	}
	inner := *r
	inner.u = language.Analyse(text)
	inner.plan = r.p.PlanFor(inner.u)
	inner.reworded()
	reading, ok := inner.excepting()
	if !ok {
		reading, ok = inner.accounted()
		reading.Known = false // the words are not what was said
	}
	if !ok {
		reading = inner.secondly(inner.wholly(inner.gazing(inner.read())))
	}
	reading.Plan.Text = r.u.Text
	does := len(reading.Steps()) > 0 && reading.Plan.Outcome != planner.OutcomeError
	return reading, does || reading.Ask != nil
}

func (r *reader) says(word string) bool {
	return slices.ContainsFunc(r.u.Tokens, func(t language.Token) bool { return t.Word == word })
}
