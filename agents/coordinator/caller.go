package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
)

// Limits are those of turns and calls.
type Limits struct {
	Arbiter    *arbiter.Arbiter // who decides who may move, the one of the tools; nil: one of its own
	MaxWaiting int              // turns and calls at work or waiting, over all sessions; 64 when 0
	TurnTime   time.Duration    // how long one turn or call may take; 15 minutes when 0
}

// Caller calls tools in turn: what acts on the robot interrupts what acted before. It is there before the coordinator, so
// that whoever the coordinator needs can call tools, too. Its methods may be called by many goroutines.
type Caller struct {
	tools  Tools
	limits Limits
	now    func() time.Time
	moves  *arbiter.Arbiter
	ids    ids

	mu      sync.Mutex
	closed  bool
	doing   map[*activity]bool // calls that are under way
	waiting atomic.Int32
	running sync.WaitGroup
}

// NewCaller returns a caller of tools. now is the clock; time.Now when nil.
func NewCaller(tools Tools, l Limits, now func() time.Time) *Caller {
	if l.MaxWaiting == 0 {
		l.MaxWaiting = 64 // as many as come over HTTP at the same time
	}
	if l.TurnTime == 0 {
		l.TurnTime = 15 * time.Minute
	}
	if now == nil {
		now = time.Now
	}
	if l.Arbiter == nil {
		l.Arbiter = arbiter.New(now)
	}
	return &Caller{tools: tools, limits: l, now: now, moves: l.Arbiter, doing: map[*activity]bool{}}
}

// enter counts a turn in; an urgent one is always let in, unless the coordinator is closed.
func (c *Caller) enter(urgent bool) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if n := int(c.waiting.Load()); n >= c.limits.MaxWaiting && !urgent {
		return nil, fmt.Errorf("%w: %d, at most %d are allowed", ErrBusy, n, c.limits.MaxWaiting)
	}
	c.waiting.Add(1)
	c.running.Add(1)
	return func() {
		c.waiting.Add(-1)
		c.running.Done()
	}, nil
}

// acts reports whether steps take hold of the robot: they move it, or they make it wait between movements.
func (c *Caller) acts(steps []planner.Step) bool {
	for _, s := range steps {
		if spec, known := c.tools.Get(s.Tool); s.Tool == waitTool || (known && spec.Moves) {
			return true
		}
	}
	return false
}

// Names of tools that the coordinator treats in a way of their own.
const (
	stopTool = "stop"
	waitTool = "wait"
)

// NewTrace returns the ID of a new trace, for whoever wants to know it before the turn or call that it gives it to by
// tool.WithTrace.
func (c *Caller) NewTrace() string { return c.ids.next(c.now()) }

// Issued reports whether a trace is one that was given out since this program has begun, whatever became of it.
func (c *Caller) Issued(trace string) bool { return c.ids.issued(trace) }

// Call runs one tool by name, as a turn would: if it acts on the robot it interrupts what acts, and stop interrupts
// everything. Gateways call tools through it rather than through the registry.
func (c *Caller) Call(ctx context.Context, name string, args json.RawMessage) tool.Result {
	urgent := name == stopTool
	leave, err := c.enter(urgent)
	if err != nil {
		return tool.Errorf(tool.CodeLimit, "%s: %v", name, err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, c.limits.TurnTime)
	defer cancel()
	if tool.Trace(ctx) == "" {
		ctx = tool.WithTrace(ctx, c.ids.next(c.now()))
	}
	if urgent {
		c.moves.Interrupt(arbiter.ErrStopped)
	} else if c.acts([]planner.Step{{Tool: name}}) {
		claim := c.moves.Claim(ctx)
		defer claim.End()
		ctx = claim.Context()
		if !claim.Begin() {
			return tool.Interrupted(ctx)
		}
	}
	defer c.does(name, decoded(args))()
	return c.tools.Call(ctx, name, args)
}

// decoded are arguments as values; nil for what is no JSON object.
func decoded(args json.RawMessage) (values map[string]any) {
	if json.Unmarshal(args, &values) != nil {
		return nil
	}
	return values
}

// List returns the descriptions of all tools, sorted by name.
func (c *Caller) List() []tool.Spec { return c.tools.List() }

// Interrupt ends every turn and call that acts on the robot or waits to; why is told in their replies.
func (c *Caller) Interrupt(why error) { c.moves.Interrupt(why) }

// Act runs fn as Call runs a tool that acts on the robot: fn interrupts what acts and begins when that has ended, and
// its ctx ends when something newer takes over or somebody says stop. It is for what acts and is no tool.
func (c *Caller) Act(ctx context.Context, fn func(ctx context.Context) tool.Result) tool.Result {
	leave, err := c.enter(false)
	if err != nil {
		return tool.Errorf(tool.CodeLimit, "%v", err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, c.limits.TurnTime)
	defer cancel()
	if tool.Trace(ctx) == "" {
		ctx = tool.WithTrace(ctx, c.ids.next(c.now()))
	}
	claim := c.moves.Claim(ctx)
	defer claim.End()
	if !claim.Begin() {
		return tool.Interrupted(claim.Context())
	}
	return fn(claim.Context())
}

// Close takes no more turns, interrupts those that act, and waits for all until ctx ends. It may be called more than
// once.
func (c *Caller) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.moves.Interrupt(arbiter.ErrClosing)
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close coordinator: %d turns did not end: %w", c.waiting.Load(), ctx.Err())
	}
}
