package coordinator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/language"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// robot is a body whose moves last two seconds and which does one at a time, as the real one does.
type robot struct {
	mu    sync.Mutex
	n     int
	ends  map[string]chan string // one end per move
	now   string
	log   []string
	latch bool
	by    string                        // who latched it
	name  string                        // of the move
	asked func(hal.Request) *hal.Answer // may answer in the robot's place
}

const moveTime = 2 * time.Second

func newRobot() *robot { return &robot{ends: map[string]chan string{}} }

func (r *robot) end(how string) {
	if c := r.ends[r.now]; r.now != "" {
		c <- how
		r.now = ""
	}
}

func (r *robot) Do(_ context.Context, req hal.Request) (hal.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, strings.TrimSpace(string(req.Verb)+" "+req.Name))
	if r.asked != nil {
		if a := r.asked(req); a != nil {
			return *a, nil
		}
	}
	switch req.Verb {
	case hal.VerbHold:
		r.end(hal.EndCancelled)
		return hal.Answer{Outcome: hal.Accepted}, nil
	case hal.VerbReset:
		if r.by != req.Source {
			return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeEStop}, nil
		}
		r.latch = false
		return hal.Answer{Outcome: hal.Accepted}, nil
	case hal.VerbStop:
		r.latch, r.by = true, req.Source
		r.end(hal.EndStopped)
		return hal.Answer{Outcome: hal.Accepted}, nil
	}
	if r.latch {
		return hal.Answer{Outcome: hal.Rejected, Code: hal.CodeEStop}, nil
	}
	r.end(hal.EndCancelled)
	r.n++
	id := fmt.Sprint("m", r.n)
	r.name = strings.TrimSpace(string(req.Verb) + " " + req.Name)
	r.now, r.ends[id] = id, make(chan string, 2)
	return hal.Answer{Outcome: hal.Accepted, Move: id, Duration: moveTime.Seconds()}, nil
}

func (r *robot) State(context.Context) (hal.State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := hal.State{Mode: hal.ModeEnabled, EStop: r.latch, EStopBy: r.by, Moving: r.now != "", MoveName: r.name}
	return s, nil
}

func (r *robot) Wait(ctx context.Context, move string) (hal.Event, error) {
	r.mu.Lock()
	c := r.ends[move]
	r.mu.Unlock()
	select {
	case how := <-c:
		return hal.Event{Type: hal.EventMoveDone, Move: move, End: how}, nil
	case <-time.After(moveTime):
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.now == move {
			r.now = ""
		}
		return hal.Event{Type: hal.EventMoveDone, Move: move, End: hal.EndDone}, nil
	case <-ctx.Done():
		return hal.Event{}, ctx.Err()
	}
}

func (r *robot) did() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.log, ", ")
}

// plans is a planner that knows sentences by heart: "nod; wait 3; stop" is a plan of three steps.
type plans struct{}

func (plans) PlanFor(u *language.Utterance) planner.Plan {
	text := u.Text
	p := planner.Plan{Text: text, Outcome: planner.OutcomePlan, Steps: []planner.Step{}}
	switch {
	case text == "":
		p.Outcome = planner.OutcomeNone
		return p
	case strings.HasPrefix(text, "?"):
		p.Outcome, p.Message = planner.OutcomeNone, text[1:]
		return p
	case strings.HasPrefix(text, "refuse"):
		p.Outcome, p.Message = planner.OutcomeRefuse, strings.TrimPrefix(text, "refuse ")
		return p
	case strings.HasPrefix(text, "error"):
		p.Outcome, p.Message = planner.OutcomeError, strings.TrimPrefix(text, "error ")
		return p
	case text == "panic":
		panic("broken planner")
	}
	for part := range strings.SplitSeq(text, "; ") {
		name, arg, _ := strings.Cut(part, " ")
		step := planner.Step{Tool: name}
		switch name {
		case "nod", "dance", "wiggle_antennas", "bow":
			step = planner.Step{Tool: "gesture", Args: map[string]any{"name": name}}
		case "look":
			yaw := map[string]float64{"left": 30, "right": -30, "far": 300}[arg]
			step = planner.Step{Tool: "move_head", Args: map[string]any{"yaw": yaw}}
		case "wait":
			var seconds float64
			if _, err := fmt.Sscan(arg, &seconds); err != nil {
				panic(err)
			}
			step.Args = map[string]any{"seconds": seconds}
		case "thrice":
			step = planner.Step{Tool: "repeat", Args: map[string]any{
				"steps": []planner.Step{{Tool: "gesture", Args: map[string]any{"name": arg}}}, "times": 3.0, "interval": 1.0,
			}}
		case "state":
			step.Tool = "get_robot_state"
		case "bad":
			step = planner.Step{Tool: "wait", Args: map[string]any{"seconds": func() {}}}
		}
		p.Steps = append(p.Steps, step)
	}
	return p
}

// diary is a Publisher that remembers.
type diary struct {
	mu     sync.Mutex
	events []map[string]any
}

func (d *diary) Publish(trace string, data api.Payload) {
	d.mu.Lock()
	defer d.mu.Unlock()
	event := api.Fields(data)
	event["type"], event["trace"] = string(data.EventType()), trace
	d.events = append(d.events, event)
}

// memoryStore is a Store in maps.
type memoryStore struct {
	mu       sync.Mutex
	traces   []*Trace
	sessions map[string]Session
	err      error
}

func (s *memoryStore) SaveTurn(t *Trace, x *Session) error {
	s.mu.Lock()
	s.traces = append(s.traces, t)
	s.mu.Unlock()
	return s.SaveSession(x)
}

func (s *memoryStore) SaveSession(x *Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || x == nil {
		return s.err
	}
	kept, known := s.sessions[x.ID]
	if !known {
		kept.First = x.First
	}
	for _, n := range x.Unsaved { // nothing else is new
		e := x.History[n-x.First]
		if i := n - kept.First; i < uint64(len(kept.History)) {
			kept.History[i] = e
		} else {
			kept.History = append(kept.History, e)
		}
	}
	kept.History = kept.History[x.First-kept.First:]
	kept.ID, kept.First, kept.Oldest, kept.Dialogue = x.ID, x.First, x.First, x.Dialogue
	s.sessions[x.ID] = kept
	return nil
}

func (s *memoryStore) LoadSession(id string) (Session, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, found := s.sessions[id]
	x.History = slices.Clone(x.History)
	return x, found, s.err
}

func (s *memoryStore) DeleteSession(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, id)
	s.traces = slices.DeleteFunc(s.traces, func(t *Trace) bool { return t.Session == id })
	return s.err
}

// scene is a coordinator with all that it works with, all of it real but the robot and the planner.
type scene struct {
	*Coordinator
	robot *robot
	diary *diary
	store *memoryStore
	reg   *tool.Registry
	fails []error
}

func stage(t testing.TB, change func(*Options)) *scene {
	t.Helper()
	s := &scene{robot: newRobot(), diary: &diary{}, store: &memoryStore{sessions: map[string]Session{}}, reg: tool.NewRegistry(nil)}
	if err := tools.Register(s.reg, tools.Options{Body: s.robot}); err != nil {
		t.Fatal(err)
	}
	s.reg.Observe(Events(s.diary))
	o := Options{Planner: plans{}, Tools: s.reg, Publisher: s.diary, Store: s.store, Failed: func(err error) { s.fails = append(s.fails, err) }}
	if change != nil {
		change(&o)
	}
	s.Coordinator = New(o)
	return s
}

// begin runs a turn in its own goroutine, up to where it waits; the function returned gives its reply.
func (s *scene) begin(t *testing.T, session, text string) func() Reply {
	done := make(chan Reply, 1)
	go func() {
		r, err := s.Turn(context.Background(), session, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		done <- r
	}()
	synctest.Wait()
	return func() Reply { return <-done }
}

type silence struct{}

func (silence) Publish(string, api.Payload) {}
