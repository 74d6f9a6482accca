package guest

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"time"
)

// A guest that only looks at a virtual clock moves it a little, so that waiting in a loop ends: first like a fast
// processor would, later in leaps.
const (
	lookStep  = time.Microsecond
	leapAfter = 1000
	leapStep  = time.Millisecond
)

// monotonicBase is what the guest's monotonic clock shows when a call begins; the host's uptime is none of its business.
const monotonicBase = time.Second

var virtualStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// guestClock is the time and the randomness of one call.
type guestClock struct {
	virtual bool
	max     time.Duration
	wall    time.Time // when the call began, as the guest sees it
	began   time.Time // when it really began
	now     time.Duration
	looks   int
	random  io.Reader
}

func newGuestClock(c Clock, now time.Time) *guestClock {
	g := &guestClock{virtual: c.Virtual, max: c.Max, wall: now, began: now, random: rand.Reader}
	if !c.Virtual {
		return g
	}
	g.wall = c.Start
	if g.wall.IsZero() {
		g.wall = virtualStart
	}
	if g.max <= 0 {
		g.max = 24 * time.Hour
	}
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], c.Seed)
	g.random = mrand.NewChaCha8(seed)
	return g
}

// elapsed is the time since the call began, without moving a virtual clock.
func (g *guestClock) elapsed() time.Duration {
	if g.virtual {
		return g.now
	}
	return time.Since(g.began)
}

// look is elapsed for the guest's eyes.
func (g *guestClock) look() time.Duration {
	if !g.virtual {
		return time.Since(g.began)
	}
	if g.looks++; g.looks <= leapAfter {
		g.now += lookStep
	} else {
		g.now += leapStep
	}
	g.checkMax()
	return g.now
}

func (g *guestClock) walltime() (sec int64, nsec int32) {
	t := g.wall.Add(g.look())
	return t.Unix(), int32(t.Nanosecond())
}

func (g *guestClock) nanotime() int64 { return int64(monotonicBase + g.look()) }

// sleep waits; it leaves the guest by a panic with a stop when the call ends first.
func (g *guestClock) sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	if g.virtual {
		if d > g.max { // also keeps the sum from overflowing
			d = g.max + 1
		}
		g.now += d
		g.looks = 0
		g.checkMax()
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		panic(&stop{ReasonTimeout, "the call was given up while the tool slept"})
	}
}

func (g *guestClock) checkMax() {
	if g.now > g.max {
		panic(&stop{ReasonTimeout, fmt.Sprintf("the tool let %s pass on its virtual clock", g.max)})
	}
}
