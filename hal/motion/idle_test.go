package motion

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

func glance(yaw, left, seconds float64) hal.Request {
	return hal.Request{
		Verb: hal.VerbOffset, Source: hal.IdleSource, Head: hal.Head{Yaw: yaw}.Goal(),
		Antennas: hal.Antennas{Left: left}.Goal(), Duration: seconds,
	}
}

// A glance comes by minimum jerk, stays without being told again, and is no move.
func TestAGlanceComesSlowlyAndStays(t *testing.T) {
	r := newRig(t)
	before := r.State().Antennas.Left
	r.must(glance(0.3, 0.2, 1))
	jerk, last, speed, was := 0.0, r.lim.q, 0.0, hal.Joints{}
	for range 120 {
		r.ticks(1)
		v := diff(r.lim.q, last)
		for j := range v {
			speed = max(speed, math.Abs(v[j])*100)
			jerk = max(jerk, math.Abs(v[j]-was[j])*100*100)
		}
		last, was = r.lim.q, v
	}
	if speed > 1.5 || jerk > 6 {
		t.Errorf("a joint goes at %.2f rad/s and changes its speed by %.1f rad/s²", speed, jerk)
	}
	if s := r.State(); math.Abs(s.Head.Yaw-0.3) > 0.01 || math.Abs(s.Antennas.Left-before-0.2) > 0.01 || s.Moving || math.Abs(s.GoalHead.Yaw) > 1e-9 {
		t.Errorf("%+v", s)
	}
	r.seconds(20)
	if h := r.State().Head; math.Abs(h.Yaw-0.3) > 0.01 {
		t.Errorf("it does not stay: %+v", h)
	}
	r.seconds(20)
	if h := r.State().Head; math.Abs(h.Yaw) > 0.01 {
		t.Errorf("nobody tells it any more, and it stays: %+v", h)
	}
	r.checkEnvelope()
}

// Whatever moves the robot ends what it does by itself in the same tick, and arrives where it should.
func TestAGlanceMakesWay(t *testing.T) {
	r := newRig(t)
	r.must(glance(0.4, 0.3, 1))
	r.seconds(1.5)
	r.until(r.must(yawTo(-20)).Move)
	r.ticks(1)
	if d := headDistance(r.State().Head, hal.Head{Yaw: deg(-20)}); d > 5e-3 {
		t.Errorf("the move ends %g off", d)
	}
	r.seconds(5)
	if d := headDistance(r.State().Head, hal.Head{Yaw: deg(-20)}); d > 5e-3 {
		t.Errorf("the glance came back: %g off", d)
	}
	r.must(glance(0.4, 0, 1))
	r.seconds(0.5)
	r.Stop(1, "", "")
	r.seconds(1)
	at := r.lim.q
	r.must(hal.Request{Verb: hal.VerbReset})
	r.seconds(3)
	if r.lim.q != at {
		t.Errorf("after the release of a stop it moved by %v", diff(r.lim.q, at))
	}
	big := glance(0, 3, 1)
	if a := r.do(big); a.Outcome != hal.Clamped || a.Changes[0].Field != "antennas.left" || a.Changes[0].Given != MaxOffsetAntenna {
		t.Errorf("%+v", a)
	}
	r.checkEnvelope()
}
