package llm

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/reachyd/reachyd/agents/llm/ollamatest"
	"github.com/reachyd/reachyd/agents/tool"
)

var record = flag.Bool("record", false, "write what the real server answers into testdata")

// families are models that write calls and thoughts each in a way of its own; the server translates, and cuts its
// answer into frames differently for each.
var families = []struct {
	name, parser, say      string
	wantText, wantThinking string
	wantCalls              []string // name and arguments
}{
	{
		name: "qwen3", parser: "qwen3", say: "I turn. " + qwenCall(`{"name": "move_head", "arguments": {"yaw": 30}}`),
		wantText: "I turn.", wantCalls: []string{`move_head {"duration":1,"yaw":30}`},
	},
	{
		name: "qwen3-two-calls", parser: "qwen3",
		say:       qwenCall(`{"name": "move_head", "arguments": {"yaw": 30}}`) + "\n" + qwenCall(`{"name": "move_head", "arguments": {"yaw": -30, "duration": 2}}`),
		wantCalls: []string{`move_head {"duration":1,"yaw":30}`, `move_head {"duration":2,"yaw":-30}`},
	},
	{
		name: "qwen3-thinking", parser: "qwen3-thinking", say: "They greet me.</think>\n\nHello to you.",
		wantText: "Hello to you.", wantThinking: "They greet me.",
	},
	{
		name: "lfm2", parser: "lfm2", say: `<|tool_call_start|>[move_head(yaw=30)]<|tool_call_end|>I turn.`,
		wantText: "I turn.", wantCalls: []string{`move_head {"duration":1,"yaw":30}`},
	},
	{
		name: "functiongemma", parser: "functiongemma", say: `<start_function_call>call:move_head{yaw:30}<end_function_call>`,
		wantCalls: []string{`move_head {"duration":1,"yaw":30}`},
	},
	{
		name: "qwen3-coder", parser: "qwen3-coder",
		say:       "<tool_call>\n<function=move_head>\n<parameter=yaw>\n30\n</parameter>\n</function>\n</tool_call>",
		wantCalls: []string{`move_head {"duration":1,"yaw":30}`},
	},
	{
		name: "own-tags-unknown-to-the-server", say: "<think>I turn.</think>" + `{"name": "move_head", "parameters": {"yaw": "30"}}`,
		wantThinking: "I turn.", wantCalls: []string{`move_head {"duration":1,"yaw":30}`},
	},
	{name: "unknown-tool", say: ollamatest.UseTool("fly", `{"high": true}`)},
	{name: "text-in-many-pieces", say: "Ä ß € 🙂 one two three.", wantText: "Ä ß € 🙂 one two three."},
}

func qwenCall(json string) string { return "<tool_call>\n" + json + "\n</tool_call>" }

// tape keeps what comes in.
type tape struct {
	http.RoundTripper
	heard bytes.Buffer
}

func (t *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	t.heard.Reset()
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(resp.Body, &t.heard), resp.Body}
	return resp, nil
}

// TestRecord writes testdata/frames from a real server: go test ./agents/llm -run TestRecord -record
func TestRecord(t *testing.T) {
	if !*record {
		return
	}
	s := ollamatest.Start(t, rules...)
	keep := func(name string, heard []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join("testdata", "frames", name+".ndjson"), heard, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range families {
		file, err := ollamatest.ParrotFile(ollamatest.Rule{On: "go on, please", Say: f.say})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Create(t.Context(), f.name, ollamatest.ParrotTemplate, f.parser, file); err != nil {
			t.Fatal(err)
		}
		c := open(t, s.URL, func(c *Config) { c.Models = map[Role][]string{RoleTalk: {f.name}} })
		heard := &tape{RoundTripper: c.http.Transport}
		c.http.Transport = heard
		r, err := c.Chat(t.Context(), Request{Messages: user("go on, please"), Tools: []tool.Spec{moveHead}}, nil)
		if err != nil || r.Model != f.name+":latest" {
			t.Errorf("%s: %+v, %v", f.name, r, err)
		}
		keep(f.name, heard.heard.Bytes())
	}
	c := open(t, s.URL, nil)
	heard := &tape{RoundTripper: c.http.Transport}
	c.http.Transport = heard
	r, err := c.Chat(context.Background(), Request{Messages: user("count for ever"), MaxTokens: 30000}, func(Delta) { s.KillRunners() })
	var said *ServerError
	if !errors.As(err, &said) {
		t.Errorf("the model died: %+v, %v", r, err)
	}
	keep("model-dies", heard.heard.Bytes())
}
