package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/event"
)

// robot answers every sentence, and has a plan for none.
type robot struct {
	events *event.Bus
	asked  []string
	fails  *api.Error
}

func (r *robot) Do(_ context.Context, verb api.Verb, args map[string]any, _ string) (json.RawMessage, *api.Error) {
	if verb == api.VerbPlan {
		return json.RawMessage(`{"outcome":"none"}`), nil
	}
	if verb == api.VerbSynthesize {
		return nil, r.fails
	}
	session, _ := args["session"].(string)
	r.asked = append(r.asked, session+": "+args["text"].(string))
	if r.fails != nil {
		r.events.Publish("", api.Partial{Session: session, Speaker: api.SpeakerRobot, Text: "I lo"})
		return nil, r.fails
	}
	return json.RawMessage(`{"reply":"I looked left."}`), nil
}

// model asks for a tool of the caller, and says what that answered.
type model struct{}

func (model) Ready(llm.Role) error { return nil }

func (model) Chat(_ context.Context, req llm.Request, _ func(llm.Delta)) (llm.Reply, error) {
	if last := req.Messages[len(req.Messages)-1]; last.Who == llm.Tool {
		return llm.Reply{Text: last.Name + " said " + last.Text}, nil
	}
	return llm.Reply{Calls: []llm.Call{{Name: req.Tools[0].Name, Args: json.RawMessage(`{"on":true}`)}}}, nil
}

func open(t *testing.T) (*robot, *Gateway, func(path, body string) (int, string)) {
	t.Helper()
	r := &robot{events: event.NewBus(0, nil)}
	g := &Gateway{Commander: r, Events: r.events}
	mux := http.NewServeMux()
	g.Mount(mux)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mux.ServeHTTP(w, req.WithContext(access.With(tool.WithTrace(req.Context(), "t1"), access.Everything("test"))))
	}))
	t.Cleanup(func() {
		s.Close()
		if err := r.events.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r, g, func(path, body string) (int, string) {
		resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(data)
	}
}

// What is said last is told to the robot, in the conversation that it belongs to.
func TestResponses(t *testing.T) {
	r, _, post := open(t)
	for _, c := range []struct{ body, asked string }{
		{`{"input":"look left","user":"anna","model":"gpt-4o-mini","temperature":0.5}`, "openai-anna: look left"},
		{`{"input":[{"role":"developer","content":"Be kind."},{"role":"user","content":"hi"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello."}]},
			{"type":"reasoning","summary":[]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"look left"}]}],"user":"bob","instructions":"Be short."}`, "openai-bob: look left"},
		{`{"input":"again","previous_response_id":"resp_t1"}`, "openai-bob: again"},
		{`{"input":"hi","tools":[{"type":"web_search_preview"},{"type":"function","name":"lamp","parameters":{"type":"object"}}],"user":"c"}`, "openai-c: hi"},
	} {
		status, answer := post("/v1/responses", c.body)
		var v struct {
			ID, Object, Status string
			Output             []struct {
				Type    string
				Content []struct{ Type, Text string }
			}
			Usage struct {
				Total int `json:"total_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(answer), &v); err != nil || status != http.StatusOK || v.ID != "resp_t1" || v.Status != "completed" || v.Usage.Total == 0 ||
			len(v.Output) != 1 || v.Output[0].Content[0].Text != "I looked left." {
			t.Errorf("%s: %d %s", c.body, status, answer)
		}
		if got := r.asked[len(r.asked)-1]; got != c.asked {
			t.Errorf("%s asked %q, want %q", c.body, got, c.asked)
		}
	}
}

func TestResponsesAreRefused(t *testing.T) {
	r, _, post := open(t)
	for body, param := range map[string]string{
		`{}`: "input", `{"input":[]}`: "input", `{"input":7}`: "input", `{"input":""}`: "input", `{"input":null}`: "input", `[]`: "",
		`{"input":[{"role":"assistant","content":"hi"}]}`:                              "input",
		`{"input":[{"content":"hi"}]}`:                                                 "input[0].role",
		`{"input":[{"type":"mystery"}]}`:                                               "input[0].type",
		`{"input":[{"role":"user","content":[{"type":"input_audio"}]}]}`:               "input[0].content[0].type",
		`{"input":[{"role":"user","content":{}}]}`:                                     "input",
		`{"input":[{"role":"user","content":[1]}]}`:                                    "input[0].content",
		`{"input":"hi","previous_response_id":"resp_never"}`:                           "previous_response_id",
		`{"input":[{"type":"function_call_output","call_id":"c","output":[{"a":1}]}]}`: "input[0].output[0].type",
		`{"input":"` + strings.Repeat("a", maxChat) + `"}`:                             "",
	} {
		status, answer := post("/v1/responses", body)
		var v struct {
			Error struct{ Param, Message string }
		}
		if err := json.Unmarshal([]byte(answer), &v); err != nil || status/100 != 4 || v.Error.Param != param || v.Error.Message == "" {
			t.Errorf("%.80s: %d %s, want %s", body, status, answer, param)
		}
	}
	if len(r.asked) != 0 {
		t.Errorf("the robot was asked %q", r.asked)
	}
}

// eventsOf are the events of a stream, which are numbered and called as they are.
func eventsOf(t *testing.T, stream string) (kinds, datas []string) {
	t.Helper()
	for i, block := range strings.Split(strings.TrimSpace(stream), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(block, "event: "), "\ndata: ")
		var v struct {
			Type     string
			Sequence int `json:"sequence_number"`
		}
		if err := json.Unmarshal([]byte(data), &v); err != nil || v.Type != name || v.Sequence != i {
			t.Fatalf("event %d: %s", i, block)
		}
		kinds, datas = append(kinds, strings.TrimPrefix(name, "response.")), append(datas, data)
	}
	return kinds, datas
}

func TestResponsesAsAStream(t *testing.T) {
	r, _, post := open(t)
	_, stream := post("/v1/responses", `{"input":"look left","stream":true}`)
	kinds, datas := eventsOf(t, stream)
	if got := strings.Join(kinds, " "); got != "created in_progress output_item.added content_part.added output_text.delta output_text.done "+
		"content_part.done output_item.done completed" {
		t.Error(got)
	}
	if last := datas[len(datas)-1]; !strings.Contains(last, `"text":"I looked left."`) || !strings.Contains(last, `"total_tokens"`) {
		t.Error(last)
	}
	r.fails = &api.Error{Code: api.CodeFailed, Message: "the robot is upside down"}
	status, answer := post("/v1/responses", `{"input":"look left","stream":true}`)
	if strings.HasPrefix(answer, "event: ") { // it had begun
		kinds, datas = eventsOf(t, answer)
		if kinds[len(kinds)-1] != "failed" || !strings.Contains(datas[len(datas)-1], "upside down") {
			t.Error(answer)
		}
	} else if status != http.StatusUnprocessableEntity || !strings.Contains(answer, "upside down") {
		t.Errorf("%d %s", status, answer)
	}
}

// What Open WebUI has language models do beside a conversation is not told to the robot.
func TestChoresOfPrograms(t *testing.T) {
	r, _, post := open(t)
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"### Task:\nGenerate a title. USER: look left"}]}`,
		`{"messages":[{"role":"user","content":"Your task is to reflect the mood. Message: look left"}],"stream":true}`,
	} {
		status, answer := post("/v1/chat/completions", body)
		if status != http.StatusOK || !strings.Contains(answer, `"finish_reason":"stop"`) || len(r.asked) != 0 {
			t.Errorf("%s: %d %s, asked %q", body, status, answer, r.asked)
		}
	}
}

// Tools of the caller are called by the caller, who tells what they answered.
func TestResponsesWithTools(t *testing.T) {
	_, g, post := open(t)
	g.Model = model{}
	const tools = `"tools":[{"type":"function","name":"lamp","description":"a lamp","parameters":{"type":"object"}}]`
	_, answer := post("/v1/responses", `{"input":"make it bright",`+tools+`}`)
	if !strings.Contains(answer, `"call_id":"call_t1_0"`) || !strings.Contains(answer, `"arguments":"{\"on\":true}"`) ||
		strings.Contains(answer, `"output_text"`) {
		t.Error(answer)
	}
	_, stream := post("/v1/responses", `{"stream":true,"input":"make it bright",`+tools+`}`)
	kinds, _ := eventsOf(t, stream)
	if got := strings.Join(kinds, " "); got != "created in_progress output_item.added function_call_arguments.delta function_call_arguments.done "+
		"output_item.done completed" {
		t.Error(got)
	}
	_, answer = post("/v1/responses", `{`+tools+`,"input":[{"role":"user","content":"make it bright"},
		{"type":"function_call","call_id":"call_t1_0","name":"lamp","arguments":"{\"on\":true}"},
		{"type":"function_call_output","call_id":"call_t1_0","output":"it is on"}]}`)
	if !strings.Contains(answer, `"text":"lamp said it is on"`) {
		t.Error(answer)
	}
}

// A text that cannot be spoken, and a voice that there is not, are the fields that they are called here.
func TestSpeechNamesTheField(t *testing.T) {
	r, _, post := open(t)
	for field, param := range map[string]string{"text": "input", "voice": "voice"} {
		r.fails = &api.Error{Code: api.CodeInvalid, Message: field + ": \"\" is wrong", Fields: []api.FieldError{{Field: field}}}
		if status, answer := post("/v1/audio/speech", `{"input":""}`); status != http.StatusBadRequest || !strings.Contains(answer, `"param":"`+param+`"`) ||
			!strings.Contains(answer, `"message":"`+param+`: `) {
			t.Errorf("%s: %d %s", field, status, answer)
		}
	}
}

// A method that a path does not have is refused as such; paths that there are not are not found.
func TestMethods(t *testing.T) {
	_, _, post := open(t)
	for path, want := range map[string]int{
		"/v1/models": http.StatusMethodNotAllowed, "/v1/models/" + Model: http.StatusMethodNotAllowed, "/v1/embeddings": http.StatusNotFound,
		"/v1/models/a/b": http.StatusNotFound, "/v1/": http.StatusNotFound,
	} {
		if status, answer := post(path, "{}"); status != want || !strings.Contains(answer, `"error"`) {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	for path, of := range Paths() {
		if method, known := methods[path]; known && of.(schema)[strings.ToLower(method)] == nil {
			t.Errorf("%s has no %s", path, method)
		}
	}
}
