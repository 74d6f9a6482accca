package motion

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/request"
)

// recording makes a recorded move that nods, with a bad frame where wanted.
func recording(n int, dt float64, pose func(i int) hal.Head) *hal.Recording {
	rec := &hal.Recording{Description: "test"}
	for i := range n {
		h := pose(i).Pose()
		var f hal.Frame
		for r := range 3 {
			copy(f.Head[r][:3], h.R[3*r:3*r+3])
			f.Head[r][3] = h.T[r]
		}
		f.Head[3][3] = 1
		f.Antennas = [2]float64{-0.2, 0.2}
		f.BodyYaw = ptr(0.1)
		rec.Time = append(rec.Time, 5+float64(i)*dt)
		rec.Frames = append(rec.Frames, f)
	}
	return rec
}

func TestRecordedMove(t *testing.T) {
	r := newRig(t)
	rec := recording(200, 0.02, func(i int) hal.Head { return hal.Head{Pitch: 0.2 * math.Sin(float64(i)/20), Yaw: 0.3} })
	a := r.must(hal.Request{Verb: hal.VerbPlay, Name: "nodding", Recording: rec})
	if a.Duration < 3.98 || a.Duration > 6 {
		t.Errorf("duration %g", a.Duration)
	}
	if e := r.until(a.Move); e.End != hal.EndDone || e.Name != "play nodding" {
		t.Errorf("ended %+v", e)
	}
	r.seconds(0.2)
	if s := r.State(); math.Abs(s.Head.Yaw-0.3) > 1e-3 || math.Abs(s.BodyYaw-0.1) > 1e-3 || math.Abs(s.Antennas.Left-0.2) > 1e-3 {
		t.Errorf("state %+v", s)
	}
	r.checkEnvelope()
}

func TestRecordedMoveIsClampedAndSlowed(t *testing.T) {
	r := newRig(t)
	low := recording(100, 0.02, func(i int) hal.Head { return hal.Head{Z: -0.1 * float64(i) / 100} })
	a := r.do(hal.Request{Verb: hal.VerbPlay, Recording: low})
	if a.Outcome != hal.Clamped || !strings.Contains(a.Changes[0].Field, "set_target_data[") || !strings.Contains(a.Changes[0].Limit, "of 100 frames") {
		t.Errorf("too low: %+v", a)
	}
	r.until(a.Move)
	wild := recording(100, 0.01, func(i int) hal.Head { return hal.Head{Pitch: 0.5 * math.Sin(float64(i)/2)} })
	a = r.do(hal.Request{Verb: hal.VerbPlay, Recording: wild})
	if a.Outcome != hal.Clamped || a.Changes[len(a.Changes)-1].Field != "duration" {
		t.Errorf("too fast: %+v", a)
	}
	r.until(a.Move)
	r.checkEnvelope()
}

func TestGotoIsClampedOrRefused(t *testing.T) {
	r := newRig(t)
	a := r.do(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Pitch: deg(60)}.Goal()})
	if a.Outcome != hal.Clamped || a.Changes[0].Field != "head.pitch" || a.Changes[0].Given >= deg(60) || a.Changes[0].Limit == "" {
		t.Errorf("pitch 60°: %+v", a)
	}
	a = r.do(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(90)}.Goal(), BodyYaw: ptr(0.0), Duration: 0.05})
	fields := map[string]hal.Change{}
	for _, c := range a.Changes {
		fields[c.Field] = c
	}
	if math.Abs(fields["body_yaw"].Given-deg(25)) > 1e-6 || fields["duration"].Given < 0.2 || a.Duration != fields["duration"].Given {
		t.Errorf("yaw 90° over a body at 0 in 50 ms: %+v", a)
	}
	if e := r.until(a.Move); e.End != hal.EndDone {
		t.Errorf("%+v", e)
	}
	r.mustReject(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{X: 0.5}.Goal()}, hal.CodeUnreachable)
	r.mustReject(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(300)}.Goal()}, hal.CodeUnreachable)
	r.checkEnvelope()
}

// Half a turn goes through the front, not behind the back.
func TestYawPassesThroughTheFront(t *testing.T) {
	r := newRig(t)
	r.until(r.must(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(120)}.Goal()}).Move)
	a := r.do(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(-120)}.Goal(), Duration: 3})
	front := false
	for r.State().Moving {
		r.ticks(1)
		front = front || math.Abs(r.State().Head.Yaw) < 0.1
	}
	if e := r.until(a.Move); e.End != hal.EndDone || !front {
		t.Errorf("%+v, through the front: %v", e, front)
	}
}

func TestBodyCarriesTheHead(t *testing.T) {
	r := newRig(t)
	r.until(r.must(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(deg(90)), CarryHead: true, Duration: 2}).Move)
	r.seconds(0.2)
	if s := r.State(); math.Abs(s.Head.Yaw-deg(90)) > 1e-3 || math.Abs(s.BodyYaw-deg(90)) > 1e-3 {
		t.Errorf("carried: head %g°, body %g°", s.Head.Yaw*180/math.Pi, s.BodyYaw*180/math.Pi)
	}
	a := r.do(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(0.0), Duration: 2})
	if a.Outcome != hal.Clamped || math.Abs(a.Changes[0].Given-deg(25)) > 1e-3 {
		t.Errorf("body alone, further than the head allows: %+v", a)
	}
	r.until(a.Move)
	r.seconds(0.2)
	if s := r.State(); math.Abs(s.Head.Yaw-deg(90)) > 1e-3 {
		t.Errorf("the head went along to %g°", s.Head.Yaw*180/math.Pi)
	}
}

func TestOffsetIsAddedAndExpires(t *testing.T) {
	r := newRig(t)
	off := hal.Request{Verb: hal.VerbOffset, Source: "speech", Head: hal.Head{Pitch: 0.1, Z: 0.005}.Goal()}
	for range 30 {
		r.must(off)
		r.ticks(1)
	}
	if h := r.State().Head; math.Abs(h.Pitch-0.1) > 0.01 || math.Abs(h.Z-0.005) > 1e-3 {
		t.Errorf("head %+v", h)
	}
	r.seconds(2)
	if h := r.State().Head; headDistance(h, hal.Head{}) > 1e-3 {
		t.Errorf("the offset of a silent source stays: %+v", h)
	}
	huge := off
	huge.Head = hal.Head{Roll: 3}.Goal()
	if a := r.do(huge); a.Outcome != hal.Clamped || a.Changes[0].Given != MaxOffsetTilt {
		t.Errorf("huge offset: %+v", a)
	}
	if *huge.Head.Roll != 3 {
		t.Error("the caller's request was changed")
	}
	for i := range maxOffsets - 1 {
		off.Source = strings.Repeat("x", i+1)
		r.must(off)
	}
	off.Source = "one too many"
	r.mustReject(off, hal.CodeBusy)
	r.checkEnvelope()
}

func TestBreathesOnlyWhenIdle(t *testing.T) {
	r := newRig(t)
	still := r.lim.q
	r.must(hal.Request{Verb: hal.VerbIdle, On: ptr(true)})
	r.seconds(2.5)
	if r.lim.q != still {
		t.Error("it breathes at once")
	}
	r.seconds(5)
	if r.lim.q == still {
		t.Error("it does not breathe")
	}
	if s := r.State(); s.Moving || headDistance(s.Head, hal.Head{}) > 0.03 {
		t.Errorf("breathing is told as a move, or too deep: %+v", s)
	}
	r.until(r.must(yawTo(20)).Move)
	r.ticks(1)
	if d := headDistance(r.State().Head, hal.Head{Yaw: deg(20)}); d > 5e-3 {
		t.Errorf("the move ends %g off", d)
	}
	r.must(hal.Request{Verb: hal.VerbIdle, On: ptr(false)})
	r.seconds(5)
	still = r.lim.q
	r.seconds(5)
	if r.lim.q != still {
		t.Error("it goes on breathing")
	}
	r.checkEnvelope()
}

func TestHoldStopsAndClearsTheQueue(t *testing.T) {
	r := newRig(t)
	first := r.must(yawTo(60)).Move
	second := yawTo(0)
	second.Queue = true
	waiting := r.must(second).Move
	r.seconds(0.5)
	r.must(hal.Request{Verb: hal.VerbHold})
	for _, m := range []string{first, waiting} {
		if e := r.until(m); e.End != hal.EndCancelled || e.Reason != "hold" {
			t.Errorf("%s: %+v", m, e)
		}
	}
	r.seconds(1)
	if yaw := r.State().Head.Yaw; yaw < 0.2 || yaw > 0.9 {
		t.Errorf("holds at %g", yaw)
	}
	r.checkEnvelope()
}

// Motors off lets the head be guided; on again it stays where it was put.
func TestGuidedByHand(t *testing.T) {
	r := newRig(t)
	r.must(hal.Request{Verb: hal.VerbMotors, On: ptr(false)})
	if r.bus.torque != 0 {
		t.Fatal("torque is on")
	}
	r.bus.pos = jointsOf(t, hal.Head{Pitch: 0.3, Yaw: 0.4}, 0.2, hal.Antennas{Left: 1, Right: 1})
	r.seconds(0.2)
	r.bus.history = nil
	put := r.bus.pos
	r.must(hal.Request{Verb: hal.VerbMotors, On: ptr(true)})
	r.seconds(1)
	for j, d := range diff(r.bus.pos, put) {
		if math.Abs(d) > 1e-3 {
			t.Errorf("%v moved by %g", hal.Joint(j), d)
		}
	}
	r.must(hal.Request{Verb: hal.VerbMotors, On: ptr(false), Joints: []string{"left_antenna", "right_antenna"}})
	if s := r.State(); s.Mode != hal.ModePartial {
		t.Errorf("mode %s", s.Mode)
	}
	r.mustReject(hal.Request{Verb: hal.VerbGoto, Antennas: hal.Antennas{}.Goal()}, hal.CodeTorqueOff)
	r.until(r.must(yawTo(0)).Move)
	r.checkEnvelope()
}

func TestAnIDIsUsedOnceAtATime(t *testing.T) {
	r := newRig(t)
	req := yawTo(20)
	req.ID = "same"
	r.must(req)
	r.mustReject(req, hal.CodeInvalid)
	r.until("same")
	r.must(req)
}

func TestSlowEventReaderSeesTheGap(t *testing.T) {
	r := newRig(t)
	for range eventsKept + 10 {
		r.emit(hal.Event{Type: hal.EventFault})
		r.ticks(1)
	}
	ev := r.Events(3, nil)
	if len(ev) != eventsKept || ev[0].Seq != 11 {
		t.Errorf("%d events from %d on", len(ev), ev[0].Seq)
	}
}

func TestMissedTicksAreAFault(t *testing.T) {
	r := newRig(t)
	r.tele.missed += 50
	r.seconds(1.2)
	if s := r.State(); len(s.Faults) != 1 || s.Faults[0].Name != hal.FaultDeadline {
		t.Errorf("faults %+v", s.Faults)
	}
	if tel := r.Telemetry(); tel.Missed != 50 || tel.LoopHz < 99 || tel.LoopHz > 101 {
		t.Errorf("telemetry %+v", tel)
	}
	r.seconds(4)
	if s := r.State(); len(s.Faults) != 0 {
		t.Errorf("faults %+v", s.Faults)
	}
}

// Whatever the limiter is told, tick after tick, it keeps its three promises and can stop before every limit.
func TestLimiterKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLimiter(0.01, DefaultLimits, hal.JointLimits)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		for j := range l.q {
			l.pin(j, rng.NormFloat64())
		}
		goals := []hal.Joints{l.q, l.q}
		var target hal.Joints
		for range rapid.IntRange(1, 300).Draw(rt, "ticks") {
			if rng.IntN(12) == 0 {
				for j := range target {
					target[j] = []float64{-9, 9, 0, rng.NormFloat64(), math.NaN(), math.Inf(1)}[rng.IntN(6)]
				}
			}
			if rng.IntN(40) == 0 {
				l.brake()
			} else {
				l.step(&target, hal.JointMask(rng.IntN(1<<hal.NumJoints)))
			}
			goals = append(goals, l.q)
		}
		for !l.still() {
			l.brake()
			goals = append(goals, l.q)
		}
		checkGoals(t, goals, l.dt, DefaultLimits)
	})
}

// Told to go somewhere and left alone, every joint arrives exactly and does not overshoot.
func TestLimiterArrives(t *testing.T) {
	l := newLimiter(0.01, DefaultLimits, hal.JointLimits)
	target := jointsOf(t, hal.Head{Pitch: 0.4, Z: -0.01}, 1, hal.Antennas{Left: 2, Right: -2})
	start := l.q
	for n := range 300 {
		l.step(&target, hal.AllJoints)
		for j := range target {
			if (l.q[j]-target[j])*(start[j]-target[j]) < -1e-12 {
				t.Fatalf("tick %d: %v overshoots to %g on the way from %g to %g", n, hal.Joint(j), l.q[j], start[j], target[j])
			}
		}
	}
	for j, d := range diff(l.q, target) {
		if math.Abs(d) > 1e-9 {
			t.Errorf("%v is %g off", hal.Joint(j), d)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	var lin linear
	for i := 1; i <= 1000; i++ {
		h.add(time.Duration(i) * time.Microsecond)
		lin.add(time.Duration(i) * time.Microsecond)
	}
	if q := h.quantile(0.5); q < 450*time.Microsecond || q > 560*time.Microsecond {
		t.Errorf("median %v", q)
	}
	if q := lin.quantile(0.99); q != 995*time.Microsecond && q != 990*time.Microsecond {
		t.Errorf("p99 %v", q)
	}
	if q := h.quantile(1); q != time.Millisecond || lin.quantile(1) != time.Millisecond {
		t.Errorf("max %v %v", q, lin.quantile(1))
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("goto", 0.1, 0.2, 1.0, "min_jerk", "x", byte(0))
	f.Add("goto", 0.1, 0.2, 1.0, "linear", "", byte(0b101110))
	f.Add("target", 0.1, 0.2, 0.0, "", "", byte(0b1011_1111))
	f.Add("gesture", math.NaN(), math.Inf(1), -1.0, "", "nod", byte(0))
	f.Fuzz(func(t *testing.T, verb string, a, b, d float64, law, name string, without byte) {
		r := newRig(t)
		req := hal.Request{
			Verb: hal.Verb(verb), Head: hal.Head{X: a, Pitch: b, Yaw: a * b}.Goal(), BodyYaw: &b,
			Antennas: hal.Antennas{Left: a, Right: b}.Goal(), Duration: d, Easing: hal.Easing(law), Name: name,
		}
		for i, v := range [...]**float64{
			&req.Head.X, &req.Head.Y, &req.Head.Z, &req.Head.Roll, &req.Head.Pitch, &req.Head.Yaw, &req.Antennas.Left, &req.Antennas.Right,
		} {
			if without&(1<<i) != 0 {
				*v = nil
			}
		}
		if req.Verb != hal.VerbGoto && req.Verb != hal.VerbTarget {
			req.Head, req.BodyYaw, req.Antennas = nil, nil, nil
		}
		if ans := r.do(req); ans.Outcome == hal.Rejected && ans.Reason == "" {
			t.Errorf("%+v: %+v", req, ans)
		}
		r.ticks(50)
		r.checkEnvelope()
	})
}

func BenchmarkTick(b *testing.B) {
	for _, what := range []string{"hold", "move", "stream"} {
		b.Run(what, func(b *testing.B) {
			r := newRig(b, func(_ *Config, s *fakeServos) { s.keep = false })
			s := r.NewStreamer("bench")
			defer s.Close()
			switch what {
			case "move":
				long := yawTo(40)
				long.Duration = request.MaxDuration
				r.must(long)
			case "stream":
				s.Target(&hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: 0.2}.Goal()})
			}
			b.ReportAllocs()
			for b.Loop() {
				r.ticks(1)
			}
		})
	}
}

func BenchmarkTarget(b *testing.B) {
	r := newRig(b)
	s := r.NewStreamer("bench")
	defer s.Close()
	req := hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: 0.2}.Goal()}
	b.ReportAllocs()
	for b.Loop() {
		s.Target(&req)
	}
}

// A move that has lost ticks to a busy host goes a little faster until it is in time again, within the limits.
func TestMovesMakeUpForMissedTicks(t *testing.T) {
	for _, c := range []struct {
		owed  float64 // s, missed half-way
		ticks int
	}{{0, 200}, {0.05, 195}, {5, 190}} {
		r := newRig(t)
		a := r.must(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(2.0), CarryHead: true, Duration: 2})
		r.ticks(100)
		r.owed = c.owed
		n := 100
		for r.cur != nil && n < 300 {
			r.ticks(1)
			n++
		}
		if e := r.until(a.Move); e.End != hal.EndDone || n < c.ticks-4 || n > c.ticks+5 {
			t.Errorf("%g s late half-way: %d ticks, want about %d: %+v", c.owed, n, c.ticks, e)
		}
		r.checkEnvelope()
	}
}
