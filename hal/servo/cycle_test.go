package servo

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/virtual"
)

func TestCycleMovesAndMeasures(t *testing.T) {
	for name, firmware := range map[string]byte{"fast": 52, "classical": 45} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, virtual.Options{Firmware: firmware}).open().stand()
			moved := false
			for range 40 {
				r.goal[hal.BodyYaw] += 0.01
				r.run(1)
				moved = moved || r.fb.Velocity[hal.BodyYaw] > 0.1
			}
			r.run(30)
			if !moved || !r.standing() {
				t.Errorf("moved %v, feedback %+v", moved, r.fb)
			}
			if c := r.health().Bus; c.Corrupt != 0 || c.Cycles == 0 || c.Packets == 0 {
				t.Errorf("counters %+v", c)
			}
		})
	}
}

func TestForbiddenGoalsAreNeverWritten(t *testing.T) {
	r := newRig(t, virtual.Options{}).open().stand()
	good := r.goal
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 3.2, -3.2} {
		for j := range hal.Joint(hal.NumJoints) {
			r.goal = good
			for k := range r.goal {
				r.goal[k] += 0.05 // the others must not go either
			}
			r.goal[j] = bad
			r.tick()
			var refused *GoalError
			if !errors.As(r.err, &refused) || refused.Joint != j {
				t.Fatalf("%v = %v: Cycle = %v, want a GoalError", j, bad, r.err)
			}
			if !strings.Contains(r.err.Error(), j.String()) || !strings.Contains(r.err.Error(), "allowed is") {
				t.Errorf("%q does not name joint and limits", r.err)
			}
			if r.fb.Fresh != hal.AllJoints {
				t.Errorf("a refused goal must not keep the loop from reading: %v", r.fb.Fresh.Names())
			}
			for k := range good {
				if got := r.chain.Peek(hal.Joint(k), dxl.AddrGoalPosition); got != int64(r.robot.opts.Config[k].toTicks(good[k])) {
					t.Fatalf("goal of %v became %d", hal.Joint(k), got)
				}
			}
		}
	}
	// What a joint without torque is told does not matter: it is not written.
	if err := r.robot.SetTorque(1<<hal.BodyYaw, false); err != nil {
		t.Fatal(err)
	}
	r.goal = good
	r.goal[hal.BodyYaw] = math.NaN()
	r.run(1)
}

// Every servo's supply, errors and torque are seen at least once a second.
func TestSlowRotation(t *testing.T) {
	r := newRig(t, virtual.Options{}).open()
	volts := 6.4
	r.set(virtual.Faults{Voltage: &volts})
	r.within(100, "all voltages", func() bool {
		for _, s := range r.health().Servos {
			if s.Voltage != volts {
				return false
			}
		}
		return true
	})
	h := r.health()
	for j, s := range h.Servos {
		if s.Joint != hal.Joint(j).String() || !s.Present || s.Temperature == 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestTorqueIsPinned(t *testing.T) {
	r := newRig(t, virtual.Options{}).open()
	for j := range r.goal {
		r.goal[j] = 0.5 // far away
		r.poke(hal.Joint(j), dxl.AddrGoalPosition, 2300)
	}
	some := hal.JointMask(0).With(hal.BodyYaw).With(hal.Stewart4)
	if err := r.robot.SetTorque(some, true); err != nil {
		t.Fatal(err)
	}
	for j := range hal.Joint(hal.NumJoints) {
		on, goal := r.chain.Peek(j, dxl.AddrTorque) == 1, r.chain.Peek(j, dxl.AddrGoalPosition)
		if on != some.Has(j) {
			t.Errorf("%v: torque %v", j, on)
		}
		if want := map[bool]int64{true: r.chain.Peek(j, dxl.AddrPresentPosition), false: 2300}[on]; goal != want {
			t.Errorf("%v: goal %d, want %d", j, goal, want)
		}
	}
	if got := r.health().Torque; got != some {
		t.Errorf("torque %v", got.Names())
	}
	r.watchJumps = true
	r.within(70, "the joints at their goal", func() bool {
		return math.Abs(r.fb.Position[hal.BodyYaw]-0.5) < 2*tickRad && math.Abs(r.fb.Position[hal.Stewart4]-0.5) < 2*tickRad
	})
	r.smooth()
	if got := r.chain.Peek(hal.Stewart1, dxl.AddrGoalPosition); got != 2300 {
		t.Errorf("the goal of a joint without torque was written: %d", got)
	}
	if err := r.robot.SetTorque(hal.AllJoints, false); err != nil {
		t.Fatal(err)
	}
	for j := range hal.Joint(hal.NumJoints) {
		if r.chain.Peek(j, dxl.AddrTorque) != 0 {
			t.Errorf("%v still has torque", j)
		}
	}
}

func TestTorqueIsRefused(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{})
	r.opts.RebootAfter = -1
	r.set(virtual.Faults{Mute: []string{"right_antenna"}})
	r.open()
	r.poke(hal.Stewart5, dxl.AddrHardwareError, int64(dxl.HardwareOverload))
	r.within(5, "the overload", func() bool { return r.fault(hal.FaultOverload, "stewart_5") })
	err := r.robot.SetTorque(hal.AllJoints, true)
	if err == nil || !strings.Contains(err.Error(), "right_antenna does not answer") ||
		!strings.Contains(err.Error(), "stewart_5 has shut itself down (error 0x20)") {
		t.Errorf("SetTorque = %v", err)
	}
	if got, want := r.health().Torque, hal.AllJoints&^(1<<hal.RightAntenna|1<<hal.Stewart5); got != want {
		t.Errorf("torque %v, want all others", got.Names())
	}
	if err := r.robot.SetTorque(1<<9, true); err == nil {
		t.Error("a joint that is none was accepted")
	}
	// Off succeeds: a joint that is not there is switched off when it comes back.
	if err := r.robot.SetTorque(hal.AllJoints, false); err != nil {
		t.Errorf("SetTorque off = %v", err)
	}
}

// SetTorque is over in its time although servos stay silent.
func TestTorqueIsBounded(t *testing.T) {
	r := newRig(t, virtual.Options{})
	r.opts.TorqueTime = 30 * time.Millisecond
	r.open()
	r.set(virtual.Faults{Mute: []string{"stewart_1"}})
	err := r.robot.SetTorque(1<<hal.Stewart1, true)
	if err == nil || !strings.Contains(err.Error(), "stewart_1 does not confirm") {
		t.Errorf("SetTorque = %v", err)
	}
	if err := r.robot.SetTorque(1<<hal.Stewart1, false); err == nil {
		t.Error("switching a mute servo off cannot be confirmed")
	}
}

func TestReboot(t *testing.T) {
	r := newRig(t, virtual.Options{}).open().stand()
	if err := r.robot.Reboot(hal.Stewart6); err != nil {
		t.Fatal(err)
	}
	if r.chain.Peek(hal.Stewart6, dxl.AddrTorque) != 0 {
		t.Error("the servo did not reboot")
	}
	r.within(100, "the servo back with torque", r.standing)
	r.smooth()
	if len(r.robot.Faults()) != 0 {
		t.Errorf("a restart that was asked for is no fault: %v", r.robot.Faults())
	}
	if err := r.robot.Reboot(9); err == nil {
		t.Error("a joint that is none was accepted")
	}
}

func TestCloseTwice(t *testing.T) {
	r := newRig(t, virtual.Options{}).open()
	for range 2 {
		if err := r.robot.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The servos stop by themselves when the host dies; when it lives on, it takes them over without a jump.
func TestWatchdog(t *testing.T) {
	r := newRig(t, virtual.Options{})
	r.opts.Watchdog = 100 * time.Millisecond
	r.open().stand()
	r.run(50)
	for range 15 {
		r.chain.Step() // nobody speaks
	}
	for j := range hal.Joint(hal.NumJoints) {
		if r.chain.Peek(j, dxl.AddrBusWatchdog) != 255 {
			t.Fatalf("the watchdog of %v did not trip", j)
		}
	}
	r.goal[hal.BodyYaw] += 0.1
	r.until("the servos listen again", func() bool {
		for j := range hal.Joint(hal.NumJoints) {
			if r.chain.Peek(j, dxl.AddrBusWatchdog) != 5 {
				return false
			}
		}
		return r.standing()
	})
	r.smooth()
}

func TestCycleDoesNotAllocate(t *testing.T) {
	r := newRig(t, virtual.Options{}).open().stand()
	r.watchJumps = false
	var h hal.Health
	step := func() {
		r.now = r.now.Add(period)
		if err := r.robot.Cycle(&r.goal, &r.fb); err != nil && !errors.Is(err, ErrSilent) {
			t.Fatal(err)
		}
		r.robot.Health(&h)
	}
	// The other end of the socket is in this process: what it allocates is counted too, so it must be nothing as well.
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations per cycle, want 0", n)
	}
	r.set(virtual.Faults{Mute: []string{"left_antenna"}})
	r.until("the missing servo", func() bool { return r.fault(hal.FaultServoMissing, "left_antenna") })
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations per cycle with a missing servo, want 0", n)
	}
}

// BenchmarkCycle is one tick over a unix socket: nine goals, 9×10 bytes back, one slow step. With wire time every
// byte takes the 10 µs that it takes on the robot's line.
func BenchmarkCycle(b *testing.B) {
	for _, c := range []struct {
		name string
		o    virtual.Options
	}{
		{"fast", virtual.Options{Firmware: 52}},
		{"classical", virtual.Options{Firmware: 45}},
		{"fast, wire time", virtual.Options{Firmware: 52, WireTime: true}},
		{"classical, wire time", virtual.Options{Firmware: 45, WireTime: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := newRig(b, c.o).open().stand()
			r.watchJumps = false
			b.ReportAllocs()
			for b.Loop() {
				if err := r.robot.Cycle(&r.goal, &r.fb); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
