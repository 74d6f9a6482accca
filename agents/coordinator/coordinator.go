// Package coordinator runs turns of conversation: it plans what a sentence asks for, calls the tools in order, answers
// in words, and keeps a trace of all of it.
package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
)

// Planner says what a sentence asks for.
type Planner interface {
	PlanFor(u *language.Utterance) planner.Plan
}

// Tools is the registry of tools.
type Tools interface {
	Get(name string) (tool.Spec, bool)
	List() []tool.Spec
	Call(ctx context.Context, name string, args json.RawMessage) tool.Result
	// CallValues is Call with arguments that are values already.
	CallValues(ctx context.Context, name string, args map[string]any) tool.Result
}

// Publisher is the stream of events.
type Publisher interface {
	Publish(trace string, data api.Payload)
}

// Store keeps traces and sessions over a restart.
type Store interface {
	// SaveTurn keeps a turn and what is new of the session that it was said in (nil: none), at once.
	SaveTurn(t *Trace, s *Session) error
	// SaveSession keeps what is new of a session (nil: nothing).
	SaveSession(s *Session) error
	// LoadSession returns the session of that ID and whether there is one.
	LoadSession(id string) (Session, bool, error)
	// DeleteSession removes the session and its traces.
	DeleteSession(id string) error
}

// Options are the parts and limits of a Coordinator. Planner, Tools and Publisher must be there.
type Options struct {
	Planner   Planner
	Runtime   Runtime // nil: what the planner does not understand is answered with what the robot can do
	Tools     Tools
	Publisher Publisher
	Body      Body           // nil: nothing is known of what moves, and no stop is released by speech
	World     dialogue.World // where the robot is; nil: every sentence is taken by itself, from the middle
	// Volume is how loud the voice is now, 0…100; nil: that is not known, and "louder" is a fixed level.
	Volume func(ctx context.Context) (int, error)
	Store  Store            // nil keeps nothing over a restart
	Now    func() time.Time // time.Now when nil
	Failed func(error)      // told what could not be stored; nil for nobody

	// Caller calls tools for others, too, in turn with the coordinator; nil makes one of Tools and Limits.
	Caller  *Caller
	MaxText int // characters of a sentence; 2000 when 0
	Limits
}

// Limits of sessions.
const (
	MaxSessionID = 64  // bytes
	MaxHistory   = 100 // exchanges that a session remembers
	maxSessions  = 64  // in memory; the store keeps the others
	// DefaultSession is the session of a turn that names none.
	DefaultSession = "default"
)

// Errors of Turn; what goes wrong later is told in the Reply.
var (
	ErrText    = errors.New("text cannot be used")
	ErrSession = errors.New("session cannot be used")
	ErrBusy    = errors.New("too many turns are waiting")
	ErrClosed  = errors.New("the coordinator is closed")
)

// Coordinator runs turns. All its methods may be called by many goroutines at once.
//
// Turns of one session run one after the other, in the order in which they came. Only one turn or direct call that
// acts on the robot runs at a time over all sessions, and the newest wins: it interrupts those that act or wait to
// act, and begins when they have ended. A turn that says stop waits for nothing and interrupts everything that acts.
type Coordinator struct {
	*Caller // its Close closes the coordinator

	o        Options
	sessions sessions
	readings readings

	goalMu sync.Mutex
	goal   *dialogue.Pose // where the last step has brought the robot; nil before the first
}

// New returns a coordinator.
func New(o Options) *Coordinator {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	if o.MaxText == 0 {
		o.MaxText = 2000
	}
	if o.Caller == nil {
		o.Caller = NewCaller(o.Tools, o.Limits, o.Now)
	}
	c := &Coordinator{Caller: o.Caller, o: o}
	c.sessions = sessions{store: o.Store, failed: o.Failed, now: o.Now, open: map[string]*session{}}
	return c
}

// Reply is what a turn answers.
type Reply struct {
	Text  string // in words, for a person
	Trace *Trace // all that happened; not to be changed
}

// Turn does what text asks for and answers when it is done. An empty session is DefaultSession. The error wraps
// ErrText, ErrSession, ErrBusy or ErrClosed, and then nothing has been done.
func (c *Coordinator) Turn(ctx context.Context, session, text string) (Reply, error) {
	if session == "" {
		session = DefaultSession
	}
	if err := c.check(session, text); err != nil {
		return Reply{}, err
	}
	read := c.reads(session, language.Tidied(text), Unsure(ctx))
	if all := c.several(session, &read, Unsure(ctx)); len(all) > 0 {
		return c.turns(ctx, session, text, all)
	}
	if other, ok := c.inPassing(session, &read, nil, Unsure(ctx)); ok {
		read = other
	}
	return c.turn(ctx, session, text, &read)
}

// turn does what a text that was read asks for.
func (c *Coordinator) turn(ctx context.Context, session, text string, read *understanding) (Reply, error) {
	plan := read.reading.Plan
	urgent := stops(plan)
	leave, err := c.enter(urgent)
	if err != nil {
		return Reply{}, err
	}
	defer leave()

	ctx, cancel := context.WithTimeout(ctx, c.limits.TurnTime)
	defer cancel()
	start := c.o.Now()
	t := &Trace{
		ID: cmp.Or(tool.Trace(ctx), c.ids.next(start)), Session: session, Text: text, TS: start,
		Plan: plan, Steps: []Step{}, Outcome: Outcome(plan.Outcome), recorder: trace.NewRecorder(c.o.Now),
		alone: read.alone, reading: read.reading, halt: read.ends, wish: read.wish,
	}
	ctx = trace.With(tool.WithSession(tool.WithSpoken(tool.WithTrace(ctx, t.ID)), session), t.recorder)
	trace.Note(ctx, trace.Plan, string(plan.Outcome), plan.Message)
	c.o.Publisher.Publish(t.ID, api.Utterance{Session: session, Text: text})
	c.perform(ctx, t, read.u)
	c.o.Publisher.Publish(t.ID, api.Reply{Session: t.Session, Text: t.Reply, Outcome: string(t.Outcome), DurationMS: t.DurationMS})
	return Reply{Text: t.Reply, Trace: t}, nil
}

func (c *Coordinator) check(session, text string) error {
	if n := utf8.RuneCountInString(text); n > c.o.MaxText {
		return fmt.Errorf("%w: it has %d characters; at most %d are allowed", ErrText, n, c.o.MaxText)
	}
	if !utf8.ValidString(text) {
		return fmt.Errorf("%w: it is not valid UTF-8", ErrText)
	}
	if !validSession(session) {
		return fmt.Errorf("%w: %.64q; allowed are 1…%d letters, digits and _ - . : @", ErrSession, session, MaxSessionID)
	}
	return nil
}

// plan analyses a text and asks the planner; a planner that panics must not take the robot's mind down.
func (c *Coordinator) plan(text string) (u *language.Utterance, p planner.Plan) {
	u = language.Unread(text) //nolint:wastedassign // what is left when Analyse panics
	defer func() {
		if v := recover(); v != nil {
			p = planner.Plan{
				Text: text, Outcome: planner.OutcomeError, Steps: []planner.Step{},
				Message: "I cannot think about this sentence; please say it in other words.",
			}
			c.o.Failed(fmt.Errorf("planner, sentence %q: panic: %v", text, v))
		}
	}()
	u = language.Analyse(text)
	p = c.o.Planner.PlanFor(u)
	planner.Doing(p.Steps)
	return u, p
}

// perform runs the turn when its time has come and fills in the trace.
func (c *Coordinator) perform(ctx context.Context, t *Trace, u *language.Utterance) {
	if c.halt(ctx, t, u) {
		c.record(t)
		return
	}
	match := c.match(t, u)
	if match != nil && t.leans() {
		t.Plan = t.alone // what it would have meant of what was done before is not done
	}
	acts := match == nil && c.acts(t.Plan.Steps)
	var claim *arbiter.Claim
	// Before the wait for the session's other turns, for it is these that are to be interrupted.
	switch {
	case match != nil:
		claim = c.moves.Think(ctx, t.Session)
	case acts:
		claim = c.moves.Claim(ctx)
	}
	if claim != nil {
		defer claim.End()
		ctx = claim.Context()
	}
	if match == nil {
		c.moves.InterruptSession(t.Session, arbiter.ErrNewer)
	}
	s := c.sessions.get(t.Session)
	defer s.release()
	if !s.turns.Enter(ctx) {
		c.unbegun(ctx, t)
		c.record(t)
		return
	}
	defer s.turns.Leave()
	defer c.record(t) // before the session's next turn begins, so that its history is in order
	switch {
	case match != nil:
		c.handle(ctx, t, u, match, claim, s)
	case acts && !claim.Begin():
		c.unbegun(ctx, t)
	default:
		c.run(ctx, t)
	}
}

// run calls the steps in order until one fails.
func (c *Coordinator) run(ctx context.Context, t *Trace) {
	if t.reading.Say != "" {
		c.begin(t)
		t.Outcome, t.Reply = OutcomeAnswered, t.reading.Say
		return
	}
	start, known := c.begin(t)
	if known {
		t.todo = t.reading.Steps()
	}
	for _, s := range t.steps() {
		s, limits, from := c.resolved(c.louder(ctx, s), start)
		step := Step{Tool: s.Tool, TS: c.o.Now()}
		end := c.does(s.Tool, s.Args)
		step.Result = c.o.Tools.CallValues(ctx, s.Tool, s.Args)
		end()
		limited(&step.Result, limits)
		c.answered(&step, &t.reading)
		if known && step.Result.OK() {
			c.reached(s, from)
			if places[s.Tool] {
				start = c.settled(start)
			}
		}
		step.DurationMS = milliseconds(c.o.Now().Sub(step.TS))
		if step.Args = json.RawMessage("{}"); s.Args != nil {
			if raw, err := json.Marshal(s.Args); err == nil {
				step.Args = raw
			}
		}
		t.Steps = append(t.Steps, step)
		if !step.Result.OK() && s.Args["enabled"] == false && len(t.Steps) == 1 && step.Result.Code == tool.CodeUnavailable && len(t.steps()) > 1 {
			t.Steps[0].Result = tool.Success("That is not going on.", nil) // what cannot be done need not be ended
			continue
		}
		if !step.Result.OK() {
			t.Outcome = OutcomeFailed
			if step.Result.Code == tool.CodeCancelled || step.Result.Code == tool.CodeStopped {
				t.Outcome = OutcomeInterrupted
			}
			break
		}
	}
	t.Reply = c.words(t)
	c.end(t)
}

// step calls one tool.
func (c *Coordinator) step(ctx context.Context, name string, args json.RawMessage) Step {
	s := Step{Tool: name, Args: args, TS: c.o.Now()}
	end := c.does(name, decoded(args))
	s.Result = c.o.Tools.Call(ctx, name, args)
	end()
	s.DurationMS = milliseconds(c.o.Now().Sub(s.TS))
	return s
}

// unbegun fills in the trace of a turn that was interrupted while it waited.
func (c *Coordinator) unbegun(ctx context.Context, t *Trace) {
	t.Outcome = OutcomeInterrupted
	t.Reply = "I did not begin with that."
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		t.Reply = fmt.Sprintf("I did not begin with that: %v.", cause)
	}
}

// record keeps a turn that is over, and adds it to its session.
func (c *Coordinator) record(t *Trace) {
	t.Spans, t.SpansDropped = t.recorder.Spans()
	t.DurationMS = milliseconds(c.o.Now().Sub(t.TS))
	c.sessions.record(t)
}

// History returns what was said in a session, oldest first.
func (c *Coordinator) History(session string) []Exchange {
	if !validSession(session) {
		return nil
	}
	return c.sessions.history(session)
}

// Heard notes how much of a turn's reply was heard: who was interrupted does not remember what it did not say.
func (c *Coordinator) Heard(session, trace, text string) {
	if validSession(session) {
		c.sessions.heard(session, trace, text)
	}
}

// Forget removes what was said in a session, and its traces. A turn that runs is not part of it.
func (c *Coordinator) Forget(session string) error {
	if !validSession(session) {
		return fmt.Errorf("%w: %.64q", ErrSession, session)
	}
	c.readings.drop()
	return c.sessions.drop(session)
}
