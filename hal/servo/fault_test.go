package servo

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/virtual"
)

// second is a second in ticks.
const second = 100

// One mute servo: the others go on at full rate, it is named, and it comes back by itself.
func TestMuteServo(t *testing.T) {
	t.Parallel() // it waits most of the time
	for name, firmware := range map[string]byte{"fast": 52, "classical": 45} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits most of the time
			r := newRig(t, virtual.Options{Firmware: firmware}).open().stand()
			r.set(virtual.Faults{Mute: []string{"stewart_3", "left_antenna"}})
			others := hal.AllJoints &^ (1<<hal.Stewart3 | 1<<hal.LeftAntenna)
			r.within(second, "both faults", func() bool {
				r.goal[hal.BodyYaw] += 0.001
				r.goal[hal.Stewart3] += 0.002
				return r.fault(hal.FaultServoMissing, "stewart_3") && r.fault(hal.FaultServoMissing, "left_antenna")
			})
			for range 50 {
				if r.run(1); r.fb.Fresh != others {
					t.Fatalf("fresh %v", r.fb.Fresh.Names())
				}
			}
			if h := r.health(); h.Servos[hal.Stewart3].Present || !h.Servos[hal.Stewart1].Present {
				t.Error("presence is wrong")
			}
			r.goal[hal.Stewart3] += 0.2 // far from what the mute servo holds
			r.set(virtual.Faults{})
			r.within(2*second, "recovery", func() bool { return r.standing() && len(r.robot.Faults()) == 0 })
			r.smooth()
		})
	}
}

// A servo whose power fails for a moment forgets gains and torque. It gets them back, with its goal pinned first.
func TestServoThatRestartedByItself(t *testing.T) {
	r := newRig(t, virtual.Options{}).open().stand()
	r.poke(hal.Stewart2, dxl.AddrTorque, 0)
	r.poke(hal.Stewart2, dxl.AddrPositionP, 400)
	r.goal[hal.Stewart2] += 0.3
	r.within(2*second, "recovery", r.standing)
	r.smooth()
	if p := r.chain.Peek(hal.Stewart2, dxl.AddrPositionP); p != 300 {
		t.Errorf("P gain %d, want 300", p)
	}
}

// Torque that somebody else switched on is switched off again.
func TestForeignTorque(t *testing.T) {
	r := newRig(t, virtual.Options{}).open()
	r.poke(hal.BodyYaw, dxl.AddrTorque, 1)
	r.within(second, "torque off", func() bool { return r.chain.Peek(hal.BodyYaw, dxl.AddrTorque) == 0 })
}

func TestBrownOut(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{}).open().stand()
	volts := 3.0
	r.set(virtual.Faults{Voltage: &volts})
	r.until("the bus lost", func() bool { return errors.Is(r.err, ErrOffline) })
	if !r.fault(hal.FaultBusLost, "") || r.health().Online || r.health().Torque != 0 {
		t.Errorf("faults %v", r.robot.Faults())
	}
	r.set(virtual.Faults{})
	r.goal[hal.RightAntenna] += 0.5
	r.until("recovery", func() bool { return r.standing() && len(r.robot.Faults()) == 0 })
	r.smooth()
	if p := r.chain.Peek(hal.Stewart2, dxl.AddrPositionP); p != 300 {
		t.Errorf("P gain %d after the restart, want 300", p)
	}
}

func TestVoltage(t *testing.T) {
	for _, volts := range []float64{4.3, 8.2} {
		r := newRig(t, virtual.Options{}).open().stand()
		r.set(virtual.Faults{Voltage: &volts})
		r.within(second, "the fault", func() bool {
			return r.fault(hal.FaultVoltage, "stewart_1") && r.fault(hal.FaultVoltage, "left_antenna")
		})
		r.set(virtual.Faults{})
		r.within(second, "its end", func() bool { return len(r.robot.Faults()) == 0 })
		if !r.standing() {
			t.Errorf("%v V cost the torque: %v", volts, r.health().Torque.Names())
		}
	}
	// A full battery latches the voltage bit in the servos, and that is no fault.
	r := newRig(t, virtual.Options{}).open().stand()
	full := 7.6
	r.set(virtual.Faults{Voltage: &full})
	r.within(second, "the bit", func() bool { return r.health().Servos[hal.LeftAntenna].HardwareError == 1 })
	r.run(second)
	if len(r.robot.Faults()) != 0 || !r.standing() {
		t.Errorf("faults %v", r.robot.Faults())
	}
}

// A servo that shuts itself down is named at once, rebooted when the pause is over, again and again with longer
// pauses while it shuts down again, and comes back without a jump.
func TestOverload(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{}).open().stand()
	r.set(virtual.Faults{Overload: []string{"stewart_4"}})
	r.within(5, "the fault", func() bool { return r.fault(hal.FaultOverload, "stewart_4") })
	if r.health().Torque.Has(hal.Stewart4) || r.chain.Peek(hal.Stewart4, dxl.AddrTorque) != 0 {
		t.Error("torque is still said to be on")
	}
	boots := 0
	for range 8 * second { // pauses of 2 and 4 s
		r.run(1)
		if r.fb.Fresh != hal.AllJoints {
			boots++
			r.within(second, "the servo to restart", func() bool { return r.fb.Fresh == hal.AllJoints })
		}
		if r.fault(hal.FaultServoMissing, "stewart_4") {
			t.Fatal("a restart that was meant is no missing servo")
		}
	}
	if boots != 2 {
		t.Errorf("%d reboots in 8 s, want 2 (after 2 s and 4 s more)", boots)
	}
	r.goal[hal.Stewart4] += 0.1
	r.set(virtual.Faults{})
	r.within(10*second, "recovery", func() bool { return r.standing() && len(r.robot.Faults()) == 0 })
	r.smooth()
}

func TestOverheat(t *testing.T) {
	r := newRig(t, virtual.Options{}).open().stand()
	r.poke(hal.Stewart5, dxl.AddrTemperatureMax, 100) // this one only warns
	r.set(virtual.Faults{Overheat: []string{"stewart_5", "stewart_6"}})
	r.within(second, "the faults", func() bool {
		return r.fault(hal.FaultOverheat, "stewart_5") && r.fault(hal.FaultOverheat, "stewart_6")
	})
	if got := r.health().Torque; !got.Has(hal.Stewart5) || got.Has(hal.Stewart6) {
		t.Errorf("torque %v: a warm servo holds, a hot one has shut down", got.Names())
	}
	r.run(5 * second)
	if r.chain.Peek(hal.Stewart6, dxl.AddrHardwareError) == 0 {
		t.Error("a hot servo was rebooted")
	}
	r.set(virtual.Faults{})
	r.within(5*second, "recovery", func() bool { return r.standing() && len(r.robot.Faults()) == 0 })
	r.smooth()
}

func TestLatchedErrorsAreNamed(t *testing.T) {
	for bit, name := range map[dxl.HardwareError]hal.FaultName{
		dxl.HardwareElectrical: hal.FaultElectrical, dxl.HardwareEncoder: hal.FaultEncoder, dxl.HardwareOverload: hal.FaultOverload,
	} {
		r := newRig(t, virtual.Options{}).open()
		r.poke(hal.BodyYaw, dxl.AddrHardwareError, int64(bit))
		r.within(5, string(name), func() bool { return r.fault(name, "body_rotation") })
		if f := r.robot.Faults()[0]; !f.Since.Equal(r.now) || f.Detail == "" {
			t.Errorf("fault %+v", f)
		}
		r.poke(hal.BodyYaw, dxl.AddrHardwareError, 0)
		r.within(second, "its end", func() bool { return len(r.robot.Faults()) == 0 })
	}
}

func TestUnplugAndBack(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{}).open().stand()
	for round := range uint64(2) {
		r.set(virtual.Faults{Unplug: true})
		r.until("the fault", func() bool { return r.fault(hal.FaultBusLost, "") })
		if r.tick(); !errors.Is(r.err, ErrOffline) || r.fb.Fresh != 0 {
			t.Fatalf("Cycle = %v, fresh %v", r.err, r.fb.Fresh.Names())
		}
		if err := r.robot.SetTorque(hal.AllJoints, true); !errors.Is(err, ErrOffline) {
			t.Errorf("SetTorque = %v", err)
		}
		if err := r.robot.Reboot(hal.BodyYaw); !errors.Is(err, ErrOffline) {
			t.Errorf("Reboot = %v", err)
		}
		r.goal[hal.BodyYaw] += 0.3
		r.set(virtual.Faults{})
		r.until("the bus", func() bool { return r.err == nil && r.standing() && len(r.robot.Faults()) == 0 })
		r.smooth()
		if n := r.health().Bus.Reconnects; n != round+1 {
			t.Errorf("%d reconnects, want %d", n, round+1)
		}
	}
}

// Torque switched off while the bus is lost (an emergency stop) is off when it comes back.
func TestTorqueOffWhileUnplugged(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{}).open().stand()
	r.set(virtual.Faults{Unplug: true})
	r.until("the fault", func() bool { return r.fault(hal.FaultBusLost, "") })
	if err := r.robot.SetTorque(hal.AllJoints, false); !errors.Is(err, ErrOffline) {
		t.Fatalf("SetTorque = %v", err)
	}
	r.set(virtual.Faults{})
	r.until("torque off", func() bool {
		for j := range hal.Joint(hal.NumJoints) {
			if r.chain.Peek(j, dxl.AddrTorque) != 0 {
				return false
			}
		}
		return r.err == nil
	})
	r.run(second)
	if r.health().Torque != 0 {
		t.Errorf("torque %v", r.health().Torque.Names())
	}
}

// A robot that was without power for long does not rise by itself.
func TestLongOutageEndsWithoutTorque(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{}).open().stand()
	volts := 3.0
	r.set(virtual.Faults{Voltage: &volts})
	r.until("the bus lost", func() bool { return errors.Is(r.err, ErrOffline) })
	r.now = r.now.Add(11 * time.Second)
	r.set(virtual.Faults{})
	r.until("the bus", func() bool { return r.err == nil && r.fb.Fresh == hal.AllJoints })
	r.run(second)
	if r.health().Torque != 0 {
		t.Errorf("torque %v", r.health().Torque.Names())
	}
}

// A line on which every kind of packet trouble happens at once is lived with: no goal that was not asked for, no
// measurement that is not true, everything counted, and all well when it is over.
func TestBadLine(t *testing.T) {
	t.Parallel() // it waits most of the time
	for name, f := range map[string]virtual.Faults{
		"drop": {Drop: 0.02}, "corrupt": {Corrupt: 0.05}, "duplicate": {Duplicate: 0.2}, "foreign": {Foreign: 0.2},
		"delay": {DelayMS: 5}, "late": {DelayMS: 40}, "all": {Drop: 0.01, Corrupt: 0.02, Duplicate: 0.1, Foreign: 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits most of the time
			r := newRig(t, virtual.Options{Seed: 1})
			r.opts.CycleTime, r.opts.SlowTime, r.opts.Silence = 25*time.Millisecond, 8*time.Millisecond, time.Second
			r.open().stand()
			r.set(f)
			for range 100 {
				r.goal[hal.BodyYaw] += 0.002
				// Answers that come a cycle late are as good as none, and so the bus may count as lost.
				if r.tick(); r.err != nil && !errors.Is(r.err, ErrSilent) && (name != "late" || !errors.Is(r.err, ErrOffline)) {
					t.Fatalf("Cycle: %v", r.err)
				}
				for j, m := range r.chain.Status().Motions {
					if r.fb.Fresh.Has(hal.Joint(j)) && math.Abs(r.fb.Position[j]-m.Position) > 0.05 {
						t.Fatalf("%v is said to be at %v, it is at %v", hal.Joint(j), r.fb.Position[j], m.Position)
					}
				}
			}
			c := r.health().Bus
			switch name {
			case "drop":
				if c.Timeouts == 0 {
					t.Errorf("nothing counted: %+v", c)
				}
			case "corrupt":
				if c.Corrupt == 0 {
					t.Errorf("nothing counted: %+v", c)
				}
			case "duplicate", "foreign":
				if c.Foreign == 0 {
					t.Errorf("nothing counted: %+v", c)
				}
			}
			r.set(virtual.Faults{})
			r.until("recovery", func() bool { return r.standing() && len(r.robot.Faults()) == 0 })
			if name != "late" { // the simulated line queues what comes while it delays an answer: goals arrive in a burst
				r.smoothBut(3)
			}
		})
	}
}

// Closing while the bus is looked for ends the search.
func TestCloseWhileSearching(t *testing.T) {
	r := newRig(t, virtual.Options{}).open()
	r.set(virtual.Faults{Unplug: true})
	r.until("the fault", func() bool { return r.fault(hal.FaultBusLost, "") })
	if err := r.robot.Close(); err != nil {
		t.Error(err)
	}
}

// Torque switched off while a servo is missing is off when it comes back, although it held torque all the time.
func TestTorqueOffWhileMissing(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{}).open().stand()
	r.set(virtual.Faults{Mute: []string{"stewart_1"}})
	r.until("the fault", func() bool { return r.fault(hal.FaultServoMissing, "stewart_1") })
	if err := r.robot.SetTorque(hal.AllJoints, false); err != nil {
		t.Fatal(err)
	}
	if r.chain.Peek(hal.Stewart1, dxl.AddrTorque) != 1 {
		t.Fatal("the mute servo heard it")
	}
	r.set(virtual.Faults{})
	r.within(second, "torque off", func() bool { return r.chain.Peek(hal.Stewart1, dxl.AddrTorque) == 0 && len(r.robot.Faults()) == 0 })
}

// A servo that falls silent again on its way back is missing again, and comes back later.
func TestServoThatFaltersOnItsWayBack(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{}).open().stand()
	mute := virtual.Faults{Mute: []string{"stewart_1"}}
	r.set(mute)
	r.until("the fault", func() bool { return r.fault(hal.FaultServoMissing, "stewart_1") })
	for want := stageFlag; want <= stageGains; want++ {
		r.set(virtual.Faults{})
		r.until("its way back", func() bool { return r.robot.joints[hal.Stewart1].stage == want })
		r.set(mute)
		r.until("its silence", func() bool { return r.robot.joints[hal.Stewart1].stage == stageMissing })
		if !r.fault(hal.FaultServoMissing, "stewart_1") {
			t.Fatal("the fault is over although the servo is not back")
		}
	}
	r.set(virtual.Faults{})
	r.within(second, "recovery", func() bool { return r.standing() && len(r.robot.Faults()) == 0 })
	r.smooth()
}

// A servo that refuses what it is told when it comes back is named, and left without torque.
func TestRefusalOnTheWayBack(t *testing.T) {
	r := newRig(t, virtual.Options{}).open().stand()
	// Its range does not contain where it is: the pinned goal, which is within the configured range, is refused.
	r.poke(hal.Stewart1, dxl.AddrTorque, 0)
	r.poke(hal.Stewart1, dxl.AddrPositionMin, 2700)
	r.within(second, "the fault", func() bool { return r.fault(hal.FaultConfig, "stewart_1") })
	if d := r.robot.Faults()[0].Detail; d != "servo 11 refuses its position as goal: value outside the configured limits" {
		t.Errorf("detail %q", d)
	}
	r.run(50)
	if r.health().Torque.Has(hal.Stewart1) || r.chain.Peek(hal.Stewart1, dxl.AddrTorque) != 0 {
		t.Error("torque on a goal that was refused")
	}
	r.poke(hal.Stewart1, dxl.AddrPositionMin, 1502)
	if err := r.robot.SetTorque(1<<hal.Stewart1, true); err != nil || len(r.robot.Faults()) != 0 {
		t.Errorf("SetTorque on the healed servo = %v, faults %v", err, r.robot.Faults())
	}
}
