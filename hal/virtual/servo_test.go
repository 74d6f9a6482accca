package virtual

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

func TestPingTellsModelAndFirmware(t *testing.T) {
	c := newChain(t, Options{})
	got := ask(t, c, dxl.AppendPing(nil, dxl.Broadcast))
	if len(got) != hal.NumJoints {
		t.Fatalf("%d servos answered a broadcast ping", len(got))
	}
	for j, p := range got {
		model := []uint16{1240, 1200, 1200, 1200, 1200, 1200, 1200, 1190, 1190}[j]
		if p.ID != byte(10+j) || !slices.Equal(p.Params, []byte{byte(model), byte(model >> 8), 52}) {
			t.Errorf("joint %d: id %d params %v", j, p.ID, p.Params)
		}
	}
	if got := ask(t, c, dxl.AppendPing(nil, 42)); len(got) != 0 {
		t.Errorf("somebody answers as 42: %v", got)
	}
}

func TestWriteRules(t *testing.T) {
	const j = hal.Stewart1 // 1502…2958
	for _, tc := range []struct {
		name       string
		prepare    func(c *Chain)
		addr, size int
		v          int64
		want       dxl.StatusError
	}{
		{"EEPROM with torque off", nil, dxl.AddrReturnDelay, 1, 10, 0},
		{"EEPROM with torque on", torqueOn, dxl.AddrReturnDelay, 1, 10, dxl.ErrAccess},
		{"RAM with torque on", torqueOn, dxl.AddrPositionP, 2, 300, 0},
		{"read-only item", nil, dxl.AddrPresentPosition, 4, 0, dxl.ErrAccess},
		{"model number", nil, dxl.AddrModel, 2, 1, dxl.ErrAccess},
		{"gap", nil, 14, 1, 0, dxl.ErrAccess},
		{"middle of an item", nil, dxl.AddrGoalPosition + 1, 1, 0, dxl.ErrAccess},
		{"behind the table", nil, 500, 1, 0, dxl.ErrAccess},
		{"half an item", nil, dxl.AddrGoalPosition, 2, 2048, dxl.ErrDataLength},
		{"one and a half items", nil, dxl.AddrPositionD, 3, 0, dxl.ErrDataLength},
		{"two items", nil, dxl.AddrPositionD, 4, 0, 0},
		{"over the range", nil, dxl.AddrPositionP, 2, 16384, dxl.ErrDataRange},
		{"temperature limit over 100", nil, dxl.AddrTemperatureMax, 1, 101, dxl.ErrDataRange},
		{"voltage limit over 7.0 V", nil, dxl.AddrVoltageMax, 2, 78, dxl.ErrDataRange},
		{"baud 7", nil, dxl.AddrBaud, 1, 7, dxl.ErrDataRange},
		{"torque 2", nil, dxl.AddrTorque, 1, 2, dxl.ErrDataRange},
		{"there is no mode 2", nil, dxl.AddrOperatingMode, 1, 2, dxl.ErrDataRange},
		{"current limit over the model's", nil, dxl.AddrCurrentLimit, 2, 1751, dxl.ErrDataRange},
		{"goal at the upper limit", nil, dxl.AddrGoalPosition, 4, 2958, 0},
		{"goal above the upper limit", nil, dxl.AddrGoalPosition, 4, 2959, dxl.ErrDataLimit},
		{"goal at the lower limit", nil, dxl.AddrGoalPosition, 4, 1502, 0},
		{"goal below the lower limit", nil, dxl.AddrGoalPosition, 4, 1501, dxl.ErrDataLimit},
		{"negative goal", nil, dxl.AddrGoalPosition, 4, -1, dxl.ErrDataLimit},
		{"goal outside in extended mode", mode(modeExtended), dxl.AddrGoalPosition, 4, -5000, 0},
		{"goal current over its limit", nil, dxl.AddrGoalCurrent, 2, -1751, dxl.ErrDataLimit},
		{"goal current in its limit", nil, dxl.AddrGoalCurrent, 2, -1750, 0},
		{"goal after a tripped watchdog", poke(dxl.AddrBusWatchdog, watchdogTrip), dxl.AddrGoalPosition, 4, 2048, dxl.ErrDataRange},
		{"clearing a tripped watchdog", poke(dxl.AddrBusWatchdog, watchdogTrip), dxl.AddrBusWatchdog, 1, 0, 0},
		{"torque while shut down", poke(dxl.AddrHardwareError, int64(dxl.HardwareOverload)), dxl.AddrTorque, 1, 1, dxl.ErrResultFail | dxl.Alert},
		{"torque with a voltage error only", poke(dxl.AddrHardwareError, int64(dxl.HardwareVoltage)), dxl.AddrTorque, 1, 1, dxl.Alert},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newChain(t, Options{})
			if tc.prepare != nil {
				tc.prepare(c)
			}
			before := c.servos[j].mem
			got := write(t, c, j, tc.addr, tc.size, tc.v)
			if got != tc.want {
				t.Errorf("status %#02x (%v), want %#02x", byte(got), got, byte(tc.want))
			}
			data := make([]byte, tc.size)
			encode(data, tc.v)
			switch {
			case got.Number() != 0 && c.servos[j].mem != before:
				t.Error("a refused write changed the table")
			case got.Number() == 0 && !slices.Equal(c.servos[j].mem[tc.addr:tc.addr+tc.size], data):
				t.Errorf("the table holds % X", c.servos[j].mem[tc.addr:tc.addr+tc.size])
			}
		})
	}
}

func torqueOn(c *Chain) { c.servos[hal.Stewart1].put(dxl.AddrTorque, 1) }

func mode(m int64) func(*Chain) {
	return func(c *Chain) { c.servos[hal.Stewart1].put(dxl.AddrOperatingMode, m) }
}

func poke(addr int, v int64) func(*Chain) {
	return func(c *Chain) { c.servos[hal.Stewart1].put(addr, v) }
}

func TestReadRules(t *testing.T) {
	c := newChain(t, Options{})
	for _, tc := range []struct {
		name       string
		addr, size uint16
		want       dxl.StatusError
		n          int
	}{
		{"whole table", 0, tableEnd, 0, tableEnd},
		{"telemetry block", dxl.AddrPresentCurrent, 21, 0, 21},
		{"nothing", 0, 0, dxl.ErrDataLength, 0},
		{"behind the end", tableEnd - 1, 2, dxl.ErrAccess, 0},
		{"far behind", 0xFFFF, 0xFFFF, dxl.ErrAccess, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ask(t, c, dxl.AppendRead(nil, 10, tc.addr, tc.size))
			if len(got) != 1 || got[0].Error != tc.want || len(got[0].Params) != tc.n {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := ask(t, c, dxl.AppendInstruction(nil, 10, dxl.Read, []byte{1})); len(got) != 1 || got[0].Error != dxl.ErrDataLength {
		t.Errorf("read with one parameter: %+v", got)
	}
}

func TestInstructionErrors(t *testing.T) {
	c := newChain(t, Options{})
	for name, packet := range map[string][]byte{
		"unknown":             dxl.AppendInstruction(nil, 10, 0x77, nil),
		"action without plan": dxl.AppendInstruction(nil, 10, dxl.Action, nil),
	} {
		if got := ask(t, c, packet); len(got) != 1 || got[0].Error != dxl.ErrInstruction {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRegisteredWriteActsLater(t *testing.T) {
	c := newChain(t, Options{})
	data := []byte{0x00, 0x09, 0, 0} // 2304
	got := ask(t, c, dxl.AppendInstruction(nil, 11, dxl.RegWrite, append([]byte{dxl.AddrGoalPosition, 0}, data...)))
	if len(got) != 1 || got[0].Error != 0 {
		t.Fatalf("register: %+v", got)
	}
	if c.Peek(hal.Stewart1, dxl.AddrRegistered) != 1 || c.Peek(hal.Stewart1, dxl.AddrGoalPosition) == 2304 {
		t.Fatal("a registered write must wait")
	}
	if got := ask(t, c, dxl.AppendInstruction(nil, dxl.Broadcast, dxl.Action, nil)); len(got) != 0 {
		t.Errorf("answers to a broadcast: %v", got)
	}
	if c.Peek(hal.Stewart1, dxl.AddrRegistered) != 0 || c.Peek(hal.Stewart1, dxl.AddrGoalPosition) != 2304 {
		t.Error("the action did not come")
	}
	bad := []byte{dxl.AddrGoalPosition, 0, 0xFF, 0xFF, 0, 0}
	if got := ask(t, c, dxl.AppendInstruction(nil, 11, dxl.RegWrite, bad)); got[0].Error != dxl.ErrDataLimit {
		t.Errorf("registering a bad goal: %v", got[0].Error)
	}
}

func TestStatusReturnLevel(t *testing.T) {
	for level, want := range [][3]int{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}} {
		c := newChain(t, Options{})
		c.servos[0].put(dxl.AddrStatusReturn, int64(level))
		got := [3]int{
			len(ask(t, c, dxl.AppendPing(nil, 10))),
			len(ask(t, c, dxl.AppendRead(nil, 10, 0, 2))),
			len(ask(t, c, dxl.AppendWrite(nil, 10, dxl.AddrLED, []byte{1}))),
		}
		if got != want {
			t.Errorf("level %d: answers to ping, read, write %v, want %v", level, got, want)
		}
		if c.Peek(0, dxl.AddrLED) != 1 {
			t.Errorf("level %d: the write itself was lost", level)
		}
	}
}

func TestSyncWriteRefusesOneJointOnly(t *testing.T) {
	c := newChain(t, Options{})
	data := make([]byte, 8)
	encode(data[:4], 2300) // stewart_1: allowed
	encode(data[4:], 3000) // stewart_2: above 2844
	if got := ask(t, c, dxl.AppendSyncWrite(nil, dxl.AddrGoalPosition, 4, []byte{11, 12}, data)); len(got) != 0 {
		t.Errorf("answers: %v", got)
	}
	if g := c.Peek(hal.Stewart1, dxl.AddrGoalPosition); g != 2300 {
		t.Errorf("stewart_1 goal %d", g)
	}
	if g := c.Peek(hal.Stewart2, dxl.AddrGoalPosition); g != 2048 {
		t.Errorf("stewart_2 goal %d: the refused goal must leave the old one", g)
	}
}

func TestSyncAndBulkRead(t *testing.T) {
	c := newChain(t, Options{})
	got := ask(t, c, dxl.AppendSyncRead(nil, dxl.SyncRead, dxl.AddrPresentPosition, 4, []byte{18, 99, 10}))
	if len(got) != 2 || got[0].ID != 18 || got[1].ID != 10 || decode(got[0].Params, true) != 2048 {
		t.Errorf("sync read: %+v", got)
	}
	got = ask(t, c, dxl.AppendInstruction(nil, dxl.Broadcast, dxl.BulkRead, []byte{11, 132, 0, 4, 0, 12, 144, 0, 2, 0}))
	if len(got) != 2 || decode(got[0].Params, true) != 2048 || decode(got[1].Params, false) != 70 {
		t.Errorf("bulk read: %+v", got)
	}
	ask(t, c, dxl.AppendInstruction(nil, dxl.Broadcast, dxl.BulkWrite, []byte{11, 65, 0, 1, 0, 1, 12, 84, 0, 2, 0, 7, 0}))
	if c.Peek(hal.Stewart1, dxl.AddrLED) != 1 || c.Peek(hal.Stewart2, dxl.AddrPositionP) != 7 {
		t.Error("bulk write did not arrive")
	}
}

func TestFastSyncRead(t *testing.T) {
	all := []byte{10, 11, 12, 13, 14, 15, 16, 17, 18}
	request := dxl.AppendSyncRead(nil, dxl.FastSyncRead, dxl.AddrPresentCurrent, 10, all)
	c := newChain(t, Options{})
	got := ask(t, c, request)
	if len(got) != 1 || !got[0].Fast {
		t.Fatalf("got %+v", got)
	}
	for i, want := range all {
		id, e, data, ok := got[0].FastPart(i, 10)
		if !ok || id != want || e != 0 || decode(data[6:], true) != 2048 {
			t.Errorf("part %d: id %d error %v data % X ok %v", i, id, e, data, ok)
		}
	}
	for name, tc := range map[string]struct {
		o    Options
		mute string
		want int // bytes of the answer that stalls
	}{
		"old firmware":         {Options{Firmware: 45}, "", 0},
		"first servo missing":  {Options{}, "body_rotation", 0},
		"third servo missing":  {Options{}, "stewart_2", 8 + 2*14},
		"all there (for size)": {Options{}, "", 8 + 9*14},
	} {
		c := newChain(t, tc.o)
		if tc.mute != "" {
			if err := c.SetFaults(Faults{Mute: []string{tc.mute}}); err != nil {
				t.Fatal(err)
			}
		}
		var in dxl.Parser
		in.Feed(request)
		p, _ := in.Next()
		var r replies
		c.answer(&p, lineBaud, &r)
		if len(r.buf) != tc.want {
			t.Errorf("%s: %d bytes, want %d", name, len(r.buf), tc.want)
		}
	}
}

func TestRebootClearsRAMAndErrors(t *testing.T) {
	c := newChain(t, Options{Boot: 50 * time.Millisecond})
	const j = hal.Stewart3
	mustWrite(t, c, j, dxl.AddrPositionP, 2, 300)
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	c.servos[j].latch(dxl.HardwareElectrical)
	if c.Peek(j, dxl.AddrTorque) != 0 {
		t.Fatal("the shutdown mask did not switch the torque off")
	}
	got := ask(t, c, dxl.AppendReboot(nil, j.ServoID()))
	if len(got) != 1 || got[0].Error != dxl.Alert {
		t.Fatalf("answer to reboot: %+v", got)
	}
	steps(c, 40*time.Millisecond)
	if got := ask(t, c, dxl.AppendPing(nil, j.ServoID())); len(got) != 0 {
		t.Fatal("it answers while it boots")
	}
	steps(c, 20*time.Millisecond)
	if got := ask(t, c, dxl.AppendPing(nil, j.ServoID())); len(got) != 1 || got[0].Error != 0 {
		t.Fatalf("after the boot: %+v", got)
	}
	if c.Peek(j, dxl.AddrPositionP) != 400 || c.Peek(j, dxl.AddrHomingOffset) != 1024 {
		t.Error("RAM must be at its defaults and EEPROM kept")
	}
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
}

func TestFactoryReset(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.Stewart3
	ask(t, c, dxl.AppendInstruction(nil, j.ServoID(), dxl.FactoryReset, []byte{0x02}))
	if c.Peek(j, dxl.AddrID) != 13 || c.Peek(j, dxl.AddrBaud) != 3 || c.Peek(j, dxl.AddrHomingOffset) != 0 || c.Peek(j, dxl.AddrReturnDelay) != 250 {
		t.Error("02 keeps identifier and baud rate, and nothing else")
	}
	ask(t, c, dxl.AppendInstruction(nil, j.ServoID(), dxl.FactoryReset, []byte{0xFF}))
	if c.Peek(j, dxl.AddrID) != 1 || c.Peek(j, dxl.AddrBaud) != 1 {
		t.Error("FF resets all")
	}
	if got := ask(t, c, dxl.AppendPing(nil, 1)); len(got) != 0 {
		t.Error("a servo at 57 600 baud must not hear 1 Mbit/s")
	}
	if got := ask(t, c, dxl.AppendInstruction(nil, 10, dxl.FactoryReset, []byte{7})); len(got) != 1 || got[0].Error != dxl.ErrDataRange {
		t.Errorf("unknown kind: %+v", got)
	}
}

func TestFactoryNewServoIsMended(t *testing.T) {
	const j = hal.Stewart1
	c := newChain(t, Options{FactoryNew: hal.JointMask(0).With(j)})
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 1024 {
		t.Fatalf("joint angle 0 without homing offset shows %d, want 1024", p)
	}
	if d := c.Peek(j, dxl.AddrReturnDelay); d != 250 {
		t.Errorf("return delay %d", d)
	}
	mustWrite(t, c, j, dxl.AddrHomingOffset, 4, 1024)
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 2048 {
		t.Errorf("after the homing offset: %d", p)
	}
}

func TestTorqueMovesAndReleases(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.Stewart1
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 2400)
	steps(c, 300*time.Millisecond)
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 2048 {
		t.Fatalf("it moved to %d without torque", p)
	}
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	c.Step()
	c.Step()
	if c.Peek(j, dxl.AddrPresentVelocity) <= 0 || c.Peek(j, dxl.AddrPresentCurrent) <= 0 || c.Peek(j, dxl.AddrMoving) != 1 {
		t.Error("velocity, current and moving flag must show the motion")
	}
	steps(c, time.Second)
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 2400 || c.Peek(j, dxl.AddrMoving) != 0 || c.Peek(j, dxl.AddrMovingStatus) != 1 {
		t.Errorf("arrived at %d", p)
	}
	if m := c.Status().Motions[j].Position; math.Abs(m-352*tick) > tick {
		t.Errorf("joint at %v rad", m)
	}
	mustWrite(t, c, j, dxl.AddrTorque, 1, 0)
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 2048)
	steps(c, time.Second)
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 2400 {
		t.Errorf("released, it went to %d", p)
	}
}

func TestProfileLimitsVelocityAndAcceleration(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.BodyYaw
	mustWrite(t, c, j, dxl.AddrProfileVelocity, 4, 50) // 1.199 rad/s
	mustWrite(t, c, j, dxl.AddrProfileAccel, 4, 10)    // 3.745 rad/s²
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 3072) // +90°
	s := &c.servos[j]
	var top, steepest, last float64
	n := 0
	for ; n < 500 && (s.setpoint != s.toRad(3072) || n == 0); n++ {
		c.Step()
		top = max(top, math.Abs(s.setSpeed))
		steepest = max(steepest, math.Abs(s.setSpeed-last)/Tick.Seconds())
		last = s.setSpeed
	}
	vmax, amax := 50*velocityUnit, 10*accelUnit
	if top > vmax*1.001 || top < vmax*0.99 {
		t.Errorf("top speed %v, limit %v", top, vmax)
	}
	if steepest > amax*1.001 {
		t.Errorf("acceleration %v, limit %v", steepest, amax)
	}
	// A trapezoid takes distance/v + v/a = 1.63 s.
	if want := math.Pi/2/vmax + vmax/amax; math.Abs(float64(n)*Tick.Seconds()-want) > 0.1 {
		t.Errorf("took %d ticks, want %.2f s", n, want)
	}
}

func TestCurrentModeAndLimit(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.LeftAntenna
	mustWrite(t, c, j, dxl.AddrPositionP, 2, 200)
	mustWrite(t, c, j, dxl.AddrOperatingMode, 1, modeCurrent)
	if p := c.Peek(j, dxl.AddrPositionP); p != 400 {
		t.Errorf("a change of mode resets the gains, P = %d", p)
	}
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	steps(c, 100*time.Millisecond)
	if p := c.Peek(j, dxl.AddrPresentPosition); p != 2048 {
		t.Fatalf("no goal current, but it moved to %d", p)
	}
	mustWrite(t, c, j, dxl.AddrGoalCurrent, 2, -300)
	steps(c, 100*time.Millisecond)
	if p := c.Peek(j, dxl.AddrPresentPosition); p >= 2040 {
		t.Errorf("a negative current left it at %d", p)
	}
	if d := c.Status().Drives[j]; !d.ByTorque || math.Abs(d.Torque+0.3*eeprom[j].spec.perAmpere) > 1e-9 {
		t.Errorf("drive %+v", d)
	}

	mustWrite(t, c, hal.RightAntenna, dxl.AddrCurrentLimit, 2, 875)
	mustWrite(t, c, hal.RightAntenna, dxl.AddrTorque, 1, 1)
	c.Step()
	if d := c.Status().Drives[hal.RightAntenna]; d.Limit != 0.5 {
		t.Errorf("half the current is a limit of %v", d.Limit)
	}
}

func TestBusWatchdogStopsAJointOfADeadHost(t *testing.T) {
	c := newChain(t, Options{})
	const j = hal.BodyYaw
	mustWrite(t, c, j, dxl.AddrProfileVelocity, 4, 50)
	mustWrite(t, c, j, dxl.AddrBusWatchdog, 1, 5) // 100 ms
	mustWrite(t, c, j, dxl.AddrTorque, 1, 1)
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 4000)
	for range 50 {
		c.Step()
		ask(t, c, dxl.AppendPing(nil, 11)) // any traffic is life
	}
	if c.Peek(j, dxl.AddrBusWatchdog) != 5 {
		t.Fatal("it tripped while the host was alive")
	}
	steps(c, 200*time.Millisecond)
	if c.Peek(j, dxl.AddrBusWatchdog) != watchdogTrip {
		t.Fatal("it did not trip")
	}
	at := c.Peek(j, dxl.AddrPresentPosition)
	steps(c, 500*time.Millisecond)
	if p := c.Peek(j, dxl.AddrPresentPosition); p < at-60 || p > at+60 || p > 3500 {
		t.Errorf("it went on from %d to %d", at, p)
	}
	if e := write(t, c, j, dxl.AddrGoalPosition, 4, 2048); e != dxl.ErrDataRange {
		t.Errorf("goal while tripped: %v", e)
	}
	mustWrite(t, c, j, dxl.AddrBusWatchdog, 1, 0)
	mustWrite(t, c, j, dxl.AddrGoalPosition, 4, 2048)
}

func TestStaleGoalJumpsWhenTorqueComesBack(t *testing.T) {
	// What makes "pin the goals, then torque" necessary: the servo keeps a goal that was written without torque.
	c := newChain(t, Options{})
	mustWrite(t, c, hal.BodyYaw, dxl.AddrGoalPosition, 4, 3000)
	mustWrite(t, c, hal.BodyYaw, dxl.AddrTorque, 1, 1)
	steps(c, time.Second)
	if p := c.Peek(hal.BodyYaw, dxl.AddrPresentPosition); p != 3000 {
		t.Errorf("at %d", p)
	}
}

func TestChangedIdentifierIsAnsweredAsTheOldOne(t *testing.T) {
	c := newChain(t, Options{})
	mustWrite(t, c, hal.BodyYaw, dxl.AddrID, 1, 60)
	if got := ask(t, c, dxl.AppendPing(nil, 60)); len(got) != 1 {
		t.Error("it does not answer to its new identifier")
	}
}

func TestResetKeepsTheConfiguration(t *testing.T) {
	c := newChain(t, Options{})
	mustWrite(t, c, hal.BodyYaw, dxl.AddrReturnDelay, 1, 20)
	mustWrite(t, c, hal.BodyYaw, dxl.AddrGoalPosition, 4, 3000)
	mustWrite(t, c, hal.BodyYaw, dxl.AddrTorque, 1, 1)
	steps(c, 500*time.Millisecond)
	c.Reset()
	if c.Status().Drives != (Drives{}) || c.Peek(0, dxl.AddrTorque) != 0 || c.Peek(0, dxl.AddrPresentPosition) != 2048 || c.Peek(0, dxl.AddrReturnDelay) != 20 {
		t.Error("reset must bring the pose back, switch the torque off and keep the EEPROM")
	}
}

func TestPokeRefusesWhatIsNoItem(t *testing.T) {
	c := newChain(t, Options{})
	for _, addr := range []int{-1, 3, tableEnd, 1 << 20} {
		if c.Poke(hal.BodyYaw, addr, 1) == nil {
			t.Errorf("poke at %d", addr)
		}
	}
	if err := c.Poke(hal.BodyYaw, dxl.AddrHomingOffset, 100); err != nil || c.Peek(hal.BodyYaw, dxl.AddrPresentPosition) != 2148 {
		t.Errorf("poke: %v, position %d", err, c.Peek(hal.BodyYaw, dxl.AddrPresentPosition))
	}
}

// Status tells what the bus wrote as soon as it is written, not when the plant has learned of it.
func TestStatusShowsTheRegisters(t *testing.T) {
	c := New(Options{Plant: NewSimple(hal.Joints{}), Boot: -1})
	j := hal.LeftAntenna
	c.Step()
	if s := c.Status(); s.Torque != 0 || s.Goals[j] != s.Motions[j].Position {
		t.Errorf("without torque: %v, goal %v at %v", s.Torque.Names(), s.Goals[j], s.Motions[j].Position)
	}
	for addr, v := range map[int]int64{dxl.AddrTorque: 1, dxl.AddrGoalPosition: 2048 + 512} {
		if err := c.Poke(j, addr, v); err != nil {
			t.Fatal(err)
		}
	}
	s := c.Status()
	if !slices.Equal(s.Torque.Names(), []string{j.String()}) || math.Abs(s.Goals[j]-math.Pi/4) > 0.002 {
		t.Errorf("torque %v, goal %v", s.Torque.Names(), s.Goals[j])
	}
	if s.Drives[j].On {
		t.Error("the plant learned of it without a tick")
	}
}
