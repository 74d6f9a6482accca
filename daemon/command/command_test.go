package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/config"
	"github.com/reachyd/reachyd/hal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// robot records what reached it.
type robot struct {
	mu     sync.Mutex
	got    []hal.Request
	answer hal.Answer
	err    error
}

func (r *robot) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, req)
	return r.answer, r.err
}

func (r *robot) requests() []hal.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]hal.Request(nil), r.got...)
}

type fakeTools struct{ result tool.Result }

func (t fakeTools) List() []tool.Spec { return []tool.Spec{{Name: "move_head", Description: "moves"}} }

func (t fakeTools) Call(context.Context, string, json.RawMessage) tool.Result { return t.result }

// talk answers every sentence in the same way.
type talk func() (coordinator.Reply, error)

func (t talk) Turn(context.Context, string, string) (coordinator.Reply, error) { return t() }

var answered = coordinator.Reply{Text: "hello", Trace: &coordinator.Trace{Outcome: coordinator.OutcomeAnswered, Reply: "hello"}}

// known is what can be asked of a robot.
type known struct{}

func (known) Annotated() string { return "robot: {}" }

func (known) List(key string) ([]api.Setting, error) {
	if key != "idle" {
		return nil, config.ErrNoKey
	}
	return []api.Setting{{Key: key, Value: "calm", When: api.WhenNow}}, nil
}

func (known) Set(values map[string]any) (api.ConfigChange, error) {
	if _, ok := values["idle"]; !ok {
		return api.ConfigChange{}, config.Problems{{Key: "http.listen", Value: "x", Wrong: "is wrong", Allowed: "nothing"}}
	}
	return api.ConfigChange{Changes: []api.SettingChange{{Key: "idle", Value: values["idle"], When: api.WhenNow}}}, nil
}

func (known) Doctor(context.Context) (any, error) { return map[string]any{"llm_ok": false}, nil }

func (known) Trace(id string) (any, error) { return map[string]any{"id": id}, nil }

func newDispatcher() (*Dispatcher, *robot) {
	r := &robot{answer: hal.Answer{Outcome: hal.Accepted, Move: "m1"}}
	return &Dispatcher{
		Body:         r,
		Tools:        fakeTools{tool.Result{Status: tool.StatusSuccess, Message: "done"}},
		Conversation: talk(func() (coordinator.Reply, error) { return answered, nil }),
		Planner:      planner.New(),
		Settings:     known{},
		Doctor:       known{},
		Traces:       known{},
		Sessions:     &talks{},
	}, r
}

func do(t *testing.T, d *Dispatcher, verb, payload string) Reply {
	t.Helper()
	id, data := d.Do(t.Context(), verb, []byte(payload))
	var r Reply
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("reply %q: %v", data, err)
	}
	if r.ID != id {
		t.Fatalf("reply carries id %q, Do returned %q", r.ID, id)
	}
	if r.OK == (r.Error != nil) {
		t.Fatalf("reply is neither ok nor an error: %s", data)
	}
	return r
}

func TestGotoConvertsDegrees(t *testing.T) {
	d, r := newDispatcher()
	r.answer.Changes = []hal.Change{{Field: "head.pitch", Asked: math.Pi / 6, Given: math.Pi / 18}, {Field: "duration", Asked: 0.1, Given: 0.5}}
	r.answer.Outcome = hal.Clamped
	reply := do(t, d, "goto", `{"id":"1","head":{"yaw":90},"body_yaw":-45,"antennas":{"left":180,"right":0},"duration":2}`)
	if !reply.OK {
		t.Fatal(reply.Error)
	}
	got := r.requests()[0]
	if got.Head == nil || math.Abs(*got.Head.Yaw-math.Pi/2) > 1e-12 || *got.Head.Pitch != 0 {
		t.Errorf("head: %+v", got.Head)
	}
	if got.BodyYaw == nil || math.Abs(*got.BodyYaw+math.Pi/4) > 1e-12 {
		t.Errorf("body_yaw: %v", got.BodyYaw)
	}
	if got.Antennas == nil || math.Abs(*got.Antennas.Left-math.Pi) > 1e-12 || got.Duration != 2 {
		t.Errorf("antennas, duration: %+v %v", got.Antennas, got.Duration)
	}
	data, err := json.Marshal(reply.Result)
	if err != nil {
		t.Fatal(err)
	}
	var a hal.Answer
	if err := json.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Changes[0].Asked-30) > 1e-9 || a.Changes[1].Asked != 0.1 {
		t.Errorf("changes are not in public units: %+v", a.Changes)
	}
}

func TestBadCommandsMoveNothing(t *testing.T) {
	for _, c := range []struct{ verb, payload, code, says string }{
		{"goto", `{`, CodeBadJSON, "not a JSON object"},
		{"goto", `[1]`, CodeBadJSON, "not a JSON object"},
		{"goto", `null`, CodeBadJSON, "not a JSON object"},
		{"goto", `{"id":"1"}`, CodeInvalid, "at least one"},
		{"goto", `{"id":"1","head":{"pitch":41}}`, CodeInvalid, "head.pitch"},
		{"goto", `{"id":"1","head":{"nod":1}}`, CodeInvalid, "nod"},
		{"goto", `{"id":"1","head":{"pitch":"x"}}`, CodeInvalid, "head.pitch"},
		{"goto", `{"id":"1","body_yaw":161}`, CodeInvalid, "160"},
		{"goto", `{"id":"1","antennas":{"left":1}}`, CodeInvalid, "right"},
		{"goto", `{"id":"1","head":{},"duration":0}`, CodeInvalid, "duration"},
		{"goto", `{"id":"1","head":{},"law":"warp"}`, CodeInvalid, "min_jerk"},
		{"set_target", `{"id":"1"}`, CodeInvalid, "at least one"},
		{"stop", `{"id":"1","category":2}`, CodeInvalid, "category"},
		{"motors", `{"id":"1"}`, CodeInvalid, "on"},
		{"chat", `{"id":"1","text":" "}`, CodeInvalid, "text"},
		{"chat", `{"id":"1"}`, CodeInvalid, "text"},
		{"chat", `{"id":"a/b","text":"hi"}`, CodeInvalid, "id"},
		{"chat", `{"id":"` + strings.Repeat("a", 129) + `","text":"hi"}`, CodeInvalid, "128"},
		{"chat", `{"id":{},"text":"hi"}`, CodeInvalid, "id"},
		{"levitate", `{"id":"1"}`, CodeUnknownVerb, "goto"},
		{"config/list", `{"id":"1","key":"nope"}`, CodeUnknownName, "no key"},
		{"config/set", `{"id":"1"}`, CodeInvalid, "values"},
		{"config/set", `{"id":"1","values":[]}`, CodeInvalid, "values"},
		{"config/set", `{"id":"1","values":{"http.listen":"x"}}`, CodeInvalid, "http.listen"},
		{"tools/show", `{"id":"1","name":"nope"}`, CodeUnknownTool, "nope"},
		{"train", `{"id":"1","action":"status"}`, CodeNotAvailable, "cannot practise"},
		{"train", `{"id":"1","action":"dance"}`, CodeInvalid, "evaluate"},
		{"train", `{"id":"1","action":"start","episodes":0}`, CodeInvalid, "episodes"},
		{"demonstration", `{"id":"1","action":"list"}`, CodeNotAvailable, "shown"},
		{"demonstration", `{"id":"1","action":"record","how":"telepathy"}`, CodeInvalid, "hand"},
	} {
		d, r := newDispatcher()
		reply := do(t, d, c.verb, c.payload)
		if reply.OK || reply.Error.Code != c.code || !strings.Contains(reply.Error.Message, c.says) {
			t.Errorf("%s %s: got %+v, want code %s and a message with %q", c.verb, c.payload, reply.Error, c.code, c.says)
		}
		if n := len(r.requests()); n != 0 {
			t.Errorf("%s %s: %d requests reached the robot", c.verb, c.payload, n)
		}
	}
}

func TestSameIDActsOnce(t *testing.T) {
	d, r := newDispatcher()
	const payload = `{"id":"x","body_yaw":10}`
	first := do(t, d, "goto", payload)
	second := do(t, d, "goto", payload)
	if len(r.requests()) != 1 {
		t.Fatalf("acted %d times", len(r.requests()))
	}
	if !first.OK || !second.OK {
		t.Fatal("the second reply differs from the first")
	}
	other := do(t, d, "goto", `{"id":"x","body_yaw":20}`)
	if other.OK || other.Error.Code != CodeIDReused || len(r.requests()) != 1 {
		t.Fatalf("another command under the same id: %+v, %d requests", other.Error, len(r.requests()))
	}
}

func TestSameIDAtTheSameTimeActsOnce(t *testing.T) {
	d, _ := newDispatcher()
	var acted atomic.Int32
	enter, leave := make(chan struct{}), make(chan struct{})
	d.Conversation = talk(func() (coordinator.Reply, error) {
		acted.Add(1)
		close(enter)
		<-leave
		return answered, nil
	})
	const payload = `{"id":"x","text":"hi"}`
	var wg sync.WaitGroup
	replies := make([][]byte, 8)
	for i := range replies {
		wg.Go(func() { _, replies[i] = d.Do(context.Background(), "chat", []byte(payload)) })
	}
	<-enter
	close(leave)
	wg.Wait()
	for i := range replies {
		if string(replies[i]) != string(replies[0]) {
			t.Errorf("reply %d differs: %s", i, replies[i])
		}
	}
	if acted.Load() != 1 {
		t.Errorf("acted %d times", acted.Load())
	}
}

func TestWhatBecameOfATurnIsTold(t *testing.T) {
	of := func(o coordinator.Outcome) coordinator.Reply {
		return coordinator.Reply{Text: "in words", Trace: &coordinator.Trace{ID: "t1", Outcome: o}}
	}
	for _, c := range []struct {
		reply coordinator.Reply
		err   error
		code  string // empty: it went well
	}{
		{of(coordinator.OutcomePlan), nil, ""},
		{of(coordinator.OutcomeAnswered), nil, ""},
		{of(coordinator.OutcomeNone), nil, ""},
		{of(coordinator.OutcomeRefuse), nil, "refuse"},
		{of(coordinator.OutcomeFailed), nil, "failed"},
		{coordinator.Reply{}, fmt.Errorf("%w: long", coordinator.ErrText), CodeInvalid},
		{coordinator.Reply{}, fmt.Errorf("%w: odd", coordinator.ErrSession), CodeInvalid},
		{coordinator.Reply{}, coordinator.ErrBusy, hal.CodeBusy},
	} {
		d, _ := newDispatcher()
		d.Conversation = talk(func() (coordinator.Reply, error) { return c.reply, c.err })
		r := do(t, d, "chat", `{"text":"hi"}`)
		switch {
		case c.code == "" && !r.OK, c.code != "" && (r.OK || r.Error.Code != c.code):
			t.Errorf("%+v, %v: %+v", c.reply.Trace, c.err, r)
		case c.err == nil && !strings.Contains(string(encode(r)), `"id":"t1"`):
			t.Errorf("the trace is missing: %s", encode(r))
		}
	}
}

// screen notes what it is asked to show.
type screen struct{ asked string }

func (s *screen) Watch(d time.Duration, rate int) { s.asked = fmt.Sprint(d, " at ", rate) }

func TestPicturesAreAskedFor(t *testing.T) {
	d, _ := newDispatcher()
	if r := do(t, d, "camera", `{}`); r.OK || r.Error.Code != CodeNotAvailable {
		t.Errorf("without a camera: %+v", r)
	}
	s := &screen{}
	d.Viewer = s
	if r := do(t, d, "camera", `{"seconds":1.5,"rate":7}`); !r.OK || s.asked != "1.5s at 7" {
		t.Errorf("%+v, asked for %s", r, s.asked)
	}
}

func TestStopIsNeverTakenForAnOldOne(t *testing.T) {
	d, r := newDispatcher()
	do(t, d, "stop", `{"id":"s"}`)
	do(t, d, "stop", `{"id":"s"}`)
	do(t, d, "stop", ``)
	if n := len(r.requests()); n != 3 {
		t.Fatalf("3 stops, %d reached the robot", n)
	}
}

func TestIDsAreForgotten(t *testing.T) {
	d, r := newDispatcher()
	now := time.Unix(0, 0)
	d.Now = func() time.Time { return now }
	do(t, d, "goto", `{"id":"x","body_yaw":1}`)
	now = now.Add(rememberFor)
	if reply := do(t, d, "goto", `{"id":"x","body_yaw":2}`); !reply.OK {
		t.Fatalf("after %v the id is still taken: %v", rememberFor, reply.Error)
	}
	for i := range rememberMost + 10 {
		d.Do(t.Context(), "goto", []byte(`{"id":"n`+string(rune('a'+i%26))+strings.Repeat("z", i/26)+`","body_yaw":1}`))
	}
	if n := len(d.ids.byID); n > rememberMost {
		t.Errorf("%d ids are remembered, at most %d are allowed", n, rememberMost)
	}
	if len(r.requests()) < 3 {
		t.Error("nothing reached the robot")
	}
}

// disk is a Replies in memory that outlives the dispatcher.
type disk map[string][]byte

func (d disk) Get(id string) ([]byte, bool, error) { v, ok := d[id]; return v, ok, nil }

func (d disk) Put(id string, v []byte, _ time.Duration) error { d[id] = v; return nil }

func TestIDsSurviveARestart(t *testing.T) {
	kept := disk{}
	d1, r1 := newDispatcher()
	d1.Replies = kept
	first := do(t, d1, "goto", `{"id":"x","body_yaw":1}`)
	d2, r2 := newDispatcher()
	d2.Replies = kept
	second := do(t, d2, "goto", `{"id":"x","body_yaw":1}`)
	if len(r1.requests()) != 1 || len(r2.requests()) != 0 {
		t.Errorf("acted %d times before and %d times after the restart", len(r1.requests()), len(r2.requests()))
	}
	if first.OK != second.OK {
		t.Error("the replies differ")
	}
	if other := do(t, d2, "goto", `{"id":"x","body_yaw":2}`); other.OK || other.Error.Code != CodeIDReused {
		t.Errorf("another command under an old id: %+v", other)
	}
}

// An id that was made up is nobody's to ask with again: remembering it would cost every request without one a sync of the disk.
func TestMadeUpIDsAreNotRemembered(t *testing.T) {
	kept := disk{}
	d, r := newDispatcher()
	d.Replies = kept
	for range 2 {
		if reply := do(t, d, "goto", `{"body_yaw":1}`); !reply.OK || !strings.HasPrefix(reply.ID, "auto-") {
			t.Fatalf("%+v", reply)
		}
	}
	if len(kept) != 0 || len(d.ids.byID) != 0 || len(r.requests()) != 2 {
		t.Errorf("%d replies are kept, %d ids remembered, acted %d times", len(kept), len(d.ids.byID), len(r.requests()))
	}
}

func TestRobotSaysNo(t *testing.T) {
	d, r := newDispatcher()
	r.answer = hal.Answer{Outcome: hal.Rejected, Code: hal.CodeEStop, Reason: "the emergency stop is latched"}
	if reply := do(t, d, "goto", `{"id":"1","body_yaw":1}`); reply.OK || reply.Error.Code != hal.CodeEStop {
		t.Errorf("rejected: %+v", reply)
	}
	r.err = errors.New("no such socket")
	if reply := do(t, d, "goto", `{"id":"2","body_yaw":1}`); reply.OK || reply.Error.Code != hal.CodeUnavailable {
		t.Errorf("unreachable: %+v", reply)
	}
	d.Tools = fakeTools{tool.Result{Status: tool.StatusError, Message: "not available: no camera", Code: "unavailable"}}
	if reply := do(t, d, "photo", `{"id":"3"}`); reply.OK || reply.Error.Message != "not available: no camera" {
		t.Errorf("photo: %+v", reply)
	}
}

func TestCommandWithoutIDGetsOne(t *testing.T) {
	d, _ := newDispatcher()
	a, b := do(t, d, "stop", `{}`), do(t, d, "stop", `{}`)
	if a.ID == "" || a.ID == b.ID {
		t.Errorf("ids %q and %q", a.ID, b.ID)
	}
	if n := do(t, d, "chat", `{"id":7,"text":"hi"}`); n.ID != "7" {
		t.Errorf("a number as id became %q", n.ID)
	}
}

func FuzzDo(f *testing.F) {
	for _, v := range Verbs() {
		f.Add(v, []byte(`{"id":"1","text":"hi","head":{"yaw":1},"body_yaw":1,"on":true,"name":"x","args":{}}`))
	}
	f.Add("goto", []byte(`{"id":"1","head":{"yaw":1e999}}`))
	f.Add("goto", []byte(`{"id":"1","antennas":{"left":-0,"right":179.99999}}`))
	f.Fuzz(func(t *testing.T, verb string, payload []byte) {
		d, r := newDispatcher()
		_, data := d.Do(t.Context(), verb, payload)
		var reply Reply
		if err := json.Unmarshal(data, &reply); err != nil {
			t.Fatalf("reply %q: %v", data, err)
		}
		for _, req := range r.requests() {
			if req.Head == nil {
				continue
			}
			if h := req.Head.Over(hal.Head{}); !h.Finite() || math.Abs(h.Pitch) > 40*deg+1e-9 {
				t.Fatalf("out of range reached the robot: %+v", h)
			}
		}
	})
}

func BenchmarkGoto(b *testing.B) {
	d, _ := newDispatcher()
	payload := []byte(`{"head":{"yaw":10},"duration":1}`)
	for b.Loop() {
		d.Do(b.Context(), "goto", payload)
	}
}

type arbiterDouble struct{ told []string }

func (a *arbiterDouble) TookOver()             { a.told = append(a.told, "took over") }
func (a *arbiterDouble) Streams(source string) { a.told = append(a.told, "streams "+source) }

func TestArbiterIsToldWhatTheBodyAccepted(t *testing.T) {
	for _, c := range []struct {
		verb, payload, want string
	}{
		{"goto", `{"body_yaw":10}`, "took over"},
		{"goto", `{"body_yaw":10,"queue":true}`, ""},
		{"set_target", `{"body_yaw":10,"source":"puppet"}`, "streams puppet"},
		{"motors", `{"on":false}`, "took over"},
		{"motors", `{"on":true}`, ""},
		{"stop", ``, ""},
		{"reset", ``, ""},
	} {
		d, r := newDispatcher()
		told := &arbiterDouble{}
		d.Arbiter = told
		if reply := do(t, d, c.verb, c.payload); !reply.OK || strings.Join(told.told, ", ") != c.want {
			t.Errorf("%s %s: told %q, want %q (%v)", c.verb, c.payload, told.told, c.want, reply.Error)
		}
		r.answer = hal.Answer{Outcome: hal.Rejected, Code: hal.CodeEStop, Reason: "no"}
		told.told = nil
		if do(t, d, c.verb, c.payload); len(told.told) != 0 {
			t.Errorf("%s %s: told of what the body refused: %v", c.verb, c.payload, told.told)
		}
	}
}

func TestLanes(t *testing.T) {
	got := map[Lane][]string{}
	for _, name := range append(Verbs(), "unheard-of") {
		got[LaneOf(name)] = append(got[LaneOf(name)], name)
	}
	if want := []string{"goto", "motors", "reset", "set_target"}; !slices.Equal(got[InOrder], want) || !slices.Equal(got[AtOnce], []string{"stop"}) {
		t.Errorf("in order %v, at once %v", got[InOrder], got[AtOnce])
	}
}

// Who takes the result as it is gets what the verb returned; what has an id is refused there, for nothing would remember it.
func TestCarry(t *testing.T) {
	d := &Dispatcher{Conversation: talk(func() (coordinator.Reply, error) { return answered, nil })}
	if r := d.Carry(t.Context(), "chat", []byte(`{"text":"hi"}`)); !r.OK || r.Result != answered.Trace || r.ID == "" {
		t.Errorf("%+v", r)
	}
	for verb, payload := range map[string]string{"chat": `{"text":"hi","id":"1"}`, "unheard of": "{}", "plan": `{"text":`} {
		if r := d.Carry(t.Context(), verb, []byte(payload)); r.OK || r.Error == nil {
			t.Errorf("%s %s: %+v", verb, payload, r)
		}
	}
}

// What is wrong with the arguments of a tool, or with a sentence, is told field by field.
func TestWrongArgumentsAreFields(t *testing.T) {
	d, _ := newDispatcher()
	wrong := tool.Errorf(tool.CodeInvalid, "move_head: yaw: 900 is out of range −180…180°")
	wrong.Wrong = tool.ArgumentErrors{{Field: "yaw", Value: "900", Allowed: "is out of range −180…180°"}}
	d.Tools = fakeTools{wrong}
	for _, c := range []struct{ verb, payload, field, value string }{
		{"tool", `{"name":"move_head","args":{"yaw":900}}`, "args.yaw", "900"},
		{"speak", `{"text":"hello"}`, "yaw", "900"}, // the command's arguments are the tool's
		{"chat", `{"text":" "}`, "text", `""`},
	} {
		r := do(t, d, c.verb, c.payload)
		if r.OK || r.Error.Code != CodeInvalid || len(r.Error.Fields) != 1 || r.Error.Fields[0].Field != c.field || r.Error.Fields[0].Value != c.value {
			t.Errorf("%s: %+v", c.verb, r.Error)
		}
	}
}
