package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

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
	wantErr                error
	think                  bool
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
		name: "qwen3-thinking", parser: "qwen3-thinking", think: true, say: "They greet me.</think>\n\nHello to you.",
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
	{name: "unknown-tool", say: ollamatest.UseTool("fly", `{"high": true}`), wantErr: ErrBadOutput},
	{name: "text-in-many-pieces", say: "Ä ß € 🙂 one two three.", wantText: "Ä ß € 🙂 one two three."},
}

func qwenCall(json string) string { return "<tool_call>\n" + json + "\n</tool_call>" }

// TestReplay reads what the real server answered, whole and byte by byte.
func TestReplay(t *testing.T) {
	for _, f := range families {
		heard, err := os.ReadFile(filepath.Join("testdata", "frames", f.name+".ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		for how, r := range map[string]io.Reader{
			"whole": bytes.NewReader(heard), "by bytes": iotest.OneByteReader(bytes.NewReader(heard)),
		} {
			reply, err := replay(r, []tool.Spec{moveHead})
			if !errors.Is(err, f.wantErr) {
				t.Errorf("%s, %s: %v, want %v", f.name, how, err, f.wantErr)
			}
			var calls []string
			for _, c := range reply.Calls {
				if c.Err != nil || c.ID == "" {
					t.Errorf("%s, %s: call %+v", f.name, how, c)
				}
				calls = append(calls, c.Name+" "+string(c.Args))
			}
			if strings.TrimSpace(reply.Text) != f.wantText || reply.Thinking != f.wantThinking || !slices.Equal(calls, f.wantCalls) {
				t.Errorf("%s, %s: %q, thinking %q, calls %q", f.name, how, reply.Text, reply.Thinking, calls)
			}
		}
		for cut := range heard[:len(heard)-1] { // wherever the server dies
			if _, err := replay(bytes.NewReader(heard[:cut]), []tool.Spec{moveHead}); err == nil && !json.Valid(heard[bytes.LastIndexByte(heard[:cut], '\n')+1:cut]) {
				t.Errorf("%s: cut off after %d of %d bytes, and nobody noticed", f.name, cut, len(heard))
			}
		}
	}
	heard, err := os.ReadFile(filepath.Join("testdata", "frames", "model-dies.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var said *ServerError
	if reply, err := replay(bytes.NewReader(heard), nil); !errors.As(err, &said) || !strings.HasPrefix(reply.Text, "one two") {
		t.Errorf("the model died: %+v, %v", reply, err)
	}
}

// replay does with frames what attempt does.
func replay(r io.Reader, tools []tool.Spec) (Reply, error) {
	cfg, _, err := Config{}.withDefaults()
	if err != nil {
		return Reply{}, err
	}
	in := intake{limits: &cfg, tools: tools, filter: filter{calls: len(tools) > 0}}
	p := newPatience(cfg.FirstToken, cfg.Between, func(error) {})
	defer p.pause()
	return in.read(newFrames(r), p)
}

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
		r, err := c.Chat(t.Context(), Request{Messages: user("go on, please"), Tools: []tool.Spec{moveHead}, Think: f.think}, nil)
		if (err != nil && f.wantErr == nil) || !errors.Is(err, f.wantErr) || r.Model != f.name+":latest" {
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
