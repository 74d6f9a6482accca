package motion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/request"
)

func yawTo(degrees float64) hal.Request {
	return hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(degrees)}.Goal(), Duration: 1}
}

func TestEStopBrakesInTheSameTick(t *testing.T) {
	r := newRig(t)
	id := r.must(yawTo(40)).Move
	queued := yawTo(-40)
	queued.Queue = true
	next := r.must(queued).Move
	r.seconds(0.4)
	fast := r.lim.v
	if a := r.do(hal.Request{Verb: hal.VerbStop, Reason: "test"}); a.Outcome != hal.Accepted {
		t.Fatalf("stop: %+v", a)
	}
	if s := r.State(); !s.EStop || s.EStopReason != "test" {
		t.Errorf("not latched at once: %+v", s)
	}
	r.mustReject(yawTo(0), hal.CodeEStop)
	for j, v := range r.lim.v {
		if math.Abs(fast[j]) > 0.1 && math.Abs(v) >= math.Abs(fast[j]) {
			t.Errorf("%v is not slower one tick after the stop: %g, before %g", hal.Joint(j), v, fast[j])
		}
	}
	for _, m := range []string{id, next} {
		if e := r.until(m); e.End != hal.EndStopped || !strings.Contains(e.Reason, "test") {
			t.Errorf("move %s ended %+v", m, e)
		}
	}
	r.seconds(0.5)
	if !r.lim.still() || r.bus.torque != hal.AllJoints {
		t.Errorf("not holding: %v, torque %v", r.lim.v, r.bus.torque)
	}
	r.checkEnvelope()
	for _, req := range []hal.Request{
		yawTo(0),
		{Verb: hal.VerbTarget, Head: hal.Head{}.Goal()},
		{Verb: hal.VerbGesture, Name: "nod"},
		{Verb: hal.VerbEmotion, Name: "sad"},
		{Verb: hal.VerbWake},
		{Verb: hal.VerbSleep},
		{Verb: hal.VerbMotors, On: ptr(true)},
		{Verb: hal.VerbIdle, On: ptr(true)},
		{Verb: hal.VerbOffset, Head: hal.Head{Z: 0.01}.Goal(), Source: "speech"},
	} {
		r.mustReject(req, hal.CodeEStop)
	}
	if ev := r.events(hal.EventEStop); len(ev) != 1 || !ev[0].Active {
		t.Errorf("events %+v", ev)
	}
}

func TestResetMovesNothing(t *testing.T) {
	r := newRig(t)
	r.must(hal.Request{Verb: hal.VerbIdle, On: ptr(true)})
	r.must(yawTo(40))
	r.seconds(0.4)
	r.Stop(1, "", "")
	r.seconds(1)
	goal := r.lim.q
	r.must(hal.Request{Verb: hal.VerbReset})
	r.seconds(10)
	if r.lim.q != goal {
		t.Errorf("goals moved by %v", diff(r.lim.q, goal))
	}
	if s := r.State(); s.EStop || s.Moving {
		t.Errorf("state %+v", s)
	}
	if e := r.until(r.must(yawTo(0)).Move); e.End != hal.EndDone {
		t.Errorf("the next move: %+v", e)
	}
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

func TestEStopCategoryZeroSwitchesTorqueOff(t *testing.T) {
	r := newRig(t)
	r.must(yawTo(40))
	r.seconds(0.4)
	r.Stop(1, "", "first")
	r.ticks(1)
	cycle := r.bus.cycles
	r.Stop(0, "", "stronger")
	r.ticks(1)
	if r.bus.torque != 0 || r.bus.offAt != cycle {
		t.Errorf("torque %v, off at cycle %d, stop at %d", r.bus.torque, r.bus.offAt, cycle)
	}
	r.Stop(1, "", "weaker")
	if s := r.State(); s.EStopReason != "stronger" {
		t.Errorf("a stop was weakened: %+v", s)
	}
	r.must(hal.Request{Verb: hal.VerbReset})
	r.seconds(1)
	if r.bus.torque != 0 {
		t.Error("reset switched the torque on")
	}
	r.mustReject(yawTo(0), hal.CodeTorqueOff)
}

// Speech releases what speech has stopped and nothing else, in whatever order the stops came.
func TestSpeechReleasesOnlySpokenStops(t *testing.T) {
	r := newRig(t)
	stop := func(by string) {
		t.Helper()
		r.must(hal.Request{Verb: hal.VerbStop, Source: by, Reason: "by " + by})
		r.ticks(1)
	}
	reset := func(by string) hal.Request { return hal.Request{Verb: hal.VerbReset, Source: by} }
	for _, c := range []struct {
		stops []string
		by    string
	}{
		{[]string{hal.BySpeech}, hal.BySpeech},
		{[]string{hal.BySpeech, hal.BySpeech}, hal.BySpeech},
		{[]string{"button"}, "button"},
		{[]string{hal.BySpeech, "button"}, "button"},
		{[]string{"button", hal.BySpeech}, "button"},
		{[]string{""}, ""},
	} {
		for _, by := range c.stops {
			stop(by)
		}
		s := r.State()
		if s.EStopBy != c.by || s.EStopReason != "by "+c.by {
			t.Errorf("%q: stopped by %q: %s", c.stops, s.EStopBy, s.EStopReason)
		}
		if c.by == hal.BySpeech {
			r.must(reset(hal.BySpeech))
			r.ticks(1)
			r.must(yawTo(5))
			continue
		}
		r.mustReject(reset(hal.BySpeech), hal.CodeEStop)
		r.mustReject(yawTo(0), hal.CodeEStop)
		r.must(reset("button"))
	}
	if ev := r.events(hal.EventEStop); len(ev) != 12 || !ev[0].Active || ev[0].By != hal.BySpeech || ev[1].By != hal.BySpeech {
		t.Errorf("events %+v", ev)
	}
}

func TestEStopSurvivesABrokenBus(t *testing.T) {
	r := newRig(t)
	r.must(yawTo(40))
	r.seconds(0.3)
	r.bus.unplug = true
	r.seconds(0.2)
	r.Stop(0, "", "while unplugged")
	r.seconds(1)
	r.bus.unplug = false
	r.ticks(1)
	if r.bus.torque != 0 {
		t.Error("torque is on after the bus came back to a stopped robot")
	}
	r.ticks(2)
	if s := r.State(); !s.EStop || s.Mode != hal.ModeDisabled {
		t.Errorf("state %+v", s)
	}
	r.mustReject(yawTo(0), hal.CodeEStop)
}

func TestBusLostAndBackHolds(t *testing.T) {
	r := newRig(t)
	id := r.must(yawTo(60)).Move
	r.seconds(0.5)
	r.bus.unplug = true
	lost := hal.Fault{Name: hal.FaultBusLost, Detail: "unplugged"}
	r.bus.faults = []hal.Fault{lost}
	if e := r.until(id); e.End != hal.EndFailed || e.Reason == "" {
		t.Errorf("ended %+v", e)
	}
	if s := r.State(); s.Mode != hal.ModeOffline || len(s.Faults) != 1 {
		t.Errorf("state %+v", s)
	}
	r.mustReject(yawTo(0), hal.CodeFault)
	r.seconds(3)
	r.bus.unplug, r.bus.faults = false, nil
	r.seconds(1)
	r.checkSpeed()
	r.bus.history = nil
	if s := r.State(); s.Mode != hal.ModeEnabled || s.Moving || len(s.Faults) != 0 {
		t.Errorf("state %+v", s)
	}
	if ev := r.events(hal.EventFault); len(ev) != 2 || !ev[0].Active || ev[1].Active {
		t.Errorf("fault events %+v", ev)
	}
	r.until(r.must(yawTo(0)).Move)
	r.checkEnvelope()
}

// Pushed by hand while it was unplugged, the head stays where it is when the bus returns.
func TestReturnPinsToWhereTheJointsAre(t *testing.T) {
	r := newRig(t)
	r.bus.unplug = true
	r.seconds(0.2)
	r.bus.pos = jointsOf(t, hal.Head{Pitch: deg(25), Z: -0.01}, deg(50), hal.Antennas{Left: 2, Right: -2})
	r.bus.torque = 0
	found := r.bus.pos
	r.bus.unplug = false
	r.seconds(1)
	for j, q := range r.lim.q {
		if math.Abs(q-found[j]) > 1e-6 {
			t.Errorf("%v: goal %g, joint %g", hal.Joint(j), q, found[j])
		}
	}
	r.bus.history = nil
	r.must(hal.Request{Verb: hal.VerbMotors, On: ptr(true)})
	r.seconds(1)
	for j := range found {
		if math.Abs(r.bus.pos[j]-found[j]) > 1e-3 {
			t.Errorf("%v moved by %g when the torque came on", hal.Joint(j), r.bus.pos[j]-found[j])
		}
	}
	r.checkEnvelope()
}

func TestMissingHeadServoHoldsTheHeadOnly(t *testing.T) {
	r := newRig(t)
	id := r.must(yawTo(40)).Move
	r.seconds(0.4)
	r.bus.faults = []hal.Fault{{Name: hal.FaultServoMissing, Joint: "stewart_3", Detail: "does not answer"}}
	r.bus.missing = 1 << hal.Stewart3
	if e := r.until(id); e.End != hal.EndFailed || !strings.Contains(e.Reason, "stewart_3") {
		t.Errorf("ended %+v", e)
	}
	r.seconds(0.5)
	held := r.lim.q
	r.mustReject(yawTo(0), hal.CodeFault)
	r.mustReject(hal.Request{Verb: hal.VerbGesture, Name: "nod"}, hal.CodeFault)
	a := r.must(hal.Request{Verb: hal.VerbGoto, Antennas: hal.Antennas{Left: 1, Right: -1}.Goal(), BodyYaw: ptr(deg(20))})
	if e := r.until(a.Move); e.End != hal.EndDone {
		t.Errorf("antennas ended %+v", e)
	}
	r.seconds(0.2)
	for j := hal.Stewart1; j <= hal.Stewart6; j++ {
		if r.lim.q[j] != held[j] {
			t.Errorf("%v moved by %g", j, r.lim.q[j]-held[j])
		}
	}
	if math.Abs(r.lim.q[hal.LeftAntenna]-1) > 1e-3 || math.Abs(r.lim.q[hal.BodyYaw]-deg(20)) > 1e-3 {
		t.Errorf("body and antennas did not go on: %v", r.lim.q)
	}
	r.bus.faults, r.bus.missing = nil, 0
	r.seconds(1)
	if e := r.until(r.must(yawTo(0)).Move); e.End != hal.EndDone {
		t.Errorf("after the return %+v", e)
	}
	r.checkEnvelope()
}

// A refusal names the part that was asked for and why it cannot move, not all that is wrong.
func TestFrozenSaysWhatAndWhy(t *testing.T) {
	r := newRig(t)
	r.bus.faults = []hal.Fault{
		{Name: hal.FaultServoMissing, Joint: "body_rotation", Detail: "servo 10 does not answer"},
		{Name: hal.FaultServoMissing, Joint: "stewart_2", Detail: "servo 12 does not answer"},
		{Name: hal.FaultOverheat, Joint: "right_antenna"},
		{Name: hal.FaultOverload, Joint: "stewart_5", Detail: "servo 15 reports overload (error 0x20)"},
	}
	r.bus.missing = 1<<hal.BodyYaw | 1<<hal.Stewart2
	r.seconds(0.1)
	body := hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(deg(20))}
	antenna := hal.Request{Verb: hal.VerbGoto, Antennas: &hal.AntennaGoal{Right: ptr(1.0)}}
	for want, q := range map[string]hal.Request{
		"the body cannot move (body_rotation: servo 10 does not answer)": body,
		"the right antenna cannot move (right_antenna: overheat)":        antenna,
		"the head cannot move (stewart_2: servo 12 does not answer, stewart_5: servo 15 reports overload (error 0x20))": {
			Verb: hal.VerbGoto, Head: hal.Head{Pitch: 0.1}.Goal(),
		},
	} {
		if a := r.mustReject(q, hal.CodeFault); a.Reason != want {
			t.Errorf("reason %q\nwant   %q", a.Reason, want)
		}
	}
}

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

func TestStreamLease(t *testing.T) {
	r := newRig(t)
	first, second := r.NewStreamer("first"), r.NewStreamer("second")
	target := func(yaw float64) *hal.Request {
		return &hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: deg(yaw)}.Goal()}
	}
	if a, _ := first.Target(target(10)); a.Outcome != hal.Accepted {
		t.Fatalf("first: %+v", a)
	}
	r.ticks(1)
	if a, _ := second.Target(target(-10)); a.Code != hal.CodeLease || !strings.Contains(a.Reason, "first") {
		t.Fatalf("second: %+v", a)
	}
	id := r.State().Move
	if id == "" || r.State().MoveName != "stream first" {
		t.Fatalf("state %+v", r.State())
	}
	r.seconds(1.9)
	if !r.State().Moving {
		t.Fatal("authority lost too early")
	}
	r.seconds(0.2)
	if e := r.until(id); e.End != hal.EndCancelled || !strings.Contains(e.Reason, "silent") {
		t.Errorf("ended %+v", e)
	}
	if a, _ := second.Target(target(-10)); a.Outcome != hal.Accepted {
		t.Errorf("second after the lease was lost: %+v", a)
	}
	r.ticks(2)
	second.Close()
	r.ticks(2)
	if a, _ := first.Target(target(5)); a.Outcome != hal.Accepted {
		t.Errorf("first after the lease was given back: %+v", a)
	}
	r.ticks(1)
	move := r.must(yawTo(30)).Move
	if a, _ := first.Target(target(5)); a.Code != hal.CodeLease {
		t.Errorf("a displaced stream took the robot back: %+v", a)
	}
	if e := r.until(move); e.End != hal.EndDone {
		t.Errorf("move ended %+v", e)
	}
	r.ticks(2)
	if a, _ := first.Target(target(5)); a.Outcome != hal.Accepted {
		t.Errorf("first after the move: %+v", a)
	}
	r.ticks(2)
	first.Close()
	r.seconds(1)
	r.checkEnvelope()
}

// A stream that means harm: everything a float can be, alternating extremes, at 130 targets a tick.
func TestHostileStreamStaysInside(t *testing.T) {
	for seed := range uint64(3) { // some end where the straight way of the arms is barred
		t.Run(fmt.Sprint(seed), func(t *testing.T) { hostileStream(t, rand.New(rand.NewPCG(3+5*seed, 4-seed))) })
	}
}

func hostileStream(t *testing.T, rng *rand.Rand) {
	r := newRig(t)
	s := r.NewStreamer("hostile")
	weird := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1e-320, 0, math.MaxFloat64, math.Pi, -math.Pi, 99, -99}
	value := func(scale float64) float64 {
		switch rng.IntN(20) {
		case 0:
			return weird[rng.IntN(len(weird))]
		case 1, 2, 3, 4, 5:
			return scale * float64(1-2*rng.IntN(2))
		}
		return scale * (2*rng.Float64() - 1)
	}
	var refused, clamped, taken, worst int
	for i := range 100_000 {
		req := hal.Request{Verb: hal.VerbTarget}
		scale := []float64{1, 3, 0.3}[i/7000%3]
		if rng.IntN(10) > 0 {
			req.Head = hal.Head{
				X: value(0.05 * scale), Y: value(0.05 * scale), Z: value(0.05 * scale),
				Roll: value(0.8 * scale), Pitch: value(0.8 * scale), Yaw: value(3.2 * scale),
			}.Goal()
		}
		if rng.IntN(3) > 0 {
			req.BodyYaw = ptr(value(2.9 * scale))
		}
		if rng.IntN(3) > 0 {
			req.Antennas = hal.Antennas{Left: value(3.2 * scale), Right: value(3.2 * scale)}.Goal()
		}
		a, judged := s.Target(&req)
		switch {
		case a.Outcome == hal.Rejected:
			refused++
		case a.Outcome == hal.Clamped:
			clamped++
		case judged:
			taken++
		}
		if i%130 == 0 || (i > 90_000 && i%3 == 0) {
			r.ticks(1 + rng.IntN(2))
			if _, err := r.aiming.Forward(&r.lim.q); err != nil {
				worst++
			}
		}
	}
	r.checkEnvelope()
	t.Logf("%d goals written; %d targets refused, %d clamped, %d taken as they were; %d goals without a head pose",
		len(r.bus.history), refused, clamped, taken, worst)
	if refused == 0 || clamped == 0 || taken == 0 {
		t.Error("the stream was not as hostile as it was meant to be")
	}
	if worst > 0 {
		t.Errorf("%d goals pull the rods against each other", worst)
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
