package demonstration

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/learner/demo"
)

// rig is a robot whose joints a hand moves.
type rig struct {
	*Recorder

	mu       sync.Mutex
	state    hal.State
	requests []hal.Request
	refuse   string
	events   []string
	times    chan time.Time
	frame    int
}

func (r *rig) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	r.requests = append(r.requests, req)
	if r.refuse != "" {
		return hal.Answer{Outcome: hal.Rejected, Reason: r.refuse}, nil
	}
	return hal.Answer{Outcome: hal.Accepted, Move: "m1"}, nil
}

func (r *rig) Publish(_ string, data api.Payload) {
	r.events = append(r.events, data.(api.Demonstration).State)
}

// now is the state of the robot; each time it is asked for the hand has moved on.
func (r *rig) now() hal.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := math.Sin(math.Pi * math.Max(0, math.Min(1, float64(r.frame-10)/30)))
	q, err := kinematics.Inverse(hal.Head{Yaw: 0.4 * s}.Pose(), 0)
	if err != nil {
		panic(err)
	}
	r.state.Joints = q
	return r.state
}

func newRig(t *testing.T) *rig {
	t.Helper()
	s, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	r := &rig{times: make(chan time.Time)}
	r.Recorder = &Recorder{
		Body: r, State: r.now, Kept: store.NewBucket[demo.Demo](s, "demonstrations", store.Keep{}), Moves: filepath.Join(t.TempDir(), "moves"),
		Events: r, Tick: func() (<-chan time.Time, func()) { return r.times, func() {} },
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func (r *rig) ask(t *testing.T, args string) (string, error) {
	t.Helper()
	v, err := r.Demonstrate(t.Context(), json.RawMessage(args))
	text, _ := json.Marshal(v)
	return string(text), err
}

func (r *rig) must(t *testing.T, args, says string) string {
	t.Helper()
	got, err := r.ask(t, args)
	if err != nil || !strings.Contains(got, says) {
		t.Fatalf("%s: %s, %v; want %q", args, got, err, says)
	}
	return got
}

func (r *rig) show(t *testing.T, frames int) {
	t.Helper()
	for range frames {
		r.mu.Lock()
		r.frame++
		r.mu.Unlock()
		r.times <- time.Time{}
	}
}

func TestAHandGuidedGestureBecomesAMove(t *testing.T) {
	r := newRig(t)
	r.must(t, `{"action":"record","name":"curious look","how":"hand","task":"look curious"}`, `"how":"hand"`)
	if len(r.requests) != 1 || *r.requests[0].On {
		t.Fatalf("the motors hold: %+v", r.requests)
	}
	if _, err := r.ask(t, `{"action":"record","name":"another","how":"hand"}`); err == nil {
		t.Error("two demonstrations are recorded at once")
	}
	r.show(t, 50)
	r.must(t, `{"action":"stop"}`, `"frames":50`)
	if len(r.requests) != 2 || !*r.requests[1].On {
		t.Fatalf("the motors do not hold again: %+v", r.requests)
	}
	r.must(t, `{"action":"list"}`, `"name":"curious look"`)
	r.must(t, `{"action":"replay","name":"curious look"}`, `"move":"m1"`)
	if req := r.requests[2]; req.Verb != hal.VerbPlay || len(req.Recording.Frames) < 30 {
		t.Errorf("replayed as %+v", req)
	}
	r.must(t, `{"action":"name","name":"curious look","as":"Curious Look"}`, `"move":"Curious Look"`)
	text, err := os.ReadFile(filepath.Join(r.Moves, "curious_look.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rec hal.Recording
	if err := json.Unmarshal(text, &rec); err != nil || len(rec.Frames) != len(rec.Time) || len(rec.Frames) < 30 {
		t.Errorf("the move has %d frames, %v", len(rec.Frames), err)
	}
	var out struct{ Data []byte }
	if err := json.Unmarshal([]byte(r.must(t, `{"action":"export","name":"curious look"}`, "data")), &out); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(map[string]any{"action": "import", "name": "copy", "data": out.Data})
	if err != nil {
		t.Fatal(err)
	}
	r.must(t, string(again), `"name":"copy"`)
	r.must(t, `{"action":"delete","name":"curious look"}`, "curious look")
	if got := r.must(t, `{"action":"list"}`, "copy"); strings.Contains(got, "curious look\"") {
		t.Errorf("deleted, and still there: %s", got)
	}
	if got := strings.Join(r.events, " "); got != "recording kept named kept deleted" {
		t.Errorf("events: %s", got)
	}
}

func TestByCommandsTheMotorsHold(t *testing.T) {
	r := newRig(t)
	r.must(t, `{"action":"record","how":"commands"}`, "demonstration 20")
	r.show(t, 20)
	r.must(t, `{"action":"stop"}`, `"how":"commands"`)
	if len(r.requests) != 0 {
		t.Errorf("the body was asked: %+v", r.requests)
	}
}

func TestAProgramShowsTargets(t *testing.T) {
	r := newRig(t)
	r.must(t, `{"action":"add","name":"bow","task":"bow","actions":[{"head":{"pitch":20},"duration":0.4},{"head":{},"duration":0.4}]}`, `"frames":21`)
	r.must(t, `{"action":"add","actions":[{"body_yaw":20,"duration":1}]}`, "demonstration 20")
	r.must(t, `{"action":"add","actions":[{"body_yaw":20,"duration":1}]}`, "demonstration 20") // in the same second, too
	r.must(t, `{"action":"replay","name":"bow"}`, `"move":"m1"`)
	if _, err := r.ask(t, `{"action":"add","name":"bow","actions":[{"body_yaw":20,"duration":1}]}`); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("the name was taken twice: %v", err)
	}
	if len(r.requests) != 1 {
		t.Errorf("the robot moved: %+v", r.requests)
	}
}

func TestWhatCannotBeShown(t *testing.T) {
	r := newRig(t)
	for args, says := range map[string]string{
		`{"action":"stop"}`:                               "nothing is being recorded",
		`{"action":"replay","name":"nobody"}`:             "no demonstration",
		`{"action":"show","name":""}`:                     "name",
		`{"action":"record","name":"a/b","how":"hand"}`:   "name",
		`{"action":"import","data":"AAAA"}`:               "zip",
		`{"action":"import","data":"not base64"}`:         "data",
		`{"action":"delete","name":"../../etc/passwd"}`:   "name",
		`{"action":"name","name":"nobody","as":"a move"}`: "no demonstration",
	} {
		if _, err := r.ask(t, args); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", args, err, says)
		}
	}
	r.state.EStop = true
	if _, err := r.ask(t, `{"action":"record","how":"hand"}`); err == nil || len(r.requests) != 0 {
		t.Error("the motors of a stopped robot were switched")
	}
	r.state.EStop, r.refuse = false, "no bus"
	if _, err := r.ask(t, `{"action":"record","how":"hand"}`); err == nil || !strings.Contains(err.Error(), "no bus") {
		t.Errorf("%v", err)
	}
	r.refuse = ""
	r.must(t, `{"action":"record","name":"short","how":"hand"}`, "short")
	r.show(t, 2)
	if _, err := r.ask(t, `{"action":"stop"}`); err == nil || !strings.Contains(err.Error(), "frames") {
		t.Errorf("two frames were kept: %v", err)
	}
	if on := r.requests[len(r.requests)-1].On; on == nil || !*on {
		t.Error("the motors do not hold after a demonstration that was too short")
	}
}

// A demonstration of nothing names the argument that is missing.
func TestNothingShown(t *testing.T) {
	var wrong tool.ArgumentErrors
	if _, err := newRig(t).ask(t, `{"action":"add","name":"bow","actions":[]}`); !errors.As(err, &wrong) || wrong[0].Field != "actions" {
		t.Errorf("%v", err)
	}
}
