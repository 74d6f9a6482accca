package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
)

func TestDeadlines(t *testing.T) {
	stall := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, x := range []struct {
		name  string
		chat  http.HandlerFunc
		after time.Duration
		want  string
		text  string
	}{
		{"no answer", stall, 20 * time.Second, "no reply began within 20s", ""},
		{"frames without content", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(frameOf("")))
				flush(w)
				wait(r.Context(), time.Second)
			}
		}, 20 * time.Second, "no reply began within 20s", ""},
		{"silence in the middle", func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(frameOf("well")))
			flush(w)
			stall(w, r)
		}, 5 * time.Second, "nothing new within 5s", "well"},
		{"no end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(frameOf("x")))
				flush(w)
				wait(r.Context(), 700*time.Millisecond)
			}
		}, time.Minute, "no complete reply within 1m0s", strings.Repeat("x", 86)},
	} {
		bubble(t, func(c *Config) {
			c.FirstToken, c.Between, c.Total = 20*time.Second, 5*time.Second, time.Minute
		}, talker, func(t *testing.T, f *fakeServer, c *Client) {
			f.set(func() { f.chat = x.chat })
			start := time.Now()
			r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil)
			if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), x.want) || r.Text != x.text {
				t.Errorf("%s: %q, %v", x.name, r.Text, err)
			}
			if took := time.Since(start); took != x.after {
				t.Errorf("%s: took %v, want %v", x.name, took, x.after)
			}
		})
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// A caller that is slow with what it was told is not the server's fault.
func TestSlowListener(t *testing.T) {
	bubble(t, func(c *Config) { c.FirstToken, c.Between = 10*time.Second, time.Second }, talker, func(t *testing.T, f *fakeServer, c *Client) {
		f.set(func() { f.chat = says("a", "b", "c") })
		r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, func(Delta) { wait(t.Context(), 15*time.Second) })
		if err != nil || r.Text != "abc" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

func TestRetriesOnlyBeforeTheReplyBegins(t *testing.T) {
	bubble(t, nil, talker, func(t *testing.T, f *fakeServer, c *Client) {
		tries := 0
		f.set(func() {
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				if tries++; tries < 3 {
					dies(w, r)
				}
				says("hello")(w, r)
			}
		})
		start := time.Now()
		r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil)
		if err != nil || r.Text != "hello" || r.Usage.Retries != 2 || tries != 3 || time.Since(start) != 600*time.Millisecond {
			t.Errorf("%+v, %v; %d tries in %v", r, err, tries, time.Since(start))
		}

		tries = 0
		f.set(func() {
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				tries++
				_, _ = w.Write([]byte(frameOf("hel")))
				flush(w)
				dies(w, r)
			}
		})
		r, err = c.Chat(t.Context(), Request{Messages: user("hi")}, nil)
		if !errors.Is(err, ErrIncomplete) || r.Text != "hel" || tries != 1 {
			t.Errorf("%+v, %v; %d tries", r, err, tries)
		}

		tries = 0
		f.set(func() {
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				tries++
				refuses(http.StatusServiceUnavailable, "server busy")(w, r)
			}
		})
		if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); tries != 3 || !strings.Contains(err.Error(), "server busy") {
			t.Errorf("%v; %d tries", err, tries)
		}

		// A stop while it waits for the next try is obeyed at once.
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start = time.Now()
		if _, err := c.Chat(ctx, Request{Messages: user("hi")}, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A server that is away costs nothing, and is found again without anybody waiting.
func TestAway(t *testing.T) {
	bubble(t, func(c *Config) { c.Models = map[Role][]string{} }, talker, func(t *testing.T, f *fakeServer, c *Client) {
		f.set(func() { f.down = true })
		c.http.CloseIdleConnections()
		if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); !errors.Is(err, ErrAway) || !errors.Is(err, errRefused) {
			t.Errorf("the first request: %v", err)
		}
		synctest.Wait()
		dials := f.counted(&f.dials)
		start := time.Now()
		for range 100 {
			if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); !errors.Is(err, ErrAway) {
				t.Fatal(err)
			}
			if _, _, err := c.Embed(t.Context(), []string{"hi"}); !errors.Is(err, ErrAway) {
				t.Fatal(err)
			}
		}
		if !errors.Is(c.Ready(RoleTalk), ErrAway) || f.counted(&f.dials) != dials || time.Since(start) != 0 {
			t.Errorf("%d dials and %v for 200 requests", f.counted(&f.dials)-dials, time.Since(start))
		}
		wait(t.Context(), time.Hour)
		if n := f.counted(&f.dials) - dials; n < 100 || n > 130 {
			t.Errorf("it was looked for %d times in an hour, not every half minute", n)
		}
		f.set(func() { f.down = false })
		wait(t.Context(), awayAtMost)
		synctest.Wait()
		if err := c.Ready(RoleTalk); err != nil {
			t.Errorf("it is back, but %v", err)
		}
		if r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); err != nil || r.Text != "hello" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// A computer that fell asleep breaks no connection. The request that finds out does not wait for its whole deadline, and
// one that has begun is not disturbed.
func TestServerFallsAsleep(t *testing.T) {
	bubble(t, nil, talker, func(t *testing.T, f *fakeServer, c *Client) {
		stall := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		f.set(func() { f.chat, f.list = stall, stall })
		start := time.Now()
		_, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil)
		if !errors.Is(err, ErrAway) || time.Since(start) != 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		start = time.Now()
		if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); !errors.Is(err, ErrAway) || time.Since(start) != 0 {
			t.Errorf("the next one: %v after %v", err, time.Since(start))
		}
		f.set(func() { f.chat, f.list = says("hello"), nil })
		wait(t.Context(), time.Minute)
		if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); err != nil {
			t.Errorf("awake again: %v", err)
		}
		f.set(func() {
			f.list = stall
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				for range 60 {
					_, _ = w.Write([]byte(frameOf("x")))
					flush(w)
					wait(r.Context(), time.Second)
				}
				_, _ = w.Write([]byte(doneFrame))
			}
		})
		if r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); err != nil || len(r.Text) != 60 {
			t.Errorf("a long reply of a server that is too busy for anything else: %+v, %v", r, err)
		}
	})
}

// A reply that was given up can keep the model's only place for ever. The next one frees it, and only the next one.
func TestGivenUpReplyKeepsThePlace(t *testing.T) {
	bubble(t, nil, talker, func(t *testing.T, f *fakeServer, c *Client) {
		f.set(func() {
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write([]byte(frameOf("one")))
				flush(w)
				<-r.Context().Done()
			}
		})
		giveUp := func() {
			interrupted, cancel := context.WithCancel(t.Context())
			if _, err := c.Chat(interrupted, Request{Messages: user("hi")}, func(Delta) { cancel() }); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		breaks := f.chat
		giveUp()
		f.set(func() {
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				if f.counted(&f.unloads) == 0 {
					<-r.Context().Done()
					return
				}
				says("hello")(w, r)
			}
		})
		start := time.Now()
		r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil)
		if took := time.Since(start); err != nil || r.Text != "hello" || took > 16*time.Second || f.counted(&f.unloads) != 1 {
			t.Errorf("%+v, %v after %v and %d times unloaded", r, err, took, f.counted(&f.unloads))
		}
		// A second request is not doubted: it may wait behind the first.
		f.set(func() { f.chat = breaks })
		giveUp()
		f.set(func() {
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				wait(r.Context(), 10*time.Second)
				says("hello")(w, r)
			}
		})
		var first sync.WaitGroup
		first.Go(func() {
			if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		f.set(func() {
			f.chat = func(w http.ResponseWriter, r *http.Request) {
				wait(r.Context(), 30*time.Second)
				says("hello")(w, r)
			}
		})
		if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); err != nil || f.counted(&f.unloads) != 1 {
			t.Errorf("behind another: %v and %d times unloaded", err, f.counted(&f.unloads))
		}
		first.Wait()
		// Without a reply that was given up, slowness is only slowness.
		f.set(func() { f.chat = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } })
		start = time.Now()
		_, err = c.Chat(t.Context(), Request{Messages: user("hi")}, nil)
		if took := time.Since(start); !errors.Is(err, ErrTimeout) || took != time.Minute || f.counted(&f.unloads) != 1 {
			t.Errorf("%v after %v and %d times unloaded", err, took, f.counted(&f.unloads))
		}
	})
}

// A server that answers nonsense, or nothing, is as good as none.
func TestAwayInOtherWays(t *testing.T) {
	for name, list := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"login":  refuses(http.StatusUnauthorized, "who are you?"),
		"page":   raw("<html>"),
		"dies":   dies,
		"endless": func(w http.ResponseWriter, r *http.Request) {
			spaces := bytes.Repeat([]byte(" "), 1<<20)
			for r.Context().Err() == nil {
				if _, err := w.Write(spaces); err != nil {
					return
				}
			}
		},
	} {
		bubble(t, nil, nil, func(t *testing.T, f *fakeServer, c *Client) {
			f.set(func() { f.list = list })
			start := time.Now()
			report, err := c.Doctor(t.Context())
			if err != nil || !errors.Is(report.Away, ErrAway) || time.Since(start) > 5*time.Second {
				t.Errorf("%s: %+v, %v after %v", name, report, err, time.Since(start))
			}
			if text := report.String(); !strings.Contains(text, "install Ollama") {
				t.Errorf("%s: %s", name, text)
			}
			if name == "endless" && !errors.Is(report.Away, ErrTooLong) {
				t.Errorf("%s: %v", name, report.Away)
			}
		})
	}
}

func TestWhoIsAsked(t *testing.T) {
	all := []fakeModel{
		{name: "cloud:latest", can: []string{CanComplete, CanCall, CanSee}, away: true},
		{name: "vectors:latest", can: []string{CanEmbed}},
		{name: "plain:1b", can: []string{CanComplete}},
		{name: "caller:4b", can: []string{CanComplete, CanCall}},
		{name: "old:latest"}, // from before capabilities
	}
	schema := tool.Object(nil)
	for _, x := range []struct {
		name   string
		config map[Role][]string
		req    Request
		want   string // or the error
	}{
		{"configured", map[Role][]string{RoleTalk: {"gone", "plain:1b"}}, Request{}, "plain:1b"},
		{"latest is meant", map[Role][]string{RoleTalk: {"old"}}, Request{}, "old:latest"},
		{"related role", map[Role][]string{RoleCall: {"caller:4b"}}, Request{Role: RoleTalk}, "caller:4b"},
		{"able", map[Role][]string{RoleTalk: {"plain:1b", "caller:4b"}}, Request{Tools: []tool.Spec{moveHead}}, "caller:4b"},
		{"any", nil, Request{Role: RoleCode, Schema: &schema}, "plain:1b"},
		{"elsewhere only if wanted", map[Role][]string{RoleTalk: {"cloud"}}, Request{}, "cloud:latest"},
		{
			"nobody sees",
			map[Role][]string{RoleSee: {"qwen3-vl:4b"}},
			Request{Role: RoleSee},
			"no suitable language model for see with vision; to get one: ollama pull qwen3-vl:4b",
		},
	} {
		bubble(t, func(c *Config) {
			if c.Models = x.config; c.Models == nil {
				c.Models = map[Role][]string{}
			}
		}, all, func(t *testing.T, f *fakeServer, c *Client) {
			f.set(func() { f.chat = says("{}") })
			x.req.Messages = user("hi")
			r, err := c.Chat(t.Context(), x.req, nil)
			if err != nil {
				var missing *NoModelError
				if !errors.Is(err, ErrNoModel) || !errors.As(err, &missing) || err.Error() != x.want {
					t.Errorf("%s: %v", x.name, err)
				}
			} else if r.Model != x.want {
				t.Errorf("%s: %s was asked, want %s", x.name, r.Model, x.want)
			}
		})
	}
}

// A broken model does not hide the others, and a server with very many is not asked about each.
func TestManyModelsAndABrokenOne(t *testing.T) {
	many := []fakeModel{{name: "broken:1", bad: true}}
	for i := range maxModels {
		many = append(many, fakeModel{name: fmt.Sprintf("m%d:1", i), can: []string{CanComplete}})
	}
	bubble(t, nil, many, func(t *testing.T, _ *fakeServer, c *Client) {
		models, err := c.Models(t.Context())
		if err != nil || len(models) != maxModels || !strings.Contains(models[0].Problem, "not found") || len(models[0].Can) != 0 {
			t.Errorf("%d models, %v, %+v", len(models), err, models[0])
		}
		if r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); err != nil || r.Model != "m0:1" {
			t.Errorf("%+v, %v", r, err)
		}
		report, err := c.Doctor(t.Context())
		if err != nil || !strings.Contains(report.String(), "broken:1") || !strings.Contains(report.String(), "not found") {
			t.Errorf("%v %s", err, report)
		}
	})
}

func TestNextModelWhenOneFails(t *testing.T) {
	two := []fakeModel{{name: "a:1", can: []string{CanComplete}}, {name: "b:1", can: []string{CanComplete}}}
	for _, status := range []int{http.StatusNotFound, http.StatusInternalServerError, http.StatusBadRequest} {
		bubble(t, nil, two, func(t *testing.T, f *fakeServer, c *Client) {
			f.set(func() {
				f.chat = func(w http.ResponseWriter, r *http.Request) {
					if len(f.requests()) == 1 {
						refuses(status, "model requires more system memory")(w, r)
						return
					}
					says("hello")(w, r)
				}
			})
			if r, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); err != nil || r.Model != "b:1" {
				t.Errorf("%d: %+v, %v", status, r, err)
			}
			f.set(func() { f.chat = refuses(status, "no") })
			var said *ServerError
			if _, err := c.Chat(t.Context(), Request{Messages: user("hi")}, nil); !errors.As(err, &said) || said.Status != status {
				t.Errorf("%d: %v", status, err)
			}
		})
	}
}

// A model that was just installed is found by the request that needs it.
func TestModelJustInstalled(t *testing.T) {
	bubble(t, nil, talker, func(t *testing.T, f *fakeServer, c *Client) {
		wait(t.Context(), 2*time.Second)
		ask := Request{Messages: user("hi"), Tools: []tool.Spec{moveHead}}
		if _, err := c.Chat(t.Context(), ask, nil); !errors.Is(err, ErrNoModel) {
			t.Errorf("before: %v", err)
		}
		if err := c.Ready(RoleCall); !errors.Is(err, ErrNoModel) {
			t.Errorf("before: %v", err)
		}
		lists := f.counted(&f.lists)
		for range 50 { // a request that cannot be served is no reason to ask the server each time
			_, _ = c.Chat(t.Context(), ask, nil)
		}
		if f.counted(&f.lists) > lists+1 {
			t.Errorf("50 requests made it ask %d times", f.counted(&f.lists)-lists)
		}
		f.set(func() { f.models = append(f.models, fakeModel{name: "new:4b", can: []string{CanComplete, CanCall}}) })
		wait(t.Context(), 2*time.Second)
		if r, err := c.Chat(t.Context(), ask, nil); err != nil || r.Model != "new:4b" {
			t.Errorf("after: %+v, %v", r, err)
		}
		if err := c.Ready(RoleCall); err != nil {
			t.Errorf("after: %v", err)
		}
	})
}

func TestWhatIsSent(t *testing.T) {
	able := []fakeModel{{name: "m:1", can: []string{CanComplete, CanCall, CanSee, CanThink}}}
	bubble(t, func(c *Config) { c.Context, c.Threads, c.KeepAlive = 4096, 2, -1 }, able, func(t *testing.T, f *fakeServer, c *Client) {
		cold := 0.0
		_, err := c.Chat(t.Context(), Request{
			System: "Be kind.", Temperature: &cold, MaxTokens: 50, Tools: []tool.Spec{moveHead},
			Messages: []Message{
				{Who: User, Text: "look", Images: [][]byte{[]byte("\x89PNG\r\n\x1a\nxx")}},
				{Who: Assistant, Calls: []Call{{ID: "1", Name: "move_head", Args: json.RawMessage(`{"yaw":1}`)}, {ID: "2", Name: "bad", Args: json.RawMessage(`{"yaw`)}}},
				{Who: Tool, CallID: "1", Name: "move_head", Text: "done"},
			},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(`{
			"model": "m:1", "stream": true, "keep_alive": -1, "think": false, "truncate": false, "shift": false,
			"options": {"num_ctx": 4096, "num_thread": 2, "num_predict": 50, "temperature": 0},
			"messages": [
				{"role": "system", "content": "Be kind."},
				{"role": "user", "content": "look", "images": ["iVBORw0KGgp4eA=="]},
				{"role": "assistant", "content": "", "tool_calls": [
					{"id": "1", "function": {"name": "move_head", "arguments": {"yaw": 1}}},
					{"id": "2", "function": {"name": "bad", "arguments": {}}}]},
				{"role": "tool", "content": "done", "tool_name": "move_head", "tool_call_id": "1"}],
			"tools": [{"type": "function", "function": {"name": "move_head", "description": "Turns the head.", "parameters": {
				"type": "object", "additionalProperties": false, "required": ["yaw"], "properties": {
					"yaw": {"type": "number", "description": "to the left (−180 to 180°)", "minimum": -180, "maximum": 180, "x-unit": "°"},
					"duration": {"type": "number", "description": "how long it takes (0.1 to 10s, default 1)", "minimum": 0.1, "maximum": 10, "x-unit": "s", "default": 1}}}}}]
		}`), &want); err != nil {
			t.Fatal(err)
		}
		if got := f.requests()[0]; !reflect.DeepEqual(got, want) {
			g, _ := json.MarshalIndent(got, "", " ")
			t.Errorf("sent %s", g)
		}

		long := tool.Object(map[string]tool.Schema{"code": tool.Text("", 20000), "n": tool.Number("", "°", 0, 9).WithDefault(1)})
		f.set(func() { f.chat = says(`{"code":`, `"x",`, ` "n": 12}`) })
		r, err := c.Chat(t.Context(), Request{Messages: user("write"), Schema: &long, Think: true}, nil)
		if err != nil || r.Text != `{"code":"x","n":9}` || len(r.Fixes) != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		format, _ := json.Marshal(f.requests()[1]["format"])
		if string(format) != `{"additionalProperties":false,"properties":{"code":{"type":"string"},"n":{"maximum":9,"minimum":0,"type":"number"}},"type":"object"}` {
			t.Errorf("format %s", format)
		}
		if f.requests()[1]["think"] != false {
			t.Error("with a schema it thinks, so the server would run the request twice")
		}
		if !reflect.DeepEqual(f.requests()[0]["options"].(map[string]any)["num_ctx"], f.requests()[1]["options"].(map[string]any)["num_ctx"]) {
			t.Error("another context makes the server load the model again")
		}
	})
}
