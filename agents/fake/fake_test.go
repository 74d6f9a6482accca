package fake

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// ask makes one host call at a time of the tool's clock: the value, or code and message of the error.
func ask(tb testing.TB, r *Robot, at time.Duration, name, args string) string {
	tb.Helper()
	v, err := tester.Host(r)(tb.Context(), guest.HostCall{Name: name, Args: json.RawMessage(args), At: at})
	var he *guest.HostError
	if errors.As(err, &he) {
		return he.Code + ": " + he.Message
	}
	if err != nil {
		tb.Fatal(err)
	}
	return string(v)
}

func state(tb testing.TB, r *Robot, at time.Duration) (s host.State) {
	tb.Helper()
	if err := json.Unmarshal([]byte(ask(tb, r, at, host.CapState, `{}`)), &s); err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestMotionTakesTime(t *testing.T) {
	r := New(tester.Conditions{})
	args := `{"head":{"yaw":0.4,"z":0.01},"antennas":{"left":1,"right":-1},"duration":2}`
	if got := ask(t, r, 0, host.CapMove, args); got != `{"duration":2}` {
		t.Fatal(got)
	}
	for _, tc := range []struct {
		at     time.Duration
		yaw    float64
		moving bool
	}{{0, 0, true}, {time.Second, 0.2, true}, {2 * time.Second, 0.4, false}, {time.Hour, 0.4, false}} {
		s := state(t, r, tc.at)
		if math.Abs(s.Head.Yaw-tc.yaw) > 1e-9 || s.Moving != tc.moving {
			t.Errorf("at %s: yaw %g, moving %v; want %g, %v", tc.at, s.Head.Yaw, s.Moving, tc.yaw, tc.moving)
		}
	}
	s := state(t, r, time.Hour)
	if s.Joints[hal.RightAntenna] != -1 || s.Joints[hal.LeftAntenna] != 1 || s.Head.Z != 0.01 || s.Joints[1] <= 0.543 {
		t.Errorf("%+v", s)
	}
	// A tool that waits for a motion has waited, though the guest's clock stood still.
	if got := ask(t, r, time.Hour, "move_head", `{"yaw":0,"duration":3}`); !strings.Contains(got, `"duration":3`) {
		t.Error(got)
	}
	if s := state(t, r, time.Hour); s.Head.Yaw != 0 || s.Moving {
		t.Errorf("%+v", s)
	}
	if got := r.body.Now(); got != time.Hour+3*time.Second {
		t.Errorf("the clock is at %v", got)
	}
}

func TestWaitAndRepeatTakeNoTimeOfOurs(t *testing.T) {
	r := New(tester.Conditions{})
	began := time.Now()
	args := `{"steps":[{"tool":"gesture","args":{"name":"nod"}},{"tool":"wait","args":{"seconds":60}}],"times":3,"interval":30}`
	if got := ask(t, r, 0, "repeat", args); got != `{"rounds":3}` {
		t.Error(got)
	}
	keys := catalog.GestureNamed("nod").Keys
	want := 3*(60*time.Second+time.Duration(keys[len(keys)-1].T*float64(time.Second))) + 2*30*time.Second
	if got := r.body.Now(); got != want || time.Since(began) > time.Minute {
		t.Errorf("%v on its clock, want %v; really %v", got, want, time.Since(began))
	}
}

func TestFeasiblePosesOnly(t *testing.T) {
	r := New(tester.Conditions{})
	if got := ask(t, r, 0, "move_head", `{"yaw":150,"duration":2}`); !strings.HasPrefix(got, `{"outcome":"accepted"`) {
		t.Error(got)
	}
	if s := state(t, r, 0); math.Abs(s.Head.Yaw-s.BodyYaw) > 65.001*math.Pi/180 || s.Head.Yaw < 2.6 {
		t.Errorf("the body did not follow the head: %+v", s)
	}
	if got := ask(t, r, 0, host.CapMove, `{"head":{"pitch":0.8},"duration":1}`); got != `{"duration":1}` {
		t.Error(got)
	}
	if s := state(t, r, time.Minute); s.Head.Pitch > 40.001*math.Pi/180 {
		t.Errorf("%+v", s)
	}
	if got := ask(t, r, 0, host.CapMove, `{"head":{"pitch":3},"duration":1}`); !strings.HasPrefix(got, "unreachable: head.pitch = 3 cannot be reached") {
		t.Error(got)
	}
}

func TestEveryTool(t *testing.T) {
	for _, tool := range catalog.Tools {
		r := New(tester.Conditions{})
		got := ask(t, r, 0, tool.Name, example(&tool))
		if !json.Valid([]byte(got)) {
			t.Errorf("%s %s: %s", tool.Name, example(&tool), got)
		}
		if calls := r.Calls(); len(calls) != 1 || calls[0].Name != tool.Name {
			t.Errorf("%s: calls %+v", tool.Name, calls)
		}
	}
	if got := ask(t, New(tester.Conditions{}), 0, "notify", `{"text":"x"}`); got != "not_found: the robot has no tool notify" {
		t.Error(got)
	}
}

// What is said of the end of following is so, whatever was followed.
func TestFollowing(t *testing.T) {
	r := New(tester.Conditions{})
	for _, turn := range [][3]string{
		{"track_face", `{"enabled":false}`, "I am not following anything."},
		{"follow_object", `{"target":"duck"}`, "I follow the duck from now on."},
		{"track_face", `{"enabled":false}`, "I stopped following."},
		{"track_face", `{"enabled":false}`, "I am not following anything."},
		{"track_face", `{}`, "I follow your face from now on."},
		{"track_face", `{"enabled":false}`, "I stopped following."},
	} {
		if got := r.robot.Tools.Call(t.Context(), turn[0], json.RawMessage(turn[1])); got.Message != turn[2] {
			t.Errorf("%s %s: %q, not %q", turn[0], turn[1], got.Message, turn[2])
		}
	}
}

func TestSleepAndStop(t *testing.T) {
	r := New(tester.Conditions{})
	ask(t, r, 0, "go_to_sleep", `{}`)
	if s := state(t, r, 0); s.Mode != "disabled" || s.Head != host.Pose(hal.SleepHead) {
		t.Errorf("asleep: %+v", s)
	}
	if got := ask(t, r, 0, "move_head", `{"yaw":10}`); !strings.HasPrefix(got, "torque_off") {
		t.Error(got)
	}
	ask(t, r, 0, "wake_up", `{}`)
	if s := state(t, r, 0); s.Mode != "enabled" || s.Head != (host.Pose{}) {
		t.Errorf("awake: %+v", s)
	}
	ask(t, r, 0, "stop", `{}`)
	if got := ask(t, r, 0, "move_head", `{"yaw":10}`); !strings.HasPrefix(got, "estop") {
		t.Error(got)
	}
	if s := state(t, r, 0); !s.EStop {
		t.Errorf("stopped: %+v", s)
	}
}

func TestConditions(t *testing.T) {
	for _, tc := range []struct {
		c                tester.Conditions
		name, args, want string
	}{
		{tester.Conditions{Fail: map[string]string{"speak": "overload"}}, "speak", `{"text":"x"}`, "failed: overload"},
		{tester.Conditions{Fail: map[string]string{"speak": ""}}, "speak", `{"text":"x"}`, "failed: speak failed because"},
		{
			tester.Conditions{Fail: map[string]string{host.CapMove: "overload"}},
			host.CapMove, `{"body_yaw":0,"duration":1}`,
			"failed: overload",
		},
		{tester.Conditions{Fail: map[string]string{host.CapState: "away"}}, host.CapState, `{}`, "failed: away"},
		{tester.Conditions{Fail: map[string]string{host.CapCamera: "away"}}, host.CapCamera, `{"order":"rgb"}`, "failed: away"},
		{tester.Conditions{CameraAway: true}, host.CapCamera, `{"order":"rgb"}`, "unavailable: there is no camera"},
		{tester.Conditions{CameraAway: true}, "take_photo", `{}`, "unavailable: take_photo is not available: no camera."},
		{tester.Conditions{CameraAway: true}, "look_at", `{"target":"cup"}`, "unavailable: "},
		{
			tester.Conditions{Objects: []tester.Object{{Name: "ball", Box: [4]float64{140, 230, 40, 20}, Confidence: 0.5}}},
			"detect_objects", `{}`, `{"objects":[{"name":"ball","score":0.5,"yaw":20,"pitch":0}]}`,
		},
		{tester.Conditions{Objects: []tester.Object{}}, "detect_objects", `{}`, `{"objects":[]}`},
	} {
		if got := ask(t, New(tc.c), 0, tc.name, tc.args); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%+v: %s %s: %s, want %s", tc.c, tc.name, tc.args, got, tc.want)
		}
	}
}

// The picture changes with time and with the direction of the head.
func TestCamera(t *testing.T) {
	r := New(tester.Conditions{})
	ball := func(at time.Duration) (x, y, n int) {
		r.body.Advance(at)
		img := r.eyes.frame()
		for v := range frameHeight {
			for u := range frameWidth {
				if red, green, _, _ := img.At(u, v).RGBA(); red>>8 == 215 && green>>8 == 30 {
					x, y, n = x+u, y+v, n+1
				}
			}
		}
		return x / max(n, 1), y / max(n, 1), n
	}
	if x, y, n := ball(0); x != 440 || y != 240 || n < 3800 {
		t.Errorf("at 0: %d, %d, %d pixels", x, y, n)
	}
	if x, y, _ := ball(2500 * time.Millisecond); x != 320 || y != 300 {
		t.Errorf("at 2.5 s: %d, %d", x, y)
	}
	ask(t, r, 0, "move_head", `{"yaw":20}`)
	if x, _, _ := ball(10 * time.Second); x != 600 {
		t.Errorf("with the head to the left: %d", x)
	}
}

func TestEveryPoseGestureAndEmotion(t *testing.T) {
	for _, tool := range catalog.Tools {
		for _, a := range tool.Arguments {
			for _, name := range a.Enum {
				got, want := ask(t, New(tester.Conditions{}), 0, tool.Name, `{"`+a.Name+`":"`+name+`"}`), `{"outcome":"`
				if tool.Name == "stop" { // it says what it has ended, and latches nothing
					want = `{"what":"` + name + `","ended":`
				}
				if !strings.HasPrefix(got, want) {
					t.Errorf("%s %s: %s", tool.Name, name, got)
				}
			}
		}
	}
}

// example makes arguments that a tool takes.
func example(t *catalog.Tool) string {
	args := map[string]any{}
	for i := range t.Arguments {
		if a := &t.Arguments[i]; a.Required || a.Name == "yaw" || a.Name == "left" {
			args[a.Name] = value(a)
		}
	}
	switch t.Name {
	case "look_at":
		args["x"], args["y"], args["z"] = 1, 0.2, 0.1
	case "find_object":
		args["name"] = "cup"
	case "follow_object":
		args["target"] = "cup"
	case "repeat":
		args["steps"] = []any{map[string]any{"tool": "gesture", "args": map[string]any{"name": "nod"}}}
	}
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func value(a *catalog.Argument) any {
	switch {
	case len(a.Enum) > 0:
		return a.Enum[0]
	case a.Kind == catalog.Number || a.Kind == catalog.Integer:
		return math.Max(a.Range.Min, math.Min(a.Range.Max, 2))
	case a.Kind == catalog.Boolean:
		return true
	}
	return "x"
}
