package motion

import (
	"math"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

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
