package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/robot"
	"github.com/reachyd/reachyd/hal"
)

const (
	calmState = `{"ts":"2026-01-02T03:04:05.678Z","mode":"enabled","moving":true,"move":"m7","move_name":"gesture nod",
		"head":{"x":0.001,"y":-0.0000001,"z":0.0123,"roll":-0.01,"pitch":12.34,"yaw":-30},"body_yaw":-120.5,
		"antennas":{"left":10,"right":-10},"joints":[0,0,0,0,0,0,0,0,0],"estop":false,"faults":[]}`
	badState = `{"ts":"2026-01-02T03:04:05Z","mode":"enabled","moving":false,"head":{},"body_yaw":0,"antennas":{},"estop":true,
		"estop_reason":"somebody said stop","faults":[{"name":"servo_missing","joint":"stewart_3","detail":"does not answer","since":"2026-01-02T03:04:05Z"},
		{"name":"voltage","detail":"4.1 V"}]}`
)

func TestState(t *testing.T) {
	for name, payload := range map[string]string{"state": calmState, "state_bad": badState} {
		r := newRobot(t, nil)
		r.publish("state", payload, true)
		got := r.ctl("state")
		if got.code != cli.ExitDone || got.err != "" {
			t.Errorf("%+v", got)
		}
		golden(t, name, got.out)
		var want bytes.Buffer
		must(t, json.Compact(&want, []byte(payload)))
		r.ctl("state", "--json").is(t, cli.ExitDone, want.String()+"\n", "")
	}
}

func TestStateThatCannotBeRead(t *testing.T) {
	r := newRobot(t, nil)
	r.publish("state", "hello", true)
	r.ctl("state").is(t, cli.ExitFailed, "", `the robot sent a state that cannot be read`)
	got := r.ctl("state", "--json")
	if got.code != cli.ExitFailed || !strings.Contains(got.out, `"ok":false`) {
		t.Errorf("%+v", got)
	}
}

func TestNoState(t *testing.T) {
	r := newRobot(t, nil)
	r.ctl("--timeout", "300ms", "state").is(t, cli.ExitFailed, "", `is online but has sent no state within 300ms`)
	r.publish("status", "offline", true)
	r.ctl("state").is(t, cli.ExitUnreachable, "", "is offline")
	r.ctl("--robot", "maxi", "state").is(t, cli.ExitUnreachable, "", `there is no robot "maxi"`)
}

// The robot of this machine is known by its own id, as it runs or is configured; one that is asked for by name or elsewhere is another.
func TestTheRobotOfThisMachineIsKnown(t *testing.T) {
	r := newRobot(t, nil)
	r.publish("state", calmState, true)
	runs, file := t.TempDir(), filepath.Join(t.TempDir(), "reachyd.yaml")
	must(t, os.WriteFile(filepath.Join(runs, cli.BrokerFile), []byte(r.url+"\n"), 0o600))
	must(t, os.WriteFile(file, []byte("robot: {id: ada}\n"), 0o600))
	configured := func(a *cli.App) { a.Env["REACHYD_CONFIG"] = file }
	ctl(t, []string{"state"}, dir(runs), configured).is(t, cli.ExitUnreachable, "", `there is no robot "ada"`)
	must(t, os.WriteFile(filepath.Join(runs, "paths"), []byte(`{"data":"/data","robot":"bo"}`), 0o600))
	ctl(t, []string{"state"}, dir(runs), configured).is(t, cli.ExitUnreachable, "", `there is no robot "bo"`)
	for _, args := range [][]string{{"--robot", "mini"}, {"--broker", r.url}} {
		if got := ctl(t, append(args, "state"), dir(runs), configured); got.code != cli.ExitDone {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// A watch tells when the robot goes and comes, survives it, and ends well when it is interrupted.
func TestStateWatch(t *testing.T) {
	r := newRobot(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs watched
	done := make(chan int)
	go func() { done <- execute(ctx, newApp(t, &out, &errs), []string{"--broker", r.url, "state", "--watch"}) }()
	r.subscribed("state")
	r.publish("state", calmState, false)
	out.wait(t, "yaw  -30.0°")
	r.publish("status", "offline", true)
	errs.wait(t, `robot "mini" is offline`)
	r.publish("status", "online", true)
	errs.wait(t, `robot "mini" is online`)
	r.publish("state", badState, false)
	out.wait(t, "STOPPED: somebody said stop")
	cancel()
	if code := <-done; code != cli.ExitDone {
		t.Errorf("exit %d", code)
	}
	golden(t, "state_watch", out.String())
}

func TestTelemetry(t *testing.T) {
	r := newRobot(t, nil)
	data, err := json.Marshal(hal.Telemetry{
		TS: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), LoopHz: 99.98, JitterP50: 12, JitterP99: 81.4, JitterMax: 950, Ticks: 123456, Missed: 2,
		Realtime: "fifo 50, memory locked", Bus: hal.BusCounters{Cycles: 123456, Timeouts: 1, Corrupt: 2, Foreign: 3, Reconnects: 4},
		RSSBytes: 12 << 20, CPUPercent: 2.34, UptimeS: 3725.2,
		Servos: []hal.ServoHealth{
			{Joint: "body_rotation", Voltage: 7.2, Temperature: 41, Current: -120, Present: true},
			{Joint: "stewart_1", Voltage: 7.1, Temperature: 70, Current: 800, HardwareError: 0x20, Present: true},
			{Joint: "left_antenna"},
		},
	})
	must(t, err)
	r.publish("telemetry", string(data), true)
	got := r.ctl("telemetry")
	if got.code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
	golden(t, "telemetry", got.out)
	r.ctl("telemetry", "--json").is(t, cli.ExitDone, string(data)+"\n", "")
	r.publish("telemetry", `{"loop_hz":"fast"}`, true)
	r.ctl("telemetry").is(t, cli.ExitFailed, "", "telemetry that cannot be read")
}

func TestEvents(t *testing.T) {
	r := newRobot(t, nil)
	done := make(chan result)
	go func() { done <- r.ctl("events", "--count", "4") }()
	r.subscribed("event/#")
	r.publish("event/tool_call", `{"id":7,"ts":"2026-01-02T03:04:05.678Z","trace":"t1","type":"tool_call","name":"move_head","args":{"yaw":30}}`, false)
	r.publish("event/nonsense", `hello`, false)
	r.publish("event/reply", `{"id":8,"ts":"never","type":"reply","text":"I look left\u001b[2J."}`, false)
	r.publish("event/move_done", `{"id":9,"ts":"2026-01-02T03:04:06Z","type":"move_done","end":"done"}`, false)
	got := <-done
	if got.code != cli.ExitDone || !strings.Contains(got.err, "an event that cannot be read") {
		t.Errorf("%+v", got)
	}
	golden(t, "events", got.out)
}

func TestEventsOfAType(t *testing.T) {
	r := newRobot(t, nil)
	done := make(chan result)
	go func() { done <- r.ctl("--json", "events", "--type", "fault", "--type", "estop", "-n", "2") }()
	r.subscribed("event/fault")
	r.subscribed("event/estop")
	r.publish("event/reply", `{"type":"reply"}`, false)
	r.publish("event/fault", `{"type": "fault"}`, false)
	r.publish("event/estop", `{"type":"estop"}`, false)
	(<-done).is(t, cli.ExitDone, "{\"type\":\"fault\"}\n{\"type\":\"estop\"}\n", "")
	r.ctl("events", "--type", "a/b").is(t, cli.ExitUsage, "", `"a/b" is not a type`)
}

func FuzzEventLine(f *testing.F) {
	f.Add([]byte(`{"id":7,"ts":"2026-01-02T03:04:05.678Z","type":"tool_call","args":{"yaw":30}}`))
	f.Add([]byte(`{"type":"x","a":"\u001b[2J","b":null,"ts":5}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		line, err := robot.EventLine(data)
		if err != nil {
			return
		}
		if strings.ContainsAny(line, "\x1b\r\x00\x07") {
			t.Errorf("%q would steer the terminal: %q", data, line)
		}
	})
}
