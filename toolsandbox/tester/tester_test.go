package tester

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/guest/guesttest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/host/hosttest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
)

var shared = guesttest.With(func() map[string]string { return python.Modules() })

func TestMain(m *testing.M) { guesttest.Main(m, shared) }

// photos is the periodic capture of the specification.
const photos = `import time
import reachy


def capture(interval: float, duration: float) -> dict:
    """Takes photos at an interval.

    Args:
        interval: seconds between photos.
        duration: seconds in all.

    Returns:
        The names of the photos.
    """
    if interval <= 0 or duration <= 0:
        raise ValueError(f"interval {interval}, duration {duration}: allowed are more than 0")
    names = []
    end = time.monotonic() + duration - 0.001
    while time.monotonic() < end:
        try:
            names.append(reachy.take_photo()["photo"])
        except reachy.HostError as e:
            return {"photos": names, "error": str(e)}
        time.sleep(interval)
    return {"photos": names}
`

// onDouble tests with a robot that has two tools.
var onDouble = Options{
	Grants: []string{"take_photo", "move_head"},
	NewHost: func(c Conditions) guest.HostFunc {
		photos := 0
		tools := map[string]hosttest.Tool{
			"take_photo": func(*hosttest.Robot, map[string]any) (any, time.Duration, error) {
				if c.CameraAway {
					return nil, 0, hosttest.Error(host.CodeUnavailable, "there is no camera")
				}
				photos++
				return map[string]any{"photo": fmt.Sprintf("photo-%04d.jpg", photos)}, 0, nil
			},
			"move_head": func(_ *hosttest.Robot, args map[string]any) (any, time.Duration, error) {
				if yaw, _ := args["yaw"].(float64); yaw > 180 {
					return nil, 0, hosttest.Error(host.CodeInvalid, fmt.Sprintf("move_head: yaw: %g, allowed -180 to 180", yaw))
				}
				if c.Fail["move_head"] != "" {
					return nil, 0, hosttest.Error(host.CodeFailed, c.Fail["move_head"])
				}
				seconds, _ := args["duration"].(float64)
				return nil, time.Duration(seconds * float64(time.Second)), nil
			},
		}
		return Host(&hosttest.Robot{Tools: tools})
	},
}

// A tool that is tested without a robot is told so.
func TestNoRobot(t *testing.T) {
	for _, name := range []string{"move_head", host.CapMove, host.CapCamera} {
		args := json.RawMessage(`{"body_yaw":0,"duration":1}`)
		if name == host.CapCamera {
			args = json.RawMessage(`{}`)
		}
		if _, err := Host(nil)(t.Context(), guest.HostCall{Name: name, Args: args}); err == nil || !strings.Contains(err.Error(), "there is no") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPeriodicCapture(t *testing.T) {
	s := shared.Open(t)
	r, err := Run(t.Context(), python.Language{Box: s}, photos, "capture", []Case{
		{
			Name:      "5 of them",
			Input:     json.RawMessage(`{"interval":1,"duration":5}`),
			Predicate: "len(result['photos']) == 5 and [round(c['at']) for c in calls] == [0, 1, 2, 3, 4]",
		},
		{Name: "none", Input: json.RawMessage(`{"interval":0,"duration":5}`), Error: "ValueError"},
		{
			Name:     "3 of them",
			Input:    json.RawMessage(`{"interval":2,"duration":6}`),
			Expected: json.RawMessage(`{"photos":["photo-0001.jpg","photo-0002.jpg","photo-0003.jpg"]}`),
		},
		{
			Name:     "camera away",
			Input:    json.RawMessage(`{"interval":1,"duration":5}`),
			Robot:    Conditions{CameraAway: true},
			Expected: json.RawMessage(`{"photos":[],"error":"there is no camera"}`),
		},
		{
			Name:      "any",
			ForAll:    map[string]Range{"interval": {Min: 0.5, Max: 10}, "duration": {Min: 1, Max: 60}},
			Predicate: "len(result['photos']) == -(-(input['duration'] - 0.001) // input['interval'])",
		},
	}, onDouble)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Outcomes {
		if !o.Passed {
			t.Errorf("%s: %s", o.Name, o.Message)
		}
	}
	if !r.OK || r.Passed != 5 || r.Coverage != 1 || len(r.Missed) > 0 {
		t.Errorf("%+v", r)
	}
	if o := r.Outcomes[0]; o.Clock < 5*time.Second || len(o.Calls) != 5 {
		t.Errorf("%+v", o)
	}
	t.Logf("5 cases, %s", r.Took)
}

// A case that must fail does, and says why.
func TestFailures(t *testing.T) {
	s := shared.Open(t)
	const tool = `import time
import reachy


def f(x: int) -> dict:
    if x == 1:
        return {"a": [1, 2.5]}
    if x == 2:
        return 1 / 0
    if x == 3:
        while True:
            time.sleep(60)
    if x == 4:
        return reachy.move_head(yaw=500)
    if x == 5:
        reachy.move_head(yaw=20, duration=3)
        return {"waited": time.monotonic()}
    return {}
`
	for _, tc := range []struct {
		c    Case
		want string // empty: passes
	}{
		{Case{Input: json.RawMessage(`{"x":1}`), Expected: json.RawMessage(`{"a":[1,2.5]}`)}, ""},
		{Case{Input: json.RawMessage(`{"x":1}`), Expected: json.RawMessage(`{"a":[1,2.6]}`)}, `result["a"][1] is 2.5, want 2.6`},
		{Case{Input: json.RawMessage(`{"x":1}`), Expected: json.RawMessage(`{"a":[1,2.6]}`), Tolerance: 0.1}, ""},
		{Case{Input: json.RawMessage(`{"x":1}`), Expected: json.RawMessage(`{"a":[1]}`)}, "2 elements"},
		{Case{Input: json.RawMessage(`{"x":1}`), Expected: json.RawMessage(`{}`)}, `has "a"`},
		{Case{Input: json.RawMessage(`{"x":1}`), Error: "ValueError"}, "must raise ValueError"},
		{Case{Input: json.RawMessage(`{"x":1}`), Predicate: "result['a'][0] == 2"}, "is false"},
		{Case{Input: json.RawMessage(`{"x":1}`), Predicate: "result['b']"}, "KeyError"},
		{Case{Input: json.RawMessage(`{"x":2}`), Expected: json.RawMessage(`1`)}, "ZeroDivisionError: division by zero (line 9)"},
		{Case{Input: json.RawMessage(`{"x":2}`), Error: "ZeroDivisionError"}, ""},
		{Case{Input: json.RawMessage(`{"x":2}`), NoCrash: true}, "no way to refuse"},
		{Case{Input: json.RawMessage(`{"x":3}`), Expected: json.RawMessage(`1`)}, "ended by timeout"},
		{Case{Input: json.RawMessage(`{"x":3}`), Error: "timeout", Timeout: time.Minute}, ""},
		{Case{Input: json.RawMessage(`{"x":4}`), Error: "HostError: move_head: yaw: 500, allowed -180 to 180"}, ""},
		{Case{Input: json.RawMessage(`{"x":5}`), Predicate: "3 <= seconds < 3.1"}, ""},
		{Case{Input: json.RawMessage(`{"x":5}`), Robot: Conditions{Fail: map[string]string{"move_head": "overload"}}, Error: "overload"}, ""},
		{Case{Input: json.RawMessage(`{}`), Error: "TypeError"}, ""},
		{Case{ForAll: map[string]Range{"x": {Min: 10, Max: 20, Integer: true}}, Predicate: "input['x'] != 20"}, `{"x":20}`},
	} {
		r, err := Run(t.Context(), python.Language{Box: s}, tool, "f", []Case{tc.c}, onDouble)
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Outcomes[0]; o.Passed != (tc.want == "") || !strings.Contains(o.Message, tc.want) || r.OK != o.Passed {
			t.Errorf("%s %s: %+v, want %q", tc.c.Input, tc.c.Expected, o, tc.want)
		}
	}
}

func TestCoverage(t *testing.T) {
	s := shared.Open(t)
	const tool = "def f(x: int) -> int:\n    if x > 0:\n        return 1\n    return 2\n"
	r, err := Run(t.Context(), python.Language{Box: s}, tool, "f", []Case{{Input: json.RawMessage(`{"x":1}`), Expected: json.RawMessage(`1`)}}, Options{})
	if err != nil || len(r.Missed) != 1 || r.Missed[0] != 4 || r.Coverage != 0.75 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestToolThatLiesAboutItsTest(t *testing.T) {
	s := shared.Open(t)
	for _, tool := range []string{
		"import os\ndef f() -> int:\n    os.write(1, b'{\"value\":{\"outcomes\":[]}}\\n')\n    os._exit(0)\n",
		"import sys\nsys.modules['reachyd_tester'].judge = None\ndef f() -> int:\n    return 1\n",
		"this is not Python",
		"def g(): pass\n",
	} {
		r, err := Run(t.Context(), python.Language{Box: s}, tool, "f", []Case{{Expected: json.RawMessage(`2`)}, {Predicate: "result == 2"}}, Options{})
		if err != nil || r.OK || r.Passed > 0 {
			t.Errorf("%s: %+v %v", tool, r, err)
		}
	}
}

func TestCasesThatAreWrong(t *testing.T) {
	for _, c := range []Case{
		{},
		{NoCrash: true, Input: json.RawMessage(`[]`)},
		{NoCrash: true, Runs: -1},
		{NoCrash: true, ForAll: map[string]Range{"x": {}}},
		{Predicate: "1", ForAll: map[string]Range{"x": {Min: 2, Max: 1}}},
	} {
		if r, err := Run(t.Context(), nil, "", "f", []Case{c}, Options{}); err == nil {
			t.Errorf("%+v: %+v", c, r)
		}
	}
}

func TestEdgeCases(t *testing.T) {
	s := shared.Open(t)
	cases, err := EdgeCases(
		json.RawMessage(
			`{"type":"object","properties":{"x":{"type":"number"},"name":{"type":["string","null"]},"list":{"type":"array","items":{"type":"integer"}},` +
				`"side":{"enum":["left","right"]}},"required":["x"]}`,
		),
	)
	if err != nil || len(cases) < 10 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	const careless = "def f(x: float, name: str, list: list, side: str) -> float:\n    return len(name) + list[0] / x\n"
	r, err := Run(t.Context(), python.Language{Box: s}, careless, "f", cases, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, o := range r.Outcomes {
		if !o.Passed {
			failed = append(failed, o.Name)
		}
	}
	if got := strings.Join(failed, "; "); got != "edge: list = []; edge: x = 0" {
		t.Errorf("failed: %s", got)
	}
}

func FuzzDifference(f *testing.F) {
	f.Add(`{"a":[1,2.5,null,"x"]}`, `{"a":[1,2.5,null,"x"]}`)
	f.Add(`1e309`, `[1`)
	f.Fuzz(func(t *testing.T, got, want string) {
		d := difference(json.RawMessage(got), json.RawMessage(want), 0)
		if json.Valid([]byte(got)) && got == want && d != "" {
			t.Fatalf("%q differs from itself: %s", got, d)
		}
	})
}

func BenchmarkPeriodicCapture(b *testing.B) {
	s := shared.Open(b)
	cases := []Case{{Name: "5 of them", Input: json.RawMessage(`{"interval":1,"duration":5}`), Predicate: "len(result['photos']) == 5"}}
	for b.Loop() {
		if r, err := Run(b.Context(), python.Language{Box: s}, photos, "capture", cases, onDouble); err != nil || !r.OK {
			b.Fatal(r, err)
		}
	}
}

// busy is a machine with so much else to do that a call of 20 ms takes ten seconds.
type busy struct{}

func (busy) Try(context.Context, *guest.Request, lang.Trial) (lang.Outcomes, guest.Result, error) {
	return lang.Outcomes{Outcomes: []lang.Outcome{{Value: json.RawMessage(`1`)}}},
		guest.Result{Reason: guest.ReasonOK, Usage: guest.Usage{Wall: 10 * time.Second, CPU: 20 * time.Millisecond}}, nil
}

// How slow a tool is does not depend on what else the machine does.
func TestSlownessIsProcessorTime(t *testing.T) {
	r, err := Run(t.Context(), busy{}, "", "f", []Case{{Expected: json.RawMessage(`1`)}}, Options{})
	if err != nil || !r.OK || r.Slowest != 20*time.Millisecond || r.Outcomes[0].CPU != r.Slowest || r.Outcomes[0].Took != 10*time.Second {
		t.Errorf("%+v, %v", r, err)
	}
}

// line is a sandbox that counts how many calls it has at a time.
type line struct{ now, most atomic.Int32 }

func (l *line) Try(ctx context.Context, r *guest.Request, t lang.Trial) (lang.Outcomes, guest.Result, error) {
	for n := l.now.Add(1); ; {
		if most := l.most.Load(); n <= most || l.most.CompareAndSwap(most, n) {
			break
		}
	}
	defer l.now.Add(-1)
	time.Sleep(20 * time.Millisecond)
	return busy{}.Try(ctx, r, t)
}

// The cases of a tool that is being made do not keep those that are in use from running.
func TestCasesDoNotCrowdTheSandbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l line
		cases := make([]Case, 41)
		for i := range cases {
			cases[i].Expected = json.RawMessage(`1`)
		}
		r, err := Run(t.Context(), &l, "", "f", cases, Options{})
		if err != nil || !r.OK || r.Passed != len(cases) || l.most.Load() != sideBySide {
			t.Errorf("%+v, %v; %d at a time", r, err, l.most.Load())
		}
	})
}
