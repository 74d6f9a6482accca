// Package arbiter decides who may move the robot, for whoever asks: turns of conversation, calls of tools, the tools that
// these call in turn, and commands that go straight to the body. Below it the body has a lease of its own for streams.
//
// The newest command wins: it interrupts what acts, and begins when that has ended. A stop waits for nothing. Who was
// interrupted finds the reason as the cause of its context.
package arbiter

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

// Why somebody was interrupted.
var (
	ErrNewer   = errors.New("a newer command took over")
	ErrStopped = errors.New("stop was said")
	ErrClosing = errors.New("the robot shuts down")
)

const (
	// streamPause is the silence after which targets of a source are a new stream: the body's lease.
	streamPause = 2 * time.Second
	// maxSources bounds the sources of targets that are remembered.
	maxSources = 64
)

// Arbiter lets one claim act on the robot at a time, the newest. Its methods may be called by many goroutines.
type Arbiter struct {
	line Gate // of claims, and of calls that belong to none
	now  func() time.Time

	mu      sync.Mutex
	claims  map[*Claim]struct{}  // acting, waiting or thinking
	streams map[string]time.Time // when a source sent a target last
}

// New returns an arbiter that reads the time from now; time.Now when nil.
func New(now func() time.Time) *Arbiter {
	if now == nil {
		now = time.Now
	}
	return &Arbiter{line: NewGate(), now: now, claims: map[*Claim]struct{}{}, streams: map[string]time.Time{}}
}

// Claim is a turn or a call that acts on the robot, or a turn that thinks and may come to act on it.
type Claim struct {
	ctx     context.Context //nolint:containedctx // it is what the claim is about: it ends when the claim is lost
	cancel  context.CancelCauseFunc
	arbiter *Arbiter
	session string // of a turn that thinks
	acts    bool   // guarded by arbiter.mu
	inside  bool   // only the claim's own goroutine reads and writes it
}

// Claim interrupts all claims that act and adds a new one. Its End must be called.
func (a *Arbiter) Claim(ctx context.Context) *Claim {
	return a.add(ctx, &Claim{arbiter: a, acts: true}, func(other *Claim) bool { return other.acts })
}

// Think adds a claim that only thinks for now. It interrupts what its own session thinks about, for it corrects or
// replaces it, and leaves the others alone. Its End must be called.
func (a *Arbiter) Think(ctx context.Context, session string) *Claim {
	return a.add(ctx, &Claim{arbiter: a, session: session}, func(other *Claim) bool { return other.session == session })
}

// Modest is Claim for what must not interrupt anybody: ok is false, and there is no claim, while another one acts or waits to.
func (a *Arbiter) Modest(ctx context.Context) (c *Claim, ok bool) {
	c = &Claim{arbiter: a, acts: true}
	c.ctx, c.cancel = context.WithCancelCause(a.within(ctx))
	a.mu.Lock()
	defer a.mu.Unlock()
	for other := range a.claims {
		if other.acts {
			c.cancel(ErrNewer)
			return nil, false
		}
	}
	a.claims[c] = struct{}{}
	return c, true
}

func (a *Arbiter) add(ctx context.Context, c *Claim, ends func(*Claim) bool) *Claim {
	c.ctx, c.cancel = context.WithCancelCause(a.within(ctx))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(ErrNewer, ends)
	a.claims[c] = struct{}{}
	return c
}

// end interrupts claims; a.mu is held.
func (a *Arbiter) end(why error, which func(*Claim) bool) {
	for c := range a.claims {
		if which(c) {
			c.cancel(why)
		}
	}
}

// InterruptSession ends what a session thinks about or does after thinking.
func (a *Arbiter) InterruptSession(session string, why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(why, func(c *Claim) bool { return c.session == session })
}

// Interrupt ends all claims there are.
func (a *Arbiter) Interrupt(why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(why, func(*Claim) bool { return true })
}

// InterruptActing ends the claims that act or wait to.
func (a *Arbiter) InterruptActing(why error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(why, func(c *Claim) bool { return c.acts })
}

// TookOver says that the body has accepted a command that goes straight to it: what acts has lost the robot.
func (a *Arbiter) TookOver() {
	a.InterruptActing(ErrNewer)
}

// Streams says that the body has accepted a target of source. The first one of a stream takes over as any command does;
// those behind it are no newer than what has begun meanwhile.
func (a *Arbiter) Streams(source string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	last, known := a.streams[source]
	if !known && len(a.streams) >= maxSources {
		maps.DeleteFunc(a.streams, func(_ string, at time.Time) bool { return now.Sub(at) > streamPause })
	}
	if known || len(a.streams) < maxSources {
		a.streams[source] = now
	}
	if !known || now.Sub(last) > streamPause {
		a.end(ErrNewer, func(c *Claim) bool { return c.acts })
	}
}

// Context is that of the work that the claim is made for; it ends when the claim is lost, with the reason as its cause.
func (c *Claim) Context() context.Context { return c.ctx }

// Begin waits until the claims before this one have ended and reports whether it may go on.
func (c *Claim) Begin() bool {
	c.inside = c.arbiter.line.Enter(c.ctx)
	return c.inside && c.ctx.Err() == nil
}

// Act makes a claim that thinks one that acts: it waits behind those that act now, and can then be interrupted by a newer
// command. It reports whether it may go on; to ask again costs nothing.
func (c *Claim) Act() bool {
	if c.inside {
		return c.ctx.Err() == nil
	}
	c.arbiter.mu.Lock()
	c.acts = true
	c.arbiter.mu.Unlock()
	return c.Begin()
}

// End gives the claim back. It may be called more than once.
func (c *Claim) End() {
	if c.inside {
		c.inside = false
		c.arbiter.line.Leave()
	}
	c.arbiter.mu.Lock()
	delete(c.arbiter.claims, c)
	c.arbiter.mu.Unlock()
	c.cancel(nil)
}

// Enter waits until a tool that moves the robot may do so: behind the tools of the same claim or tool that move it now,
// or, outside of any, behind all claims. Tools that are called with the returned context belong to this one and do not
// wait behind it. ok is false when ctx ended before; then there is nothing to leave.
func (a *Arbiter) Enter(ctx context.Context) (inner context.Context, leave func(), ok bool) {
	line := a.line
	if own, within := ctx.Value(lineKey{a}).(Gate); within {
		line = own
	}
	if !line.Enter(ctx) {
		return ctx, nil, false
	}
	return a.within(ctx), line.Leave, true
}

// lineKey is the key of the line in which the tools of a claim or of a tool wait for each other.
type lineKey struct{ *Arbiter }

func (a *Arbiter) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, lineKey{a}, NewGate())
}
