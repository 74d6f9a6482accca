package standin

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock asks the robot at a time.
type clock struct {
	set *host.Set
	tb  testing.TB
}

func newClock(tb testing.TB, r *Robot) clock {
	return clock{host.New(host.Config{Robot: r, Camera: r}), tb}
}

func (c clock) ask(at time.Duration, name, args string) string {
	c.tb.Helper()
	v, err := c.set.Call(c.tb.Context(), guest.HostCall{Name: name, Args: json.RawMessage(args), At: at})
	var he *guest.HostError
	if errors.As(err, &he) {
		return he.Code + ": " + he.Message
	}
	return string(v)
}

func (c clock) state(at time.Duration) (s host.State) {
	c.tb.Helper()
	if err := json.Unmarshal([]byte(c.ask(at, host.CapState, `{}`)), &s); err != nil {
		c.tb.Fatal(err)
	}
	return s
}

func TestMotionTakesTime(t *testing.T) {
	c := newClock(t, New(Config{}))
	if got := c.ask(0, host.CapMove, `{"head":{"yaw":0.4,"z":0.01},"antennas":{"left":1,"right":-1},"duration":2}`); got != `{"duration":2}` {
		t.Fatal(got)
	}
	for _, tc := range []struct {
		at     time.Duration
		yaw    float64
		moving bool
	}{{0, 0, true}, {time.Second, 0.2, true}, {2 * time.Second, 0.4, false}, {time.Hour, 0.4, false}} {
		s := c.state(tc.at)
		if math.Abs(s.Head.Yaw-tc.yaw) > 1e-9 || s.Moving != tc.moving {
			t.Errorf("at %s: yaw %g, moving %v; want %g, %v", tc.at, s.Head.Yaw, s.Moving, tc.yaw, tc.moving)
		}
	}
	s := c.state(time.Hour)
	if s.Joints[7] != -1 || s.Joints[8] != 1 || s.Head.Z != 0.01 || s.Joints[1] <= 0.543 {
		t.Errorf("%+v", s)
	}
	// A tool that waits for a motion has waited, though the guest's clock stood still.
	if got := c.ask(time.Hour, "move_head", `{"yaw":0,"duration":3}`); !strings.Contains(got, `"duration":3`) {
		t.Error(got)
	}
	if s := c.state(time.Hour); s.Head.Yaw != 0 || s.Moving {
		t.Errorf("%+v", s)
	}
}

func TestLimitsRefuse(t *testing.T) {
	c := newClock(t, New(Config{}))
	for _, tc := range []struct{ name, args, want string }{
		{host.CapMove, `{"head":{"pitch":0.8},"duration":1}`, "invalid: pitch: 45.84 degrees, allowed -40 to 40"},
		{host.CapMove, `{"head":{"z":0.2},"duration":1}`, "invalid: head.z: 0.2 m, allowed -0.05 to 0.05"},
		{host.CapMove, `{"body_yaw":2.9,"duration":1}`, "invalid: body yaw"},
		{"move_head", `{"pitch":41}`, "invalid: move_head: pitch: 41, allowed -40 to 40"},
		{"move_head", `{"tilt":1}`, "invalid: move_head: unknown argument \"tilt\""},
		{"move_head", `{"yaw":"left"}`, "invalid: move_head: yaw: not a number"},
		{"move_head", `[]`, "invalid: move_head: arguments"},
		{"speak", `{}`, "invalid: speak: text is missing"},
		{"express_emotion", `{"emotion":"bored"}`, "invalid: express_emotion: emotion: \"bored\", allowed happy"},
		{"fly", `{}`, "unknown_tool: "},
		{"move_head", `{"yaw":150}`, `{"duration":1`},
	} {
		if got := c.ask(0, tc.name, tc.args); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s %s: %s, want %s", tc.name, tc.args, got, tc.want)
		}
	}
	// The body followed the head.
	if s := c.state(0); math.Abs(s.Head.Yaw-s.BodyYaw-maxTwist) > 1e-9 {
		t.Errorf("%+v", s)
	}
}

func TestEveryToolWorks(t *testing.T) {
	args := map[string]string{
		"turn_body": `{"yaw":20}`, "goto_pose": `{"name":"neutral"}`, "describe_image": `{"photo":"x"}`, "speak": `{"text":"x"}`, "search_web": `{"query":"x"}`,
		"notify": `{"text":"x"}`, "set_volume": `{"level":30}`, "express_emotion": `{"emotion":"happy"}`, "gesture": `{"name":"nod"}`, "play_move": `{"name":"x"}`,
		"move_head": `{"yaw":10}`, "look_at": `{"x":1,"y":0.2,"z":0.1}`, "track_face": `{"enabled":null}`,
	}
	for _, tool := range Tools() {
		a := args[tool]
		if a == "" {
			a = `{}`
		}
		r := New(Config{Asleep: tool == "wake_up"})
		if got := newClock(t, r).ask(0, tool, a); !json.Valid([]byte(got)) {
			t.Errorf("%s: %s", tool, got)
		}
		if calls := r.Calls(); len(calls) != 1 || calls[0].Name != tool {
			t.Errorf("%s: calls %+v", tool, calls)
		}
	}
}

func TestSleep(t *testing.T) {
	c := newClock(t, New(Config{Asleep: true}))
	if got := c.ask(0, "move_head", `{"yaw":10}`); !strings.HasPrefix(got, "torque_off") {
		t.Error(got)
	}
	c.ask(0, "wake_up", `{}`)
	if s := c.state(0); s.Mode != "enabled" || s.Head != (host.Pose{}) {
		t.Errorf("awake: %+v", s)
	}
	c.ask(0, "go_to_sleep", `{}`)
	if s := c.state(0); s.Mode != "disabled" || s.Head.Z != asleep[z] {
		t.Errorf("asleep: %+v", s)
	}
}

func TestFaults(t *testing.T) {
	c := newClock(t, New(Config{
		Faults: map[string]Fault{host.CapCamera: {After: 1, Times: 2, Code: CameraAway.Code, Message: CameraAway.Message}, host.CapMove: LimitRefused, "speak": {}},
		Scenes: []string{"one", "two"}, Answers: map[string]json.RawMessage{"my_tool": json.RawMessage(`[1]`), "take_photo": json.RawMessage(`"mine"`)},
	}))
	for i, want := range []string{`{"id":1`, "unavailable: there is no camera", "unavailable: ", `{"id":2`} {
		if got := c.ask(0, host.CapCamera, `{"order":"rgb"}`); !strings.HasPrefix(got, want) {
			t.Errorf("frame %d: %s, want %s", i, got, want)
		}
	}
	for _, tc := range []struct{ name, args, want string }{
		{host.CapMove, `{"body_yaw":0,"duration":1}`, "unreachable: "},
		{"speak", `{"text":"x"}`, "failed: speak failed because"},
		{"analyze_scene", `{}`, `{"description":"one"}`},
		{"analyze_scene", `{}`, `{"description":"two"}`},
		{"analyze_scene", `{}`, `{"description":"two"}`},
		{"my_tool", `{}`, `[1]`},
		{"take_photo", `{}`, `"mine"`},
		{"take_photo", `{"x":1}`, "invalid: "},
	} {
		if got := c.ask(0, tc.name, tc.args); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// The picture changes with time and with the direction of the head.
func TestCamera(t *testing.T) {
	r := New(Config{})
	ball := func(at time.Duration) (x, y, n int) {
		c := newClock(t, r)
		c.ask(at, host.CapState, `{}`)
		img, err := r.Frame(contextAt(t, at))
		if err != nil {
			t.Fatal(err)
		}
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
		t.Errorf("the ball is at %d, %d with %d pixels", x, y, n)
	}
	if x, y, _ := ball(5 * time.Second); x != 200 || y != 240 {
		t.Errorf("5 s later the ball is at %d, %d", x, y)
	}
	newClock(t, r).ask(0, "move_head", `{"yaw":10,"duration":10}`)
	if x, _, _ := ball(0); x < 500 || x > 540 {
		t.Errorf("with the head to the left the ball is at %d", x)
	}
}

// contextAt is what a host call at that time comes with.
func contextAt(t *testing.T, at time.Duration) (ctx context.Context) {
	t.Helper()
	take := robotFunc(func(c context.Context) { ctx = c })
	if _, err := host.New(host.Config{Robot: take}).Call(t.Context(), guest.HostCall{Name: "x", Args: json.RawMessage(`{}`), At: at}); err != nil {
		t.Fatal(err)
	}
	return ctx
}

type robotFunc func(ctx context.Context)

func (f robotFunc) Call(ctx context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
	f(ctx)
	return args, nil
}
func (f robotFunc) Move(context.Context, host.Motion) (time.Duration, error) { return 0, nil }
func (f robotFunc) State(context.Context) (host.State, error)                { return host.State{}, nil }

func FuzzTools(f *testing.F) {
	for _, tool := range Tools() {
		f.Add(tool, []byte(`{"yaw":10,"name":"nod","text":"x","duration":1e308}`))
	}
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		r := New(Config{})
		v, err := r.Call(t.Context(), tool, args)
		var he *guest.HostError
		if err != nil && !errors.As(err, &he) || err == nil && (!json.Valid(v) || !slices.Contains(Tools(), tool)) {
			t.Fatalf("%s %s: %s %v", tool, args, v, err)
		}
	})
}
