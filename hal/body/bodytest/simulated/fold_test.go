package simulated

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
)

// Whatever the head is told, slowly or at once, stopped or overtaken by the next, its weight does not fold the platform over.
func TestNoMoveFoldsThePlatform(t *testing.T) {
	s := New(t, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l} })
	if s.Physics != "MuJoCo" {
		t.Skip("NOT TESTED: this was built without MuJoCo, and the head weighs nothing in the simple simulation")
	}
	ctx, random := context.Background(), rand.New(rand.NewPCG(2, 1)) //nolint:gosec // the same moves each time
	u := func(most float64) float64 { return (2*random.Float64() - 1) * most }
	do := func(req hal.Request) {
		if _, _, err := s.Perform(ctx, req); err != nil {
			t.Error(err)
		}
	}
	const moves = 60
	for i := range moves {
		h := hal.Head{Roll: u(0.7), Pitch: u(0.7), Yaw: u(3)}
		if i%2 == 0 {
			h.X, h.Y, h.Z = u(0.03), u(0.03), u(0.03)
		}
		req := hal.Request{Verb: hal.VerbGoto, Head: h.Goal(), Duration: 0.6 + 1.4*random.Float64()}
		if i%3 == 0 {
			body := u(2.7)
			req.BodyYaw = &body
		}
		pause := s.Run()
		if i%4 > 0 {
			do(req)
			s.Advance(s.Now() + time.Second) // it holds
		} else { // as fast as it can, and then something else
			req.Duration = 0.05
			done := make(chan struct{})
			go func() { defer close(done); do(req) }()
			s.Advance(s.Now() + time.Duration(random.IntN(60))*10*time.Millisecond)
			do(hal.Request{Verb: hal.VerbStop})
			<-done
			do(hal.Request{Verb: hal.VerbReset})
		}
		pause()
	}
	t.Logf("%d moves in %v", moves, s.Now())
}
