package runtime

import (
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/smalltalk"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// match is what the Runtime has read in a sentence.
type match struct {
	said    *template.Sentence
	u       *language.Utterance // in which words it was read, where these are others than those that were said
	verdict guard.Verdict
	act     memory.Act
	what    string            // of act
	list    *memory.List      // what it wants of a list; nil where it wants nothing
	tools   *Route            // where the planner's no is about a tool
	coder   coordinator.Match // nil without a coder
	talk    *smalltalk.Match  // nil when small talk has nothing to say
}

// Match implements coordinator.Runtime: it takes everything that the planner does not understand, and of the rest what must
// not be done, what is for the memory, and what a self-made tool does. "15 percent of 300" is that also behind a movement, of which
// it could be so many degrees; "mirror that" is about the movement.
func (m *Runtime) Match(session string, u *language.Utterance, alone, p planner.Plan) coordinator.Match {
	if planner.OfFaces(alone) != "" && planner.OfFaces(p) != "" && !m.toldOf(session, u) {
		return nil
	}
	if m.o.Talk != nil { // a sum moves nothing, whatever else could be read in its numbers
		if talk := m.o.Talk.WorkOut(session, u); talk != nil && judge(u, p).OK() {
			return &match{said: u.Said, talk: talk}
		}
	}
	if again := m.again(session, u); again != nil && (len(p.Steps) == 0 || language.ThrownAgain(u, m.lastAsked(session))) {
		return again
	}
	if leans := alone.Outcome == planner.OutcomeNone || alone.Deed() != p.Deed(); leans && p.Outcome == planner.OutcomePlan && !pointing(u) {
		r := m.read(session, u, alone, true)
		if r.verdict.OK() && (m.serves(r) || len(p.Steps) > 0 && r.talk.Alone() && r.talk.Goes(alone)) {
			return r
		}
	}
	guesses := p.Outcome == planner.OutcomeNone // beside a plan no guess counts
	r := m.read(session, u, p, guesses)
	switch {
	case guesses:
		return m.inOtherWords(session, u, r)
	case !m.takes(session, r, p):
		if other := m.toldAsAsked(session, u, p); other != nil {
			return other
		}
		return nil
	case r.verdict.OK() && r.talk == nil && m.o.Talk != nil: // it may have to be answered without the plan
		r.talk = m.o.Talk.Match(session, u)
	}
	return r
}

// Understands implements coordinator.Runtime.
func (m *Runtime) Understands(session string, u *language.Utterance, alone, p planner.Plan) bool {
	r, ok := m.Match(session, u, alone, p).(*match)
	return ok && r != nil && m.understood(r) && (r.act != memory.None || r.talk == nil || r.talk.Plays() || !r.talk.More() || m.serves(r))
}

// Models implements coordinator.Runtime.
func (m *Runtime) Models() bool { return m.talks() == nil }

// toldAsAsked reads what the planner would only say after somebody as the question that it is: "tell me roughly what time it is".
func (m *Runtime) toldAsAsked(session string, u *language.Utterance, p planner.Plan) *match {
	if len(p.Steps) != 1 || p.Steps[0].Tool != "speak" {
		return nil
	}
	if r := m.inOtherWords(session, u, &match{}); r.u != nil && m.understood(r) {
		return r
	}
	return nil
}

// toldOf reports whether a sentence asks for something that the person has told: "who am I" is answered by the name that was told before
// the eyes are asked.
func (m *Runtime) toldOf(session string, u *language.Utterance) bool {
	act, what := memory.Understand(u)
	if act != memory.Recall || m.o.Memory == nil {
		return false
	}
	facts, err := m.o.Memory.Recall(session, what)
	return err == nil && len(facts) > 0
}

var pointers = language.Words("pointers")

// pointing reports whether a sentence says "that" or "it", which may be what was done before; not so in "would you say that 91 is prime"
// and "sorry about that".
func pointing(u *language.Utterance) bool {
	for i := range u.Tokens {
		says := i+1 < len(u.Tokens) && u.Tokens[i+1].Kind == language.Number
		if pointers[u.Tokens[i].Word] && !says && (i == 0 || u.Tokens.Word(i-1) != "about") {
			return true
		}
	}
	return false
}

// read is what everybody makes of a sentence; with guesses small talk also says what it is not sure of.
func (m *Runtime) read(session string, u *language.Utterance, p planner.Plan, guesses bool) *match {
	r := &match{said: u.Said, verdict: judge(u, p)}
	if r.verdict.Reason == guard.Impossible && m.o.Talk != nil { // "I go home now" asks for nothing
		if talk := m.o.Talk.Match(session, u); talk.Over(string(planner.OutcomeRefuse)) {
			r.verdict = guard.Verdict{}
		}
	}
	if !r.verdict.OK() {
		return r
	}
	if route, ok := aboutTools(u, p); ok {
		r.tools = &route
	}
	if l, ok := memory.ListOf(u); ok {
		r.list = &l
	}
	r.act, r.what = memory.Understand(u)
	if name, _ := memory.Presents(u); guesses && r.act == memory.None && name != "" { // not beside a command
		r.act, r.what = memory.Remember, "my name is "+name
	}
	if place := memory.Place(u); place != "" && m.o.Memory != nil {
		if facts, err := m.o.Memory.Recall(session, place); err == nil && len(facts) > 0 {
			r.act, r.what = memory.Recall, place
		}
	}
	if told := m.told(session, u); told != "" && r.act == memory.None && // several words of one fact are no chance
		(guesses && strings.Contains(told, " ") || memory.ToldWhere(u) && (guesses || asksTheEyes(p))) {
		r.act, r.what = memory.Recall, told
	}
	if m.o.Coder != nil {
		r.coder = m.o.Coder.Match(session, u, p)
	}
	switch {
	case m.o.Talk == nil:
	case guesses:
		r.talk = m.o.Talk.Match(session, u)
	default:
		r.talk = m.o.Talk.Surely(session, u)
	}
	return r
}

// asksTheEyes reports whether a plan is to look for something.
func asksTheEyes(p planner.Plan) bool { return len(p.Steps) == 1 && p.Steps[0].Tool == "find_object" }

// told are the words of a question that was answered by what somebody told the robot; empty where it was not.
func (m *Runtime) told(session string, u *language.Utterance) string {
	if m.o.Memory == nil {
		return ""
	}
	return m.o.Memory.Told(session, u)
}

// takes says whether a sentence of which the planner makes something is not the planner's all the same.
func (m *Runtime) takes(session string, r *match, p planner.Plan) bool {
	if !r.verdict.OK() || r.tools != nil && m.talks() == nil || r.talk.Plays() {
		return true
	}
	if r.list != nil {
		return true
	}
	switch r.act {
	case memory.Remember:
		return true
	case memory.Forget: // "forget the tilt" takes back a movement
		return len(p.Steps) == 0 || !p.Steps[0].Axes.Named()
	case memory.Recall: // "where is my cup" may be a question for the eyes
		facts, err := m.o.Memory.Recall(session, r.what)
		if err == nil && len(facts) > 0 {
			return true
		}
	}
	return m.serves(r) || m.chats(r, p)
}

// chats says whether small talk answers: it does where it is sure, and where no model would.
func (m *Runtime) chats(r *match, p planner.Plan) bool {
	return r.talk != nil && r.talk.Goes(p) && (r.talk.Sure && !r.talk.Yields() || m.talks() != nil)
}

func (m *Runtime) serves(r *match) bool { return r.coder != nil && m.o.Coder.Serves(r.coder) }

// judge is the guard's verdict on a sentence. What the planner refuses, it refuses in words of its own.
func judge(u *language.Utterance, p planner.Plan) guard.Verdict {
	switch p.Outcome {
	case planner.OutcomeNone:
		return guard.Input(u)
	case planner.OutcomeRefuse:
		return guard.Verdict{}
	}
	return guard.Command(u)
}
