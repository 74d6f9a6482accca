// Package simulated has a whole body with physics, whose time runs as fast as the machine can, for tests of what stands on it.
package simulated

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/mujoco"
	"github.com/reachyd/reachyd/hal/servo"
	"github.com/reachyd/reachyd/hal/virtual"
)

// Body is a whole body in this process: its door on a unix socket, the control loop, the driver, the bus on another socket, and
// servos with physics behind it. Its time runs as fast as the machine can, and only during Run, Advance, Wait and Perform.
type Body struct {
	*body.Client
	Loop    *motion.Loop
	Servos  *virtual.Chain
	Physics string // "MuJoCo", or "simple" where this was built without

	mu      sync.Mutex
	changed sync.Cond // now, running or ended
	now     time.Duration
	running int // those who let the time run
	ended   bool

	stepping sync.Mutex // held while the servos live for a tick
}

// New starts a body that sits awake in the neutral pose. All ends with the test.
func New(t testing.TB, serve func(*motion.Loop) bodytest.Server) *Body {
	t.Helper()
	dir := t.TempDir()
	s := &Body{Physics: "MuJoCo"}
	s.changed.L = &s.mu
	var plant virtual.Plant
	physics, err := mujoco.Open(mujoco.Options{
		Start:    virtual.SleepJoints,
		Reseated: func(why string) { t.Errorf("at %v: %s, which no move may do", s.Now(), why) },
	})
	switch {
	case errors.Is(err, mujoco.ErrNotBuilt):
		s.Physics, plant = "simple", virtual.NewSimple(virtual.SleepJoints)
	case err != nil:
		t.Fatal(err)
	default:
		plant = physics
	}
	s.Servos = virtual.New(virtual.Options{Plant: plant})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	bus, ready := filepath.Join(dir, "bus.sock"), make(chan struct{})
	wg.Go(func() {
		if err := s.Servos.ServeUnix(ctx, bus, func() { close(ready) }); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
	<-ready
	opened := make(chan struct{})
	booted := make(chan struct{})
	go func() { // the servos live while the driver looks for them
		defer close(booted)
		for {
			select {
			case <-opened:
				return
			case <-time.After(virtual.Tick):
				s.Servos.Step()
			}
		}
	}()
	began := time.Now()
	robot, err := servo.Open(servo.Options{
		Port: "unix:" + bus, CycleTime: bodytest.Patience, Silence: bodytest.Patience, TorqueTime: bodytest.Patience,
		Now: func() time.Time { return began.Add(s.Now()) }, // how fast a joint may come after its goal is a matter of this time, too
	})
	close(opened)
	<-booted
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	s.Loop = motion.New(robot, motion.Config{Clock: s})
	l, err := local.Listen(filepath.Join(dir, "body.sock"))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	loops, served := make(chan struct{}), make(chan struct{})
	go func() { defer close(loops); _ = s.Loop.Run(ctx) }() // it ends with its context
	go func() { defer close(served); _ = serve(s.Loop).Serve(ctx, l) }()
	s.Client = body.New(filepath.Join(dir, "body.sock"))
	t.Cleanup(func() {
		s.Close()
		cancel()
		s.end()
		<-loops
		<-served
		if err := robot.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if physics != nil {
			if err := physics.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	s.Rest(t)
	return s
}

// Rest releases a stop, wakes the robot and brings it to the neutral pose.
func (s *Body) Rest(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bodytest.Patience)
	defer cancel()
	defer s.Run()()
	zero := 0.0
	for _, req := range []hal.Request{
		{Verb: hal.VerbReset},
		{Verb: hal.VerbWake},
		{Verb: hal.VerbGoto, Head: hal.AwakeHead.Goal(), BodyYaw: &zero, Antennas: hal.AwakeAntennas.Goal(), Duration: 1},
	} {
		if a, end, err := s.Perform(ctx, req); err != nil || a.Outcome == hal.Rejected || a.Move != "" && end.End != hal.EndDone {
			t.Fatalf("%s: %+v, %+v, %v", req.Verb, a, end, err)
		}
	}
}

// Now implements motion.Clock.
func (s *Body) Now() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// SleepUntil implements motion.Clock: the servos live until t, as soon as somebody lets the time run.
func (s *Body) SleepUntil(t time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.now < t {
		for s.running == 0 && !s.ended {
			s.changed.Wait()
		}
		if s.ended {
			return
		}
		s.mu.Unlock()
		s.stepping.Lock()
		s.Servos.Step()
		s.stepping.Unlock()
		s.mu.Lock()
		s.now += virtual.Tick
		s.changed.Broadcast()
	}
}

// Hurry implements motion.Clock: the servos live tick by tick.
func (s *Body) Hurry(time.Duration) {}

// Run lets the time run until the function that it returns is called.
func (s *Body) Run() (pause func()) {
	s.run(1)
	return func() { s.run(-1) }
}

func (s *Body) run(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += more
	s.changed.Broadcast()
}

// Advance lets the time run until to, unless that is over.
func (s *Body) Advance(to time.Duration) {
	defer s.Run()()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.now < to && !s.ended {
		s.changed.Wait()
	}
}

func (s *Body) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// After is time.After on the body's clock, for as long as somebody lets that run.
func (s *Body) After(d time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	s.mu.Lock()
	until := s.now + d
	s.mu.Unlock()
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for s.now < until && !s.ended {
			s.changed.Wait()
		}
		c <- time.Time{}
	}()
	return c
}

// Snapshot is the newest state.
func (s *Body) Snapshot() hal.State { return s.Loop.State() }

// Registers is where the robot is by what the servos' registers of their positions say, without the driver and the loop. The simulated
// linkage is a little soft, so that no rigid one may fit the arms while they hurry: a moment later one must.
func (s *Body) Registers(t testing.TB) hal.Stance {
	t.Helper()
	const moment = 500 * time.Millisecond
	for until := s.Now() + moment; ; s.Advance(s.Now() + virtual.Tick) {
		joints := s.positions()
		head, _, err := kinematics.Forward(&joints, hal.AwakeHead.Pose())
		if err == nil {
			return hal.Stance{
				Head: head.Head(), BodyYaw: joints[hal.BodyYaw],
				Antennas: hal.Antennas{Right: joints[hal.RightAntenna], Left: joints[hal.LeftAntenna]},
			}
		}
		if s.Now() >= until {
			t.Fatalf("the registers %v are no pose: %v", joints, err)
		}
	}
}

// positions are those of all servos at one moment.
func (s *Body) positions() (joints hal.Joints) {
	const middle, turn = 2048, 4096 // ticks
	s.stepping.Lock()
	defer s.stepping.Unlock()
	for j := range joints {
		joints[j] = float64(s.Servos.Peek(hal.Joint(j), dxl.AddrPresentPosition)-middle) * 2 * math.Pi / turn
	}
	return joints
}

var _ motion.Clock = (*Body)(nil)
