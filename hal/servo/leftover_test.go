package servo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/virtual"
)

// What another program has left in the registers is mended at start-up, and told.
func TestLeftOversAreMended(t *testing.T) {
	for name, c := range map[string]struct {
		addr      int
		was, want int64
	}{
		"status return level 1 → 2":               {dxl.AddrStatusReturn, 1, 2},
		"drive mode 1 → 0":                        {dxl.AddrDriveMode, 1, 0},
		"start-up configuration 3 → 0":            {dxl.AddrStartup, 3, 0},
		"profile velocity 20 → 0":                 {dxl.AddrProfileVelocity, 20, 0},
		"profile acceleration 5 → 0":              {dxl.AddrProfileAccel, 5, 0},
		"feed-forward of the velocity 100 → 0":    {dxl.AddrFeedForwardVelocity, 100, 0},
		"feed-forward of the acceleration 90 → 0": {dxl.AddrFeedForwardAccel, 90, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, virtual.Options{})
			r.poke(hal.Stewart4, c.addr, c.was)
			r.open()
			s := r.robot.Report().Servos[hal.Stewart4]
			if !slices.Contains(s.Mended, name) || len(s.Wrong) != 0 || !s.Present {
				t.Errorf("present %v, mended %q, wrong %q", s.Present, s.Mended, s.Wrong)
			}
			if got := r.chain.Peek(hal.Stewart4, c.addr); got != c.want {
				t.Errorf("the register is %d, want %d", got, c.want)
			}
			if err := r.robot.SetTorque(hal.AllJoints, true); err != nil {
				t.Errorf("it does not wake: %v", err)
			}
		})
	}
}

// Limits that protect a servo are not touched, but whoever wonders why it is weak is told.
func TestLowLimitsAreTold(t *testing.T) {
	r := newRig(t, virtual.Options{})
	r.poke(hal.Stewart1, dxl.AddrCurrentLimit, 400)
	r.poke(hal.BodyYaw, dxl.AddrPWMLimit, 300)
	r.open()
	for j, want := range map[hal.Joint]string{
		hal.Stewart1: "current limit is 400 mA instead of 1750 mA", hal.BodyYaw: "PWM limit is 300 instead of 885",
	} {
		if !slices.Contains(r.robot.Report().Servos[j].Weak, want) || !r.fault(hal.FaultConfig, j.String()) {
			t.Errorf("%v: weak %q, faults %v", j, r.robot.Report().Servos[j].Weak, r.robot.Faults())
		}
	}
	if got := r.chain.Peek(hal.Stewart1, dxl.AddrCurrentLimit); got != 400 {
		t.Errorf("the current limit was written: %d", got)
	}
	if !strings.Contains(r.robot.Report().String(), "WEAK current limit") {
		t.Errorf("report:\n%s", r.robot.Report())
	}
}

// A servo that is silent while the body starts does what the others do when it comes back, from where it is.
func TestSilentAtStartJoinsTheOthers(t *testing.T) {
	for _, held := range []bool{true, false} {
		r := newRig(t, virtual.Options{}).open().stand()
		goal := r.goal
		if !held { // it restarted while it was silent
			r.poke(hal.Stewart2, dxl.AddrTorque, 0)
		}
		r.set(virtual.Faults{Mute: []string{"stewart_2"}})
		r.watchJumps = false
		r.reopen()
		r.goal = goal
		r.run(30)
		if !r.fault(hal.FaultServoMissing, "stewart_2") {
			t.Fatalf("faults %v", r.robot.Faults())
		}
		r.measureJump()
		r.watchJumps, r.jump = true, 0
		r.set(virtual.Faults{})
		told := ""
		r.until("all torque", func() bool {
			for _, f := range r.robot.Faults() {
				if strings.Contains(f.Detail, "takes the torque that the others have") {
					told = f.Detail
				}
			}
			return r.standing() && len(r.robot.Faults()) == 0
		})
		r.smooth()
		if told == "" {
			t.Error("nobody was told")
		}
		if p := r.fb.Position[hal.Stewart2]; math.Abs(p-goal[hal.Stewart2]) > 3*tickRad {
			t.Errorf("it stands at %v, want %v", p, goal[hal.Stewart2])
		}
	}
}

// Where the others rest it rests, too, and what was switched off meanwhile stays off.
func TestSilentAtStartRestsWithTheOthers(t *testing.T) {
	r := newRig(t, virtual.Options{})
	r.set(virtual.Faults{Mute: []string{"stewart_2"}})
	r.open().run(5)
	r.set(virtual.Faults{})
	r.until("its return", func() bool { return len(r.robot.Faults()) == 0 })
	r.run(30)
	if h := r.health(); h.Torque != 0 {
		t.Errorf("torque %v", h.Torque.Names())
	}
}
