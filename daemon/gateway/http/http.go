// Package http is the way in for curl, browsers and Prometheus: health, state, metrics, and every command of package api.
package http

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log" //nolint:depguard // for the type that net/http wants
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/descriptors"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/local"
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
	// TLS is for those who are not on this host; nil when nobody else can come. On this host plain HTTP goes on.
	TLS *tls.Config
	// Tokens are those who may come from elsewhere; nil: nobody. Origins are pages of others that may ask, Hosts names of this host.
	Tokens  *access.Tokens
	Origins []string
	Hosts   []string
	// NewTrace returns the ID of a new trace, and Publish takes what was changed and by whom; both may be nil.
	NewTrace func() string
	Publish  func(trace string, data api.Payload)
	// API is the programming interface; it may be nil. Parts are others: each adds its routes.
	API   *rest.API
	Parts []Part
	// HasPage says that one of Parts is the page at /.
	HasPage bool
	// State and Telemetry return the newest of the robot; StateJSON the state as on MQTT.
	State     func() hal.State
	Telemetry func() hal.Telemetry
	StateJSON func() []byte
	Version   string
	// Frame returns what the camera sees now, JPEG; nil when there is no camera.
	Frame func(ctx context.Context) ([]byte, error)
	// Metrics are told to Prometheus beside the robot's own; nil for none.
	Metrics prometheus.Collector
	// Official adds the routes of the official daemon, which share the port; nil when they are switched off.
	Official func(*http.ServeMux)

	door     *door
	limits   *limited
	requests *requests
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
	g.door, g.requests = newDoor(g), newRequests()
	g.limits = newLimited(local.QuietListener{Listener: l}, descriptors.Share(maxConns, 1, 4), descriptors.Share(maxStreams, 1, 2))
	g.server = &http.Server{
		Handler: answering(g.handler()), ErrorLog: log.New(io.Discard, "", 0), // net/http wants this type; nothing is said
		ReadTimeout: readTimeout, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx }, ConnContext: keep,
	}
	g.uploads, g.viewers, g.commands = make(chan struct{}, 1), make(chan struct{}, maxViewers), make(chan struct{}, maxCommands)
	g.done = make(chan error, 1)
	from := net.Listener(g.limits)
	if g.TLS != nil {
		from = newSplitter(g.limits, g.TLS)
	}
	go func() { g.done <- g.server.Serve(from) }()
	return nil
}

// Part is something else that is served: a page, or the interface of somebody else's clients.
type Part interface {
	Mount(mux *http.ServeMux)
	// Close ends what it streams and waits for it.
	Close()
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
	for _, p := range g.parts() {
		p.Close()
	}
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

func (g *Gateway) parts() []Part {
	if g.API == nil {
		return g.Parts
	}
	return append([]Part{g.API}, g.Parts...)
}

func (g *Gateway) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /index.txt", needs(api.ScopeRead, g.index))
	if !g.HasPage {
		mux.HandleFunc("GET /{$}", needs(api.ScopeRead, g.index))
	}
	mux.HandleFunc("GET /healthz", needs(api.ScopeRead, g.healthz))
	mux.HandleFunc("GET /api/state", needs(api.ScopeRead, func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, g.StateJSON()) }))
	mux.HandleFunc("POST /api/cmd/{verb...}", g.command)
	mux.HandleFunc("POST /api/tools/{name}/call", needs(api.ScopeTools, needs(api.ScopeMove, g.callTool)))
	mux.HandleFunc("POST "+logoutPath, g.door.logout)
	if g.Frame != nil {
		mux.HandleFunc("GET /api/camera.jpg", needs(api.ScopeRead, g.picture))
		mux.HandleFunc("GET /api/camera.mjpeg", needs(api.ScopeRead, g.stream))
	}
	if g.API != nil {
		g.API.Streams = g.limits.stream
	}
	for _, p := range g.parts() {
		p.Mount(mux)
	}
	if g.Tokens != nil {
		g.tokenRoutes(mux)
	}
	mux.HandleFunc("GET /metrics", needs(api.ScopeRead, (&exposition{full: promhttp.HandlerFor(g.Registry(), promhttp.HandlerOpts{})}).ServeHTTP))
	return g.counted(g.door.admit(routed(g.withOfficial(mux))))
}

// Registry has everything that Prometheus is told by an open gateway.
func (g *Gateway) Registry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	if g.Metrics != nil {
		registry.MustRegister(g.Metrics)
	}
	registry.MustRegister(&collector{g}, g.requests.total, g.requests.time, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(gcCycles)))
	return registry
}

// counted tells Prometheus of every request.
func (g *Gateway) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, answered, pattern := time.Now(), &audited{ResponseWriter: w, status: http.StatusOK}, ""
		next.ServeHTTP(answered, r.WithContext(context.WithValue(r.Context(), patternKey{}, &pattern)))
		g.requests.count(r, pattern, answered.status, time.Since(began))
	})
}

type patternKey struct{}

// routed tells counted which route a request took.
func routed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		if p, ok := r.Context().Value(patternKey{}).(*string); ok {
			*p = r.Pattern
		}
	})
}

// withOfficial adds the routes of the official daemon: what asks needs the scope read, the rest move.
func (g *Gateway) withOfficial(mux *http.ServeMux) http.Handler {
	if g.Official == nil {
		return mux
	}
	official := http.NewServeMux()
	g.Official(official)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := official.Handler(r); pattern == "" {
			mux.ServeHTTP(w, r)
			return
		}
		scope := api.ScopeMove
		if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" {
			scope = api.ScopeRead
		}
		needs(scope, official.ServeHTTP)(w, r)
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
		if !commandAllowed(w, r, r.PathValue("verb")) {
			return
		}
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
	if !commandAllowed(w, r, verb) {
		return
	}
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

// commandAllowed says whether whoever asks may give a command. What the tool of a command does is not known here: it may move.
func commandAllowed(w http.ResponseWriter, r *http.Request, verb string) bool {
	scope := api.ScopeOf(api.Verb(verb))
	if scope == api.ScopeRead {
		access.Harmless(r.Context())
	}
	return allowed(w, r, scope) && (verb != string(api.VerbTool) || allowed(w, r, api.ScopeMove))
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
