package motion

import (
	"fmt"
	"math"
	"testing"

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
