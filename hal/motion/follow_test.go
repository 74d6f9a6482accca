package motion

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// Somebody holds the head; the next move begins where the hand has it, and nothing jumps.
func TestMoveBeginsWhereAHandHoldsTheHead(t *testing.T) {
	r := newRig(t)
	r.bus.blocked = bodyMask
	r.must(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(1.2), CarryHead: true, Duration: 1})
	r.seconds(1.5)
	if !r.overTrackingError() {
		t.Fatalf("the body is not held: goal %g, joint %g", r.lim.q[hal.BodyYaw], r.bus.pos[hal.BodyYaw])
	}
	a := r.must(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(0.1), Duration: 1})
	if start := r.cur.mover.(*gotoMove).start; math.Abs(start.body) > 0.01 {
		t.Errorf("the move begins at %g, the body is at 0", start.body)
	}
	r.bus.blocked = 0
	if e := r.until(a.Move); e.End != hal.EndDone {
		t.Errorf("%+v", e)
	}
	r.checkEnvelope()
}

// Targets at 50, 33 and 20 Hz move the head as evenly as targets at 100 Hz.
func TestSlowStreamsMoveEvenly(t *testing.T) {
	for _, every := range []int{1, 2, 3, 5} {
		r := newRig(t)
		s := r.NewStreamer("slow")
		const rate = 0.5 // rad/s of the body
		var speeds []float64
		for i := range 200 {
			if i%every == 0 {
				body := rate * float64(i) * r.dt
				if a, _ := s.Target(&hal.Request{Verb: hal.VerbTarget, BodyYaw: &body, CarryHead: true}); a.Outcome == hal.Rejected {
					t.Fatalf("%+v", a)
				}
			}
			r.ticks(1)
			if i > 100 {
				speeds = append(speeds, r.lim.v[hal.BodyYaw])
			}
		}
		for _, v := range speeds {
			if math.Abs(v-rate) > 0.1*rate {
				t.Errorf("a target every %d ticks: speed %g, want %g", every, v, rate)
				break
			}
		}
		s.Close()
		r.seconds(0.5)
		r.checkEnvelope()
	}
}

// Replacing a move carries its speed on: the goals neither stop nor jump.
func TestReplacementCarriesTheSpeedOn(t *testing.T) {
	r := newRig(t)
	r.must(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(2.0), CarryHead: true, Duration: 2})
	r.seconds(1)
	before := r.lim.v[hal.BodyYaw]
	if before < 0.5 {
		t.Fatalf("speed %g", before)
	}
	r.do(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(2.2), CarryHead: true, Duration: 2})
	for range 5 {
		if v := r.lim.v[hal.BodyYaw]; v < 0.8*before {
			t.Errorf("speed %g, before the replacement %g", v, before)
		}
		r.ticks(1)
	}
	r.checkEnvelope()
}

// Single targets under ever new names are refused and forgotten; the one that has the lease keeps it.
func TestManySources(t *testing.T) {
	r := newRig(t)
	req := hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Yaw: 0.1}.Goal(), Source: "owner"}
	r.must(req)
	r.ticks(1)
	for i := range 3 * maxSources {
		req.Source = fmt.Sprint(i)
		r.mustReject(req, hal.CodeLease)
	}
	if n := len(r.sources.list); n > maxSources {
		t.Errorf("%d sources are remembered", n)
	}
	req.Source = "owner"
	r.must(req)
}

// A first target that no tick has seen yet does not replace a move that was asked for after it.
func TestMoveAfterAFirstTarget(t *testing.T) {
	r := newRig(t)
	s := r.NewStreamer("early")
	if a, _ := s.Target(&hal.Request{Verb: hal.VerbTarget, BodyYaw: ptr(0.5)}); a.Outcome != hal.Accepted {
		t.Fatalf("%+v", a)
	}
	if e := r.until(r.must(hal.Request{Verb: hal.VerbGoto, BodyYaw: ptr(-0.5), Duration: 1}).Move); e.End != hal.EndDone {
		t.Errorf("%+v", e)
	}
	// Over is over: the streamer has lost nothing.
	if a, _ := s.Target(&hal.Request{Verb: hal.VerbTarget, BodyYaw: ptr(0.5)}); a.Outcome != hal.Accepted {
		t.Errorf("%+v", a)
	}
	r.seconds(2)
	if got := r.lim.q[hal.BodyYaw]; math.Abs(got-0.5) > 1e-3 {
		t.Errorf("the body is at %g", got)
	}
}

// stream sends a target at each of the times, and turns the loop meanwhile and half a second on.
func (r *rig) stream(req func(t float64) hal.Request, times func(yield func(time.Duration) bool)) {
	s := r.NewStreamer("somebody")
	defer s.Close()
	began := r.clock.Now()
	for at := range times {
		for due := r.now + r.period; due < began+at; due = r.now + r.period {
			r.clock.now.Store(int64(due))
			r.tele.woke(due, 0)
			r.tick(due)
		}
		r.clock.now.Store(int64(began + at))
		target := req(at.Seconds())
		if a, _ := s.Target(&target); a.Outcome == hal.Rejected {
			r.t.Fatalf("%+v", a)
		}
	}
	r.clock.now.Store(int64(r.now))
	r.seconds(0.5)
}

// A flood that is silent for a tick has ended: what was foreseen is taken back as fast as the joints may, to the last target.
func TestTheEndOfAFlood(t *testing.T) {
	sine := func(t float64) hal.Request {
		v := math.Sin(2 * math.Pi * t)
		return hal.Request{Verb: hal.VerbTarget, Head: hal.Head{Roll: deg(15) * v}.Goal(), Antennas: hal.Antennas{Left: v / 2, Right: -v / 2}.Goal()}
	}
	for _, joint := range []hal.Joint{hal.Stewart1, hal.RightAntenna} {
		for _, off := range []time.Duration{0, 4 * time.Millisecond, 8 * time.Millisecond} { // between the last target and the tick
			r := newRig(t)
			end := 3*time.Second + off
			r.stream(sine, func(yield func(time.Duration) bool) {
				for at := time.Duration(0); at <= end && yield(at); at += time.Second / 13000 {
				}
			})
			rest, last := r.bus.history[len(r.bus.history)-1][joint], 0
			for i, q := range r.bus.history {
				if math.Abs(q[joint]-rest) > math.Pi/4096 { // half a count of a servo
					last = i + 1
				}
			}
			if took := 500 - 10*(len(r.bus.history)-1-last); took > 70 {
				t.Errorf("joint %d moves on for %d ms after the last target and a tick", joint, took)
			}
			want := sine(end.Seconds())
			if f := jointsOf(t, want.Head.Over(hal.Head{}), 0, want.Antennas.Over(hal.Antennas{})); math.Abs(f[joint]-rest) > 2e-3 {
				t.Errorf("joint %d rests at %g, the last target says %g", joint, rest, f[joint])
			}
			r.checkEnvelope()
		}
	}
}

// Targets of a stream that come two by two, with a tick in between, are no flood: it goes on softly in the silences.
func TestTargetsInPairsAreNoFlood(t *testing.T) {
	r := newRig(t)
	r.stream(func(t float64) hal.Request {
		v := (1 - math.Cos(2*math.Pi*t)) / 4
		return hal.Request{Verb: hal.VerbTarget, Antennas: hal.Antennas{Left: hal.AwakeAntennas.Left + v, Right: hal.AwakeAntennas.Right - v}.Goal()}
	}, func(yield func(time.Duration) bool) {
		for i := range 200 {
			at := time.Duration(i/2)*30*time.Millisecond + time.Duration(i%2)*400*time.Microsecond
			if !yield(at + 9800*time.Microsecond) {
				return
			}
		}
	})
	most, q := 0.0, r.bus.history
	for i := 3; i < len(q); i++ {
		most = max(most, math.Abs(q[i][hal.LeftAntenna]-2*q[i-1][hal.LeftAntenna]+q[i-2][hal.LeftAntenna])/r.dt/r.dt)
	}
	if limit := r.lim.lim[hal.LeftAntenna].Accel; most > limit/2 {
		t.Errorf("an acceleration of %.0f rad/s² of %.0f, for targets that need 10", most, limit)
	}
}
