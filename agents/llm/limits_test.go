package llm

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
)

func TestLimits(t *testing.T) {
	able := []fakeModel{{name: "m:1", can: []string{CanComplete, CanCall, CanSee, CanEmbed}}}
	call := `{"message":{"tool_calls":[{"function":{"name":"move_head","arguments":{"yaw":1}}}]}}` + "\n"
	schema := tool.Object(nil)
	png := []byte("\x89PNG\r\n\x1a\n")
	for _, x := range []struct {
		name string
		chat http.HandlerFunc
		req  Request
		want error
		text string
	}{
		{"reply", says("12345", "67890", "x"), Request{}, ErrTooLong, "has 11 bytes"},
		{"calls", raw(call + call + call + doneFrame), Request{}, ErrTooLong, "more than 2 times"},
		{
			"calls written out", says(`{"name":"move_head","arguments":{"yaw":1}}` + strings.Repeat(` {"name":"move_head","arguments":{"yaw":1}}`, 2)),
			Request{Tools: []tool.Spec{moveHead}},
			ErrTooLong, "3 times",
		},
		{"line", raw(frameOf(strings.Repeat("x", maxFrame))), Request{}, ErrTooLong, "a line of the reply"},
		{"cut off JSON", raw(frameOf(`{"a`) + strings.Replace(doneFrame, "stop", "length", 1)), Request{Schema: &schema}, ErrTooLong, "cut off"},
		{"not the schema", says(`{"a": [1`), Request{Schema: &schema}, ErrBadOutput, "end too early"},
		{"not a frame", raw("hello\n"), Request{}, ErrBadOutput, "not a frame"},
		{"empty", raw(doneFrame), Request{}, ErrBadOutput, "empty"},
		{"prompt", refuses(400, "the input length exceeds the context length"), Request{}, ErrTooLong, "context length"},
		{"error in the middle", raw(frameOf("a") + `{"error":"out of memory"}` + "\n"), Request{}, nil, "out of memory"},
		{"no messages", nil, Request{Messages: []Message{}}, ErrRequest, "no messages"},
		{"role", nil, Request{Role: "sing"}, ErrRequest, `role "sing" is unknown`},
		{"embed", nil, Request{Role: RoleEmbed}, ErrRequest, "Embed is for that"},
		{"who", nil, Request{Messages: []Message{{Who: "me"}}}, ErrRequest, `message 0 is of "me"`},
		{"schema and tools", nil, Request{Schema: &schema, Tools: []tool.Spec{moveHead}}, ErrRequest, "exclude"},
		{"tokens", nil, Request{MaxTokens: -1}, ErrRequest, "-1"},
		{"tools", nil, Request{Tools: make([]tool.Spec, maxTools+1)}, ErrRequest, "129 tools"},
		{"pictures", nil, Request{Messages: []Message{{Who: User, Images: make([][]byte, maxImages+1)}}}, ErrRequest, "9 pictures"},
		{
			"large picture", nil,
			Request{Messages: []Message{{Who: User, Images: [][]byte{append(png, make([]byte, 100)...)}}}},
			ErrRequest,
			"108 bytes; 1 to 100 are allowed",
		},
		{"no picture", nil, Request{Messages: []Message{{Who: User, Images: [][]byte{[]byte("GIF89a")}}}}, ErrRequest, "not PNG, JPEG or WebP"},
	} {
		bubble(t, func(c *Config) { c.MaxReply, c.MaxCalls, c.MaxImage = 10, 2, 100 }, able, func(t *testing.T, f *fakeServer, c *Client) {
			f.set(func() { f.chat = x.chat })
			if x.req.Messages == nil {
				x.req.Messages = user("hi")
			}
			_, err := c.Chat(t.Context(), x.req, nil)
			if err == nil || (x.want != nil && !errors.Is(err, x.want)) || !strings.Contains(err.Error(), x.text) {
				t.Errorf("%s: %v", x.name, err)
			}
			if errors.Is(x.want, ErrRequest) && len(f.requests()) > 0 {
				t.Errorf("%s: the server was bothered with it", x.name)
			}
		})
	}
}

func TestEmbedAnswersThatCannotBe(t *testing.T) {
	able := []fakeModel{{name: "m:1", can: []string{CanEmbed}}}
	for answer, want := range map[string]string{
		`{"embeddings": [[1,2]]}`:               "1 vectors for 2 texts",
		`{"embeddings": [[1,2],[1]]}`:           "vector 1 has 1 numbers, not 2",
		`{"embeddings": [[1,2],[0,0]]}`:         "vector 1 has no direction",
		`{"embeddings": [[],[]]}`:               "vector 0 has 0 numbers",
		`{"embeddings": [[3e38,3e38],[1,1]]}`:   "",
		`{"embeddings": [[3,4],[1,1]]}`:         "",
		`{"embeddings": [["a","b"],["c","d"]]}`: "cannot unmarshal",
	} {
		bubble(t, func(c *Config) { c.Retries = -1 }, able, func(t *testing.T, f *fakeServer, c *Client) {
			f.set(func() { f.embed = raw(answer) })
			v, _, err := c.Embed(t.Context(), []string{"a", "b"})
			if want == "" && (err != nil || len(v) != 2) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v, %v", answer, v, err)
			}
		})
	}
	bubble(t, nil, able, func(t *testing.T, f *fakeServer, c *Client) {
		if _, _, err := c.Embed(t.Context(), make([]string, maxTexts+1)); !errors.Is(err, ErrRequest) {
			t.Errorf("too many: %v", err)
		}
		f.set(func() { f.embed = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } })
		start := time.Now()
		if _, _, err := c.Embed(t.Context(), []string{"a"}); !errors.Is(err, ErrTimeout) || time.Since(start) != time.Minute {
			t.Errorf("silence: %v after %v", err, time.Since(start))
		}
		if v, model, err := c.Embed(t.Context(), nil); err != nil || v != nil || model != "m:1" {
			t.Errorf("nothing: %v %s %v", v, model, err)
		}
	})
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	bubble(t, nil, talker, func(t *testing.T, f *fakeServer, c *Client) {
		f.set(func() { f.chat = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } })
		ended := make(chan error)
		go func() {
			_, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil)
			ended <- err
		}()
		synctest.Wait()
		c.Close()
		if err := <-ended; !errors.Is(err, errClosed) {
			t.Errorf("%v", err)
		}
		if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); !errors.Is(err, ErrAway) {
			t.Errorf("after: %v", err)
		}
		if err := c.Ready(RoleTalk); !errors.Is(err, ErrAway) {
			t.Errorf("after: %v", err)
		}
	})
}

func TestConfigsThatCannotBe(t *testing.T) {
	for want, cfg := range map[string]Config{
		`url: "ollama" is not`:                     {URL: "ollama"},
		`url: "ftp://x" is not`:                    {URL: "ftp://x"},
		`models: role "dance" is unknown`:          {Models: map[Role][]string{"dance": nil}},
		`first token: -1s is negative`:             {FirstToken: -time.Second},
		`max reply: -1 is negative`:                {MaxReply: -1},
		`url: parse "http://[::1": missing ']' in`: {URL: "http://[::1"},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", cfg, err, want)
		}
	}
}
