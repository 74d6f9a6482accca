package motion

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/request"
)

func TestTorqueOffSaysWhatToDo(t *testing.T) {
	r := newRig(t, func(_ *Config, b *fakeServos) {
		b.torque = 0
		b.pos = jointsOf(t, hal.SleepHead, 0, hal.SleepAntennas)
	})
	if a := r.mustReject(yawTo(0), hal.CodeTorqueOff); !strings.Contains(a.Reason, "wake") {
		t.Errorf("reason %q", a.Reason)
	}
	a := r.must(hal.Request{Verb: hal.VerbSleep})
	if e := r.until(a.Move); e.End != hal.EndDone || a.Duration > 0.1 {
		t.Errorf("a sleep while limp: %+v %+v", a, e)
	}
	r.bus.refuse = errors.New("no power")
	r.mustReject(hal.Request{Verb: hal.VerbWake}, hal.CodeFault)
}

func TestWakeAndSleep(t *testing.T) {
	r := newRig(t, func(_ *Config, b *fakeServos) {
		b.torque = 0
		b.pos = jointsOf(t, hal.SleepHead, 0, hal.SleepAntennas)
	})
	r.bus.history = nil
	if e := r.until(r.must(hal.Request{Verb: hal.VerbWake}).Move); e.End != hal.EndDone {
		t.Fatalf("wake ended %+v", e)
	}
	r.seconds(0.3)
	if s := r.State(); headDistance(s.Head, hal.AwakeHead) > 1e-3 || s.Mode != hal.ModeEnabled {
		t.Errorf("awake: %+v", s)
	}
	r.until(r.must(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(100)}.Goal(), BodyYaw: ptr(deg(60))}).Move)
	r.checkEnvelope()
	if e := r.until(r.must(hal.Request{Verb: hal.VerbSleep}).Move); e.End != hal.EndDone {
		t.Fatalf("sleep ended %+v", e)
	}
	r.checkEnvelope()
	if s := r.State(); headDistance(s.Head, hal.SleepHead) > 5e-3 || s.Mode != hal.ModeDisabled {
		t.Errorf("asleep: %+v", s)
	}
	r.must(hal.Request{Verb: hal.VerbMotors, On: ptr(true)})
	if a := r.must(hal.Request{Verb: hal.VerbSleep}); a.Duration > 1 {
		t.Errorf("a sleep while lying takes %g s", a.Duration)
	}
}

func TestQueueIsBounded(t *testing.T) {
	r := newRig(t, func(c *Config, _ *fakeServos) { c.Queue = 2 })
	var moves []string
	for i := range 3 {
		req := yawTo(float64(10 * i))
		req.Queue = true
		moves = append(moves, r.must(req).Move)
	}
	full := yawTo(0)
	full.Queue = true
	r.mustReject(full, hal.CodeBusy)
	for _, m := range moves {
		if e := r.until(m); e.End != hal.EndDone {
			t.Errorf("move %s: %+v", m, e)
		}
	}
	r.seconds(0.2)
	if y := r.State().Head.Yaw; math.Abs(y-deg(20)) > 1e-3 {
		t.Errorf("ended at yaw %g°", y*180/math.Pi)
	}
	r.checkEnvelope()
}

func TestTickDoesNotAllocate(t *testing.T) {
	for _, what := range []string{"hold", "breathe", "move", "gesture", "stream"} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t, func(_ *Config, b *fakeServos) { b.keep = false })
			s := r.NewStreamer("test")
			req := hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: 0.2}.Goal()}
			switch what {
			case "breathe":
				r.must(hal.Request{Verb: hal.VerbIdle, On: ptr(true)})
				r.seconds(4)
			case "move":
				long := yawTo(40)
				long.Duration = request.MaxDuration
				r.must(long)
			case "gesture":
				r.must(hal.Request{Verb: hal.VerbGesture, Name: "dance", Duration: request.MaxDuration})
			case "stream":
				s.Target(&req)
				r.ticks(2)
			}
			if n := testing.AllocsPerRun(200, func() { r.ticks(1) }); n != 0 {
				t.Errorf("%g allocations in a tick", n)
			}
			s.Close()
		})
	}
	runtime.GC()
}

// Run keeps absolute deadlines: it skips what it missed and never writes twice for one period.
func TestRunSkipsMissedTicks(t *testing.T) {
	clock := newFakeClock()
	bus := &slowServos{fakeServos: fakeServos{torque: hal.AllJoints, pos: jointsOf(t, hal.AwakeHead, 0, hal.AwakeAntennas)}, clock: clock}
	l := New(bus, Config{Clock: clock})
	ctx, cancel := context.WithCancel(context.Background())
	bus.after = func() {
		switch bus.cycles {
		case 10:
			clock.pass(35 * time.Millisecond)
		case 20:
			clock.pass(time.Second)
		case 30:
			cancel()
		}
	}
	if err := l.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Run: %v", err)
	}
	tm := l.Timing()
	if tm.Missed != 3+100 {
		t.Errorf("missed %d ticks", tm.Missed)
	}
	if math.Abs(l.owed-1.03) > 1e-9 {
		t.Errorf("%g s are to be made up for", l.owed)
	}
	for i := 1; i < len(bus.at); i++ {
		if gap := bus.at[i] - bus.at[i-1]; gap < 5*time.Millisecond {
			t.Errorf("cycles %d and %d are %v apart", i-1, i, gap)
		}
	}
	if a := l.Do(context.Background(), yawTo(0)); a.Code != hal.CodeUnavailable {
		t.Errorf("after the end: %+v", a)
	}
}

type slowServos struct {
	fakeServos
	clock *fakeClock
	at    []time.Duration
	after func()
}

func (s *slowServos) Cycle(goal *hal.Joints, fb *hal.Feedback) error {
	s.at = append(s.at, s.clock.Now())
	err := s.fakeServos.Cycle(goal, fb)
	s.after()
	return err
}
