package metrics

import (
	"context"
	"encoding/json"
	"errors"
	web "net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/gateway/http"
	"github.com/reachyd/reachyd/daemon/perception"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/client"
)

// ear is a worker that tells what was heard.
type ear struct {
	perception.Worker
	events []client.Event
}

func (e ear) Own(_ context.Context, fn func(client.Message)) error {
	for i := range e.events {
		fn(client.Message{Event: &e.events[i]})
	}
	return nil
}

// full is a meter that has counted one of everything.
func full(t *testing.T) *Meter {
	t.Helper()
	m := New()
	for _, data := range []api.Payload{
		api.Reply{Outcome: "plan", DurationMS: 20},
		api.Handoff{To: "motion"},
		api.ToolResult{Tool: "move_head", Status: "success", DurationMS: 300},
		api.ToolResult{Tool: "my_own", Status: "error"},
		api.ToolResult{Tool: "another_own", Status: "error"},
		api.Photo{},
		api.Notification{Kind: "reminder"},
	} {
		if !slices.Contains(Events, data.EventType()) {
			t.Errorf("%T is counted and not asked for", data)
		}
		m.Hear(api.Event{Data: data})
	}
	m.Asked(&llm.Reply{Model: "qwen", Usage: llm.Usage{PromptTokens: 100, ReplyTokens: 9, Total: time.Second}}, nil)
	m.Asked(&llm.Reply{Model: "qwen"}, errors.New("away"))
	passed := 0
	worker := m.Senses(ear{events: []client.Event{
		{Type: client.Heard, Utterance: &client.Utterance{Latency: 0.3}},
		{Type: client.Rejected, Reason: client.ReasonTooShort},
		{Type: client.StopWord},
		{Type: client.SpeakingDone, Reason: "finished"},
	}})
	if err := worker.Own(t.Context(), func(client.Message) { passed++ }); err != nil || passed != 4 {
		t.Errorf("%d messages got through, %v", passed, err)
	}
	return m
}

func TestEverythingIsCounted(t *testing.T) {
	m := full(t)
	for _, want := range []string{
		`reachyd_turns_total{outcome="plan"} 1`, `reachyd_handoffs_total{agent="motion"} 1`, `reachyd_tool_calls_total{status="success",tool="move_head"} 1`,
		`reachyd_tool_calls_total{status="error",tool="self_made"} 2`, `reachyd_model_requests_total{model="qwen",status="error"} 1`,
		`reachyd_model_tokens_total{direction="read"} 100`, `reachyd_speech_rejected_total{reason="too_short"} 1`, `reachyd_speech_heard_total 1`,
		`reachyd_speech_spoken_total{end="finished"} 1`, `reachyd_speech_stop_words_total 1`, `reachyd_photos_total 1`,
		`reachyd_notifications_total{kind="reminder"} 1`,
	} {
		name := want[:strings.IndexAny(want, "{ ")]
		text, err := testutil.CollectAndFormat(m, expfmt.TypeTextPlain, name)
		if err != nil || !strings.Contains(string(text), want+"\n") {
			t.Errorf("%s is missing: %s %v", want, text, err)
		}
	}
}

// robots are all metrics that reachyd has.
func robots(t *testing.T) *prometheus.Registry {
	t.Helper()
	g := &http.Gateway{
		Listen: "127.0.0.1:0", Metrics: full(t), Version: "test", StateJSON: func() []byte { return []byte("{}") },
		State:     func() hal.State { return hal.State{} },
		Telemetry: func() hal.Telemetry { return hal.Telemetry{Servos: []hal.ServoHealth{{Joint: "stewart_1"}}} },
	}
	if err := g.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	url := "http://" + g.Addr() + "/api/state"
	answer, err := web.Get(url)
	if err != nil || answer.StatusCode != web.StatusOK {
		t.Fatalf("%s: %v %v", url, answer, err)
	}
	answer.Body.Close()
	return g.Registry()
}

// The names are as Prometheus' conventions have them, but for two that were there before and stay.
func TestNamesAreByTheConventions(t *testing.T) {
	problems, err := testutil.GatherAndLint(robots(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if old := p.Metric == "reachyd_body_cpu_percent" || p.Metric == "reachyd_servo_milliamperes"; !old && strings.HasPrefix(p.Metric, "reachyd_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// What the dashboard for Grafana asks for is there.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
	data, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title  string
		UID    string
		Panels []struct {
			Title   string
			Type    string
			GridPos map[string]int
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &board); err != nil || board.UID == "" || len(board.Panels) < 12 {
		t.Fatalf("%d panels, %v", len(board.Panels), err)
	}
	families, err := robots(t).Gather()
	if err != nil {
		t.Fatal(err)
	}
	known, shown := map[string]bool{}, map[string]bool{}
	for _, f := range families {
		known[f.GetName()] = true
	}
	metric := regexp.MustCompile(`\b(reachyd|process|go)_[a-z0-9_]+`)
	for _, p := range board.Panels {
		if p.Title == "" || len(p.Targets) == 0 || p.GridPos["w"] == 0 {
			t.Errorf("panel %+v shows nothing", p)
		}
		for _, target := range p.Targets {
			names := metric.FindAllString(target.Expr, -1)
			if len(names) == 0 {
				t.Errorf("%s: %s asks for nothing of the robot's", p.Title, target.Expr)
			}
			for _, name := range names {
				for _, suffix := range []string{"_bucket", "_sum", "_count"} {
					if base, ok := strings.CutSuffix(name, suffix); ok && known[base] {
						name = base
					}
				}
				if shown[name] = true; !known[name] {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
	for _, part := range []string{"turns", "tool_calls", "speech_heard", "model_requests", "http_requests"} {
		if !shown["reachyd_"+part+"_total"] {
			t.Errorf("the dashboard does not show reachyd_%s_total", part)
		}
	}
}
