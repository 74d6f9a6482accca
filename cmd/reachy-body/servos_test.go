package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/cmd/internal/program"
	"github.com/reachyd/reachyd/hal"
	dxl "github.com/reachyd/reachyd/hal/dynamixel"
	"github.com/reachyd/reachyd/hal/virtual"
)

// onBench runs `reachy-body servo` on virtual servos.
func onBench(t *testing.T, o virtual.Options, arrange func(*virtual.Chain)) func(args ...string) (code int, out, errs string) {
	t.Helper()
	o.Plant, o.Boot = virtual.NewSimple(hal.Joints{}), -1
	chain := virtual.New(o)
	if arrange != nil {
		arrange(chain)
	}
	path := filepath.Join(t.TempDir(), "bus.sock")
	ctx, cancel := context.WithCancel(t.Context())
	ready, served, stepped := make(chan struct{}), make(chan error, 1), make(chan struct{})
	go func() { served <- chain.ServeUnix(ctx, path, func() { close(ready) }) }()
	go func() { defer close(stepped); chain.Run(ctx, 5) }()
	<-ready
	t.Cleanup(func() {
		cancel()
		<-stepped
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"servo", "-port", "unix:" + path, "-answer", "30ms"}, args...), nil, &out, &errs)
		return code, out.String(), errs.String()
	}
}

func TestServoScan(t *testing.T) {
	do := onBench(t, virtual.Options{}, func(c *virtual.Chain) {
		if err := c.SetFaults(virtual.Faults{Mute: []string{"stewart_3"}}); err != nil {
			t.Fatal(err)
		}
		if err := c.Poke(hal.LeftAntenna, dxl.AddrID, 1); err != nil {
			t.Fatal(err)
		}
	})
	code, out, errs := do("scan")
	if code != program.ExitOK || strings.Count(out, "\n") != 8 || !strings.Contains(out, "  1  (no joint of the robot)") ||
		!strings.Contains(out, " 12  stewart_2") || strings.Contains(out, "stewart_3") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	// The antenna's servo gets its place.
	if code, out, errs := do("id", "1", "18"); code != program.ExitOK || out != "servo 1 is now 18 left_antenna\n" {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	for _, c := range [][]string{{"id", "18", "12"}, {"id", "1", "5"}, {"id", "18", "253"}, {"id", "x", "1"}} {
		if code, _, errs := do(c...); code != program.ExitError || errs == "" {
			t.Errorf("%v: exit %d, %q", c, code, errs)
		}
	}
	for _, c := range [][]string{{}, {"paint"}, {"id", "1"}, {"scan", "1"}} {
		if code, _, _ := do(c...); code != program.ExitUsage {
			t.Errorf("%v: exit %d", c, code)
		}
	}
}

func TestServoCheckAndConfig(t *testing.T) {
	var chain *virtual.Chain
	do := onBench(t, virtual.Options{FactoryNew: 1 << hal.Stewart4}, func(c *virtual.Chain) { chain = c })
	code, out, errs := do("flash-check")
	if code != program.ExitError || !strings.Contains(out, "WRONG return delay is 250 instead of 0") || !strings.Contains(errs, "1 of 9 servos") {
		t.Errorf("exit %d, %q\n%s", code, errs, out)
	}
	if got := chain.Peek(hal.Stewart4, dxl.AddrReturnDelay); got != 250 {
		t.Errorf("a check wrote: return delay %d", got)
	}
	if code, out, errs := do("config"); code != program.ExitOK || !strings.Contains(out, "mended return delay 250 → 0") {
		t.Errorf("exit %d, %q\n%s", code, errs, out)
	}
	if code, out, errs := do("flash-check"); code != program.ExitOK {
		t.Errorf("after config: exit %d, %q\n%s", code, errs, out)
	}
}

func TestServoTest(t *testing.T) {
	var chain *virtual.Chain
	do := onBench(t, virtual.Options{}, func(c *virtual.Chain) { chain = c })
	code, out, errs := do("-answer", "2s", "test") // on a busy host any of a thousand answers may be late
	if code != program.ExitOK || strings.Count(out, ": ok\n") != hal.NumJoints {
		t.Errorf("exit %d, %q\n%s", code, errs, out)
	}
	for j := range hal.Joint(hal.NumJoints) {
		if chain.Peek(j, dxl.AddrTorque) != 0 {
			t.Errorf("%v keeps its torque", j)
		}
	}
	if err := chain.Poke(hal.BodyYaw, dxl.AddrTorque, 1); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := do("test"); code != program.ExitError || !strings.Contains(errs, "body_rotation holds torque; send the robot to sleep first") {
		t.Errorf("while it holds: exit %d, %q", code, errs)
	}
}

// Every verdict can be had.
func TestServoJudgement(t *testing.T) {
	for want, j := range map[string]Judgement{
		"ok": {Moved: 6}, "does not move": {Moved: 0.2}, "moves too little": {Moved: 3}, "much play": {Moved: 5.5, Play: -2},
		"much current": {Moved: 6, Current: 1200}, "hot": {Moved: 6, Celsius: 70},
	} {
		if j.judge(); !strings.HasPrefix(j.Verdict, want) {
			t.Errorf("%+v, want %q", j, want)
		}
	}
}
