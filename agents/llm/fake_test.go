package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// fakeServer is a server in memory, for what a real one cannot be made to do at a given moment. It lives in a synctest
// bubble, where time passes only when everybody waits.
type fakeServer struct {
	mu      sync.Mutex
	models  []fakeModel
	chat    http.HandlerFunc
	down    bool
	dials   int
	asked   []map[string]any // bodies of chats
	lists   int
	unloads int
	embed   http.HandlerFunc
	list    http.HandlerFunc

	conns  chan net.Conn
	closed chan struct{}
}

type fakeModel struct {
	name string
	can  []string
	away bool // on somebody else's computer
	bad  bool // cannot be shown
}

var errRefused = errors.New("connection refused")

func (f *fakeServer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	f.mu.Lock()
	f.dials++
	down := f.down
	f.mu.Unlock()
	if down {
		return nil, errRefused
	}
	here, there := net.Pipe()
	select {
	case f.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.closed:
		return nil, errRefused
	}
}

func (f *fakeServer) Accept() (net.Conn, error) {
	select {
	case c := <-f.conns:
		return c, nil
	case <-f.closed:
		return nil, net.ErrClosed
	}
}

func (f *fakeServer) Close() error { return nil }

func (f *fakeServer) Addr() net.Addr { return &net.UnixAddr{} }

func (f *fakeServer) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeServer) counted(n *int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *n
}

func (f *fakeServer) requests() []map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	models, chat, embed, list := f.models, f.chat, f.embed, f.list
	f.mu.Unlock()
	switch r.URL.Path {
	case "/api/tags":
		f.set(func() { f.lists++ })
		if list != nil {
			list(w, r)
			return
		}
		var all []map[string]any
		for i, m := range models {
			one := map[string]any{"name": m.name, "digest": fmt.Sprint(i, m.can), "size": 1000}
			if m.away {
				one["remote_host"] = "elsewhere"
			}
			all = append(all, one)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"models": all})
	case "/api/show":
		var ask struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&ask)
		for _, m := range models {
			if m.name == ask.Model && !m.bad {
				_ = json.NewEncoder(w).Encode(map[string]any{"capabilities": m.can})
				return
			}
		}
		http.Error(w, `{"error":"not found"}`, http.StatusNotFound)
	case "/api/embed":
		_, _ = io.Copy(io.Discard, r.Body) // only then does the handler learn that the caller went away
		embed(w, r)
	case "/api/ps":
		_, _ = w.Write([]byte(`{"models":[]}`))
	case "/api/chat":
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		if body["messages"] == nil { // unload it
			f.set(func() { f.unloads++ })
			_, _ = w.Write([]byte(doneFrame))
			return
		}
		f.set(func() { f.asked = append(f.asked, body) })
		chat(w, r)
	default:
		http.NotFound(w, r)
	}
}

// bubble runs a test with a fake server and a client of it.
func bubble(t *testing.T, change func(*Config), models []fakeModel, test func(t *testing.T, f *fakeServer, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{models: models, conns: make(chan net.Conn), closed: make(chan struct{}), chat: says("hello")}
		server := &http.Server{Handler: f}
		var wg sync.WaitGroup
		wg.Go(func() { _ = server.Serve(f) })
		cfg := Config{URL: "http://robot.test"}
		if change != nil {
			change(&cfg)
		}
		c, err := dial(cfg, f.dial)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		test(t, f, c)
		c.Close()
		close(f.closed)
		_ = server.Close()
		wg.Wait()
	})
}

// frameOf writes a piece of a reply.
func frameOf(content string) string {
	b, _ := json.Marshal(map[string]any{"message": map[string]any{"content": content}, "done": false})
	return string(b) + "\n"
}

const doneFrame = `{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":3}` + "\n"

// says replies with these pieces and ends.
func says(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, p := range pieces {
			_, _ = w.Write([]byte(frameOf(p)))
			flush(w)
		}
		_, _ = w.Write([]byte(doneFrame))
	}
}

// raw replies with these lines.
func raw(lines string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(lines)) }
}

// refuses replies with an error.
func refuses(status int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": message})
	}
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// dies breaks the connection.
func dies(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }

var talker = []fakeModel{{name: "talker:latest", can: []string{CanComplete}}}
