package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/reachyd/reachyd/agents/tool"
)

// BenchmarkChat compares a reply of 50 pieces read by this package and by the api package, from the same server, which
// thinks in no time: what is left is our own work, HTTP included.
func BenchmarkChat(b *testing.B) {
	reply := strings.Repeat(`{"model":"m:1","created_at":"2026-11-21T16:18:22.624127328Z","message":{"role":"assistant","content":" word"},"done":false}`+"\n",
		50) +
		`{"model":"m:1","created_at":"2026-11-21T16:18:22.6256Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",` +
		`"total_duration":298429733,"load_duration":287587787,"prompt_eval_count":239,"prompt_eval_duration":7352710,"eval_count":7,"eval_duration":1729877}` + "\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/chat":
			_, _ = w.Write([]byte(reply))
		case "/api/tags":
			_, _ = w.Write([]byte(`{"models":[{"name":"m:1"}]}`))
		default:
			_, _ = w.Write([]byte(`{"capabilities":["completion","tools"]}`))
		}
	}))
	defer server.Close()
	tools := make([]tool.Spec, 25)
	for i := range tools {
		tools[i] = moveHead
	}

	for _, x := range []struct {
		name  string
		tools []tool.Spec
	}{{"ours", nil}, {"ours, 25 tools", tools}} {
		b.Run(x.name, func(b *testing.B) {
			c, err := New(Config{URL: server.URL})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Chat(context.Background(), Request{Messages: user("hi"), Tools: x.tools}, func(Delta) {})
				if err != nil || len(r.Text) != 250 {
					b.Fatal(r, err)
				}
			}
		})
	}
	b.Run("api package", func(b *testing.B) {
		u, err := url.Parse(server.URL)
		if err != nil {
			b.Fatal(err)
		}
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		c := api.NewClient(u, &http.Client{Transport: transport})
		b.ReportAllocs()
		for b.Loop() {
			var text strings.Builder
			err := c.Chat(context.Background(), &api.ChatRequest{Model: "m:1", Messages: []api.Message{{Role: "user", Content: "hi"}}}, func(r api.ChatResponse) error {
				text.WriteString(r.Message.Content)
				return nil
			})
			if err != nil || text.Len() != 250 {
				b.Fatal(text.Len(), err)
			}
		}
	})
}

// BenchmarkAway is what a turn costs when there is no server.
func BenchmarkAway(b *testing.B) {
	c, err := New(Config{URL: "http://127.0.0.1:1", Retries: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Chat(context.Background(), Request{Messages: user("hi")}, nil); err == nil {
		b.Fatal("there is a server")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Chat(context.Background(), Request{Messages: user("hi")}, nil); err == nil {
			b.Fatal("there is a server")
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for name, args := range map[string]string{"right": `{"yaw":30}`, "clamped": `{"yaw":500}`} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Fit(&moveHead.Parameters, json.RawMessage(args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
