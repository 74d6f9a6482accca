package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/memory/faces"
	"github.com/reachyd/reachyd/agents/memory/places"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/servo"
	"github.com/reachyd/reachyd/hal/virtual"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// simulated is the body of the simulated robot in this process: the control loop, the driver, and servos on a socket.
type simulated struct{ *motion.Loop }

func (s simulated) Do(ctx context.Context, r hal.Request) (hal.Answer, error) {
	return s.Loop.Do(ctx, r), nil
}

func (s simulated) State(context.Context) (hal.State, error) { return s.Loop.State(), nil }

func newSimulated(t *testing.T) simulated {
	t.Helper()
	bus := filepath.Join(t.TempDir(), "bus.sock")
	ctx, cancel := context.WithCancel(context.Background())
	chain := virtual.New(virtual.Options{Plant: virtual.NewSimple(virtual.SleepJoints)})
	ready := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := chain.ServeUnix(ctx, bus, func() { close(ready) }); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() { chain.Run(ctx, 1) })
	<-ready
	robot, err := servo.Open(servo.Options{Port: "unix:" + bus, CycleTime: time.Second, Silence: 10 * time.Second})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	loop := motion.New(robot, motion.Config{})
	looping, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = loop.Run(looping) }()
	t.Cleanup(func() {
		end()
		<-ended
		if err := robot.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		wg.Wait()
	})
	return simulated{loop}
}

// pair calls the same tools on both robots.
type pair struct {
	t         *testing.T
	fake, sim *tool.Registry
}

func newPair(t *testing.T) *pair {
	p := &pair{t: t, fake: New(tester.Conditions{}).robot.Tools, sim: tool.NewRegistry(nil)}
	e := &eyes{body: NewBody(), things: things, room: true} // the senses of both: what differs is the body
	o := tools.Options{
		Body: newSimulated(t), Places: places.New(nil, nil, nil), Faces: faces.New(nil, nil, nil), Portraits: e,
		Camera: e, Vision: e, Looker: e, Speaker: voice{}, Ears: voice{},
		Searcher: web{}, Moves: anyMove, After: elapsed,
	}
	if err := tools.Register(p.sim, o); err != nil {
		t.Fatal(err)
	}
	return p
}

// elapsed is a clock on which all times are over.
func elapsed(time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// same calls a tool on both and compares status, code, the message of refusals, and the keys and types of the data.
func (p *pair) same(name, args string) tool.Result {
	p.t.Helper()
	a := p.fake.Call(p.t.Context(), name, json.RawMessage(args))
	b := p.sim.Call(p.t.Context(), name, json.RawMessage(args))
	switch {
	case a.Status != b.Status || a.Code != b.Code:
		p.t.Errorf("%s %s: fake %s %s (%s), simulated robot %s %s (%s)", name, args, a.Status, a.Code, a.Message, b.Status, b.Code, b.Message)
	case a.Message != b.Message && name != "get_robot_state":
		p.t.Errorf("%s %s: fake %q, simulated robot %q", name, args, a.Message, b.Message)
	}
	if fake, sim := shape(p.t, a.Data), shape(p.t, b.Data); fake != sim {
		p.t.Errorf("%s %s: data of the fake %s, of the simulated robot %s: %+v, %+v", name, args, fake, sim, a.Data, b.Data)
	}
	return a
}

// shape is what keys a value has and of what types they are.
func shape(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		t.Fatal(err)
	}
	if o, ok := plain.(map[string]any); ok {
		delete(o, "faults") // those of a busy host, on which the control loop may be late
	}
	return shapeOf(plain)
}

func shapeOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+":"+shapeOf(v[k]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, shapeOf(item))
		}
		return "[" + strings.Join(slices.Compact(parts), " ") + "]"
	}
	return fmt.Sprintf("%T", v)
}

// The fake and the simulated robot have the same tools, which give the same kind of answer and the same refusals.
func TestConformance(t *testing.T) {
	p := newPair(t)
	fake, err := json.Marshal(p.fake.List())
	if err != nil {
		t.Fatal(err)
	}
	if sim, err := json.Marshal(p.sim.List()); err != nil || string(fake) != string(sim) {
		t.Errorf("the tools differ:\n%s\n%s %v", fake, sim, err)
	}
	if n := len(p.sim.List()); n != len(catalog.Tools) {
		t.Errorf("%d tools, %d in the catalogue", n, len(catalog.Tools))
	}
	p.same("wake_up", `{}`)
	p.same("go_to_sleep", `{}`)
	p.same("go_to_sleep", `{}`) // it lies already
	for _, asleep := range []string{"move_head", "gesture", "express_emotion", "goto_pose", "play_move"} {
		p.refused(asleep, example(catalog.ToolNamed(asleep)), hal.CodeTorqueOff)
	}
	p.same("wake_up", `{}`)
	for _, tool := range catalog.Tools {
		for _, args := range wrong(&tool) {
			p.refused(tool.Name, args, "invalid")
		}
		if tool.Name != "stop" && tool.Name != "go_to_sleep" {
			if r := p.same(tool.Name, example(&tool)); !r.OK() {
				t.Errorf("%s: %+v", tool.Name, r)
			}
		}
	}
	for _, limit := range []struct{ name, args string }{
		{"move_head", `{"pitch":40,"roll":40}`}, // more than the head can at a time: clamped
		{"move_head", `{"pitch":0,"roll":0}`},   // away from the edge, where a rounding decides
		{"move_head", `{"yaw":180,"duration":6}`},
		{"turn_body", `{"yaw":-60,"duration":4}`},
		{"set_antennas", `{"left":180,"right":-180,"duration":2}`},
		{"goto_pose", `{"name":"sleep","duration":2}`},
		{"look_at", `{"x":0,"y":0,"z":0.2}`},
		{"look_at", `{"x":1}`},
		{"look_at", `{}`},
		{"move_head", `{}`},
		{"set_antennas", `{}`},
		{"repeat", `{"steps":[],"times":1}`},
		{"repeat", `{"steps":[{"tool":"fly"}],"times":1}`},
		{"notify", `{"text":"x"}`},
	} {
		p.same(limit.name, limit.args)
	}
	p.same("goto_pose", `{"name":"neutral","duration":2}`)
	p.same("stop", `{}`)
	p.same("stop", `{}`)
	for _, name := range []string{"move_head", "gesture", "wake_up", "go_to_sleep"} {
		p.refused(name, example(catalog.ToolNamed(name)), hal.CodeEStop)
	}
}

func (p *pair) refused(name, args, code string) {
	p.t.Helper()
	if r := p.same(name, args); r.Code != code {
		p.t.Errorf("%s %s: %+v, want %s", name, args, r, code)
	}
}

// wrong are arguments that a tool must refuse: each out of range, of another type, missing; an unknown one.
func wrong(t *catalog.Tool) []string {
	all := []string{`[]`, `{"no_such_argument":1}`, `{`}
	with := func(name string, v any, drop bool) {
		args := map[string]any{}
		if err := json.Unmarshal([]byte(example(t)), &args); err != nil {
			panic(err)
		}
		if args[name] = v; drop {
			delete(args, name)
		}
		text, err := json.Marshal(args)
		if err != nil {
			panic(err)
		}
		all = append(all, string(text))
	}
	for _, a := range t.Arguments {
		with(a.Name, map[string]any{}, false)
		with(a.Name, nil, false)
		if a.Required {
			with(a.Name, nil, true)
		}
		switch a.Kind {
		case catalog.Number, catalog.Integer:
			with(a.Name, a.Range.Max+1, false)
			with(a.Name, a.Range.Min-1, false)
			with(a.Name, "left", false)
		case catalog.Text:
			with(a.Name, 7, false)
			with(a.Name, strings.Repeat("x", catalog.MaxText+1), false)
		case catalog.Boolean:
			with(a.Name, "yes", false)
		case catalog.Array:
			with(a.Name, make([]struct{}, a.MaxItems+1), false)
		case catalog.Object:
		}
	}
	return all
}

// The same face is learned, known again and forgotten.
func TestConformanceOfFaces(t *testing.T) {
	p := newPair(t)
	for _, c := range [][3]string{
		{"recognize_face", `{}`, "I do not know this face."},
		{"remember_face", `{"name":"Anna"}`, "I will know the face of Anna from now on."},
		{"recognize_face", `{}`, "This is Anna."},
		{"forget_face", `{"name":"Tom"}`, "I do not know the face of Tom."},
		{"forget_face", `{}`, "I have forgotten the face of Anna."},
		{"recognize_face", `{}`, "I do not know this face."},
	} {
		if res := p.same(c[0], c[1]); res.Message != c[2] {
			t.Errorf("%s %s: %q, want %q", c[0], c[1], res.Message, c[2])
		}
	}
	p.same("remember_face", `{}`)
	p.same("remember_face", `{"name":"`+strings.Repeat("x", catalog.MaxPerson+1)+`"}`)
}

// A robot without a camera refuses in the same words.
func TestConformanceWithoutCamera(t *testing.T) {
	fake, sim := New(tester.Conditions{CameraAway: true}).robot.Tools, tool.NewRegistry(nil)
	if err := tools.Register(sim, tools.Options{Body: NewBody()}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"take_photo", "analyze_scene", "detect_objects", "describe_image", "track_face", "recognize_face", "look_at"} {
		args := json.RawMessage(`{}`)
		if name == "look_at" {
			args = json.RawMessage(`{"target":"cup"}`)
		}
		a, b := fake.Call(t.Context(), name, args), sim.Call(t.Context(), name, args)
		if a.Code != tool.CodeUnavailable || a.Code != b.Code || a.Message != b.Message {
			t.Errorf("%s: %+v, %+v", name, a, b)
		}
	}
}
