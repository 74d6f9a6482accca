package servo

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/virtual"
)

func TestOpenFindsAHealthyRobot(t *testing.T) {
	r := newRig(t, virtual.Options{}).open()
	rep := r.robot.Report()
	if rep.Present() != hal.AllJoints || !rep.Fast || rep.Port != r.path {
		t.Errorf("report %+v", rep)
	}
	for j, s := range rep.Servos {
		if s.Firmware != 52 || s.Model != ReachyMini()[j].Model || s.Torque || len(s.Mended)+len(s.Wrong) != 0 || s.Voltage != virtual.NominalVoltage {
			t.Errorf("%+v", s)
		}
		if p := r.chain.Peek(hal.Joint(j), dxl.AddrPositionP); p != int64(ReachyMini()[j].P) {
			t.Errorf("%s: P gain %d", s.Joint, p)
		}
	}
	if f := r.robot.Faults(); len(f) != 0 {
		t.Errorf("faults %v", f)
	}
	text := rep.String()
	for _, want := range []string{"fast sync read", "10 body_rotation", "18 left_antenna", "torque off", "7.0 V"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}

// The same over a pseudo-terminal, as another Dynamixel client would reach the simulator.
func TestOpenOnPTY(t *testing.T) {
	r := newRig(t, virtual.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	link := filepath.Join(t.TempDir(), "tty")
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- r.chain.ServePTY(ctx, link, func() { close(ready) }) }()
	<-ready
	r.opts.Port = "pty:" + link
	r.open().stand().run(20)
	if c := r.health().Bus; !r.standing() || c.Corrupt != 0 {
		t.Errorf("feedback %+v, counters %+v", r.fb, c)
	}
	if err := r.robot.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ServePTY: %v", err)
	}
}

func TestOldFirmwareIsReadClassically(t *testing.T) {
	r := newRig(t, virtual.Options{Firmware: 45}).open()
	if r.robot.Report().Fast {
		t.Error("firmware 45 does not know the fast sync read")
	}
	r.run(3)
	if r.fb.Fresh != hal.AllJoints {
		t.Errorf("fresh %v", r.fb.Fresh.Names())
	}
}

func TestFactoryNewServosAreConfigured(t *testing.T) {
	r := newRig(t, virtual.Options{FactoryNew: hal.AllJoints}).open()
	for j, c := range ReachyMini() {
		s := r.robot.Report().Servos[j]
		if len(s.Mended) == 0 || len(s.Wrong) != 0 {
			t.Errorf("%s: mended %v, wrong %v", s.Joint, s.Mended, s.Wrong)
		}
		for addr, want := range map[int]int64{
			dxl.AddrReturnDelay: 0, dxl.AddrHomingOffset: int64(c.Homing), dxl.AddrPositionMin: int64(c.Min),
			dxl.AddrPositionMax: int64(c.Max), dxl.AddrShutdown: 0x34, dxl.AddrOperatingMode: 3, dxl.AddrPositionP: int64(c.P),
		} {
			if got := r.chain.Peek(hal.Joint(j), addr); got != want {
				t.Errorf("%s: address %d is %d, want %d", s.Joint, addr, got, want)
			}
		}
		if math.Abs(s.Position) > tickRad {
			t.Errorf("%s: at %v rad after the homing offset was mended, want 0", s.Joint, s.Position)
		}
	}
}

// A body that starts again takes torque and goals over as they are and writes nothing that moves.
func TestRunningRobotIsAdopted(t *testing.T) {
	r := newRig(t, virtual.Options{}).open().stand()
	if err := r.robot.SetTorque(hal.JointMask(0).With(hal.LeftAntenna), false); err != nil {
		t.Fatal(err)
	}
	r.poke(hal.Stewart3, dxl.AddrShutdown, 4)
	before := r.goal
	r.reopen()
	h := r.health()
	want := hal.AllJoints &^ (1 << hal.LeftAntenna)
	if h.Torque != want || h.Found != hal.AllJoints || !h.Online {
		t.Fatalf("torque %v, found %v", h.Torque.Names(), h.Found.Names())
	}
	for j := range before {
		if math.Abs(h.Goal[j]-before[j]) > 2*tickRad { // the antenna without torque: where it is
			t.Errorf("%v: goal %v, want %v", hal.Joint(j), h.Goal[j], before[j])
		}
	}
	if !r.fault(hal.FaultConfig, "stewart_3") || r.chain.Peek(hal.Stewart3, dxl.AddrShutdown) != 4 {
		t.Errorf("a wrong servo under torque must stay as it is and be named: %v", r.robot.Faults())
	}
	if !strings.Contains(r.robot.Report().String(), "WRONG shutdown mask is 4 instead of 52, and torque is on") {
		t.Errorf("report:\n%s", r.robot.Report())
	}
	r.jump = 0
	r.goal = h.Goal
	r.run(50)
	if r.jump > tickRad*1.01 {
		t.Errorf("adoption moved a goal by %v rad", r.jump)
	}

	// Told so, it switches that servo off and mends it; the others keep their torque.
	r.opts.MendUnderTorque = true
	r.reopen()
	if r.fault(hal.FaultConfig, "stewart_3") || r.chain.Peek(hal.Stewart3, dxl.AddrShutdown) != 0x34 {
		t.Errorf("not mended: %v", r.robot.Faults())
	}
	if got := r.health().Torque; got != want&^(1<<hal.Stewart3) {
		t.Errorf("torque %v", got.Names())
	}
}

func TestOpenWithoutServos(t *testing.T) {
	r := newRig(t, virtual.Options{})
	r.opts.AnswerTime = time.Millisecond
	zero := 0.0
	r.set(virtual.Faults{Voltage: &zero})
	if err := r.tryOpen(); !errors.Is(err, ErrNoServo) {
		t.Errorf("Open = %v, want ErrNoServo", err)
	}
	r.opts.Port = "unix:" + filepath.Join(t.TempDir(), "none.sock")
	if err := r.tryOpen(); err == nil {
		t.Error("Open without a port succeeded")
	}
}

func TestOpenNamesMissingServos(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := newRig(t, virtual.Options{})
	r.set(virtual.Faults{Mute: []string{"stewart_2"}})
	r.open()
	if !r.fault(hal.FaultServoMissing, "stewart_2") || len(r.robot.Faults()) != 1 {
		t.Errorf("faults %v", r.robot.Faults())
	}
	if !strings.Contains(r.robot.Report().String(), "stewart_2     does not answer") {
		t.Errorf("report:\n%s", r.robot.Report())
	}
	r.run(5)
	if want := hal.AllJoints &^ (1 << hal.Stewart2); r.fb.Fresh != want {
		t.Errorf("fresh %v", r.fb.Fresh.Names())
	}
	r.set(virtual.Faults{})
	r.within(100, "the missing servo", func() bool { return r.fb.Fresh == hal.AllJoints && len(r.robot.Faults()) == 0 })
}

func TestOpenWaitsForVoltage(t *testing.T) {
	r := newRig(t, virtual.Options{})
	low := 4.2
	r.set(virtual.Faults{Voltage: &low})
	err := r.tryOpen()
	if err == nil || !strings.Contains(err.Error(), "servo body_rotation: supply is 4.2 V, at least 4.5 V is needed") {
		t.Errorf("Open = %v", err)
	}
	r.opts.PowerWait = 30 * time.Second
	opened := make(chan error, 1)
	go func() { opened <- r.tryOpen() }()
	select {
	case err := <-opened:
		t.Fatalf("Open at 4.2 V = %v", err)
	case <-time.After(50 * time.Millisecond): // it is waiting; it would also be right if it had not begun yet
	}
	r.set(virtual.Faults{})
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
}

// A latched error is cleared by a reboot, but the voltage bit is normal on a full battery, and a servo that holds
// torque is left alone.
func TestOpenClearsErrors(t *testing.T) {
	r := newRig(t, virtual.Options{})
	r.poke(hal.Stewart1, dxl.AddrHardwareError, int64(dxl.HardwareOverload))
	r.poke(hal.Stewart2, dxl.AddrHardwareError, int64(dxl.HardwareVoltage))
	r.poke(hal.Stewart4, dxl.AddrHardwareError, int64(dxl.HardwareEncoder))
	r.poke(hal.Stewart4, dxl.AddrTorque, 1)
	r.open()
	s := r.robot.Report().Servos
	if !s[hal.Stewart1].Rebooted || s[hal.Stewart1].HardwareError != 0 {
		t.Errorf("%+v", s[hal.Stewart1])
	}
	if s[hal.Stewart2].Rebooted || s[hal.Stewart2].HardwareError != dxl.HardwareVoltage {
		t.Errorf("%+v", s[hal.Stewart2])
	}
	if s[hal.Stewart4].Rebooted || !s[hal.Stewart4].Torque {
		t.Errorf("%+v", s[hal.Stewart4])
	}
	if f := r.robot.Faults(); len(f) != 1 || f[0].Name != hal.FaultEncoder || f[0].Joint != "stewart_4" {
		t.Errorf("faults %v", f)
	}
}

func TestPatientOpen(t *testing.T) {
	r := newRig(t, virtual.Options{})
	r.opts.Patient = true
	r.set(virtual.Faults{Unplug: true})
	r.opts.FirstWait = 3 * period
	r.open()
	for n := range 4 { // a simulation that is about to start is no fault; one that does not start is
		if r.tick(); !errors.Is(r.err, ErrOffline) || r.fault(hal.FaultBusLost, "") != (n >= 2) || r.health().Online {
			t.Errorf("after %d cycles: Cycle = %v, faults %v", n+1, r.err, r.robot.Faults())
		}
	}
	r.set(virtual.Faults{})
	r.until("the bus", func() bool { return r.err == nil && r.fb.Fresh == hal.AllJoints })
	if len(r.robot.Faults()) != 0 || r.health().Bus.Reconnects != 1 {
		t.Errorf("faults %v, %d reconnects", r.robot.Faults(), r.health().Bus.Reconnects)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.CycleTime = -1 }, "CycleTime"},
		{func(o *Options) { o.CatchUp = math.NaN() }, "CatchUp"},
		{func(o *Options) { o.WarmAt = -5 }, "WarmAt"},
		{func(o *Options) { o.Watchdog = 3 * time.Second }, "Watchdog = 3s: allowed is 0…2.54s"},
		{func(o *Options) { o.Misses = -1 }, "Misses"},
		{func(o *Options) { o.Port = "nonsense" }, "allowed are auto"},
	} {
		o := Options{Port: "unix:/nowhere"}
		c.change(&o)
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open = %v, want it to say %q", err, c.want)
		}
	}
}

// A simulation that waits for its turn on a busy host is not lost: it is slow.
func TestSimulationMayBeLate(t *testing.T) {
	for port, want := range map[string]time.Duration{"unix:/run/bus.sock": 10 * time.Second, "/dev/ttyACM0": 500 * time.Millisecond} {
		o, err := Options{Port: port}.complete()
		if err != nil || o.Silence != want {
			t.Errorf("%s: silence %v, error %v; want %v", port, o.Silence, err, want)
		}
		if socket := strings.HasPrefix(port, "unix:"); (o.FirstWait > 0) != socket {
			t.Errorf("%s: the first search is no fault for %v", port, o.FirstWait)
		}
	}
	r := newRig(t, virtual.Options{})
	r.opts.Silence = 10 * time.Second
	r.open().stand()
	r.set(virtual.Faults{Mute: hal.AllJoints.Names()})
	r.robot.opts.CycleTime = time.Millisecond
	for range 300 { // 3 s
		r.tick()
	}
	if r.fault(hal.FaultBusLost, "") || !r.health().Online {
		t.Fatalf("lost after 3 s: %v", r.robot.Faults())
	}
	r.robot.opts.CycleTime = r.opts.CycleTime
	r.set(virtual.Faults{})
	r.until("its answers", r.standing)
}
