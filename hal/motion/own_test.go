package motion

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/moves"
)

// Our own moves are played to their end while the robot talks, follows a face and breathes, each where the last one has left it, without
// a jump: speed and acceleration stay within the limits all the time.
func TestOwnMovesWhileTalkingTrackingAndBreathing(t *testing.T) {
	r := newRig(t)
	r.must(hal.Request{Verb: hal.VerbIdle, On: ptr(true)})
	follow := func(i int) hal.Answer {
		head := hal.Head{Yaw: 0.3 * math.Sin(float64(i)/40), Pitch: 0.1 * math.Sin(float64(i)/55)}
		return r.do(hal.Request{Verb: hal.VerbTarget, Source: "face", Head: head.Goal()})
	}
	talk := func(i int) {
		s := math.Sin(float64(i) / 4)
		head := hal.Head{Z: 0.004 * s, Roll: 0.04 * math.Sin(float64(i)/7), Pitch: 0.06 * s}
		r.must(hal.Request{Verb: hal.VerbOffset, Source: "speech", Head: head.Goal(), Antennas: hal.Antennas{Left: 0.1 * s, Right: -0.1 * s}.Goal()})
	}
	talked := 0
	for _, m := range moves.Own() {
		for i := range 20 { // it looks at somebody, and talks
			if a := follow(i); a.Outcome == hal.Rejected {
				t.Fatalf("before %s: %+v", m.Name, a)
			}
			talk(i)
			r.ticks(2)
		}
		a := r.do(hal.Request{Verb: hal.VerbPlay, Name: m.Name, Recording: m.Recording})
		if a.Outcome == hal.Rejected {
			t.Fatalf("%s: %+v", m.Name, a)
		}
		for i := 20; r.moves(a.Move); i++ {
			talk(i)
			if i%3 == 0 {
				follow(i)
			}
			r.ticks(2)
			talked++
		}
		if e := r.until(a.Move); e.End != hal.EndDone {
			t.Errorf("%s: %+v", m.Name, e)
		}
		r.seconds(3) // it breathes
	}
	if talked < 1000 {
		t.Errorf("it talked for %d ticks only", talked)
	}
	r.checkEnvelope()
}

// moves says whether a move has not ended.
func (r *rig) moves(move string) bool {
	_, active, found := r.lookUp(move)
	return active || !found
}
