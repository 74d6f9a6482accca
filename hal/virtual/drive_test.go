package virtual

import (
	"math"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// A servo that counts the other way tells and takes everything the other way.
func TestReverseMode(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.LeftAntenna
	mustWrite(t, c, j, dxl.AddrDriveMode, 1, driveReverse)
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 2448)
	c.Step()
	c.Step()
	if v, i := c.Peek(j, dxl.AddrPresentVelocity), c.Peek(j, dxl.AddrPresentCurrent); v <= 0 || i <= 0 {
		t.Errorf("on its way to a larger position its velocity is %d, its current %d", v, i)
	}
	steps(c, time.Second)
	if p, at := c.Peek(j, dxl.AddrPresentPosition), c.Status().Motions[j].Position; p != 2448 || math.Abs(at+400*tick) > tick {
		t.Errorf("at %d it stands at %.3f rad, want %.3f", p, at, -400*tick)
	}
	mustWrite(t, c, j, dxl.AddrTorque, 1, 0)
	mustWrite(t, c, j, dxl.AddrDriveMode, 1, 0)
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 2048-400 {
		t.Errorf("counted as usual it is at %d", p)
	}
}

// A profile of times arrives when it should, whatever the way.
func TestProfileOfTimes(t *testing.T) {
	for _, ramp := range []int64{0, 200, 5000} {
		for _, goal := range []int64{2148, 3548} {
			c := newChain(t, Options{})
			const j = hal.LeftAntenna
			mustWrite(t, c, j, dxl.AddrDriveMode, 1, driveByTime)
			mustWrite(t, c, j, dxl.AddrProfileVelocity, 4, 1000)
			mustWrite(t, c, j, dxl.AddrProfileAccel, 4, ramp)
			mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
			mustWrite(t, c, j, dxl.AddrGoalPosition, 4, goal)
			s, want := &c.servos[j], float64(goal-2048)*tick
			steps(c, 500*time.Millisecond)
			if math.Abs(s.setpoint-want/2) > 0.02*want {
				t.Errorf("ramp %d, goal %d: half way it is at %.3f of %.3f rad", ramp, goal, s.setpoint, want)
			}
			steps(c, 490*time.Millisecond)
			if s.setpoint == want {
				t.Errorf("ramp %d, goal %d: it is there too soon", ramp, goal)
			}
			steps(c, 20*time.Millisecond)
			if math.Abs(s.setpoint-want) > 1e-9 || math.Abs(s.setSpeed) > want {
				t.Errorf("ramp %d, goal %d: after its time it is at %.3f of %.3f rad", ramp, goal, s.setpoint, want)
			}
		}
	}
}

// With that bit a new goal switches the torque on, but not after an error that has shut the servo down.
func TestTorqueByAGoal(t *testing.T) {
	c := newChain(t, Options{})
	const j, k = hal.LeftAntenna, hal.RightAntenna
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 2100)
	if c.Peek(j, dxl.AddrTorque) != 0 {
		t.Error("a goal has switched the torque on")
	}
	mustWrite(t, c, j, dxl.AddrDriveMode, 1, driveTorque)
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 2148)
	steps(c, time.Second)
	if on, p := c.Peek(j, dxl.AddrTorque), c.Peek(j, dxl.AddrPresentPosition); on != 1 || p != 2148 {
		t.Errorf("torque %d, at %d", on, p)
	}
	mustWrite(t, c, k, dxl.AddrDriveMode, 1, driveTorque)
	c.servos[k].latch(dxl.HardwareOverload)
	write(t, c, k, dxl.AddrGoalPosition, 4, 2148)
	if c.Peek(k, dxl.AddrTorque) != 0 {
		t.Error("a servo that has shut down was switched on by a goal")
	}
}

// The gain of the position is how stiff a joint is.
func TestStiffness(t *testing.T) {
	late := func(gain int64) float64 {
		c := newChain(t, Options{})
		const j = hal.LeftAntenna
		mustWrite(t, c, j, dxl.AddrPositionP, 2, gain)
		mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
		mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 2148)
		steps(c, 100*time.Millisecond)
		return 100*tick - c.Status().Motions[j].Position
	}
	usual := eeprom[hal.LeftAntenna].gain
	soft, right, none := late(int64(usual/4)), late(int64(usual)), late(0)
	if soft < 3*right || soft < 5*tick || math.Abs(none-100*tick) > tick {
		t.Errorf("after 0.1 s %.4f rad are left with a quarter of the gain, %.4f with all, %.4f with none", soft, right, none)
	}
}
