package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/early"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/robot"
	"github.com/reachyd/reachyd/hal"
)

// heard collects what a body was asked.
type heard struct {
	mu   sync.Mutex
	reqs []hal.Request
}

func (h *heard) respond(a hal.Answer) func(hal.Request) hal.Answer {
	return func(r hal.Request) hal.Answer {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.reqs = append(h.reqs, r)
		return a
	}
}

func accepted() hal.Answer { return hal.Answer{Outcome: hal.Accepted} }

func TestStopGoesBothWays(t *testing.T) {
	var h heard
	runDir := newBody(t, h.respond(accepted()))
	r := newRobot(t, answer(ok(map[string]any{"outcome": "accepted"})))
	got := ctl(t, []string{"--broker", r.url, "stop", "--off", "--reason", "smoke"}, dir(runDir))
	if got.code != cli.ExitDone || !strings.Contains(got.out, "the body, directly") || !strings.Contains(got.out, "reachyd, through the broker") {
		t.Errorf("%+v", got)
	}
	if c := r.only(); c.verb != "stop" || c.args["category"] != 0.0 || c.args["reason"] != "smoke" {
		t.Errorf("by the broker: %+v", c)
	}
	if len(h.reqs) != 1 || h.reqs[0].Verb != hal.VerbStop || *h.reqs[0].Category != 0 || h.reqs[0].Reason != "smoke" {
		t.Errorf("by the body: %+v", h.reqs)
	}
}

func TestStopWhenOnlyTheBodyIsAlive(t *testing.T) {
	var h heard
	runDir := newBody(t, h.respond(accepted()))
	// A broker that accepts the connection and is then silent is the worst case.
	hung, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer hung.Close()
	for name, broker := range map[string]string{"dead": "mqtt://127.0.0.1:1", "hung": "mqtt://" + hung.Addr().String()} {
		got := ctl(t, []string{"--broker", broker, "stop"}, dir(runDir))
		if got.code != cli.ExitDone || !strings.HasPrefix(got.out, "stopped, confirmed by the body, directly\nnot by reachyd") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// Not even a wrong option keeps a stop from the body.
	if got := ctl(t, []string{"--broker", "nonsense", "stop"}, dir(runDir)); got.code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
	if len(h.reqs) != 3 || *h.reqs[0].Category != 1 {
		t.Errorf("%+v", h.reqs)
	}
}

func TestStopWhenOnlyReachydAnswers(t *testing.T) {
	r := newRobot(t, answer(ok(nil)))
	r.ctl("stop").is(t, cli.ExitDone, "stopped, confirmed by reachyd, through the broker\n", "")
	got := r.ctl("--json", "stop")
	var reply struct {
		OK     bool
		Result struct {
			Stopped bool
			Ways    []robot.Confirmation
		}
	}
	must(t, json.Unmarshal([]byte(got.out), &reply))
	if !reply.OK || !reply.Result.Stopped || len(reply.Result.Ways) != 1 || reply.Result.Ways[0].Via != "reachyd" {
		t.Errorf("%+v", got)
	}
}

func TestStopThatNobodyHears(t *testing.T) {
	ctl(t, []string{"--broker", "mqtt://127.0.0.1:1", "stop"}).is(t, cli.ExitUnreachable, "",
		"not stopped: cannot reach the robot at mqtt://127.0.0.1:1 (connect: connection refused): is reachyd running?")
	r := newRobot(t, answer(refuse("fault", "the bus is lost")))
	r.ctl("stop").is(t, cli.ExitFailed, "", "not stopped: the bus is lost")
	// One says no and the other is not there: somebody was reached, so it is a refusal.
	var h heard
	runDir := newBody(t, h.respond(hal.Answer{Outcome: hal.Rejected, Code: hal.CodeFault, Reason: "no"}))
	ctl(t, []string{"--broker", "mqtt://127.0.0.1:1", "stop"}, dir(runDir)).is(t, cli.ExitFailed, "", "the body, directly: no")
}

// The body of this machine is not the robot that a broker elsewhere belongs to.
func TestStopOfARobotElsewhere(t *testing.T) {
	var h heard
	runDir := newBody(t, h.respond(accepted()))
	got := ctl(t, []string{"--broker", "mqtt://robot.invalid", "stop"}, dir(runDir))
	if got.code != cli.ExitUnreachable || len(h.reqs) != 0 {
		t.Errorf("%+v, the body heard %+v", got, h.reqs)
	}
}

// The body hears of a stop before the program has read what other commands need, and only once.
func TestStopComesFirst(t *testing.T) {
	var h heard
	runDir := newBody(t, h.respond(accepted()))
	cmd := exec.CommandContext(t.Context(), os.Args[0], "stop", "--off", "--reason", "smoke")
	cmd.Env = append(os.Environ(), "REACHYD_RUN_DIR="+runDir, "XDG_RUNTIME_DIR=", "TMPDIR="+t.TempDir(), "GODEBUG=inittrace=1")
	var out, trace strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &trace
	must(t, cmd.Run())
	if !strings.HasPrefix(out.String(), "stopped, confirmed by the body, directly") {
		t.Errorf("out %q", out.String())
	}
	h.mu.Lock()
	if len(h.reqs) != 1 || *h.reqs[0].Category != 0 || h.reqs[0].Reason != "smoke" {
		t.Errorf("the body heard %+v", h.reqs)
	}
	h.mu.Unlock()
	early, language := strings.Index(trace.String(), "internal/early @"), strings.Index(trace.String(), "perception/language @")
	if early < 0 || language < 0 || early > language {
		t.Errorf("early begins at %d of the trace, language at %d:\n%s", early, language, trace.String())
	}
}

// Only a command line that means this machine's robot without doubt is carried out early.
func TestEarlyStops(t *testing.T) {
	for line, want := range map[string]string{
		"stop": "1 reachyctl stop", "stop --off": "0 reachyctl stop", "stop --json --reason=fire": "1 fire", "stop --reason fire --off": "0 fire",
		"stop --help": "", "--json stop": "", "stop --broker mqtt://there": "", "stop --robot other": "", "reset": "", "": "", "stop --reason": "", "stop now": "",
	} {
		got := ""
		if req, ok := early.Request(append([]string{"reachyctl"}, strings.Fields(line)...)); ok {
			got = fmt.Sprintf("%d %s", *req.Category, req.Reason)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestReset(t *testing.T) {
	var h heard
	runDir := newBody(t, h.respond(accepted()))
	r := newRobot(t, answer(ok(nil)))
	ctl(t, []string{"--broker", r.url, "reset"}, dir(runDir)).is(t, cli.ExitDone, "released, confirmed by reachyd, through the broker\n", "")
	if c := r.only(); c.verb != "reset" || len(h.reqs) != 0 {
		t.Errorf("%+v, body %+v", c, h.reqs)
	}
	got := ctl(t, []string{"--broker", "mqtt://127.0.0.1:1", "reset"}, dir(runDir))
	if got.code != cli.ExitDone || !strings.HasPrefix(got.out, "released, confirmed by the body, directly\n") || len(h.reqs) != 1 ||
		h.reqs[0].Verb != hal.VerbReset {
		t.Errorf("%+v, body %+v", got, h.reqs)
	}
	refusing := newRobot(t, answer(refuse("fault", "a servo is hot")))
	ctl(t, []string{"--broker", refusing.url, "reset"}, dir(runDir)).is(t, cli.ExitFailed, "", "not released: a servo is hot")
	if len(h.reqs) != 1 {
		t.Errorf("the body was asked although reachyd had refused: %+v", h.reqs)
	}
}
