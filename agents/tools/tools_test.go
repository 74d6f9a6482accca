package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bodyDouble is a scripted body. Without a script it accepts everything, and moves are over at once.
type bodyDouble struct {
	do    func(ctx context.Context, req hal.Request) (hal.Answer, error)
	state func(ctx context.Context) (hal.State, error)
	wait  func(ctx context.Context, move string) (hal.Event, error)

	mu   sync.Mutex
	seen []hal.Request
}

func (b *bodyDouble) Do(ctx context.Context, req hal.Request) (hal.Answer, error) {
	b.mu.Lock()
	b.seen = append(b.seen, req)
	b.mu.Unlock()
	if b.do != nil {
		return b.do(ctx, req)
	}
	return hal.Answer{Outcome: hal.Accepted, Move: "m1", Duration: 1}, nil
}

func (b *bodyDouble) State(ctx context.Context) (hal.State, error) {
	if b.state != nil {
		return b.state(ctx)
	}
	return hal.State{Mode: hal.ModeEnabled}, nil
}

func (b *bodyDouble) Wait(ctx context.Context, move string) (hal.Event, error) {
	if b.wait != nil {
		return b.wait(ctx, move)
	}
	return hal.Event{Type: hal.EventMoveDone, Move: move, End: hal.EndDone}, nil
}

func (b *bodyDouble) last(t *testing.T) hal.Request {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.seen) == 0 {
		t.Fatal("the body was not asked")
	}
	return b.seen[len(b.seen)-1]
}

func registry(t *testing.T, o Options) *tool.Registry {
	t.Helper()
	r := tool.NewRegistry(nil)
	if err := Register(r, o); err != nil {
		t.Fatal(err)
	}
	return r
}

func call(r *tool.Registry, name, args string) tool.Result {
	return r.Call(context.Background(), name, json.RawMessage(args))
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

const deg = math.Pi / 180

func TestToolsAreThoseOfTheCatalogue(t *testing.T) {
	r := registry(t, Options{Body: &bodyDouble{}})
	want := catalog.ToolNames()
	var got []string
	for _, s := range r.List() {
		got = append(got, s.Name)
		if s.Description == "" {
			t.Errorf("%s has no description", s.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if s, _ := r.Get("stop"); s.Moves {
		t.Error("stop counts as moving: it would be queued")
	}
	// Registering again, with a sense that has come, replaces.
	if err := Register(r, Options{Body: &bodyDouble{}, Speaker: &senses{}}); err != nil {
		t.Fatal(err)
	}
	if s, _ := r.Get("speak"); s.Unavailable != "" {
		t.Errorf("speak is still %q", s.Unavailable)
	}
}

func TestMovesGoToTheBodyInRadians(t *testing.T) {
	// What is left out is for the body to know: nobody reads its state first.
	b := &bodyDouble{state: func(context.Context) (hal.State, error) {
		t.Error("the state was read before a movement")
		return hal.State{}, nil
	}}
	r := registry(t, Options{Body: b})
	zero, number := 0.0, func(v float64) *float64 { return &v }
	for _, c := range []struct {
		tool, args string
		want       hal.Request
		says       string
	}{
		{
			"move_head", `{"yaw":30}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 1, Head: &hal.HeadGoal{Yaw: number(30 * deg)}},
			"I looked left.",
		},
		{
			"move_head", `{"yaw":-10,"pitch":-20,"duration":0.5}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 0.5, Head: &hal.HeadGoal{Pitch: number(-20 * deg), Yaw: number(-10 * deg)}},
			"I looked 10° right and up.",
		},
		{
			"move_head", `{"yaw":0,"pitch":0,"roll":0}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 1, Head: &hal.HeadGoal{Roll: &zero, Pitch: &zero, Yaw: &zero}},
			"I looked straight ahead.",
		},
		{
			"move_head", `{"roll":15}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 1, Head: &hal.HeadGoal{Roll: number(15 * deg)}},
			"I tilted my head 15° to the right.",
		},
		{
			"set_antennas", `{"left":90,"right":-90,"duration":2}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 2, Antennas: hal.Antennas{Left: 90 * deg, Right: -90 * deg}.Goal()},
			"I moved my antennas.",
		},
		{
			"set_antennas", `{"left":0}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 1, Antennas: &hal.AntennaGoal{Left: &zero}},
			"I moved my left antenna.",
		},
		{
			"turn_body", `{"yaw":0}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 1, BodyYaw: &zero, CarryHead: true},
			"I turned my body to the front.",
		},
		{
			"goto_pose", `{"name":"sleep"}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 1, Head: hal.SleepHead.Goal(), BodyYaw: &zero, Antennas: hal.SleepAntennas.Goal()},
			"I lowered my head",
		},
		{
			"goto_pose", `{"name":"home","duration":2}`,
			hal.Request{Verb: hal.VerbGoto, Duration: 2, Head: hal.AwakeHead.Goal(), BodyYaw: &zero, Antennas: hal.AwakeAntennas.Goal()},
			"I went to my neutral pose.",
		},
		{"goto_pose", `{"name":"look_right"}`, hal.Request{Verb: hal.VerbGoto, Duration: 1, Head: hal.Head{Yaw: -30 * deg}.Goal()}, "I looked right."},
		{"gesture", `{"name":"nod"}`, hal.Request{Verb: hal.VerbGesture, Name: "nod"}, "I nodded."},
		{"express_emotion", `{"emotion":"sad"}`, hal.Request{Verb: hal.VerbEmotion, Name: "sad"}, "I showed that I am sad."},
		{"wake_up", ``, hal.Request{Verb: hal.VerbWake}, "I woke up."},
		{"go_to_sleep", ``, hal.Request{Verb: hal.VerbSleep}, "I went to sleep."},
	} {
		res := call(r, c.tool, c.args)
		if !res.OK() || !strings.Contains(res.Message, c.says) {
			t.Errorf("%s %s: %+v; want %q", c.tool, c.args, res, c.says)
			continue
		}
		if got, want := fmt.Sprintf("%+v", plainRequest(b.last(t))), fmt.Sprintf("%+v", plainRequest(c.want)); got != want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.tool, c.args, got, want)
		}
		if d, ok := res.Data.(Outcome); !ok || d.Outcome != hal.Accepted || d.Move != "m1" || d.End != hal.EndDone {
			t.Errorf("%s: data %+v", c.tool, res.Data)
		}
	}
}

// plainRequest writes a request without pointers, rounded, so that it can be compared.
func plainRequest(r hal.Request) string {
	text, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return rounded.ReplaceAllString(string(text), "$1")
}

// rounded cuts numbers behind the twelfth decimal.
var rounded = regexp.MustCompile(`(\.\d{12})\d+`)

func TestLookAt(t *testing.T) {
	looker := &senses{look: func(name string) error {
		if name != "apple" {
			return errors.New("I do not see one")
		}
		return nil
	}}
	b := &bodyDouble{}
	r := registry(t, Options{Body: b, Looker: looker})
	res := call(r, "look_at", `{"x":1,"y":1,"z":0.2}`)
	if h := b.last(t).Head; !res.OK() || h == nil || !near(*h.Yaw, 45*deg) || !near(*h.Roll, 0) || *h.Pitch < -0.2 || *h.Pitch > 0.2 {
		t.Errorf("%+v, %+v", res, h)
	}
	if res := call(r, "look_at", `{"target":"apple"}`); res.Message != "I looked at the apple." {
		t.Errorf("%+v", res)
	}
	blind := registry(t, Options{Body: b})
	asked := len(b.seen)
	for _, c := range []struct {
		r                *tool.Registry
		args, code, says string
	}{
		{r, `{"target":"cup"}`, tool.CodeFailed, "I could not look at the cup: I do not see one."},
		{r, `{}`, tool.CodeInvalid, "give either target, or x, y and z"},
		{r, `{"x":1,"y":2}`, tool.CodeInvalid, "give either"},
		{r, `{"target":"apple","x":1,"y":0,"z":0}`, tool.CodeInvalid, "give either"},
		{r, `{"x":0,"y":0,"z":0.177}`, hal.CodeUnreachable, "inside the head"},
		{r, `{"x":11,"y":0,"z":0}`, tool.CodeInvalid, "x: 11 is out of range −10…10m"},
		{blind, `{"target":"apple"}`, tool.CodeUnavailable, "not available: no camera"},
	} {
		if res := call(c.r, "look_at", c.args); res.Code != c.code || !strings.Contains(res.Message, c.says) {
			t.Errorf("%s: %+v; want %s", c.args, res, c.says)
		}
	}
	if len(b.seen) != asked {
		t.Error("the body was asked to move for a wrong request")
	}
}

func TestWhatTheBodyChangesIsSaid(t *testing.T) {
	var answer hal.Answer
	b := &bodyDouble{do: func(context.Context, hal.Request) (hal.Answer, error) { return answer, nil }}
	r := registry(t, Options{Body: b})
	for _, c := range []struct {
		changes []hal.Change
		says    string
	}{
		{[]hal.Change{{Field: "head.yaw", Asked: 60 * deg, Given: 40 * deg, Limit: "why"}}, "I could only turn my head 40° left instead of 60° left (why)."},
		{[]hal.Change{{Field: "body_yaw", Asked: -3, Given: -2, Limit: "why"}}, "I could only turn my body 114.6° right instead of 171.9° right (why)."},
		{
			[]hal.Change{{Field: "head.pitch", Asked: -40 * deg, Given: 0, Limit: "a"}, {Field: "head.roll", Asked: 40 * deg, Given: 20 * deg, Limit: "b"}},
			"I could only look straight (0°) instead of 40° up (a) and tilt my head 20° to the right instead of 40° to the right (b).",
		},
		{[]hal.Change{{Field: "antennas.left", Asked: -1, Given: 1, Limit: "c"}}, "I could only move my left antenna to 57.3° instead of −57.3° (c)."},
		{[]hal.Change{{Field: "head.z", Asked: -0.05, Given: -0.03, Limit: "d"}}, "I could only shift my head by −30 mm instead of −50 mm (d)."},
		{[]hal.Change{{Field: "duration", Asked: 0.1, Given: 0.73, Limit: "speed"}}, "I looked left, in 0.7 s instead of 0.1 s, which is as fast as I can."},
		{[]hal.Change{{Field: "recording.set_target_data[3].head.z", Asked: -1, Given: 0, Limit: "d"}}, "I could only follow recording"},
		{[]hal.Change{{Field: "head.yaw", Asked: 0.5236, Given: 0.5235, Limit: "why"}}, "I looked left."}, // too little for a word
	} {
		answer = hal.Answer{Outcome: hal.Clamped, Move: "m", Changes: c.changes}
		res := call(r, "move_head", `{"yaw":30}`)
		if !res.OK() || !strings.HasPrefix(res.Message, c.says) {
			t.Errorf("got  %s\nwant %s", res.Message, c.says)
		}
		if d := res.Data.(Outcome); d.Outcome != hal.Clamped || len(d.Changes) != len(c.changes) {
			t.Errorf("data %+v", d)
		}
	}
	answer = hal.Answer{Outcome: hal.Clamped, Changes: []hal.Change{{Field: "head.yaw", Asked: math.Pi, Given: math.Pi / 2}}}
	d := call(r, "move_head", `{"yaw":180}`).Data.(Outcome)
	if c := d.Changes[0]; c.Asked != 180 || c.Given != 90 || c.Unit != "°" {
		t.Errorf("the change is not in degrees: %+v", c)
	}
}

func TestWhatTheBodyRefusesIsSaid(t *testing.T) {
	var answer hal.Answer
	var end hal.Event
	b := &bodyDouble{
		do:   func(context.Context, hal.Request) (hal.Answer, error) { return answer, nil },
		wait: func(context.Context, string) (hal.Event, error) { return end, nil },
	}
	r := registry(t, Options{Body: b})
	for _, c := range []struct {
		answer     hal.Answer
		end        hal.Event
		code, says string
	}{
		{hal.Answer{Outcome: hal.Rejected, Code: hal.CodeTorqueOff, Reason: "x"}, hal.Event{}, hal.CodeTorqueOff, `My motors are off: say "wake up".`},
		{hal.Answer{Outcome: hal.Rejected, Code: hal.CodeEStop, Reason: "x"}, hal.Event{}, hal.CodeEStop, "My emergency stop is on"},
		{hal.Answer{Outcome: hal.Rejected, Code: hal.CodeUnreachable, Reason: "too far."}, hal.Event{}, hal.CodeUnreachable, "I cannot reach that pose: too far."},
		{hal.Answer{Outcome: hal.Rejected, Code: hal.CodeBusy}, hal.Event{}, hal.CodeBusy, "I have too much to do already."},
		{hal.Answer{Outcome: hal.Rejected, Code: hal.CodeLease, Reason: "joe streams"}, hal.Event{}, hal.CodeLease, "Somebody else is steering me: joe streams."},
		{hal.Answer{Outcome: hal.Rejected, Code: hal.CodeFault, Reason: "servo gone"}, hal.Event{}, hal.CodeFault, "Servo gone."},
		{hal.Answer{Outcome: hal.Accepted, Move: "m"}, hal.Event{End: hal.EndCancelled}, tool.CodeCancelled, "I was interrupted by another movement."},
		{hal.Answer{Outcome: hal.Accepted, Move: "m"}, hal.Event{End: hal.EndStopped, Reason: "button"}, tool.CodeStopped, "I was stopped: button."},
		{
			hal.Answer{Outcome: hal.Accepted, Move: "m"},
			hal.Event{End: hal.EndFailed, Reason: "overload"},
			tool.CodeFailed, "I could not finish the movement: overload.",
		},
	} {
		answer, end = c.answer, c.end
		res := call(r, "gesture", `{"name":"dance"}`)
		if res.OK() || res.Code != c.code || !strings.HasPrefix(res.Message, c.says) {
			t.Errorf("%+v; want %s: %s", res, c.code, c.says)
		}
		if _, ok := res.Data.(Outcome); !ok {
			t.Errorf("no data: %+v", res)
		}
	}
}

func TestBodyThatCannotBeReached(t *testing.T) {
	gone := errors.New("connection refused")
	b := &bodyDouble{
		do:    func(context.Context, hal.Request) (hal.Answer, error) { return hal.Answer{}, gone },
		state: func(context.Context) (hal.State, error) { return hal.State{}, gone },
	}
	r := registry(t, Options{Body: b})
	for name, args := range map[string]string{
		"move_head": `{"yaw":1}`, "set_antennas": `{"left":1}`, "gesture": `{"name":"nod"}`, "get_robot_state": "", "stop": "",
	} {
		if res := call(r, name, args); res.Code != hal.CodeUnavailable || res.Message != "I cannot reach my body: connection refused." {
			t.Errorf("%s: %+v", name, res)
		}
	}
	b.do = nil
	b.wait = func(context.Context, string) (hal.Event, error) { return hal.Event{}, gone }
	if res := call(r, "gesture", `{"name":"nod"}`); res.Code != hal.CodeUnavailable {
		t.Errorf("wait: %+v", res)
	}
}

func TestGivingUpHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bodyDouble{wait: func(ctx context.Context, _ string) (hal.Event, error) {
			<-ctx.Done()
			return hal.Event{}, ctx.Err()
		}}
		r := registry(t, Options{Body: b})
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		res := r.Call(ctx, "gesture", json.RawMessage(`{"name":"dance"}`))
		if res.Code != tool.CodeTimeout || b.last(t).Verb != hal.VerbHold {
			t.Errorf("%+v, last request %+v", res, b.last(t))
		}
		// A body that does not even answer the hold is not waited for long.
		b.do = func(ctx context.Context, req hal.Request) (hal.Answer, error) {
			if req.Verb == hal.VerbHold {
				<-ctx.Done()
				return hal.Answer{}, ctx.Err()
			}
			return hal.Answer{Outcome: hal.Accepted, Move: "m"}, nil
		}
		why, stop := context.WithCancelCause(context.Background())
		stopped := time.Now()
		time.AfterFunc(time.Second, func() { stopped = time.Now(); stop(errors.New("a newer command took over")) })
		res = r.Call(why, "gesture", json.RawMessage(`{"name":"dance"}`))
		if res.Message != "I was interrupted: a newer command took over." || time.Since(stopped) > holdTime {
			t.Errorf("%+v after %v", res, time.Since(stopped))
		}
	})
}

func TestStop(t *testing.T) {
	b := &bodyDouble{}
	r := registry(t, Options{Body: b})
	res := call(r, "stop", "")
	req := b.last(t)
	if !res.OK() || req.Verb != hal.VerbStop || req.Category == nil || *req.Category != 1 || req.Reason != StopReason {
		t.Errorf("%+v, %+v", res, req)
	}
}

func TestArgumentsOutOfRangeMoveNothing(t *testing.T) {
	b := &bodyDouble{}
	r := registry(t, Options{Body: b})
	for _, c := range [][3]string{
		{"move_head", `{"yaw":200}`, "move_head: yaw: 200 is out of range −180…180°"},
		{"move_head", `{"pitch":41}`, "pitch: 41 is out of range −40…40°"},
		{"move_head", `{}`, "give at least one"},
		{"set_antennas", `{}`, "give at least one"},
		{"turn_body", `{"yaw":-161}`, "yaw: −161 is out of range −160…160°"},
		{"turn_body", `{}`, "yaw: is missing"},
		{"gesture", `{"name":"jump"}`, `"jump" is not one of ` + strings.Join(catalog.GestureNames(), ", ")},
		{"express_emotion", `{"emotion":"jealous"}`, "is not one of happy"},
		{"goto_pose", `{"name":"upside_down"}`, "is not one of awake"},
		{"move_head", `{"yaw":1,"duration":0}`, "duration: 0 is out of range 0.1…60s"},
		{"wait", `{"seconds":601}`, "out of range 0…600s"},
		{"set_volume", `{"level":101}`, "not available: no speaker"},
	} {
		if res := call(r, c[0], c[1]); res.OK() || !strings.Contains(res.Message, c[2]) {
			t.Errorf("%s %s: %+v", c[0], c[1], res)
		}
	}
	if len(b.seen) > 0 {
		t.Errorf("the body was asked: %+v", b.seen)
	}
}

func TestRobotState(t *testing.T) {
	s := hal.State{
		Mode: hal.ModeEnabled, Moving: true, MoveName: "gesture nod", BodyYaw: -10 * deg,
		Head: hal.Head{Yaw: 30 * deg, Pitch: -0.01, Z: 0.01}, Antennas: hal.Antennas{Left: 10 * deg, Right: -10 * deg},
		Faults: []hal.Fault{{Name: hal.FaultServoMissing, Joint: "stewart_3"}, {Name: hal.FaultBusLost}},
	}
	b := &bodyDouble{state: func(context.Context) (hal.State, error) { return s, nil }}
	r := registry(t, Options{Body: b})
	res := call(r, "get_robot_state", "")
	want := "I am awake and moving (gesture nod); I look 30° left, my body is turned 10° to the right, and my antennas are at " +
		"10° (left) and −10° (right). Something is wrong: servo missing at stewart_3 and bus lost."
	if res.Message != want {
		t.Errorf("got  %s\nwant %s", res.Message, want)
	}
	if d := res.Data.(StateData); d.Head.Yaw != 30 || d.BodyYaw != -10 || d.Antennas.Left != 10 || d.Head.Z != 0.01 {
		t.Errorf("data %+v", d)
	}
	for _, c := range []struct {
		s    hal.State
		says string
	}{
		{hal.State{Mode: hal.ModeOffline}, "I cannot feel my motors."},
		{hal.State{Mode: hal.ModeEnabled, EStop: true}, "My emergency stop is on; "},
		{hal.State{Mode: hal.ModeDisabled}, "I am asleep with my motors off; I look straight ahead"},
		{hal.State{Mode: hal.ModePartial}, "Some of my motors are off"},
		{hal.State{Mode: hal.ModeEnabled}, "I am awake and still"},
	} {
		s = c.s
		if res := call(r, "get_robot_state", ""); !strings.HasPrefix(res.Message, c.says) {
			t.Errorf("%q; want %q", res.Message, c.says)
		}
	}
}
