// Package http is the way in for curl, browsers and Prometheus: health, state, metrics, and every command of package api.
package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/descriptors"
	"github.com/reachyd/reachyd/hal"
)

const (
	maxBody      = 1 << 20
	readTimeout  = 10 * time.Second
	closeTimeout = 2 * time.Second
)

// Commander carries out a command; it is daemon/command's Dispatcher.
type Commander interface {
	Do(ctx context.Context, verb string, payload []byte) (id string, reply []byte)
}

// Gateway is the web server. Fill in the exported fields, then Open it and Close it again.
type Gateway struct {
	Listen    string // address and port
	Commander Commander
	// State and Telemetry return the newest of the robot; StateJSON the state as on MQTT.
	State     func() hal.State
	Telemetry func() hal.Telemetry
	StateJSON func() []byte
	Version   string
	// Frame returns what the camera sees now, JPEG; nil when there is no camera.
	Frame func(ctx context.Context) ([]byte, error)
	// Official adds the routes of the official daemon, which share the port; nil when they are switched off.
	Official func(*http.ServeMux)

	uploads  chan struct{} // of one place
	viewers  chan struct{}
	commands chan struct{}
	server   *http.Server
	done     chan error
	addr     string
}

// Open starts to listen. Addr tells where, which matters for port 0.
func (g *Gateway) Open(ctx context.Context) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", g.Listen)
	if err != nil {
		return fmt.Errorf("http.listen: %w; choose another port or leave it empty", err)
	}
	g.addr = l.Addr().String()
	g.server = &http.Server{
		Handler: answering(g.handler()), ReadTimeout: readTimeout, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx }, ConnContext: keep,
	}
	g.uploads, g.viewers, g.commands = make(chan struct{}, 1), make(chan struct{}, maxViewers), make(chan struct{}, maxCommands)
	g.done = make(chan error, 1)
	go func() { g.done <- g.server.Serve(&limited{Listener: l, most: descriptors.Share(maxConns, 1, 4)}) }()
	return nil
}

// Addr returns the address on which the open gateway listens.
func (g *Gateway) Addr() string { return g.addr }

// Close ends the server and waits for it. It may be called again.
func (g *Gateway) Close() error {
	if g.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := g.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, g.server.Close())
	}
	if served := <-g.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	g.server = nil
	return err
}

func (g *Gateway) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", g.index)
	mux.HandleFunc("GET /healthz", g.healthz)
	mux.HandleFunc("GET /api/state", func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, g.StateJSON()) })
	mux.HandleFunc("POST /api/cmd/{verb...}", g.command)
	mux.HandleFunc("POST /api/tools/{name}/call", g.callTool)
	if g.Frame != nil {
		mux.HandleFunc("GET /api/camera.jpg", g.picture)
		mux.HandleFunc("GET /api/camera.mjpeg", g.stream)
	}
	if g.Official != nil {
		g.Official(mux)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(&collector{g}, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(gcCycles)))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return g.guard(mux)
}

// guard keeps web pages of others out: a page that a browser on this host shows can reach a loopback port. Such a
// request carries an Origin that is not ours, or, after DNS rebinding, a Host that is not an address.
func (g *Gateway) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err != nil && host != "localhost" {
			fail(w, http.StatusForbidden, "forbidden", fmt.Sprintf("Host: %q is not an IP address or localhost", r.Host))
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			fail(w, http.StatusForbidden, "forbidden", fmt.Sprintf("Origin: %q is another site", origin))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *Gateway) index(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintf(w, `reachyd %s

GET  /healthz           200 when the control loop runs and no fault is active, else 503
GET  /api/state         the robot's state, as on MQTT
POST /api/cmd/<verb>    a command of docs/topics.md, e.g.
                        curl -H 'Content-Type: application/json' http://%s/api/cmd/chat -d '{"text":"look left"}'
POST /api/tools/<name>/call  a self-made tool with files, e.g.
                        curl -F 'args={"column":"price"}' -F file=@sales.csv http://%s/api/tools/sum_column/call
GET  /api/camera.jpg    what the robot sees now; /api/camera.mjpeg goes on (both where there is a camera)
GET  /metrics           for Prometheus
`, g.Version, g.addr, g.addr)
}

func (g *Gateway) healthz(w http.ResponseWriter, _ *http.Request) {
	s := g.State()
	status, code := "ok", http.StatusOK
	if s.Mode == hal.ModeOffline || len(s.Faults) > 0 {
		status, code = "faulty", http.StatusServiceUnavailable
	}
	data, err := json.Marshal(map[string]any{"status": status, "mode": s.Mode, "estop": s.EStop, "faults": s.Faults, "version": g.Version})
	if err != nil {
		fail(w, http.StatusInternalServerError, "internal", err.Error())
		return
	}
	write(w, code, data)
}

func (g *Gateway) command(w http.ResponseWriter, r *http.Request) {
	// Only requests with this type make a browser ask for permission first.
	if isForm(r) && fromProgram(r) {
		g.uploaded(w, r, r.PathValue("verb"), func(payload json.RawMessage) (json.RawMessage, error) { return payload, nil })
		return
	}
	if t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(t) != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "invalid", fmt.Sprintf("Content-Type: %q; allowed are application/json, and multipart/form-data from programs", t))
		return
	}
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		fail(w, http.StatusRequestEntityTooLarge, "invalid", fmt.Sprintf("the body is longer than %d bytes or broke off", maxBody))
		return
	}
	engage(r)
	verb := r.PathValue("verb")
	if command.LaneOf(verb) != command.AtOnce {
		select {
		case g.commands <- struct{}{}:
			defer func() { <-g.commands }()
		default:
			fail(w, http.StatusServiceUnavailable, "busy", fmt.Sprintf("%d commands are under way already, which is all that may", maxCommands))
			return
		}
	}
	patient(w)
	_, reply := g.Commander.Do(r.Context(), verb, payload)
	write(w, http.StatusOK, reply)
}

// patient lets an answer take its time: readTimeout is for the request, but would end the request's context, too.
func patient(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a connection without deadlines has none that could expire
}

// isForm says whether a request brings files.
func isForm(r *http.Request) bool {
	t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.TrimSpace(t) == "multipart/form-data"
}

// fromProgram says that no browser sends a request for a page of somebody else: those may send forms without asking, and
// always say where they come from. guard has refused other origins already; this is for the oldest browsers.
func fromProgram(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

func write(w http.ResponseWriter, code int, data []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(data, '\n')) // a client that is gone has no use for the error
}

func fail(w http.ResponseWriter, status int, code, message string) {
	data, _ := json.Marshal(map[string]any{"ok": false, "error": map[string]string{"code": code, "message": message}}) //nolint:errchkjson // plain strings
	write(w, status, data)
}
