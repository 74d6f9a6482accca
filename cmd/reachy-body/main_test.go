package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
	"github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/virtual"
)

func TestWakesMovesAndParksWhenTerminated(t *testing.T) {
	b := newTestbed(t, false)
	c := b.start()
	c.until(t, "online", online)
	c.act(t, hal.Request{Verb: hal.VerbWake})
	c.act(t, hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: 0.5}.Goal(), Duration: 0.5})
	s := c.until(t, "there", func(s *hal.State) bool { return math.Abs(s.Head.Yaw-0.5) < 0.03 })
	if s.Mode != hal.ModeEnabled {
		t.Errorf("state %+v", s)
	}
	tel, err := c.Telemetry(context.Background())
	if err != nil || len(tel.Servos) != hal.NumJoints || tel.Realtime == "" {
		t.Errorf("telemetry %+v %v", tel, err)
	}
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if at := b.now(); at.on != 0 {
		t.Errorf("torque %v after the end", at.on.Names())
	}
	f, _ := kinematics.NearestHead(hal.SleepHead, 0, hal.SleepAntennas)
	for j, m := range b.Status().Motions {
		if math.Abs(m.Position-f.Joints[j]) > 0.1 {
			t.Errorf("%v lies at %g, not %g", hal.Joint(j), m.Position, f.Joints[j])
		}
	}
	checkJumps(t, b.since(time.Time{}))
}

// Killed in the middle of a move and started again, it takes torque and goals over as they are.
func TestKilledAndStartedAgain(t *testing.T) {
	b := newTestbed(t, true)
	c := b.awake()
	c.looksAway(t)
	c.cmd.Process.Kill()
	c.wait()
	b.until("what was in the socket to arrive", func() bool { return b.Status().Clients == 0 })
	killed := time.Now()
	again := b.start()
	again.until(t, "online", online)
	t.Logf("back after %v", time.Since(killed).Round(time.Millisecond))
	if s, err := again.State(context.Background()); err != nil || s.Mode != hal.ModeEnabled || s.Moving {
		t.Errorf("state %+v %v", s, err)
	}
	again.until(t, "awake for 50 ticks", ticking(50))
	seen := b.since(killed)
	for i := range seen {
		if seen[i].on != hal.AllJoints {
			t.Fatalf("torque %v", seen[i].on.Names())
		}
		for j := range seen[i].goal {
			if d := math.Abs(seen[i].goal[j] - seen[0].goal[j]); d > 0.004 {
				t.Fatalf("%v moved by %g", hal.Joint(j), d)
			}
		}
	}
	again.act(t, lookAway())
	checkJumps(t, b.since(time.Time{}))
}

// A stream that means harm, as the servos see it.
func TestHostileStreamOnTheBus(t *testing.T) {
	b := newTestbed(t, true)
	c := b.awake()
	began := time.Now()
	conn, err := net.Dial("unix", b.sock)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /stream?source=hostile HTTP/1.1\r\nHost: body\r\nTransfer-Encoding: chunked\r\n\r\n")
	var wg sync.WaitGroup
	defer wg.Wait()
	defer conn.Close()
	wg.Go(func() { io.Copy(io.Discard, conn) })
	out := bufio.NewWriter(conn)
	rng := rand.New(rand.NewPCG(5, 6))
	weird := []string{"NaN", "1e999", "-1e999", "1e300", "-1e300", "99", "-99", "null", `"x"`, "[]", "1e-320"}
	number := func(scale float64) string {
		switch rng.IntN(30) {
		case 0:
			return weird[rng.IntN(len(weird))]
		case 1, 2, 3, 4, 5, 6, 7, 8:
			return fmt.Sprint(scale * float64(1-2*rng.IntN(2)))
		}
		return fmt.Sprint(scale * (2*rng.Float64() - 1))
	}
	lines := make([]string, 5000)
	for i := range lines {
		scale := []float64{1, 3, 0.2}[i%3]
		line := fmt.Sprintf(`{"head":{"x":%s,"y":%s,"z":%s,"roll":%s,"pitch":%s,"yaw":%s},"body_yaw":%s,"antennas":{"left":%s,"right":%s}}`+"\n",
			number(0.05*scale), number(0.05*scale), number(0.05*scale), number(0.8*scale), number(0.8*scale), number(3.2*scale),
			number(2.9*scale), number(3.2*scale), number(3.2*scale))
		lines[i] = fmt.Sprintf("%x\r\n%s\r\n", len(line), line)
	}
	const targets = 100_000
	for i := range targets {
		k := rng.IntN(len(lines)/3) * 3
		out.WriteString(lines[k+i/9000%3])
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	c.until(t, "quiet again and well", func(s *hal.State) bool { return !s.Moving && s.Mode == hal.ModeEnabled })
	seen := b.since(began)
	checkJumps(t, seen)
	moved := 0.0
	for i := 1; i < len(seen); i++ {
		for j := range seen[i].goal {
			moved += math.Abs(seen[i].goal[j] - seen[i-1].goal[j])
		}
	}
	t.Logf("%d targets in %v (%.0f a second), %.0f rad of way on the bus", targets, took.Round(time.Millisecond), targets/took.Seconds(), moved)
	if moved < 10 {
		t.Error("the stream did not move the robot")
	}
}

func TestEStopReachesTheBus(t *testing.T) {
	b := newTestbed(t, true)
	c := b.awake()
	c.looksAway(t)
	if a := c.do(t, hal.Request{Verb: hal.VerbStop, Category: ptr(0)}); a.Outcome != hal.Accepted {
		t.Fatalf("%+v", a)
	}
	asked := time.Now()
	b.until("the torque to go off", func() bool { return b.now().on == 0 })
	t.Logf("torque off %v after the answer", time.Since(asked).Round(time.Millisecond))
	// Killed and started again it is still stopped.
	c.cmd.Process.Kill()
	c.wait()
	again := b.start()
	s := again.until(t, "online", online)
	if !s.EStop {
		t.Errorf("state %+v", s)
	}
	if a := again.do(t, hal.Request{Verb: hal.VerbWake}); a.Code != hal.CodeEStop {
		t.Errorf("wake: %+v", a)
	}
	again.do(t, hal.Request{Verb: hal.VerbReset})
	again.accepted(t, hal.Request{Verb: hal.VerbMotors, On: ptr(true)})
}

// Each fault comes and goes during a move: it is named, the robot never jumps, and it moves again afterwards.
func TestFaultsOnTheBus(t *testing.T) {
	for _, f := range []struct {
		name  string
		fault virtual.Faults
		want  hal.FaultName
	}{
		{"unplug", virtual.Faults{Unplug: true}, hal.FaultBusLost},
		{"mute a head servo", virtual.Faults{Mute: []string{"stewart_2"}}, hal.FaultServoMissing},
		{"mute an antenna", virtual.Faults{Mute: []string{"left_antenna"}}, hal.FaultServoMissing},
		{"mute all", virtual.Faults{Mute: hal.AllJoints.Names()}, hal.FaultBusLost},
		{"overload", virtual.Faults{Overload: []string{"stewart_4"}}, hal.FaultOverload},
		{"overheat", virtual.Faults{Overheat: []string{"body_rotation"}}, hal.FaultOverheat},
		{"low voltage", virtual.Faults{Voltage: ptr(4.2)}, hal.FaultVoltage},
		{"brown-out", virtual.Faults{Voltage: ptr(1.0)}, hal.FaultBusLost},
	} {
		t.Run(f.name, func(t *testing.T) {
			b := newTestbed(t, true)
			c := b.awake()
			began := time.Now()
			c.looksAway(t)
			on := time.Now()
			if err := b.SetFaults(f.fault); err != nil {
				t.Fatal(err)
			}
			c.until(t, "in fault "+string(f.want), func(s *hal.State) bool { return hasFault(s, f.want) })
			t.Logf("named after %v", time.Since(on).Round(time.Millisecond))
			off := time.Now()
			if err := b.SetFaults(virtual.Faults{}); err != nil {
				t.Fatal(err)
			}
			c.until(t, "well again", func(s *hal.State) bool { return s.Mode == hal.ModeEnabled && !hasOther(s, hal.FaultDeadline) })
			t.Logf("recovered after %v", time.Since(off).Round(time.Millisecond))
			c.act(t, hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: -0.3}.Goal(), BodyYaw: ptr(0.0), Duration: 1})
			checkJumps(t, b.since(began))
		})
	}
}

func TestAbandonedByItsOwner(t *testing.T) {
	b := newTestbed(t, true)
	c := b.start("-owner-timeout", "1s", "-linger", "100ms")
	b.until("an owner", func() bool {
		ctx, leave := context.WithTimeout(context.Background(), patience)
		defer leave()
		stands := false
		_ = c.Own(ctx, 100, func(m body.Message) {
			if m.State == nil || !online(m.State) || stands {
				return
			}
			stands = true
			c.accepted(t, hal.Request{Verb: hal.VerbMotors, On: ptr(true)})
			leave()
		}) // it does not serve yet, or the owner has left
		return stands
	})
	if err := c.wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if at := b.now(); at.on != 0 {
		t.Errorf("torque %v after the end", at.on.Names())
	}
}

func TestLeavesTheRobotStandingWhenTold(t *testing.T) {
	b := newTestbed(t, true)
	c := b.awake("-park-on-exit=false")
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if at := b.now(); at.on != hal.AllJoints {
		t.Errorf("torque %v after the end", at.on.Names())
	}
}

// The first SIGTERM parks, the second ends it where it is.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	b := newTestbed(t, true)
	c := b.awake()
	c.cmd.Process.Signal(syscall.SIGTERM)
	c.until(t, "parking", func(s *hal.State) bool { return s.MoveName == "sleep" })
	if a := c.do(t, lookAway()); a.Code != hal.CodeUnavailable {
		t.Errorf("a move while parking: %+v", a)
	}
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.wait(); err == nil {
		t.Error("it ended in order")
	}
	if at := b.now(); at.on != hal.AllJoints {
		t.Errorf("torque %v after the end", at.on.Names())
	}
}

// With the servos' own watchdog a robot whose host has died stops, and moves again with the next host.
func TestServosStopWhenTheHostDies(t *testing.T) {
	b := newTestbed(t, true)
	c := b.awake("-bus-watchdog", "100ms")
	c.looksAway(t)
	c.cmd.Process.Kill()
	c.wait()
	const tripped = 255
	b.until("the watchdog to trip", func() bool { return b.Peek(hal.BodyYaw, dynamixel.AddrBusWatchdog) == tripped })
	again := b.start("-bus-watchdog", "100ms")
	again.until(t, "online", online)
	again.act(t, hal.Request{Verb: hal.VerbGoto, Head: hal.Head{}.Goal(), BodyYaw: ptr(0.0), Duration: 1})
}

func TestSecondBodyIsRefused(t *testing.T) {
	b := newTestbed(t, true)
	c := b.start()
	c.until(t, "online", online)
	second := b.start()
	if err := second.wait(); err == nil || !strings.Contains(second.log.String(), "another process") {
		t.Errorf("exit %v, log %s", err, second.log)
	}
	if _, err := c.State(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestBenchPrintsJSON(t *testing.T) {
	b := newTestbed(t, true)
	cmd := exec.Command(os.Args[0], "-port", "unix:"+b.bus, "-bench", "500ms", "-json", "-priority", "0")
	cmd.Env = append(os.Environ(), childEnv+"=1")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		t.Fatalf("%v: %s %s", err, out, exit.Stderr)
	}
	for _, key := range []string{`"ticks":`, `"late_p99_us":`, `"allocs_per_tick":`, `"rss_bytes":`, `"timeouts":`} {
		if !strings.Contains(string(out), key) {
			t.Errorf("no %s in %s", key, out)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"-rate", "5"},
		{"-rate", "NaN"},
		{"-max-speed", "2"},
		{"-priority", "99"},
		{"-linger", "-1s"},
		{"-lease", "1ms"},
		{"-power-key", "explode"},
		{"-power-key", "power_off"},
		{"-log-level", "loud"},
		{"extra"},
		{"-nonsense"},
	} {
		var out, log bytes.Buffer
		if code := run(context.Background(), args, nil, &out, &log); code != program.ExitUsage || log.Len() == 0 {
			t.Errorf("%v: exit %d, %q", args, code, &log)
		}
	}
	var log bytes.Buffer
	if code := run(context.Background(), []string{"-help"}, nil, io.Discard, &log); code != program.ExitOK || !strings.Contains(log.String(), "-bus-watchdog") {
		t.Errorf("help: exit %d, %s", code, &log)
	}
}
