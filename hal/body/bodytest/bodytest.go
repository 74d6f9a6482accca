// Package bodytest has a body with a real control loop, over servos that obey at once, for tests of what stands on it.
package bodytest

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/motion/motiontest"
)

// Patience is how long a test waits for what will surely come.
const Patience = 30 * time.Second

// Server serves a loop. *server.Server is one; that package's own tests could not use this one if it were named here.
type Server interface {
	Serve(ctx context.Context, l net.Listener) error
}

// Robot is a served loop and its client. All ends with the test.
type Robot struct {
	*body.Client
	Loop   *motion.Loop
	Servos *motiontest.Servos
	Socket string
	Served chan error // how serving ended
	Stop   func()     // ends serving, and not the loop
}

// New starts a robot whose socket is in dir, and waits for the loop's first tick.
func New(t testing.TB, dir string, config motion.Config, serve func(*motion.Loop) Server) *Robot {
	t.Helper()
	r := &Robot{Servos: motiontest.Awake(), Socket: filepath.Join(dir, "body.sock"), Served: make(chan error, 1)}
	r.Loop = motion.New(r.Servos, config)
	l, err := local.Listen(r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.Stop = cancel
	loopCtx, stopLoop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.Loop.Run(loopCtx) }) // it ends with its context
	s := serve(r.Loop)
	wg.Go(func() { r.Served <- s.Serve(ctx, l) })
	r.Client = body.New(r.Socket)
	t.Cleanup(func() {
		r.Close()
		cancel()
		stopLoop()
		wg.Wait()
	})
	r.Until(t, "the first tick", func(s *hal.State) bool { return s.Mode != hal.ModeOffline })
	return r
}

// Until watches the robot until its state is as wanted, and returns that state.
func (r *Robot) Until(t testing.TB, what string, want func(*hal.State) bool) (s hal.State) {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), Patience)
	defer done()
	seen := false
	err := r.Watch(ctx, 100, func(m body.Message) {
		if !seen && m.State != nil {
			s, seen = *m.State, want(m.State)
		}
		if seen {
			done()
		}
	})
	if !seen {
		t.Fatalf("%s does not come (%v); the last state is %+v", what, err, s)
	}
	return s
}

// Latest watches the robot until the test ends. It returns what tells the state that came last: what happened just now may not be in it.
func (r *Robot) Latest(t testing.TB) func() hal.State {
	t.Helper()
	var last atomic.Pointer[hal.State]
	last.Store(&hal.State{})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			_ = r.Watch(ctx, 100, func(m body.Message) { // it is watched again when that ends
				if m.State != nil {
					s := *m.State
					last.Store(&s)
				}
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return func() hal.State { return *last.Load() }
}
