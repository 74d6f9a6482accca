package sdk

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body/bodytest"
	"github.com/reachyd/reachyd/hal/body/server"
	"github.com/reachyd/reachyd/hal/motion"
	"github.com/reachyd/reachyd/hal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what will surely come.
const patience = 30 * time.Second

// rig is a gateway before a body with a real control loop.
type rig struct {
	t       *testing.T
	body    *bodytest.Robot
	gateway *Gateway
	web     *httptest.Server
	grant   access.Grant // what the web server lets whoever asks do
	last    func() hal.State

	mu   sync.Mutex
	took int // how often the arbiter was told that somebody took over
}

func (r *rig) TookOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took++
}

func (r *rig) Streams(string) {}

// now is a state that was measured after the call: a joint's answer is collected a tick after it was asked for.
func (r *rig) now() hal.State {
	r.t.Helper()
	called := time.Now()
	return r.until("a new state", func(s *hal.State) bool { return s.TS.Sub(called) > 20*time.Millisecond })
}

func newRig(t *testing.T, change ...func(*Gateway)) *rig {
	t.Helper()
	r := &rig{t: t, grant: access.Everything("127.0.0.1")}
	r.body = bodytest.New(t, t.TempDir(), motion.Config{}, func(l *motion.Loop) bodytest.Server { return &server.Server{Loop: l, Log: zerolog.Nop()} })
	ctx, cancel := context.WithCancel(context.Background())
	r.last = r.body.Latest(t)
	r.gateway = &Gateway{
		Body: r.body.Client, Arbiter: r, State: r.last, Telemetry: func() hal.Telemetry { return hal.Telemetry{LoopHz: 100} },
		Version: "test", Simulated: true, Log: zerolog.New(zerolog.NewTestWriter(t)),
	}
	for _, c := range change {
		c(r.gateway)
	}
	r.gateway.Open(ctx)
	mux := http.NewServeMux()
	r.gateway.Register(mux)
	r.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mux.ServeHTTP(w, req.WithContext(access.With(req.Context(), r.grant)))
	}))
	t.Cleanup(func() {
		r.gateway.Close()
		r.web.Close()
		cancel()
		http.DefaultClient.CloseIdleConnections()
	})
	r.until("the first state", func(s *hal.State) bool { return s.Mode == hal.ModeEnabled })
	return r
}

// until waits until the robot's state is as wanted.
func (r *rig) until(what string, want func(*hal.State) bool) (state hal.State) {
	r.t.Helper()
	r.soon(what, func() bool {
		state = r.last()
		return want(&state)
	})
	return state
}

// soon waits until something is so.
func (r *rig) soon(what string, is func() bool) {
	r.t.Helper()
	if !waittest.Within(patience, is) {
		r.t.Fatalf("%s does not come: %+v", what, r.last())
	}
}

// peer is a client of /ws/sdk.
type peer struct {
	r    *rig
	conn *websocket.Conn
}

func (r *rig) dial() *peer {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, strings.Replace(r.web.URL, "http", "ws", 1)+"/ws/sdk", nil) //nolint:bodyclose // the connection closes it
	if err != nil {
		r.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20) // the SDK's own limit
	r.t.Cleanup(func() { conn.CloseNow() })
	return &peer{r, conn}
}

func (p *peer) send(text string) {
	p.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		p.r.t.Fatal(err)
	}
}

// wait reads until a message of a type comes that ok accepts.
func (p *peer) wait(kind string, ok func(map[string]any) bool) map[string]any {
	p.r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, data, err := p.conn.Read(ctx)
		if err != nil {
			p.r.t.Fatalf("no %s: %v", kind, err)
		}
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			p.r.t.Fatalf("%s: %v", data, err)
		}
		if m["type"] == kind && (ok == nil || ok(m)) {
			return m
		}
	}
}

// refused waits for a status that says why a message had no effect, also where the SDK, which drops fields of ours, shows it.
func (p *peer) refused(part string) {
	p.r.t.Helper()
	p.wait("daemon_status", func(m map[string]any) bool {
		why, _ := m["reachyd"].(map[string]any)["refused"].(string)
		shown, _ := m["error"].(string)
		return strings.Contains(why, part) && strings.Contains(shown, part)
	})
}

// task sends a goto and returns its error.
func (p *peer) task(uuid, fields string) string {
	p.r.t.Helper()
	p.send(`{"type":"task","uuid":"` + uuid + `","timestamp":"2026-01-01T00:00:00","req":{` + fields + `}}`)
	m := p.wait("task_progress", func(m map[string]any) bool { return m["uuid"] == uuid })
	if m["finished"] != true {
		p.r.t.Errorf("%v", m)
	}
	text, _ := m["error"].(string)
	return text
}
