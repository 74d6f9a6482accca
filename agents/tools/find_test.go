package tools

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
)

// room is a robot in a room with things at places, which sees what is within 35° of where its head looks.
type room struct {
	bodyDouble
	senses
	head   hal.Head
	things []Detection
	gazes  []float64 // where the head was turned to, degrees
	length float64   // s, of all movements
	refuse string
	past   map[string]Detection
}

func newRoom(things ...Detection) *room {
	r := &room{things: things, past: map[string]Detection{}}
	r.look = func(string) error { return nil }
	r.state = func(context.Context) (hal.State, error) { return hal.State{GoalHead: r.head, Head: r.head}, nil }
	r.do = func(_ context.Context, req hal.Request) (hal.Answer, error) {
		if r.refuse != "" {
			return hal.Answer{Outcome: hal.Rejected, Code: r.refuse}, nil
		}
		if req.Verb == hal.VerbGoto {
			r.head = req.Head.Over(r.head)
			r.gazes = append(r.gazes, math.Round(degrees(r.head.Yaw)))
			r.length += req.Duration
		}
		return hal.Answer{Outcome: hal.Accepted, Move: "m1", Duration: req.Duration}, nil
	}
	return r
}

func (r *room) Detect(_ context.Context, name string) ([]Detection, error) {
	var found []Detection
	for _, d := range r.things {
		if d.Name == name && math.Abs(math.Remainder(d.Yaw-degrees(r.head.Yaw), 360)) < 35 {
			found = append(found, d)
		}
	}
	return found, r.err
}

func (r *room) Saw(found []Detection) {
	for _, d := range found {
		r.past[d.Name] = d
	}
}

func (r *room) Last(name string) (Detection, time.Duration, bool) {
	d, known := r.past[name]
	return d, time.Minute, known
}

func (r *room) Forget(name string) { delete(r.past, name) }

func (r *room) tools(t *testing.T) *tool.Registry {
	return registry(t, Options{Body: &r.bodyDouble, Vision: r, Looker: r, Places: r})
}

func TestFinding(t *testing.T) {
	duck := Detection{Name: "duck", Yaw: 80, Pitch: 12}
	r := newRoom(duck)
	reg := r.tools(t)
	find := func(says string) Search {
		t.Helper()
		r.gazes, r.length = nil, 0
		res := call(reg, "find_object", `{"name":"duck"}`)
		if res.Message != says || !res.OK() {
			t.Errorf("%+v, want %s", res, says)
		}
		if r.length > MaxSearch.Seconds() {
			t.Errorf("it took %.1f s: %v", r.length, r.gazes)
		}
		return res.Data.(Search)
	}
	find("I looked around. The duck is far to the left (80°).")
	if len(r.gazes) > 2 || r.gazes[0] != 50 {
		t.Errorf("it looked at %v", r.gazes)
	}
	find("The duck is far to the left (80°).") // it is in view
	if len(r.gazes) != 0 {
		t.Errorf("it looked at %v", r.gazes)
	}
	r.head = hal.Head{}
	find("The duck is far to the left (80°), where I saw it a minute ago.")
	if len(r.gazes) != 1 || r.gazes[0] != 80 {
		t.Errorf("it did not look there first: %v", r.gazes)
	}
	r.head, r.things[0].Yaw = hal.Head{}, -50
	s := find("I looked around. The duck is on the right (50°). It is no longer far to my left, where I saw it a minute ago.")
	if !s.Gone || r.past["duck"].Yaw != -50 {
		t.Errorf("%+v, remembered %+v", s, r.past)
	}
	r.head, r.things = hal.Head{Pitch: -0.3}, nil
	find("I looked around and do not see any duck. The duck was on my right a minute ago.")
	if r.head != (hal.Head{Pitch: -0.3}) || len(r.past) != 0 {
		t.Errorf("the head stays at %+v, remembered %+v", r.head, r.past)
	}
	find("I looked around and do not see any duck.")
	if len(r.gazes) != 6 {
		t.Errorf("it looked at %v", r.gazes)
	}
	if res := call(reg, "follow_object", `{"target":"duck"}`); res.Message != "I could not follow the duck: I looked around and do not see any duck." || res.OK() {
		t.Errorf("%+v", res)
	}
	r.things, r.head = []Detection{duck}, hal.Head{}
	if res := call(reg, "follow_object", `{"target":"duck"}`); res.Message != "I follow the duck from now on." || r.log[len(r.log)-1] != "follow duck" {
		t.Errorf("%+v", res)
	}
	r.head = hal.Head{}
	if res := call(reg, "look_at", `{"target":"duck"}`); res.Message != "I looked at the duck." || r.gazes[len(r.gazes)-1] != 80 {
		t.Errorf("%+v, %v", res, r.gazes)
	}
}

func TestARobotThatMayNotMoveSaysWhatItRemembers(t *testing.T) {
	r := newRoom()
	r.past["cup"] = Detection{Name: "cup", Yaw: -30}
	r.refuse = hal.CodeTorqueOff
	reg := r.tools(t)
	const says = `I do not see any cup from here, and I cannot look around: my motors are off: say "wake up". The cup was on my right a minute ago.`
	if res := call(reg, "find_object", `{"name":"cup"}`); res.Message != says || len(r.past) != 1 {
		t.Errorf("%+v, remembered %v", res, r.past)
	}
	if res := call(reg, "detect_objects", `{"name":"cup"}`); res.Message != "I do not see any cup. The cup was on my right a minute ago." {
		t.Errorf("%+v", res)
	}
}

// A search ends with the call, holds where it is, and is no more than a look when looking fails.
func TestASearchIsInterrupted(t *testing.T) {
	r := newRoom()
	ctx, cancel := context.WithCancelCause(context.Background())
	held := false
	do := r.do
	r.do = func(ctx context.Context, req hal.Request) (hal.Answer, error) {
		held = held || req.Verb == hal.VerbHold
		return do(ctx, req)
	}
	r.wait = func(ctx context.Context, _ string) (hal.Event, error) {
		cancel(errors.New("a newer command took over"))
		return hal.Event{}, ctx.Err()
	}
	reg := r.tools(t)
	res := reg.Call(ctx, "find_object", []byte(`{"name":"duck"}`))
	if res.Code != tool.CodeCancelled || !held || len(r.gazes) != 1 {
		t.Errorf("%+v, held %v, looked at %v", res, held, r.gazes)
	}
	r.wait = func(context.Context, string) (hal.Event, error) {
		return hal.Event{Type: hal.EventMoveDone, Move: "m1", End: hal.EndStopped, Reason: "stop"}, nil
	}
	if res := call(reg, "find_object", `{"name":"duck"}`); res.Code != tool.CodeStopped {
		t.Errorf("%+v", res)
	}
	r.err = errors.New("it is broken")
	if res := call(reg, "find_object", `{"name":"duck"}`); res.Code != tool.CodeFailed || !strings.Contains(res.Message, "broken") {
		t.Errorf("%+v", res)
	}
}

// Wherever the head looks and wherever a thing was seen, a search sees all around the front and ends in time.
func TestStations(t *testing.T) {
	for home := -150.0; home <= 150; home += 10 {
		for was := -160.0; was <= 160; was += 20 {
			from := gaze{home, 0}
			m := &Memory{Detection: Detection{Yaw: was, Pitch: 10}}
			way, at := 0.0, from
			seen := []gaze{from}
			for _, g := range stations(from, m) {
				way += at.time(g) + lookTime
				at = g
				seen = append(seen, g)
			}
			for yaw := -120.0; yaw <= 120; yaw += 5 {
				near := math.Inf(1)
				for _, g := range seen {
					near = min(near, math.Abs(g.yaw-yaw))
				}
				if near > 35 {
					t.Errorf("from %.0f° with a memory of %.0f°: %.0f° is not looked at: %v", home, was, yaw, seen)
				}
			}
			if home >= -60 && home <= 60 && way+at.time(from) > MaxSearch.Seconds()+2 {
				t.Errorf("from %.0f° with a memory of %.0f°: %.1f s", home, was, way)
			}
		}
	}
}

func TestAgo(t *testing.T) {
	for s, want := range map[float64]string{
		0: "a moment ago", 30: "less than a minute ago", 60: "a minute ago", 100: "2 minutes ago", 600: "10 minutes ago", 3500: "an hour ago",
		7200: "2 hours ago", 25 * 3600: "a day ago", 40 * 3600: "2 days ago", 90 * 86400: "90 days ago",
	} {
		if got := ago(s); got != want {
			t.Errorf("%v: %s, want %s", s, got, want)
		}
	}
}
