package llm

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/reachyd/reachyd/agents/tool"
)

func TestFramesInOtherShapes(t *testing.T) {
	call := func(args string) string {
		return `{"message":{"tool_calls":[{"function":{"index":0,"name":"move_head","arguments":` + args + `}}]}}` + "\n"
	}
	for _, x := range []struct{ name, lines, text, calls string }{
		{"arguments as a text", call(`"{\"yaw\": 3}"`) + doneFrame, "", `move_head {"duration":1,"yaw":3}`},
		{
			"call in the last frame", `{"message":{"content":"","tool_calls":[{"function":{"name":"move_head","arguments":{"yaw":1}}}]},"done":true}`, "",
			`move_head {"duration":1,"yaw":1}`,
		},
		{
			"two calls with the same index", call(`{"yaw":1}`) + call(`{"yaw":2}`) + doneFrame, "",
			`move_head {"duration":1,"yaw":1}; move_head {"duration":1,"yaw":2}`,
		},
		{"blank lines", "\n\r\n" + frameOf("a") + "\n" + doneFrame, "a", ""},
		{"no line end at the end", frameOf("a") + strings.TrimSpace(doneFrame), "a", ""},
		{"lines longer than the buffer", frameOf(strings.Repeat("x", 9000)) + frameOf("y") + doneFrame, strings.Repeat("x", 9000) + "y", ""},
		{"unknown fields", `{"message":{"content":"a","mood":[1]},"logprobs":[],"x":{}}` + "\n" + doneFrame, "a", ""},
		{
			"call in a text", frameOf("```json\n{\"name\": \"move_head\",") + frameOf(` "arguments": {"yaw": 4}}`) + frameOf("\n```") + doneFrame, "",
			`move_head {"duration":1,"yaw":4}`,
		},
		{
			"calls in an array", frameOf(`[{"name":"move_head","arguments":{"yaw":1}},{"name":"move_head","parameters":"{\"yaw\":2}"}]`) + doneFrame, "",
			`move_head {"duration":1,"yaw":1}; move_head {"duration":1,"yaw":2}`,
		},
		{"JSON that is no call", frameOf(`{"name": "Ada",`) + frameOf(` "age": 36}`) + doneFrame, `{"name": "Ada", "age": 36}`, ""},
		{"a call beside text", frameOf(`{"name":"move_head","arguments":{"yaw":1}} done`) + doneFrame, `{"name":"move_head","arguments":{"yaw":1}} done`, ""},
		{
			"a thought and a call", frameOf("<th") + frameOf("ink>so</thi") + frameOf("nk>\n\n{\"name\":\"move_head\"") + frameOf(`,"arguments":{"yaw":1}}`) + doneFrame,
			"", `move_head {"duration":1,"yaw":1}`,
		},
		{"less than", frameOf("<") + frameOf("3 you") + doneFrame, "<3 you", ""},
		{"a thought in the middle is text", frameOf("I write <think>a</think>") + doneFrame, "I write <think>a</think>", ""},
	} {
		r, err := replay(strings.NewReader(x.lines), []tool.Spec{moveHead})
		var calls []string
		for _, c := range r.Calls {
			calls = append(calls, c.Name+" "+string(c.Args))
		}
		if err != nil || r.Text != x.text || strings.Join(calls, "; ") != x.calls {
			t.Errorf("%s: %.200q %q, %v", x.name, r.Text, calls, err)
		}
	}
}

func TestStreamsWithoutAnEnd(t *testing.T) {
	broken := errors.New("cable pulled")
	for name, r := range map[string]io.Reader{
		"nothing":        strings.NewReader(""),
		"no done frame":  strings.NewReader(frameOf("a")),
		"half a frame":   strings.NewReader(frameOf("a") + doneFrame[:20]),
		"broken":         io.MultiReader(strings.NewReader(frameOf("a")), iotest.ErrReader(broken)),
		"broken in half": io.MultiReader(strings.NewReader(doneFrame[:20]), iotest.ErrReader(broken)),
	} {
		if r, err := replay(r, nil); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// Whatever a server sends, reading it ends, within the limits, and does not depend on how it was cut into packets.
func FuzzStream(f *testing.F) {
	recorded, err := filepath.Glob("testdata/frames/*.ndjson")
	if err != nil || len(recorded) < 10 {
		f.Fatalf("%d recordings, %v", len(recorded), err)
	}
	for _, path := range recorded {
		heard, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(heard)
	}
	f.Add([]byte(frameOf("<think>a</think>{") + frameOf(`"name":"move_head","arguments":{"yaw":999}}`) + doneFrame))
	f.Add([]byte(`{"error":"x"}`))
	f.Fuzz(func(t *testing.T, heard []byte) {
		tools := []tool.Spec{moveHead}
		whole, err := replay(bytes.NewReader(heard), tools)
		pieces, err2 := replay(iotest.OneByteReader(bytes.NewReader(heard)), tools)
		whole.Usage.FirstToken, pieces.Usage.FirstToken = 0, 0
		if (err == nil) != (err2 == nil) || !reflect.DeepEqual(whole, pieces) {
			t.Errorf("whole: %+v, %v; by bytes: %+v, %v", whole, err, pieces, err2)
		}
		for _, c := range whole.Calls {
			if c.Err == nil {
				if _, err := moveHead.Parameters.Check(c.Args); err != nil {
					t.Errorf("a call that cannot be: %+v", c)
				}
			}
		}
	})
}

// A text is the same however it is cut into pieces, and nothing of it is lost.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{
		"hello", "<think>a</think>b", "  <think>", `{"name":"move_head","arguments":{"yaw":1}}`, "<tool_call>x", "<think></think>{", "[1]",
		"`", "```json",
	} {
		f.Add(s, 3, true)
		f.Add(s, 1, false)
	}
	f.Fuzz(func(t *testing.T, text string, size int, calls bool) {
		if size < 1 || len(text) > 1000 {
			return
		}
		run := func(size int) (said, thought string, called int) {
			fl := filter{calls: calls}
			add := func(all []Delta) {
				for _, d := range all {
					said, thought = said+d.Text, thought+d.Thinking
				}
			}
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				add(fl.add(rest[:n]))
				rest = rest[n:]
			}
			rest, found := fl.end([]tool.Spec{moveHead}, true)
			add(rest)
			return said, thought, len(found)
		}
		said, thought, called := run(size)
		if s, th, c := run(len(text) + 1); s != said || th != thought || c != called {
			t.Errorf("%q: whole %q %q %d, in pieces of %d %q %q %d", text, s, th, c, size, said, thought, called)
		}
		if thought == "" && called == 0 && strings.TrimSpace(text) != strings.TrimSpace(said) && !strings.Contains(text, thinkBegin) {
			t.Errorf("%q became %q", text, said)
		}
	})
}
