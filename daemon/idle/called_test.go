package idle

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/scene"
)

// Who calls it is turned to at once: where the voice came from, and where that is not known the face that is there, known or not.
func TestItTurnsToWhoCalls(t *testing.T) {
	s := newStage(t, Calm)
	var yaw float64
	var at time.Time
	s.Voice = func() (float64, time.Time) { return yaw, at }
	s.Look = func(context.Context) ([]scene.Detection, error) { s.pictures++; return s.inView, nil }
	s.inView = []scene.Detection{{Name: scene.Face, Yaw: 12}}
	call := func() (all []hal.Request, pictures int) {
		s.asked, pictures = nil, s.pictures
		s.called()
		s.step(t.Context())
		return leans(s.asked), s.pictures - pictures
	}
	degrees := func(r *hal.Request) float64 { return math.Round(*r.Head.Yaw * 180 / math.Pi) }

	s.pass(20 * time.Second)
	s.pass(5 * time.Second)
	if all, pictures := call(); len(all) != 1 || degrees(&all[0]) != 12 || pictures != 1 {
		t.Errorf("by the face: %+v, %d pictures", all, pictures)
	}
	s.pass(5 * time.Second)
	s.looked = s.clock // the next picture is not due
	yaw, at = -20, s.clock
	if all, pictures := call(); len(all) != 1 || degrees(&all[0]) != -20 || pictures != 0 {
		t.Errorf("by the voice: %+v, %d pictures", all, pictures)
	}
	s.inView = nil
	s.pass(11 * time.Minute)
	if s.now != drowsy {
		t.Fatalf("%+v", s.now)
	}
	if all, _ := call(); len(all) != 1 || *all[0].Head.Pitch != perked.head.Pitch {
		t.Errorf("asleep: %+v", all)
	}
	s.inView = []scene.Detection{{Name: scene.Face, Yaw: 12}}
	if all := leans(s.pass(tick)); len(all) != 1 || degrees(&all[0]) != 12 {
		t.Errorf("awake: %+v", all)
	}
	s.state.EStop = true
	if all, _ := call(); len(all) > 0 {
		t.Errorf("latched: %+v", all)
	}
}

func TestACallIsTakenAtOnce(t *testing.T) {
	s := newStage(t, Calm)
	calls, steps := make(chan struct{}), 0
	s.Calls = calls
	state := s.State
	s.State = func() hal.State { steps++; return state() }
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of a life that takes none
	defer cancel()
	go func() {
		for range 50 {
			select {
			case calls <- struct{}{}:
			case <-ctx.Done():
			}
		}
		cancel()
	}()
	if s.Run(ctx); steps < 49 {
		t.Errorf("%d steps for 50 calls", steps)
	}
}
