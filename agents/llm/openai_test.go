package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/llm/ollamatest"
	"github.com/reachyd/reachyd/agents/tool"
)

// openaiServer answers chats with these lines, and notes what it was asked.
func openaiServer(t *testing.T, lines string) (c *Client, asked *string) {
	t.Helper()
	asked = new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"a key is missing"}}`)
			return
		}
		switch r.URL.Path {
		case "/v1/models":
			_, _ = io.WriteString(w, `{"data":[{"id":"small-1.5b"},{"id":"nomic-embed-text"}]}`)
		case "/v1/embeddings":
			_, _ = io.WriteString(w, `{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,0]}]}`)
		case "/v1/chat/completions":
			body, _ := io.ReadAll(r.Body)
			*asked = string(body)
			_, _ = io.WriteString(w, lines)
		}
	}))
	t.Cleanup(s.Close)
	c = open(t, s.URL, func(cfg *Config) {
		cfg.API, cfg.Key, cfg.Retries, cfg.Models = OpenAI, "secret", -1, map[Role][]string{RoleTalk: {"small-1.5b"}}
	})
	return c, asked
}

func TestOpenAIReplies(t *testing.T) {
	chunk := func(delta string) string {
		return "data: {\"choices\":[{\"index\":0,\"delta\":{" + delta + "},\"finish_reason\":null}]}\n\n"
	}
	const end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" +
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":20}}}\n\ndata: [DONE]\n\n"
	for name, x := range map[string]struct {
		lines, text, calls string
		err                error
	}{
		"text": {
			": hello\n\nevent: message\n" +
				chunk(`"role":"assistant","content":""`) + chunk(`"content":"Hel"`) + chunk(`"content":"lo."`) + end,
			"Hello.", "", nil,
		},
		"calls in pieces": {
			chunk(`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"move_head","arguments":""}}]`) +
				chunk(`"tool_calls":[{"index":0,"function":{"arguments":"{\"yaw\":"}}]`) + chunk(`"tool_calls":[{"index":0,"function":{"arguments":" 30}"}}]`) +
				chunk(`"tool_calls":[{"index":1,"id":"b","function":{"name":"move_head","arguments":"{\"yaw\":-5}"}}]`) + end,
			"", `move_head{"duration":1,"yaw":30} move_head{"duration":1,"yaw":-5}`, nil,
		},
		"whole calls with one index": {
			chunk(`"tool_calls":[{"index":0,"id":"a","function":{"name":"move_head","arguments":"{\"yaw\":1}"}},`+
				`{"index":0,"id":"b","function":{"name":"move_head","arguments":"{\"yaw\":2}"}}]`) + end,
			"", `move_head{"duration":1,"yaw":1} move_head{"duration":1,"yaw":2}`, nil,
		},
		"reasoning":      {chunk(`"reasoning_content":"I see."`) + chunk(`"content":"Yes."`) + end, "Yes.", "", nil},
		"cut off":        {chunk(`"content":"Hel"`), "Hel", "", ErrIncomplete},
		"no reason":      {chunk(`"content":"Hel"`) + "data: [DONE]\n\n", "Hel", "", ErrIncomplete},
		"an error":       {chunk(`"content":"Hel"`) + "data: {\"error\":{\"message\":\"out of memory\"}}\n\n", "Hel", "", &ServerError{}},
		"not JSON":       {"data: {\"choices\"\n\n", "", "", ErrBadOutput},
		"without an end": {"data: " + strings.Repeat("x", maxFrame+1), "", "", ErrTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := openaiServer(t, x.lines)
			r, err := c.Chat(t.Context(), Request{Messages: user("hello"), Tools: []tool.Spec{moveHead}}, nil)
			var said *ServerError
			if r.Text != x.text || inWords(r.Calls) != x.calls || !errors.Is(err, x.err) && (!errors.As(x.err, &said) || !errors.As(err, &said)) {
				t.Errorf("%q, %s, %v", r.Text, inWords(r.Calls), err)
			}
			if err == nil && (r.Usage.PromptTokens != 30 || r.Usage.CachedTokens != 20 || r.Usage.ReplyTokens != 4) {
				t.Errorf("%+v", r.Usage)
			}
		})
	}
}

func TestOpenAIRequests(t *testing.T) {
	c, asked := openaiServer(t, "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"yaw\\\":1}\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	call := Call{ID: "a", Name: "move_head", Args: json.RawMessage(`{"yaw":3}`)}
	r, err := c.Chat(t.Context(), Request{
		System: "Be kind.", Schema: &moveHead.Parameters,
		Messages: []Message{{Who: User, Text: "hello"}, {Who: Assistant, Calls: []Call{call}}, call.Result("done"), {Who: User, Text: "and now?"}},
	}, nil)
	if err != nil || r.Text != `{"duration":1,"yaw":1}` {
		t.Errorf("%+v, %v", r, err)
	}
	for _, want := range []string{
		`{"role":"system","content":"Be kind."}`, `"tool_calls":[{"id":"a","type":"function","function":{"name":"move_head","arguments":"{\"yaw\":3}"}}]`,
		`{"role":"tool","content":"done","tool_call_id":"a"}`, `"response_format":{"json_schema":{"name":"reply"`, `"stream_options":{"include_usage":true}`,
	} {
		if !strings.Contains(*asked, want) {
			t.Errorf("%s is not in %s", want, *asked)
		}
	}
	vectors, model, err := c.Embed(t.Context(), []string{"a", "b"})
	if err != nil || model != "nomic-embed-text" || fmt.Sprint(vectors) != "[[1 0] [0 1]]" {
		t.Errorf("%v %s %v", vectors, model, err)
	}
	if n := c.Size(RoleTalk); n != 975e6 {
		t.Errorf("a model of 1.5 billion parameters has %d bytes", n)
	}
	if _, err := New(Config{API: "soap"}); err == nil || !strings.Contains(err.Error(), `api: "soap"`) {
		t.Errorf("%v", err)
	}
}

func TestOpenAIKey(t *testing.T) {
	c, _ := openaiServer(t, "")
	other := open(t, strings.TrimSuffix(c.base.String(), "/v1"), func(cfg *Config) { cfg.API, cfg.Retries = OpenAI, -1 })
	if _, err := other.Chat(t.Context(), Request{Messages: user("hello")}, nil); err == nil || !strings.Contains(err.Error(), "a key is missing") {
		t.Errorf("without a key: %v", err)
	}
}

// Ollama's own server speaks OpenAI's interface as well.
func TestOpenAIWithARealServer(t *testing.T) {
	s := ollamatest.Start(t, rules...)
	c := open(t, s.URL+"/v1", func(cfg *Config) { cfg.API = OpenAI; cfg.Models[RoleEmbed] = []string{"vectors"} })
	for _, x := range []struct{ say, text, calls string }{
		{"say hello", "Hello there, I am a robot.", ""},
		{"look left", "", `move_head{"duration":1,"yaw":30}`},
	} {
		r, err := c.Chat(t.Context(), Request{Messages: user(x.say), Tools: []tool.Spec{moveHead}}, nil)
		if err != nil || x.text != "" && strings.TrimSpace(r.Text) != x.text || inWords(r.Calls) != x.calls {
			t.Errorf("%q: %q, %s, %v", x.say, r.Text, inWords(r.Calls), err)
		}
		if r.Usage.PromptTokens == 0 || r.Usage.FirstToken <= 0 || r.Usage.FirstToken > time.Minute {
			t.Errorf("%q: %+v", x.say, r.Usage)
		}
	}
	if v, _, err := c.Embed(t.Context(), []string{"hello", "goodbye"}); err != nil || len(v) != 2 {
		t.Errorf("%d vectors, %v", len(v), err)
	}
}

func FuzzOpenAIEvents(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n")
	f.Add(": x\ndata:{}\n{\"error\":1}")
	f.Fuzz(func(t *testing.T, text string) {
		e := &events{lines: newFrames(strings.NewReader(text))}
		for range 1000 {
			var fr frame
			if err := e.next(&fr); err != nil || fr.Done || fr.Error != "" {
				return
			}
		}
	})
}
