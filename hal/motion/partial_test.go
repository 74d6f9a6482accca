package motion

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// What a request leaves out stays at its goal, and which goal that is is decided when the move begins, not before.
func TestAxesThatAreLeftOutStayAtTheirGoals(t *testing.T) {
	r := newRig(t)
	start := hal.Head{X: 0.004, Z: 0.008, Roll: deg(6), Pitch: deg(-8), Yaw: deg(20)}
	r.until(r.must(hal.Request{Verb: hal.VerbGoto, Head: start.Goal(), Antennas: hal.Antennas{Left: 0.5, Right: -0.4}.Goal()}).Move)
	at := func(what string, want hal.Head, left, right float64) {
		t.Helper()
		r.ticks(20)
		s := r.State()
		if d := headDistance(s.Head, want); d > 1e-3 || math.Abs(s.Antennas.Left-left) > 2e-3 || math.Abs(s.Antennas.Right-right) > 2e-3 {
			t.Errorf("%s: head %+v, antennas %+v; want %+v, %v, %v", what, s.Head, s.Antennas, want, left, right)
		}
	}
	r.until(r.must(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: ptr(deg(-15))}}).Move)
	want := start
	want.Yaw = deg(-15)
	at("yaw alone", want, 0.5, -0.4)

	r.until(r.must(hal.Request{Verb: hal.VerbGoto, Antennas: &hal.AntennaGoal{Right: ptr(-1.0)}}).Move)
	at("one antenna", want, 0.5, -1)

	// Two in the queue: the second begins where the first ends.
	r.must(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Pitch: ptr(deg(4))}, Duration: 0.5})
	r.until(r.must(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: ptr(deg(10))}, Duration: 0.5, Queue: true}).Move)
	want.Pitch, want.Yaw = deg(4), deg(10)
	at("queued", want, 0.5, -1)

	s := r.NewStreamer("test")
	if a, _ := s.Target(&hal.Request{Verb: hal.VerbTarget, Head: &hal.HeadGoal{Roll: ptr(deg(-3))}}); a.Outcome != hal.Accepted {
		t.Fatalf("%+v", a)
	}
	r.ticks(2)
	if a, _ := s.Target(&hal.Request{Verb: hal.VerbTarget, Head: &hal.HeadGoal{Yaw: ptr(deg(5))}}); a.Outcome != hal.Accepted {
		t.Fatalf("%+v", a)
	}
	r.seconds(0.5)
	want.Roll, want.Yaw = deg(-3), deg(5)
	at("streamed: what an earlier target asked for stays, too", want, 0.5, -1)
	s.Close()
	r.checkEnvelope()
}

// A goal that cannot be reached with what it leaves out is changed as a whole, and that is told.
func TestPartialGoalIsClamped(t *testing.T) {
	r := newRig(t)
	r.until(r.must(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Roll: ptr(deg(25))}}).Move)
	a := r.do(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Pitch: ptr(deg(60))}})
	if a.Outcome != hal.Clamped || len(a.Changes) == 0 {
		t.Fatalf("%+v", a)
	}
	r.until(a.Move)
	r.ticks(20)
	for _, c := range a.Changes {
		if c.Field == "head.pitch" && math.Abs(r.State().Head.Pitch-c.Given) > 2e-3 {
			t.Errorf("pitch is %v and not the %v that was told", r.State().Head.Pitch, c.Given)
		}
	}
	r.checkEnvelope()
}

func TestGoalOverPose(t *testing.T) {
	pose := hal.Head{X: 1, Y: 2, Z: 3, Roll: 4, Pitch: 5, Yaw: 6}
	if got := (&hal.HeadGoal{}).Over(pose); got != pose || !(&hal.HeadGoal{}).Empty() {
		t.Errorf("nothing asked: %+v", got)
	}
	if got := pose.Goal().Over(hal.Head{}); got != pose || !pose.Goal().Full() || pose.Goal().Empty() {
		t.Errorf("all asked: %+v", got)
	}
	g := pose.Goal()
	for _, v := range []**float64{&g.X, &g.Y, &g.Z, &g.Roll, &g.Pitch, &g.Yaw} {
		kept := *v
		*v = nil
		if g.Full() || g.Over(hal.Head{}) == pose {
			t.Errorf("an axis that is left out was asked for: %+v", g.Over(hal.Head{}))
		}
		*v = kept
	}
}

// Who gives its move up does not end the one that has replaced it.
func TestHoldOfOneMove(t *testing.T) {
	r := newRig(t)
	old := r.must(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: ptr(0.5)}, Duration: 2})
	newer := r.must(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: ptr(-0.3)}, Duration: 1})
	r.must(hal.Request{Verb: hal.VerbHold, ID: old.Move})
	if e := r.until(newer.Move); e.End != hal.EndDone {
		t.Errorf("the newer move: %+v", e)
	}
	last := r.must(hal.Request{Verb: hal.VerbGoto, Head: &hal.HeadGoal{Yaw: ptr(0.5)}, Duration: 2})
	r.must(hal.Request{Verb: hal.VerbHold, ID: last.Move})
	if e := r.until(last.Move); e.End != hal.EndCancelled {
		t.Errorf("the move that was given up: %+v", e)
	}
}
