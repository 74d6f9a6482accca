package motion

import (
	"context"
	"errors"
	"math"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/request"
)

func TestMain(m *testing.M) {
	// goleak would see the goroutines of a test that failed half way; its own report is enough then.
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			os.Stderr.WriteString("leaked: " + err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

// fakeClock stands still until the test moves it; who asks the loop for something reads it from another goroutine.
type fakeClock struct{ now atomic.Int64 }

func newFakeClock() *fakeClock {
	c := &fakeClock{}
	c.pass(time.Hour)
	return c
}

func (c *fakeClock) Now() time.Duration { return time.Duration(c.now.Load()) }

func (c *fakeClock) SleepUntil(t time.Duration) { c.now.Store(max(c.now.Load(), int64(t))) }

func (c *fakeClock) Hurry(time.Duration) {}

func (c *fakeClock) pass(d time.Duration) { c.now.Add(int64(d)) }

// fakeServos are nine joints that follow their goals with a lag, and remember what was written.
type fakeServos struct {
	lag     float64 // part of the way that is left after a tick
	pos     hal.Joints
	goal    hal.Joints
	torque  hal.JointMask
	faults  []hal.Fault
	missing hal.JointMask
	unplug  bool
	blocked hal.JointMask
	refuse  error // of SetTorque
	history []hal.Joints
	heard   []int // the cycle of each
	keep    bool
	cycles  int
	offAt   int // cycle before which the torque was last switched off
}

var errUnplugged = errors.New("unplugged")

func (f *fakeServos) Cycle(goal *hal.Joints, fb *hal.Feedback) error {
	f.cycles++
	if f.unplug {
		fb.Fresh = 0
		return errUnplugged
	}
	for j := range goal {
		if math.IsNaN(goal[j]) {
			panic("NaN on the bus")
		}
	}
	f.goal = *goal
	if f.keep {
		f.history, f.heard = append(f.history, *goal), append(f.heard, f.cycles)
	}
	for j := range f.pos {
		if f.torque.Has(hal.Joint(j)) && !f.blocked.Has(hal.Joint(j)) {
			before := f.pos[j]
			f.pos[j] = goal[j] + (f.pos[j]-goal[j])*f.lag
			fb.Velocity[j] = (f.pos[j] - before) * 100
		}
		if !f.missing.Has(hal.Joint(j)) {
			fb.Position[j] = f.pos[j]
		}
	}
	fb.Fresh = hal.AllJoints &^ f.missing
	return nil
}

func (f *fakeServos) SetTorque(m hal.JointMask, on bool) error {
	if f.refuse != nil {
		return f.refuse
	}
	if f.unplug {
		return errUnplugged
	}
	if on {
		f.torque |= m
	} else {
		f.torque &^= m
		f.offAt = f.cycles
	}
	return nil
}

func (f *fakeServos) Health(h *hal.Health) {
	h.Online = !f.unplug
	h.Torque = f.torque
	h.Faults = f.faults
	h.Goal, h.Found = f.pos, hal.AllJoints
}

// rig is a loop on a bench.
type rig struct {
	*Loop
	t     testing.TB
	clock *fakeClock
	bus   *fakeServos
}

func jointsOf(t testing.TB, h hal.Head, body float64, a hal.Antennas) hal.Joints {
	t.Helper()
	f, err := kinematics.NearestHead(h, body, a)
	if err != nil || len(f.Changed()) > 0 {
		t.Fatalf("%+v is not feasible: %v %v", h, err, f.Changed())
	}
	return f.Joints
}

// newRig returns a loop over awake, standing servos.
func newRig(t testing.TB, change ...func(*Config, *fakeServos)) *rig {
	t.Helper()
	bus := &fakeServos{
		lag: 0.5, torque: hal.AllJoints, keep: true,
		pos: jointsOf(t, hal.AwakeHead, 0, hal.AwakeAntennas),
	}
	clock := newFakeClock()
	cfg := Config{Clock: clock}
	for _, c := range change {
		c(&cfg, bus)
	}
	r := &rig{Loop: New(bus, cfg), t: t, clock: clock, bus: bus}
	r.ticks(2)
	return r
}

func (r *rig) ticks(n int) {
	for range n {
		r.clock.pass(r.period)
		r.tele.woke(r.clock.Now(), 0)
		r.tick(r.clock.Now())
	}
}

func (r *rig) seconds(s float64) { r.ticks(int(math.Round(s / r.dt))) }

// do asks and turns the loop until there is an answer.
func (r *rig) do(req hal.Request) hal.Answer {
	r.t.Helper()
	got := make(chan hal.Answer, 1)
	go func() { got <- r.Do(context.Background(), req) }()
	for {
		select {
		case a := <-got:
			return a
		case <-time.After(100 * time.Microsecond):
			r.ticks(1)
		}
	}
}

func (r *rig) must(req hal.Request) hal.Answer {
	r.t.Helper()
	a := r.do(req)
	if a.Outcome != hal.Accepted {
		r.t.Fatalf("%s: %+v", req.Verb, a)
	}
	return a
}

func (r *rig) mustReject(req hal.Request, code string) hal.Answer {
	r.t.Helper()
	a := r.do(req)
	if a.Outcome != hal.Rejected || a.Code != code || a.Reason == "" {
		r.t.Fatalf("%s: %+v; want rejected with %s and a reason", req.Verb, a, code)
	}
	return a
}

// until turns the loop until a move has ended, and returns how.
func (r *rig) until(move string) hal.Event {
	r.t.Helper()
	for range int(request.MaxDuration / r.dt) {
		if e, active, found := r.lookUp(move); found && !active {
			return e
		}
		r.ticks(1)
	}
	r.t.Fatalf("move %s never ends", move)
	return hal.Event{}
}

func (r *rig) events(kind hal.EventType) []hal.Event {
	var out []hal.Event
	for _, e := range r.Events(0, nil) {
		if e.Type == kind {
			out = append(out, e)
		}
	}
	return out
}

// checkEnvelope fails when the goals written so far break a position, speed or acceleration limit anywhere.
func (r *rig) checkEnvelope() {
	r.t.Helper()
	checkGoals(r.t, r.bus.history, r.dt, r.lim.lim)
}

func checkGoals(t testing.TB, goals []hal.Joints, dt float64, lim [hal.NumJoints]JointLimit) {
	t.Helper()
	const eps = 1e-9
	for i, g := range goals {
		for j := range g {
			if p := hal.JointLimits[j]; !(g[j] >= p.Min-eps && g[j] <= p.Max+eps) {
				t.Fatalf("tick %d: %v at %g, allowed is %g…%g", i, hal.Joint(j), g[j], p.Min, p.Max)
			}
			if i < 2 {
				continue
			}
			v, v0 := (g[j]-goals[i-1][j])/dt, (goals[i-1][j]-goals[i-2][j])/dt
			if math.Abs(v) > lim[j].Speed*(1+eps)+1e-6 {
				t.Fatalf("tick %d: %v at %g rad/s, allowed is %g", i, hal.Joint(j), v, lim[j].Speed)
			}
			if a := (v - v0) / dt; math.Abs(a) > lim[j].Accel*(1+eps)+1e-4 {
				t.Fatalf("tick %d: %v at %g rad/s², allowed is %g", i, hal.Joint(j), a, lim[j].Accel)
			}
		}
	}
}

func deg(d float64) float64 { return d * math.Pi / 180 }

func ptr[T any](v T) *T { return &v }

func yawTo(degrees float64) hal.Request {
	return hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(degrees)}.Goal(), Duration: 1}
}

// checkSpeed fails when a goal that was heard is further from the one heard before than the speed limit allows.
func (r *rig) checkSpeed() {
	r.t.Helper()
	for i := 1; i < len(r.bus.history); i++ {
		took := float64(r.bus.heard[i]-r.bus.heard[i-1]) * r.dt
		for j, d := range diff(r.bus.history[i], r.bus.history[i-1]) {
			if math.Abs(d) > r.lim.lim[j].Speed*min(took, 3*r.dt)+1e-9 {
				r.t.Fatalf("%v jumps by %g rad after %g s", hal.Joint(j), d, took)
			}
		}
	}
}

func diff(a, b hal.Joints) hal.Joints {
	for j := range a {
		a[j] -= b[j]
	}
	return a
}
