package main

import (
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/virtual"
)

// What is told of a moment belongs to that moment: a time with the joints of the one before would be a joint that stands and jumps.
func TestTimeAndJointsAreOfOneMoment(t *testing.T) {
	s := &simpleStage{Simple: virtual.NewSimple(hal.Joints{})}
	over := make(chan struct{})
	go func() {
		defer close(over)
		var drive virtual.Drives
		var at virtual.Motions
		drive[hal.LeftAntenna] = virtual.Drive{On: true, Limit: 1}
		for i := range 20_000 {
			drive[hal.LeftAntenna].Position = 0.01 * float64(i%100)
			s.Step(virtual.Tick.Seconds(), &drive, &at)
		}
	}()
	seen := map[uint64]hal.Joints{}
	for done := false; !done; {
		select {
		case <-over:
			done = true
		default:
		}
		now := s.Truth()
		if before, ok := seen[now.Steps]; ok && before != now.Joints {
			t.Fatalf("after %d steps the joints are at %v and at %v", now.Steps, before, now.Joints)
		}
		seen[now.Steps] = now.Joints
	}
}
