package coordinator

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/agents/halt"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/language"
)

// Body is the robot, for stops and what releases them.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
	State(ctx context.Context) (hal.State, error)
}

// halts says what a sentence ends, and the plan with that.
func (c *Coordinator) halts(u *language.Utterance, plan planner.Plan) (r halt.Reading, p planner.Plan) {
	defer func() {
		if v := recover(); v != nil {
			c.o.Failed(fmt.Errorf("stops, sentence %q: panic: %v", u.Text, v))
			r, p = halt.Reading{}, plan
		}
	}()
	r = halt.Read(u, plan)
	return r, r.Apply(plan)
}

// halt does what a sentence ends, unless there is more to it, and reports whether the turn is over by that.
func (c *Coordinator) halt(ctx context.Context, t *Trace, u *language.Utterance) (over bool) {
	switch t.halt.Kind {
	case halt.Latch:
		if said, ok := c.endsTimer(ctx, t, u); ok {
			t.Plan.Steps, t.Outcome, t.Reply = nil, OutcomeAnswered, said
			return true
		}
		c.moves.Interrupt(arbiter.ErrStopped)
		c.run(ctx, t)
		c.stopped(u)
		return true
	case halt.Release, halt.Resume:
		return c.release(ctx, t)
	case halt.Later:
		t.Outcome, t.Reply = OutcomeAnswered, t.Plan.Message
		if said, ok := c.ended(u); ok {
			t.Reply = said
		}
		return true
	case halt.End:
		return c.endOne(ctx, t, u)
	}
	return false
}

// endsTimer ends the timer that was just spoken of, where "stop it" is said while nothing moves: else that stops the robot.
func (c *Coordinator) endsTimer(ctx context.Context, t *Trace, u *language.Utterance) (said string, ok bool) {
	toks := u.Tokens
	n := stopsIt.Len(toks, 0)
	for toks.IsMark(n) {
		n++
	}
	before := c.sessions.history(t.Session)
	if n == 0 || n < len(toks) || len(before) == 0 || !aboutTimer.MatchString(before[len(before)-1].Reply) || c.o.Body == nil {
		return "", false
	}
	if s, err := c.o.Body.State(ctx); err != nil || s.Moving || s.EStop || len(c.activities()) > 0 {
		return "", false
	}
	return c.ended(language.Analyse("stop the timer"))
}

// What stops what was spoken of, and what speaks of a timer.
var (
	stopsIt    = language.Phrases("stops-it")
	aboutTimer = regexp.MustCompile(`\btimer\b.*\b(runs|left)\b`)
)

// endOne ends one thing.
func (c *Coordinator) endOne(ctx context.Context, t *Trace, u *language.Utterance) (over bool) {
	if !stops(t.Plan) {
		return false // following and listening are tools like others
	}
	going := c.ongoing(ctx)
	moving := slices.ContainsFunc(going, func(a string) bool { return a != "speak" })
	if t.halt.What != halt.Motion || !moving { // "stop doing that" means what moves
		if said, ok := c.ended(u); ok {
			if !moving {
				t.Outcome, t.Reply = OutcomeAnswered, said
				return true
			}
			defer func() { t.Reply += " " + said }()
		}
	}
	if t.halt.What == halt.Motion && !moving && hasEnough(u.Tokens) && c.endsTalk(ctx, t) {
		return true
	}
	switch t.halt.What {
	case halt.Speech:
		c.moves.InterruptSession(t.Session, arbiter.ErrStopped)
	case halt.Idle:
	default:
		if moving {
			c.moves.InterruptActing(arbiter.ErrStopped)
		}
	}
	if more := t.Plan.Steps[1:]; len(more) > 0 && !moving && t.halt.What != halt.Idle && t.halt.What != halt.Speech {
		t.Plan.Steps, t.reading.Plan.Steps = more, more // there is nothing to end
	}
	ctx = tools.WithOngoing(ctx, going)
	if len(t.Plan.Steps) == 1 && stops(t.Plan) {
		c.run(ctx, t)
		return true
	}
	claim := c.moves.Claim(ctx)
	defer claim.End()
	if !claim.Begin() {
		c.unbegun(claim.Context(), t)
		return true
	}
	c.run(claim.Context(), t)
	return true
}

// endsTalk ends talk, where the robot has only talked and nothing else goes on that "that is enough" could mean.
func (c *Coordinator) endsTalk(ctx context.Context, t *Trace) bool {
	before := c.sessions.history(t.Session)
	if n := len(before); n == 0 || before[n-1].Outcome != OutcomeAnswered || len(t.Plan.Steps) != 1 {
		return false
	}
	c.moves.InterruptSession(t.Session, arbiter.ErrStopped)
	hush := []planner.Step{{Tool: t.Plan.Steps[0].Tool, Args: map[string]any{"only": halt.Speech}}}
	t.Plan.Steps, t.reading.Plan.Steps = hush, hush
	if c.run(ctx, t); t.Outcome == OutcomePlan {
		t.Reply = stopReplies["talk"]
	}
	return true
}

var (
	// enoughSaid is how people say that they want to hear no more.
	enoughSaid = language.Phrases("enough-said")
	// stopReplies are what is said of something that has ended.
	stopReplies = language.Texts("stop-replies")
)

// hasEnough reports whether somebody has had enough, whatever of.
func hasEnough(toks language.Tokens) bool {
	for i := range toks {
		if enoughSaid.Has(toks, i) {
			return true
		}
	}
	return false
}

// ended ends what the runtime keeps of what a sentence names.
func (c *Coordinator) ended(u *language.Utterance) (said string, ok bool) {
	if c.o.Runtime == nil {
		return "", false
	}
	defer func() {
		if v := recover(); v != nil {
			c.o.Failed(fmt.Errorf("runtime, sentence %q: panic: %v", u.Text, v))
			said, ok = "", false
		}
	}()
	return c.o.Runtime.End(u)
}

// ongoing is what is being done now, as tools.WithOngoing takes it: what the body says, else what the turns say.
func (c *Coordinator) ongoing(ctx context.Context) []string {
	said := c.activities()
	if c.o.Body == nil {
		return said
	}
	s, err := c.o.Body.State(ctx)
	if err != nil {
		return said
	}
	moving := tools.Moving(&s)
	if len(moving) == 0 {
		return said
	}
	if slices.Contains(said, "speak") {
		moving = append(moving, "speak")
	}
	return moving
}

// release releases a stop that was spoken, and says why not if it was not. over is false for what means something else while
// the robot is not stopped.
func (c *Coordinator) release(ctx context.Context, t *Trace) (over bool) {
	if c.o.Body == nil {
		return false
	}
	s, err := c.o.Body.State(ctx)
	t.Outcome = OutcomeAnswered
	switch {
	case err != nil:
		t.Outcome, t.Reply = OutcomeFailed, fmt.Sprintf("I cannot reach my body: %v.", err)
		return true
	case !s.EStop && t.halt.Kind == halt.Resume:
		t.Outcome = Outcome(t.Plan.Outcome)
		return false
	case !s.EStop:
		t.Reply = "I am not stopped."
		return true
	}
	a, err := c.o.Body.Do(ctx, hal.Request{Verb: hal.VerbReset, Source: hal.BySpeech})
	switch {
	case err != nil:
		t.Outcome, t.Reply = OutcomeFailed, fmt.Sprintf("I cannot reach my body: %v.", err)
	case a.Outcome == hal.Rejected:
		t.Outcome, t.Reply = OutcomeRefuse, tools.HowToRelease(&s)
	default:
		t.Reply = "I may move again. What shall I do?"
	}
	return true
}

// activity is a call of a tool that is under way.
type activity struct{ names []string }

// does notes that a call of a tool begins; end says that it is over.
func (c *Caller) does(name string, args map[string]any) (end func()) {
	a := &activity{activitiesOf(planner.Step{Tool: name, Args: args})}
	if len(a.names) == 0 {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doing[a] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.doing, a)
	}
}

// activitiesOf is what a step does, and the steps within it.
func activitiesOf(s planner.Step) (names []string) {
	names = tools.Activities(s.Tool, s.Args)
	inner, _ := s.Args["steps"].([]planner.Step)
	for _, within := range inner {
		names = append(names, activitiesOf(within)...)
	}
	return names
}

// activities is what the calls that are under way do.
func (c *Caller) activities() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.doing {
		for _, name := range a.names {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
