package virtual

import (
	"context"
	"time"
)

// Clock is the time by which a Chain is paced.
type Clock interface {
	// Now is the time since some fixed instant.
	Now() time.Duration
	// SleepUntil returns when Now has reached t.
	SleepUntil(t time.Duration)
}

// Behind this much lateness Run gives ticks up instead of catching up.
const maxLate = 100 * time.Millisecond

// Run steps the chain in real time, factor times as fast as the clock, until ctx ends. It keeps absolute deadlines:
// after a late wake-up it steps more until it has caught up, and when it is more than 100 ms late it starts counting
// anew and counts that as a resync: simulated time goes slower then, which Status tells. factor must be positive.
func (c *Chain) Run(ctx context.Context, factor float64) {
	period := time.Duration(float64(Tick) / factor)
	next := c.clock.Now() + period
	c.due(next)
	for ctx.Err() == nil {
		c.clock.SleepUntil(next)
		if late := c.clock.Now() - next; late > maxLate {
			next += late
			c.mu.Lock()
			c.resyncs++
			c.lost += late
			c.mu.Unlock()
		}
		c.Step()
		next += period
		c.due(next)
	}
}

// due notes when Run makes the next step.
func (c *Chain) due(at time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = at
}
