package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
)

// Runtime answers what is beyond the built-in planner: conversation, questions, open requests, tools that are still to be
// written.
type Runtime interface {
	// Called is the name that people have given the robot.
	Called() string
	// Match reads a sentence of a session, of which the planner by itself has made alone, and p after what was done before. It is
	// nil when the sentence is left to the planner. It must not take long. A sentence that begins with a stop is never asked about.
	Match(session string, u *language.Utterance, alone, p planner.Plan) Match
	// Understands reports whether somebody surely makes something of such a sentence, rather than guess, or tell that it is not understood.
	Understands(session string, u *language.Utterance, alone, p planner.Plan) bool
	// Models reports whether a language model answers what nobody understands.
	Models() bool
	// Stop is told a sentence that is a stop, when what moves has been interrupted.
	Stop(u *language.Utterance)
	// End ends what a sentence names of what is done later or regularly, and says what it ended; ok is false when the
	// sentence names nothing of the kind.
	End(u *language.Utterance) (text string, ok bool)
	// Kept is what is kept for later, the oldest first.
	Kept() []language.Kept
	// Plays reports whether a sentence belongs to a game that the session plays.
	Plays(session string, u *language.Utterance) bool
	// Listed are the things on a list of a session.
	Listed(session, list string) []string
	// Handle answers a request and does what it asks for, by r.Call only. It returns soon after ctx ends.
	Handle(ctx context.Context, r Request) Answer
}

// RememberWhat is what is asked where something is to be remembered that is not said yet; the next sentence is that.
const RememberWhat = "Gladly. What shall I remember?"

// Match is what a Runtime has recognised in a sentence. It is carried from Match to Handle, so that nothing is read twice;
// only who made it looks into it.
type Match any

// Request is what a Runtime is asked.
type Request struct {
	Session string
	Trace   string
	Text    string
	Whole   string // the sentence as it was said; Text may be only a part of it, or in other words
	// Utterance is Text as it was analysed; nil where it was not, or where Text is in words of somebody else.
	Utterance *language.Utterance
	Plan      planner.Plan // what the built-in planner makes of it
	Match     Match        // what was recognised in Text; nil where nobody has read it
	History   []Exchange   // what was said before in this session, oldest first
	Unsure    bool         // it may have been something else that was said
	// Call calls a tool. The first tool that moves the robot waits until the robot is free.
	Call func(ctx context.Context, name string, args json.RawMessage) tool.Result
	// Partial publishes the reply as far as it has come, for those who want to read or hear it early.
	Partial func(text string)
	// Thinks tells that a language model is asked, which may take a while; nil for nobody.
	Thinks func()
}

// Listener hears of a turn while it is thought about: whoever says it aloud need not wait for its end.
type Listener interface {
	// Thinks is called when a language model is asked.
	Thinks()
	// Partial is called with the reply as far as it has come. The reply may become another one all the same.
	Partial(text string)
}

type listenerKey struct{}

// WithListener returns a context for Turn of which l hears while the turn is thought about.
func WithListener(ctx context.Context, l Listener) context.Context {
	return context.WithValue(ctx, listenerKey{}, l)
}

// Said is Text as it was analysed; it is analysed now where nobody has.
func (r *Request) Said() *language.Utterance {
	if r.Utterance == nil || r.Utterance.Text != r.Text {
		r.Utterance = language.Analyse(r.Text)
	}
	return r.Utterance
}

// Answer is what a Runtime has to say. The outcome is OutcomeAnswered, OutcomeError, OutcomeRefuse, OutcomeFailed,
// OutcomeInterrupted or OutcomeNone; with OutcomeNone and no text the planner's own words are the reply.
type Answer struct {
	Outcome Outcome
	Text    string
}

// match is what the runtime recognises in the sentence of a turn; nil when the turn is the planner's.
func (c *Coordinator) match(t *Trace, u *language.Utterance) (m Match) {
	says := t.reading.Say != "" && t.alone.Outcome == planner.OutcomeNone
	if c.o.Runtime == nil || stops(t.Plan) || t.reading.Say != "" && !says || t.reading.Known && !c.o.Runtime.Plays(t.Session, u) {
		return nil
	}
	plan := t.Plan
	if says { // the conversation has an answer, unless somebody understands it whole
		plan.Outcome = planner.OutcomePlan
	}
	defer func() {
		if v := recover(); v != nil {
			c.o.Failed(fmt.Errorf("runtime, sentence %q: panic: %v", t.Text, v))
			m = nil
		}
	}()
	return c.o.Runtime.Match(t.Session, u, t.alone, plan)
}

// stopped tells the runtime of a sentence that begins with a stop.
func (c *Coordinator) stopped(u *language.Utterance) {
	if c.o.Runtime == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			c.o.Failed(fmt.Errorf("runtime, sentence %q: panic: %v", u.Text, v))
		}
	}()
	c.o.Runtime.Stop(u)
}

// handle lets the runtime answer the turn in which it has recognised m.
func (c *Coordinator) handle(ctx context.Context, t *Trace, u *language.Utterance, m Match, claim *arbiter.Claim, s *session) {
	var mu sync.Mutex // a runtime may call several tools at once
	request := Request{Session: t.Session, Trace: t.ID, Text: u.Text, Whole: t.Text, Utterance: u, Plan: t.Plan, Match: m, History: s.said(), Unsure: Unsure(ctx)}
	request.Call = func(ctx context.Context, name string, args json.RawMessage) tool.Result {
		if c.acts([]planner.Step{{Tool: name}}) {
			mu.Lock()
			free := claim.Act()
			mu.Unlock()
			if !free {
				return tool.Interrupted(claim.Context())
			}
		}
		step := c.step(ctx, name, args)
		mu.Lock()
		defer mu.Unlock()
		t.Steps = append(t.Steps, step)
		return step.Result
	}
	listener, _ := ctx.Value(listenerKey{}).(Listener)
	if listener != nil {
		request.Thinks = listener.Thinks
	}
	request.Partial = func(text string) {
		if listener != nil {
			listener.Partial(text)
		}
		c.o.Publisher.Publish(t.ID, api.Partial{Session: t.Session, Speaker: api.SpeakerRobot, Text: text})
	}
	reading := t.reading
	c.beginOther(t)
	defer func() { c.end(t) }()
	answer := c.answer(ctx, request)
	mu.Lock()
	defer mu.Unlock()
	t.Outcome, t.Reply = answer.Outcome, strings.TrimSpace(answer.Text)
	switch {
	case ctx.Err() != nil:
		t.Outcome = OutcomeInterrupted
		t.Reply = "I was interrupted before I was done."
		if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
			t.Reply = "That took too long, so I gave up."
		} else if cause != nil && !errors.Is(cause, context.Canceled) {
			t.Reply = fmt.Sprintf("I was interrupted (%v) before I was done.", cause)
		}
	case t.Reply == "" && t.Outcome == OutcomeNone:
		t.Outcome = Outcome(t.Plan.Outcome)
		if t.Plan.Outcome == planner.OutcomePlan {
			t.reading = reading
			c.runPlan(ctx, t, claim)
			return
		}
		t.Reply = c.words(t)
	case t.Reply == "":
		t.Reply = "I have nothing to say about that."
	}
}

// runPlan runs the planner's own plan after all.
func (c *Coordinator) runPlan(ctx context.Context, t *Trace, claim *arbiter.Claim) {
	if c.acts(t.Plan.Steps) && !claim.Act() {
		c.unbegun(ctx, t)
		return
	}
	c.run(ctx, t)
}

// answer asks the runtime; one that panics must not take the robot down.
func (c *Coordinator) answer(ctx context.Context, r Request) (a Answer) {
	defer func() {
		if v := recover(); v != nil {
			c.o.Failed(fmt.Errorf("runtime, sentence %q: panic: %v", r.Text, v))
			a = Answer{OutcomeFailed, "Something in my mind broke over this sentence; please say it in other words."}
		}
	}()
	return c.o.Runtime.Handle(ctx, r)
}
