package motion

import (
	"math"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

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
