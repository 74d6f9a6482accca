package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/agents/websearch"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// robot has a few tools that note how they were called.
type robot struct {
	*tool.Registry
	mu   sync.Mutex
	log  []string
	fail map[string]string // tool: message
}

func (r *robot) note(name string, args any) tool.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, _ := json.Marshal(args)
	r.log = append(r.log, name+string(text))
	if why, bad := r.fail[name]; bad {
		return tool.Errorf(tool.CodeFailed, "%s", why)
	}
	return tool.Success("I did "+name+".", map[string]any{"by": name})
}

func (r *robot) did() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.log, " ")
}

func newRobot(t testing.TB) *robot {
	r := &robot{Registry: tool.NewRegistry(nil), fail: map[string]string{}}
	add := func(name string, schema tool.Schema) {
		spec := tool.Spec{Name: name, Description: "does " + name, Parameters: schema}
		if err := r.Add(tool.Func(spec, func(_ context.Context, args map[string]any) tool.Result { return r.note(name, args) })); err != nil {
			t.Fatal(err)
		}
	}
	add("move_head", tool.Object(map[string]tool.Schema{"yaw": tool.Number("", "°", -180, 180), "pitch": tool.Number("", "°", -40, 40)}))
	add("gesture", tool.Object(map[string]tool.Schema{"name": tool.OneOf("", "nod", "bow")}, "name"))
	add("take_photo", tool.Object(nil))
	add("look_at", tool.Object(map[string]tool.Schema{"target": tool.Text("", 100)}, "target"))
	add("analyze_scene", tool.Object(map[string]tool.Schema{"prompt": tool.Text("", 100)}))
	add("search_web", tool.Object(map[string]tool.Schema{"query": tool.Text("", 100)}, "query"))
	add("get_robot_state", tool.Object(nil))
	add("count_apples", tool.Object(nil)) // self-made
	return r
}

// coder recognises sums, and makes a tool of everything.
type coder struct{ made []string }

func (c *coder) Match(_ string, u *language.Utterance, _ planner.Plan) coordinator.Match {
	return u.Text
}

func (*coder) Stop(*language.Utterance) {}

func (*coder) Kept() []language.Kept { return nil }

func (*coder) End(*language.Utterance) (string, bool) { return "", false }

func (c *coder) Serves(m coordinator.Match) bool {
	text, _ := m.(string)
	return strings.HasPrefix(text, "what is 15")
}

func (c *coder) Make(_ context.Context, r coordinator.Request) coordinator.Answer {
	c.made = append(c.made, r.Text)
	return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: "I made a tool for: " + r.Text + "."}
}

func (c *coder) Find(_ context.Context, text string, _ int) []string {
	if strings.Contains(text, "apple") {
		return []string{"count_apples", "gone"}
	}
	return nil
}

// pages is a web of one page.
type pages struct{ text string }

func (p pages) Find(_ context.Context, query string) (websearch.Found, error) {
	return websearch.Found{
		Query:   query,
		Results: []websearch.Result{{Title: "Ducks", URL: "http://ducks.example.org/", Snippet: "About ducks.", Site: "ducks.example.org"}},
	}, nil
}

func (p pages) Read(_ context.Context, address string) (websearch.Page, error) {
	if address != "http://ducks.example.org/" {
		return websearch.Page{}, websearch.ErrRefused
	}
	return websearch.Page{URL: address, Title: "Ducks", Site: "ducks.example.org", Text: p.text}, nil
}

type stage struct {
	*Runtime
	robot    *robot
	coder    *coder
	handoffs []string
	partial  []string
	failures []error
	history  []coordinator.Exchange
	spans    []trace.Span
}

func newStage(t testing.TB, model llm.Model, change func(*Options)) *stage {
	t.Helper()
	s := &stage{robot: newRobot(t), coder: &coder{}}
	own := map[string]bool{}
	for _, spec := range s.robot.List() {
		own[spec.Name] = spec.Name != "count_apples"
	}
	o := Options{
		Model: model, Tools: s.robot, Coder: s.coder, Pages: pages{text: "Ducks swim."}, Memory: memory.New(nil, nil), Own: own,
		Publish: func(_ string, data api.Payload) {
			h := data.(api.Handoff)
			s.handoffs = append(s.handoffs, fmt.Sprint(h.EventType(), " ", h.From, ">", h.To, ": ", h.Reason))
		},
		Failed: func(err error) { s.failures = append(s.failures, err) },
	}
	if change != nil {
		change(&o)
	}
	s.Runtime = New(o)
	t.Cleanup(s.Close)
	return s
}

func (s *stage) ask(ctx context.Context, text string) coordinator.Answer {
	recorder := trace.NewRecorder(nil)
	a := s.Handle(trace.With(ctx, recorder), coordinator.Request{
		Session: "a", Trace: fmt.Sprintf("t%03d", len(s.history)+1), Text: text, History: s.history,
		Plan:    planner.Plan{Outcome: planner.OutcomeNone},
		Call:    s.robot.Call,
		Partial: func(text string) { s.partial = append(s.partial, text) },
	})
	s.spans, _ = recorder.Spans()
	s.history = append(s.history, coordinator.Exchange{Trace: fmt.Sprintf("t%03d", len(s.history)+1), Text: text, Reply: a.Text})
	return a
}

func (s *stage) kinds() string {
	var all []string
	for _, sp := range s.spans {
		all = append(all, string(sp.Kind)+" "+sp.Name)
	}
	return strings.Join(all, "; ")
}

func (s *stage) expect(t *testing.T, a coordinator.Answer, outcome coordinator.Outcome, text string) {
	t.Helper()
	if a.Outcome != outcome || a.Text != text {
		t.Errorf("answer %s: %q, want %s: %q", a.Outcome, a.Text, outcome, text)
	}
}
