package motion_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/motion/motiontest"
)

// patientClock sleeps until the test lets a tick be due, or the loop is hurried.
type patientClock struct {
	now   atomic.Int64
	due   chan struct{}
	hurry chan time.Duration
}

func newPatientClock() *patientClock {
	c := &patientClock{due: make(chan struct{}), hurry: make(chan time.Duration, 64)}
	c.now.Store(int64(time.Hour))
	return c
}

func (c *patientClock) Now() time.Duration { return time.Duration(c.now.Load()) }

func (c *patientClock) SleepUntil(t time.Duration) {
	select {
	case at := <-c.hurry:
		t = min(t, at)
	case <-c.due:
	}
	c.now.Store(max(c.now.Load(), int64(t)))
}

func (c *patientClock) Hurry(t time.Duration) { c.hurry <- t }

// timedServos tell when they are turned.
type timedServos struct {
	*motiontest.Servos
	clock *patientClock
	at    chan time.Duration
}

func (s *timedServos) Cycle(goal *hal.Joints, fb *hal.Feedback) error {
	s.at <- s.clock.Now()
	return s.Servos.Cycle(goal, fb)
}

// ticking is a loop whose ticks the test waits for.
type ticking struct {
	*motion.Loop
	t      *testing.T
	servos *timedServos
	clock  *patientClock
	last   time.Duration
}

func newTicking(t *testing.T) *ticking {
	t.Helper()
	clock := newPatientClock()
	servos := &timedServos{motiontest.Awake(), clock, make(chan time.Duration, 1)}
	k := &ticking{motion.New(servos, motion.Config{Clock: clock}), t, servos, clock, clock.Now()}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { k.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		close(clock.due)
		wg.Wait()
	})
	return k
}

// next waits for a tick and says how long after the one before it began.
func (k *ticking) next() time.Duration {
	at := <-k.servos.at
	took := at - k.last
	k.last = at
	return took
}

// regular lets n ticks be due, one after the other.
func (k *ticking) regular(n int) {
	k.t.Helper()
	for range n {
		k.clock.due <- struct{}{}
		if took := k.next(); took != 10*time.Millisecond {
			k.t.Fatalf("a regular tick began %v after the one before", took)
		}
	}
}

// antennas sends one target by s.
func (k *ticking) antennas(s *motion.Streamer, left float64) {
	k.t.Helper()
	req := hal.Request{Verb: hal.VerbTarget, Antennas: hal.Antennas{Left: left}.Goal()}
	if a, _ := s.Target(&req); a.Outcome != hal.Accepted {
		k.t.Fatalf("%+v", a)
	}
}

// A standing robot begins at once; one that moves keeps its time.
func TestAStandingRobotDoesNotWaitForItsTick(t *testing.T) {
	k := newTicking(t)
	k.regular(10)
	s := k.NewStreamer("test")
	before := k.servos.Goals()
	k.antennas(s, 0.5)
	if took := k.next(); took != 4*time.Millisecond {
		t.Errorf("the first target of a stream began a tick after %v", took)
	}
	k.regular(1)
	if now := k.servos.Goals(); len(now) == len(before) {
		t.Error("the early tick wrote nothing")
	}
	k.antennas(s, 0.6)
	k.regular(5)
	s.Close()
	k.regular(30)
	answered := make(chan hal.Answer, 1)
	go func() {
		answered <- k.Do(t.Context(), hal.Request{Verb: hal.VerbGoto, Antennas: hal.Antennas{Left: 0.1}.Goal(), Duration: 0.2})
	}()
	if took := k.next(); took != 4*time.Millisecond {
		t.Errorf("a goto began a tick after %v", took)
	}
	if a := <-answered; a.Outcome != hal.Accepted {
		t.Fatalf("%+v", a)
	}
	k.regular(3)
}

// Asking often makes the loop hardly faster.
func TestEarlyTicksAreRare(t *testing.T) {
	k := newTicking(t)
	k.regular(10)
	early, began := 0, k.last
	for k.last-began < time.Second {
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			k.Do(t.Context(), hal.Request{Verb: hal.VerbHold})
		}()
		for over := false; !over; {
			select {
			case <-answered:
				over = true
			case at := <-k.servos.at:
				if at-k.last < 10*time.Millisecond {
					early++
				}
				k.last = at
			case k.clock.due <- struct{}{}:
			}
		}
	}
	if early > 20 {
		t.Errorf("%d ticks of a second began before their time", early)
	}
}
