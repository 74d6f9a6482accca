package servo

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/virtual"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 { // a failed test may have left its goroutines
		if err := goleak.Find(); err != nil {
			_, _ = os.Stderr.WriteString("leaked: " + err.Error() + "\n")
			code = 1
		}
	}
	os.Exit(code)
}

const period = 10 * time.Millisecond

// rig is a Robot on virtual servos behind a unix socket. Time passes only in tick: the servos and the Robot's clock
// advance by a period, whatever the machine does.
type rig struct {
	testing.TB
	chain *virtual.Chain
	path  string
	opts  Options
	robot *Robot
	goal  hal.Joints
	fb    hal.Feedback
	now   time.Time
	err   error // of the last Cycle
	ticks int   // in which somebody answered, or the bus was lost

	watchJumps bool
	registers  [hal.NumJoints]int64 // goal registers of joints with torque
	had        hal.JointMask
	jump       float64 // largest step of a goal register, rad
}

func newRig(t testing.TB, v virtual.Options) *rig {
	t.Helper()
	v.Plant = virtual.NewSimple(hal.Joints{})
	r := &rig{TB: t, chain: virtual.New(v), path: filepath.Join(t.TempDir(), "bus.sock"), now: time.Unix(1000, 0)}
	r.opts = Options{
		Port: "unix:" + r.path, Now: func() time.Time { return r.now },
		// Answers come at once; these only have to outlast a busy machine. What is not answered costs them in full.
		CycleTime: 300 * time.Millisecond, SlowTime: 30 * time.Millisecond, AnswerTime: 250 * time.Millisecond,
		TorqueTime: 10 * time.Second, PowerWait: 20 * time.Millisecond, Silence: 60 * time.Millisecond, Misses: 3,
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- r.chain.ServeUnix(ctx, r.path, func() { close(ready) }) }()
	<-ready
	t.Cleanup(func() {
		if r.robot != nil {
			if err := r.robot.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("ServeUnix: %v", err)
		}
	})
	return r
}

// open opens the robot; while it starts up, simulated time passes.
func (r *rig) open() *rig {
	r.Helper()
	if err := r.tryOpen(); err != nil {
		r.Fatal(err)
	}
	return r
}

func (r *rig) tryOpen() (err error) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				r.chain.Step()
			}
		}
	}()
	r.robot, err = Open(r.opts)
	close(stop)
	<-stopped
	return err
}

// reopen is a restart of the program.
func (r *rig) reopen() *rig {
	r.Helper()
	if err := r.robot.Close(); err != nil {
		r.Fatal(err)
	}
	return r.open()
}

// tick lets a period pass.
func (r *rig) tick() {
	r.chain.Step()
	r.now = r.now.Add(period)
	r.err = r.robot.Cycle(&r.goal, &r.fb)
	if r.robot.asked { // the answer says that the goals before it have arrived, as they have after 10 ms of real time
		r.robot.bus.Collect(r.robot.block, time.Now().Add(r.robot.opts.CycleTime/2)) // its error is for the next cycle, too
	}
	if !errors.Is(r.err, ErrSilent) {
		r.ticks++
	}
	if r.watchJumps {
		r.measureJump()
	}
}

// measureJump watches the goals of the servos that hold torque, from the moment at which they have it.
func (r *rig) measureJump() {
	for j := range hal.Joint(hal.NumJoints) {
		if r.chain.Peek(j, dxl.AddrTorque) == 0 {
			r.had &^= 1 << j
			continue
		}
		now := r.chain.Peek(j, dxl.AddrGoalPosition)
		if !r.had.Has(j) { // it was just switched on: it must hold still where it is
			r.registers[j] = r.chain.Peek(j, dxl.AddrPresentPosition)
			r.had = r.had.With(j)
		}
		r.jump = max(r.jump, math.Abs(float64(now-r.registers[j]))*tickRad)
		r.registers[j] = now
	}
}

// run ticks n times and wants no error. A cycle in which this machine was too busy to let the servos answer is repeated.
func (r *rig) run(n int) {
	r.Helper()
	for range n {
		for r.tick(); errors.Is(r.err, ErrSilent); r.tick() {
		}
		if r.err != nil {
			r.Fatalf("Cycle: %v", r.err)
		}
	}
}

// until ticks until done. Cycles that fail at once are paced, so that the rest of the machine gets on.
func (r *rig) until(what string, done func() bool) {
	r.Helper()
	end := time.Now().Add(30 * time.Second)
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	for !done() {
		if time.Now().After(end) {
			r.Fatalf("waited in vain for %s; error %v, faults %v, torque %v", what, r.err, r.robot.Faults(), r.health().Torque.Names())
		}
		if r.tick(); errors.Is(r.err, ErrOffline) {
			<-pace.C
		}
	}
}

// within wants done after at most n ticks.
func (r *rig) within(n int, what string, done func() bool) {
	r.Helper()
	start := r.ticks
	r.until(what, done)
	if took := r.ticks - start; took > n {
		r.Errorf("%s took %d ticks, allowed are %d", what, took, n)
	}
}

func (r *rig) set(f virtual.Faults) {
	r.Helper()
	if err := r.chain.SetFaults(f); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) poke(j hal.Joint, addr int, v int64) {
	r.Helper()
	if err := r.chain.Poke(j, addr, v); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) health() (h hal.Health) {
	r.robot.Health(&h)
	return h
}

func (r *rig) fault(name hal.FaultName, joint string) bool {
	for _, f := range r.robot.Faults() {
		if f.Name == name && f.Joint == joint {
			return true
		}
	}
	return false
}

// stand switches the torque on and moves to a pose with all joints away from zero.
func (r *rig) stand() *rig {
	r.Helper()
	r.until("torque", func() bool { return r.robot.SetTorque(hal.AllJoints, true) == nil })
	for j := range r.goal {
		r.goal[j] = 0.1 + 0.02*float64(j)
	}
	r.until("the pose", func() bool {
		for j := range r.goal {
			if math.Abs(r.fb.Position[j]-r.goal[j]) > 2*tickRad || r.robot.joints[j].catching {
				return false
			}
		}
		return r.fb.Fresh == hal.AllJoints
	})
	r.measureJump()
	r.watchJumps, r.jump = true, 0
	return r
}

// smooth wants no goal to have jumped since stand.
func (r *rig) smooth() { r.Helper(); r.smoothBut(0) }

// smoothBut is smooth on a line that may have lost so many writes in a row.
func (r *rig) smoothBut(lost int) {
	r.Helper()
	// The catch-up speed for each period, a tick for rounding, and what a joint without torque may have sagged meanwhile.
	if limit := float64(1+lost)*r.robot.opts.CatchUp*period.Seconds() + 3*tickRad; r.jump > limit {
		r.Errorf("a goal jumped by %.4f rad, allowed is %.4f", r.jump, limit)
	}
}

// standing wants all joints with torque at the goal.
func (r *rig) standing() bool {
	if r.health().Torque != hal.AllJoints || r.fb.Fresh != hal.AllJoints {
		return false
	}
	for j := range r.goal {
		if math.Abs(r.fb.Position[j]-r.goal[j]) > 2*tickRad {
			return false
		}
	}
	return true
}
