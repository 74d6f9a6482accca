package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/hal"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && slices.Contains([]string{"stop", "app", "restore", "privacy"}, os.Args[1]) { // processes that tests watch, kill, or run as another user
		main()
	}
	if len(os.Args) > 1 && os.Args[1] == madeUp {
		os.Exit(onMadeUp())
	}
	goleak.VerifyTestMain(m)
}

// fakeRobot is a scripted robot behind a real broker, which speaks package api.
type fakeRobot struct {
	t      *testing.T
	server *mochi.Server
	url    string

	mu    sync.Mutex
	calls []call
	done  sync.WaitGroup
	close func() // ends the broker, once
}

// call is a command that came.
type call struct {
	verb string
	args map[string]any
}

// script answers a command: the reply without its id, a []byte to be sent as it is, or nil for silence.
type script func(c call) any

// listener ends its clients by itself: the library's Clients.GetByListener (v2.7.9) takes a read lock twice, and hangs for ever when a
// client leaves in between.
type listener struct {
	*listeners.TCP
	server *mochi.Server
}

// Close implements listeners.Listener.
func (l *listener) Close(listeners.CloseFn) {
	l.TCP.Close(func(string) {
		for _, c := range l.server.Clients.GetAll() {
			if !c.Net.Inline && !c.Closed() {
				_ = l.server.DisconnectClient(c, packets.ErrServerShuttingDown) // it goes anyway
			}
		}
	})
}

// newRobot starts a broker and a robot on it, online, with the id mini.
func newRobot(t *testing.T, s script, options ...func(*listeners.Config, *mochi.Server)) *fakeRobot {
	t.Helper()
	r := &fakeRobot{t: t}
	r.server = mochi.New(&mochi.Options{InlineClient: true, Logger: slog.New(slog.DiscardHandler)})
	r.close = sync.OnceFunc(func() { must(t, r.server.Close()) })
	config := listeners.Config{ID: "tcp", Address: "127.0.0.1:0", Type: listeners.TypeTCP}
	for _, o := range options {
		o(&config, r.server)
	}
	if len(options) == 0 {
		must(t, r.server.AddHook(new(auth.AllowHook), nil))
	}
	listener := &listener{listeners.NewTCP(config), r.server}
	must(t, r.server.AddListener(listener))
	must(t, r.server.Serve())
	r.url = "mqtt://" + listener.Address()
	t.Cleanup(func() {
		r.done.Wait()
		r.close()
	})
	must(t, r.server.Subscribe("reachy/mini/cmd/#", 1, func(_ *mochi.Client, _ packets.Subscription, p packets.Packet) {
		var args map[string]any
		if err := json.Unmarshal(p.Payload, &args); err != nil {
			t.Errorf("%s: %v", p.Payload, err)
		}
		c := call{strings.TrimPrefix(p.TopicName, "reachy/mini/cmd/"), args}
		r.mu.Lock()
		r.calls = append(r.calls, c)
		r.mu.Unlock()
		if s == nil {
			return
		}
		r.done.Go(func() { r.answer(c, s(c)) })
	}))
	r.publish("status", "online", true)
	return r
}

func (r *fakeRobot) answer(c call, reply any) {
	id, ok := c.args["id"].(string)
	if !ok || id == "" {
		r.t.Errorf("cmd/%s has no id: %v", c.verb, c.args)
	}
	switch reply := reply.(type) {
	case nil:
	case []byte:
		r.publish("reply/"+id, string(reply), false)
	case map[string]any:
		reply["id"] = id
		data, err := json.Marshal(reply)
		if err != nil {
			r.t.Error(err)
		}
		r.publish("reply/"+id, string(data), false)
	}
}

func (r *fakeRobot) publish(topic, payload string, retain bool) {
	if err := r.server.Publish("reachy/mini/"+topic, []byte(payload), retain, 1); err != nil {
		r.t.Errorf("publish %s: %v", topic, err)
	}
}

// only returns the one command that came.
func (r *fakeRobot) only() call {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) != 1 {
		r.t.Fatalf("commands: %v", r.calls)
	}
	return r.calls[0]
}

// subscribed waits until somebody other than the robot itself listens to a topic.
func (r *fakeRobot) subscribed(topic string) {
	r.t.Helper()
	deadline := time.After(30 * time.Second)
	for len(r.server.Topics.Subscribers("reachy/mini/"+topic).Subscriptions) == 0 {
		select {
		case <-deadline:
			r.t.Errorf("nobody subscribes to %s", topic)
			return
		case <-time.After(time.Millisecond): // the broker has no hook that tells it after the fact
		}
	}
}

func ok(result any) map[string]any { return map[string]any{"ok": true, "result": result} }

func refuse(code, message string) map[string]any {
	return map[string]any{"ok": false, "error": map[string]any{"code": code, "message": message}}
}

func answer(reply any) script { return func(call) any { return reply } }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// result is what one run of reachyctl left behind.
type result struct {
	code     int
	out, err string
}

// setup changes an app before it runs.
type setup func(*cli.App)

func input(text string) setup { return func(a *cli.App) { a.Stdin = strings.NewReader(text) } }

func dir(d string) setup { return func(a *cli.App) { a.Dirs = []string{d} } }

// newApp is reachyctl on a machine on which nothing of ours runs.
func newApp(t *testing.T, out, errs io.Writer, setups ...setup) *cli.App {
	t.Helper()
	a := &cli.App{Env: map[string]string{}, Stdin: strings.NewReader(""), Stdout: out, Stderr: errs}
	a.Dirs = []string{filepath.Join(t.TempDir(), "nothing")}
	for _, s := range setups {
		s(a)
	}
	return a
}

func ctl(t *testing.T, args []string, setups ...setup) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	code := execute(ctx, newApp(t, &out, &errs, setups...), args)
	return result{code, out.String(), errs.String()}
}

// ctl runs reachyctl against the robot.
func (r *fakeRobot) ctl(args ...string) result {
	r.t.Helper()
	return ctl(r.t, append([]string{"--broker", r.url}, args...))
}

// is checks a result: code, output, and what the errors must contain ("" for none).
func (got result) is(t *testing.T, code int, out, errs string) {
	t.Helper()
	if got.code != code || got.out != out || !strings.Contains(got.err, errs) || errs == "" && got.err != "" {
		t.Errorf("exit %d, want %d\nout:  %q\nwant: %q\nerr:  %q\nwant: …%q…", got.code, code, got.out, out, got.err, errs)
	}
}

// golden compares a text with testdata/name.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it):\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

// newBody starts a body on the socket of a run directory; it answers each request with what respond says.
func newBody(t *testing.T, respond func(hal.Request) hal.Answer) (runDir string) {
	t.Helper()
	runDir, err := os.MkdirTemp("", "ctl") // t.TempDir is too long for a socket
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(runDir)) })
	l, err := net.Listen("unix", filepath.Join(runDir, cli.BodySocket))
	must(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /command", func(w http.ResponseWriter, r *http.Request) {
		var req hal.Request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Errorf("body: %v", err)
		}
		if err := json.NewEncoder(w).Encode(respond(req)); err != nil {
			t.Errorf("body: %v", err)
		}
	})
	mux.HandleFunc("GET /telemetry", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(hal.Telemetry{LoopHz: 100, JitterP99: 80, Realtime: "fifo 50, memory locked"})
	})
	server := &http.Server{Handler: mux}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		must(t, server.Close())
		<-served
	})
	return runDir
}
