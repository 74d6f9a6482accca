// Package sdk is the way in for what people have for the official daemon: scripts and apps of its Python SDK, which talk to
// /ws/sdk, and programs that use its REST interface. Both are served on the port on which they look for it.
package sdk

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

const (
	// stateRate is how often a client hears where the robot is, Hz: the official daemon's rate.
	stateRate = 50
	// statusPeriod is how often it hears the daemon's status. A client that hears nothing for a second gives up.
	statusPeriod = 500 * time.Millisecond
	// maxClients is how many clients there are at the same time.
	maxClients = 16
	// DefaultName is what scripts call a robot that nobody has named.
	DefaultName = "reachy_mini"
)

// Body is what the gateway needs of the robot. *body.Client is one.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
	Wait(ctx context.Context, move string) (hal.Event, error)
	Watch(ctx context.Context, hz float64, fn func(body.Message)) error
	AnsweredStream(ctx context.Context, source string) (*body.Stream, error)
}

// Arbiter is told what has taken the robot over. *arbiter.Arbiter is one.
type Arbiter interface {
	TookOver()
	Streams(source string)
}

// Gateway serves the clients of the official daemon. Fill in the exported fields, Open it, put Register's routes on a web
// server, and Close it again.
type Gateway struct {
	Body    Body
	Arbiter Arbiter // nil when nobody else moves the robot
	// State and Telemetry return the newest of the robot.
	State     func() hal.State
	Telemetry func() hal.Telemetry
	Name      string // what scripts call the robot; DefaultName when empty
	Version   string
	Simulated bool
	Moves     Moves  // nil when there are no recorded moves
	Senses    Senses // nil when reachy-sense does not run
	// Media are what scripts see and hear; nil when reachy-sense does not run. CameraSocket is where they find the camera, which is where
	// the SDK finds out that there are media at all; empty for none.
	Media        Media
	CameraSocket string
	// Voice returns where the newest voice came from, degrees to the left of where the head looks, and whether somebody speaks now;
	// known is false when that was long ago or never. It is nil when the robot does not hear.
	Voice func() (yaw float64, speaking, known bool)
	Log   zerolog.Logger

	ctx   context.Context //nolint:containedctx // of everything that the gateway began; it ends with Close
	end   context.CancelFunc
	work  sync.WaitGroup
	moves running
	apps  tenancy
	jobs  jobs

	keeper keeper
	sound  sound
	faces  faces

	hardware hardware

	listeners listeners
	places    chan struct{} // of WebSockets of the REST interface

	mu      sync.Mutex
	closed  bool
	serial  uint64
	clients map[*client]struct{}
	watch   context.CancelFunc // ends the watch of the body; nil while there are no clients
	owner   string             // whose targets the robot follows

	files    map[string][]byte // sounds that were uploaded, by name
	released bool              // a script uses camera and sound card by itself

	hasMedia bool // set by Open
}

// Open makes the gateway ready for clients.
func (g *Gateway) Open(ctx context.Context) {
	g.ctx, g.end = context.WithCancel(ctx)
	g.clients = map[*client]struct{}{}
	g.moves.init()
	g.places = make(chan struct{}, maxSockets)
	if g.Name == "" {
		g.Name = DefaultName
	}
	g.openMedia()
}

// Close ends all clients, stops what they move, and waits for both. It may be called again.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.end()
	g.work.Wait()
	return nil
}

// Register puts the routes of the official daemon on mux.
func (g *Gateway) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /ws/sdk", g.serve)
	g.registerREST(mux)
}

// begin adds a task that Close waits for; it reports false when the gateway is closed already.
func (g *Gateway) begin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.work.Add(1)
	return true
}

// run does something beside the caller, and Close waits for it.
func (g *Gateway) run(do func()) {
	if !g.begin() {
		return
	}
	go func() {
		defer g.work.Done()
		do()
	}()
}

var _ Body = (*body.Client)(nil)
