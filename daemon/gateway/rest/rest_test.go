package rest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeRobot answers as the dispatcher does; past are the events that the store has.
type fakeRobot struct {
	events *event.Bus
	past   []api.Event
	asked  string // the latest command of learning or settings

	mu     sync.Mutex
	traces []string // of sentences
}

func (r *fakeRobot) turns() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.traces)
}

func (r *fakeRobot) Do(ctx context.Context, verb string, payload []byte) (string, []byte) {
	switch api.Verb(verb) {
	case api.VerbChat:
		r.mu.Lock()
		r.traces = append(r.traces, tool.Trace(ctx))
		r.mu.Unlock()
		r.events.Publish("", api.Partial{Session: "s", Speaker: api.SpeakerRobot, Text: "I looked"})
		return "1", []byte(`{"ok":true,"result":{"id":"t1","session":"s","outcome":"plan","reply":"I looked left.","steps":[{"tool":"move_head"}]}}`)
	case api.VerbEventsList:
		var a api.EventsArgs
		_ = json.Unmarshal(payload, &a)
		list := api.EventList{Events: []api.Event{}}
		for _, e := range r.past {
			if int(e.ID) > *a.After {
				list.Events = append(list.Events, e)
			}
		}
		data, _ := json.Marshal(api.Response{OK: true, Result: list})
		return "1", data
	case api.VerbToolsGenerate:
		r.events.Publish("somebody else's", api.ToolProgress{Step: api.StepCode})
		r.events.Publish(tool.Trace(ctx), api.ToolProgress{Step: api.StepTests})
		return "1", []byte(`{"ok":true,"result":{"tool_name":"double"}}`)
	case api.VerbTrain, api.VerbDemonstration, api.VerbFeedback, api.VerbConfigSet:
		r.asked = verb + " " + string(payload)
		return "1", []byte(`{"ok":true,"result":{"state":"training","run":"follow-1","reward":0.5,"success_rate":0.9,"best":{"success":0.8},"name":"bow"}}`)
	case api.VerbGoto:
		return "1", []byte(`{"error":{"code":"invalid","message":"body_yaw: 200 is out of range",` +
			`"fields":[{"field":"body_yaw","value":"200","allowed":"-160…160"}]}}`)
	case api.VerbStop:
		return "1", []byte(`{"error":{"code":"estop","message":"it is stopped"}}`)
	}
	return "1", []byte(`{"ok":true,"result":{}}`)
}

func open(t *testing.T) (*fakeRobot, *API, string) {
	t.Helper()
	r := &fakeRobot{events: event.NewBus(0, nil)}
	a := &API{
		Commander: r, Events: r.events, State: func() []byte { return []byte("{}") }, Version: "test", Changed: func() <-chan struct{} { return nil },
		Follow: func() func() { return func() {} },
	}
	a.Telemetry = a.State
	mux := http.NewServeMux()
	a.Mount(mux)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mux.ServeHTTP(w, req.WithContext(access.With(tool.WithTrace(req.Context(), "request"), access.Everything("test"))))
	}))
	t.Cleanup(func() {
		a.Close()
		http.DefaultClient.CloseIdleConnections()
		s.Close()
		if err := r.events.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r, a, s.URL
}

// Every command of the contract has a route.
func TestEveryCommandHasARoute(t *testing.T) {
	have := Verbs()
	for _, c := range api.Commands() {
		if !slices.Contains(have, c.Verb) && !elsewhere[c.Verb] {
			t.Errorf("cmd/%s has no route below %s", c.Verb, Prefix)
		}
	}
}

// elsewhere are commands whose routes do not go through the command.
var elsewhere = map[api.Verb]bool{
	api.VerbTranscribe: true, api.VerbAnalyze: true, // as /voice/stt and /vision/analyze, which take the file itself
}

func TestProblemsNameTheField(t *testing.T) {
	_, _, base := open(t)
	resp, err := http.Post(base+Prefix+"/robot/goto", "application/json", strings.NewReader(`{"body_yaw":200}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var p api.Problem
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil || resp.StatusCode != http.StatusBadRequest || len(p.Errors) != 1 ||
		p.Errors[0].Field != "body_yaw" ||
		resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %+v %v", resp.StatusCode, p, err)
	}
	stopped, err := http.Post(base+Prefix+"/robot/stop", "application/json", nil)
	if err != nil || stopped.StatusCode != http.StatusConflict {
		t.Errorf("%v %v", stopped, err)
	}
	stopped.Body.Close()
}

// A body that may be left out may not be blanks: they are no JSON.
func TestBlanksAreNoBody(t *testing.T) {
	_, _, base := open(t)
	for body, want := range map[string]int{"": http.StatusOK, "\n": http.StatusBadRequest, " ": http.StatusBadRequest, "{}": http.StatusOK} {
		resp, err := http.Post(base+Prefix+"/tools/files", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != want {
			t.Errorf("%q: %d, %v, want %d", body, resp.StatusCode, err, want)
		}
	}
}

// Arguments that were refused are named as the route calls them, also those of a tool.
func TestProblemsUseTheNamesOfTheRoute(t *testing.T) {
	named := map[string]string{"tool_name": "name", "parameters": "args"}
	for _, c := range []struct{ field, message, wantField, wantMessage string }{
		{"name", "name: is missing", "tool_name", "tool_name: is missing"},
		{"args.yaw", "move_head: yaw: 900 is out of range", "parameters.yaw", "move_head: yaw: 900 is out of range"},
		{"args[0]", "args[0]: x", "parameters[0]", "parameters[0]: x"},
		{"names", "names: x", "names", "names: x"},
	} {
		e := &api.Error{Message: c.message, Fields: []api.FieldError{{Field: c.field}}}
		if Rename(e, named); e.Fields[0].Field != c.wantField || e.Message != c.wantMessage {
			t.Errorf("%+v: %+v", c, e)
		}
	}
}

// A turn is told while it happens, and at the end as a whole.
func TestChatAsAStream(t *testing.T) {
	_, _, base := open(t)
	resp, err := http.Post(base+Prefix+"/chat", "application/json", strings.NewReader(`{"message":"look left","session_id":"s","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, names := "", []string{}
	for in := bufio.NewScanner(resp.Body); in.Scan(); {
		if name, ok := strings.CutPrefix(in.Text(), "event: "); ok {
			names = append(names, name)
		}
		var token struct{ Text string }
		if data, ok := strings.CutPrefix(in.Text(), "data: "); ok && names[len(names)-1] == "token" && json.Unmarshal([]byte(data), &token) == nil {
			said += token.Text
		}
	}
	if said != "I looked left." || names[len(names)-1] != "done" {
		t.Errorf("%q, %v", said, names)
	}
}

// Who accepts a stream hears of each step of the work on his tool, and of nobody else's.
func TestToolIsWrittenAsAStream(t *testing.T) {
	_, _, base := open(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+Prefix+"/tools/generate", strings.NewReader(`{"description":"a tool that doubles"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	want := `event: done
data: {"tool_name":"double"}

`
	if err != nil || !strings.HasSuffix(string(text), want) || strings.Count(string(text), "event: ") != 2 || !strings.Contains(string(text), `"step":"tests"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// Who comes back with the ID of the last event gets all that was missed, once, and then what happens.
func TestEventsAreResumed(t *testing.T) {
	r, _, base := open(t)
	for i := range 5 {
		r.events.Publish("", api.Photo{Name: "p"})
		r.past = append(r.past, api.Event{ID: uint64(i + 1), Type: api.TypePhoto, Data: api.Photo{Name: "p"}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, _, err := websocket.Dial(ctx, base+Prefix+"/ws/events?after=2", nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	for want := uint64(3); want <= 6; want++ {
		_, data, err := c.Read(ctx)
		var e api.Event
		if err != nil || json.Unmarshal(data, &e) != nil || e.ID != want {
			t.Fatalf("%s %v, want %d", data, err, want)
		}
		if want == 5 {
			r.events.Publish("", api.Photo{Name: "new"})
		}
	}
	for _, bad := range []string{"?after=x", "?types=nothing", "?after=-1"} {
		resp, err := http.Get(base + Prefix + "/events" + bad)
		if err != nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v %v", bad, resp, err)
		}
		resp.Body.Close()
	}
}

// The document is JSON, and what it refers to is there.
func TestDocument(t *testing.T) {
	_, a, _ := open(t)
	var doc struct {
		OpenAPI    string
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	text := a.document()
	if err := json.Unmarshal(text, &doc); err != nil || doc.OpenAPI != "3.1.0" || len(doc.Paths) < 40 {
		t.Fatalf("%v, %d paths", err, len(doc.Paths))
	}
	for _, part := range strings.Split(string(text), `"#/components/schemas/`)[1:] {
		if name, _, _ := strings.Cut(part, `"`); doc.Components.Schemas[name] == nil {
			t.Errorf("%s is referred to and not there", name)
		}
	}
}

// What the contract has as one verb with actions is a route for each of them.
func TestLearningRoutes(t *testing.T) {
	r, _, base := open(t)
	for _, c := range []struct{ method, path, body, asked, answer string }{
		{
			"GET", "/training/status", "", `train {"action":"status"}`,
			`"episode":0,"episodes":0,"success_rate":0.9,"avg_reward":0.5,"best_checkpoint":"follow-1/best.policy"`,
		},
		{"GET", "/training/curve?run=follow-1", "", `train {"action":"curve","run":"follow-1"}`, `"run"`},
		{"GET", "/training/runs/follow-1", "", `train {"action":"show","run":"follow-1"}`, `"run"`},
		{"POST", "/training/start", `{"task":"follow","episodes":5}`, `train {"action":"start","episodes":5,"task":"follow"}`, `"state":"training"`},
		{"POST", "/training/start", "", `train {"action":"start"}`, `"state":"training"`},
		{"POST", "/training/stop", `{"task":"follow"}`, "", "task: is not an argument"},
		{"POST", "/training/start", `{"action":"stop"}`, "", "action: is not an argument"},
		{
			"POST", "/demonstration", `{"task_description":"bow","actions":[{"head":{"pitch":20}}]}`,
			`demonstration {"action":"add","actions":[{"head":{"pitch":20}}],"task":"bow"}`, `{"demo_id":"bow","status":"kept"}`,
		},
		{"DELETE", "/demonstrations/bow", "", `demonstration {"action":"delete","name":"bow"}`, `"name":"bow"`},
		{"POST", "/demonstrations/bow/name", `{"as":"my bow"}`, `demonstration {"action":"name","as":"my bow","name":"bow"}`, `"name":"bow"`},
		{"POST", "/demonstrations/bow/name", `{"name":"other"}`, "", "name: stands in the path already"},
		{"POST", "/feedback", `{"episode_id":"t1","feedback_text":"good"}`, `feedback {"episode":"t1","text":"good"}`, `{"status":"processed","reward":0.5}`},
		{"POST", "/feedback", `{"text":"good"}`, "", "text: is called feedback_text here"},
	} {
		r.asked = ""
		req, err := http.NewRequestWithContext(t.Context(), c.method, base+Prefix+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if c.body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || r.asked != c.asked || !strings.Contains(string(answer), c.answer) {
			t.Errorf("%s %s %s: asked %s, want %s; answered %s, %v", c.method, c.path, c.body, r.asked, c.asked, answer, err)
		}
	}
}

func TestMethodsOfAPath(t *testing.T) {
	for path, want := range map[string]string{
		"/chat": "POST", "/session/x": "GET, DELETE", "/session/x/history": "GET", "/session/": "", "/nothing": "", "/tools/x/diff": "GET",
		"/tools/running": "GET", "/tools/add": "GET, POST", "/demonstrations/a%20b": "GET, DELETE",
	} {
		if got := methodsOf(Prefix + path); got != want {
			t.Errorf("%s has %q, want %q", path, got, want)
		}
	}
}

// Settings are changed by PATCH, which is one of the methods of the path and in the document.
func TestSettingsAreChangedByPatch(t *testing.T) {
	r, _, url := open(t)
	ask := func(method, body string) (status int, allow string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url+Prefix+"/config", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode, answer.Header.Get("Allow")
	}
	if status, _ := ask(http.MethodPatch, `{"values":{"sense.volume":50,"idle":null}}`); status != http.StatusOK ||
		r.asked != `config/set {"values":{"idle":null,"sense.volume":50}}` {
		t.Errorf("%d, asked for %s", status, r.asked)
	}
	if status, allow := ask(http.MethodPut, `{}`); status != http.StatusMethodNotAllowed || allow != "GET, PATCH" {
		t.Errorf("%d, allowed are %s", status, allow)
	}
	if status, _ := ask(http.MethodPatch, ``); status != http.StatusBadRequest {
		t.Errorf("an empty body: %d", status)
	}
}

// A word a message is feedback, at both paths; what is none of the four is refused.
func TestLiveFeedback(t *testing.T) {
	r, _, base := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, path := range []string{Prefix + "/ws/live_feedback", "/ws/live_feedback"} {
		c, _, err := websocket.Dial(ctx, base+path, nil) //nolint:bodyclose // the library closes it
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		defer c.CloseNow()
		for _, word := range []struct{ says, status, asked string }{
			{"great", "processed", `feedback {"verdict":"great"}`},
			{`{"feedback":"Bad","episode_id":"e1"}`, "processed", `feedback {"episode":"e1","verdict":"bad"}`},
			{"splendid", "error", ""},
			{"stop", "error", ""}, // this robot is stopped already and refuses
		} {
			r.asked = ""
			if err := c.Write(ctx, websocket.MessageText, []byte(word.says)); err != nil {
				t.Fatal(err)
			}
			_, data, err := c.Read(ctx)
			var answer struct {
				Status string
				Reward float64
			}
			if err != nil || json.Unmarshal(data, &answer) != nil || answer.Status != word.status || r.asked != word.asked {
				t.Errorf("%s %q: %s %v, asked %q", path, word.says, data, err, r.asked)
			}
			if word.status == "processed" && answer.Reward != 0.5 {
				t.Errorf("%s %q: reward %v", path, word.says, answer.Reward)
			}
		}
	}
}
