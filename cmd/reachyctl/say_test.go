package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func TestSayPrintsTheReply(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"reply": "I look left.", "trace": "t1"})))
	r.ctl("say", "look", "left", "--session", "kitchen").is(t, cli.ExitDone, "I look left.\n", "")
	c := r.only()
	if c.verb != "chat" || c.args["text"] != "look left" || c.args["session"] != "kitchen" {
		t.Errorf("sent %+v", c)
	}
}

func TestSayJSONPrintsTheWholeReply(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"reply": "<ok>", "trace": map[string]any{"id": "t1"}})))
	got := r.ctl("--json", "say", "hello")
	var reply struct {
		ID     string
		OK     bool
		Result struct {
			Reply string
			Trace struct{ ID string }
		}
	}
	must(t, json.Unmarshal([]byte(got.out), &reply))
	if got.code != cli.ExitDone || !reply.OK || reply.Result.Trace.ID != "t1" || reply.ID == "" || strings.Count(got.out, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}

func TestSayIsRefused(t *testing.T) {
	r := newRobot(t, answer(refuse("estop", "the emergency stop is latched")))
	r.ctl("say", "nod").is(t, cli.ExitFailed, "", "reachyctl: the emergency stop is latched\n")
	got := r.ctl("--json", "say", "nod")
	if got.code != cli.ExitFailed || !strings.Contains(got.out, `"code":"estop"`) || got.err != "" {
		t.Errorf("%+v", got)
	}
}

// A turn that was answered in words only is not done.
func TestSayThatIsNotDone(t *testing.T) {
	for outcome, code := range map[string]int{
		"plan": cli.ExitDone, "answered": cli.ExitDone, "error": cli.ExitFailed, "refuse": cli.ExitFailed,
		"none": cli.ExitFailed, "failed": cli.ExitFailed, "interrupted": cli.ExitFailed,
	} {
		r := newRobot(t, answer(ok(map[string]any{"reply": "Well.", "outcome": outcome})))
		r.ctl("say", "turn around twice").is(t, code, "Well.\n", "")
	}
}

// What others wrote must not steer the terminal.
func TestSayIsPrintable(t *testing.T) {
	r := newRobot(t, answer(ok(map[string]any{"reply": "a\x1b[2Jb"})))
	r.ctl("say", "x").is(t, cli.ExitDone, "a [2Jb\n", "")
}

func TestMalformedReplies(t *testing.T) {
	for name, data := range map[string]string{
		"not JSON":      "hello",
		"empty":         "",
		"another type":  "[1,2]",
		"wrong types":   `{"ok":"yes"}`,
		"neither":       `{"ok":false}`,
		"no result":     `{"ok":true}`,
		"result a list": `{"ok":true,"result":[]}`,
		"no reply":      `{"ok":true,"result":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRobot(t, answer([]byte(data)))
			r.ctl("say", "x").is(t, cli.ExitFailed, "", "do reachyd and reachyctl have the same version?")
		})
	}
}

func TestSilenceOfTheRobot(t *testing.T) {
	r := newRobot(t, nil)
	r.ctl("--timeout", "300ms", "say", "x").is(t, cli.ExitFailed, "", "has not answered within 300ms")
	r.ctl("--timeout", "300ms", "--robot", "maxi", "say", "x").is(t, cli.ExitUnreachable, "", `there is no robot "maxi"`)
	r.publish("status", "offline", true)
	r.ctl("say", "x").is(t, cli.ExitUnreachable, "", `robot "mini" is offline`)
}

// The robot's last will comes while we wait.
func TestRobotGoesOfflineMeanwhile(t *testing.T) {
	var r *fakeRobot
	r = newRobot(t, func(call) any { r.publish("status", "offline", true); return nil })
	r.ctl("say", "x").is(t, cli.ExitUnreachable, "", `robot "mini" is offline`)
}

func TestBrokerGoesAwayMeanwhile(t *testing.T) {
	var r *fakeRobot
	r = newRobot(t, func(call) any { r.close(); return nil })
	r.ctl("say", "x").is(t, cli.ExitUnreachable, "", "is lost")
}

func TestInterruptedWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := newRobot(t, func(call) any { cancel(); return nil })
	var out, errs bytes.Buffer
	code := execute(ctx, newApp(t, &out, &errs), []string{"--broker", r.url, "say", "x"})
	result{code, out.String(), errs.String()}.is(t, cli.ExitFailed, "", "the robot goes on with what it does")
}

func TestPlanOfWhatIsNoCommand(t *testing.T) {
	got := ctl(t, []string{"plan", "xyzzy", "plugh"})
	if got.code != cli.ExitFailed || !strings.Contains(got.out, "(none)") || got.err != "" {
		t.Errorf("%+v", got)
	}
	got = ctl(t, []string{"plan", "--json", "xyzzy"})
	var p planner.Plan
	must(t, json.Unmarshal([]byte(got.out), &p))
	if got.code != cli.ExitFailed || p.Text != "xyzzy" || p.Outcome != planner.OutcomeNone || !strings.Contains(got.out, `"steps":[]`) {
		t.Errorf("%+v", got)
	}
}

// Each line gets one object, an empty line too, so that a program can count on it.
func TestPlanLines(t *testing.T) {
	got := ctl(t, []string{"plan", "-"}, input("xyzzy\n\n<plugh>\nlast"))
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	if got.code != cli.ExitDone || len(lines) != 4 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"xyzzy", "", "<plugh>", "last"} {
		var fields map[string]json.RawMessage
		must(t, json.Unmarshal([]byte(lines[i]), &fields))
		var text string
		must(t, json.Unmarshal(fields["text"], &text))
		if text != want || fields["outcome"] == nil || fields["steps"] == nil || fields["message"] == nil {
			t.Errorf("line %d: %s", i, lines[i])
		}
	}
	if got := ctl(t, []string{"plan", "-"}, input(strings.Repeat("x", 2<<20))); got.code != cli.ExitFailed || !strings.Contains(got.err, "too long") {
		t.Errorf("a line of 2 MiB: %d %q", got.code, got.err)
	}
}

// Each turn of a conversation is one object with the pose before and after it; an empty line begins a new one in the neutral pose.
func TestDialogueLines(t *testing.T) {
	got := ctl(t, []string{"plan", "--dialogue", "-", "--json"}, input("turn left 20 degrees\nagain\n\nlook up\nstop\n"))
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	if got.code != cli.ExitDone || len(lines) != 4 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []struct {
		text          string
		before, after float64 // of the body
		pitch         float64
		stopped       bool
	}{
		{"turn left 20 degrees", 0, 20, 0, false},
		{"again", 20, 40, 0, false},
		{"look up", 0, 0, -20, false},
		{"stop", 0, 0, -20, true},
	} {
		type pose struct {
			Head     struct{ X, Y, Z, Roll, Pitch, Yaw *float64 }
			BodyYaw  *float64 `json:"body_yaw"`
			Antennas struct{ Left, Right *float64 }
		}
		var turn struct {
			Text, Outcome string
			Reply         *string
			Steps         []json.RawMessage
			Before, Pose  pose
			Stopped       bool
		}
		d := json.NewDecoder(strings.NewReader(lines[i]))
		d.DisallowUnknownFields()
		must(t, d.Decode(&turn))
		for _, v := range []*float64{
			turn.Before.BodyYaw, turn.Pose.BodyYaw, turn.Pose.Head.X, turn.Pose.Head.Y, turn.Pose.Head.Z, turn.Pose.Head.Roll, turn.Pose.Head.Pitch, turn.Pose.Head.Yaw,
			turn.Pose.Antennas.Left, turn.Pose.Antennas.Right,
		} {
			if v == nil {
				t.Fatalf("something is missing in %s", lines[i])
			}
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 0.5 }
		if turn.Text != want.text || turn.Reply == nil || *turn.Reply == "" || turn.Outcome == "" || len(turn.Steps) == 0 || turn.Stopped != want.stopped ||
			!near(*turn.Before.BodyYaw, want.before) || !near(*turn.Pose.BodyYaw, want.after) || !near(*turn.Pose.Head.Pitch, want.pitch) {
			t.Errorf("turn %d: %s, want %+v", i+1, lines[i], want)
		}
	}
}
