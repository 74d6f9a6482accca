package toolmanager

import (
	"context"
	"errors"
	"sync"

	"github.com/reachyd/reachyd/agents/tool"
)

// Why a running tool was ended, as the cause of its context.
var (
	errStopped = errors.New("stop was said")
	errClosing = errors.New("the robot shuts down")
)

// running are the calls of self-made tools that run now.
type running struct {
	mu  sync.Mutex
	end map[int]context.CancelCauseFunc
	n   int
}

// begin adds a call; the returned function takes it out.
func (r *running) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil {
		r.end = map[int]context.CancelCauseFunc{}
	}
	r.n++
	n := r.n
	r.end[n] = cancel
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.end, n)
		cancel(nil)
	}
}

// Interrupt ends all self-made tools that run, also those that do not move the robot; why is told in their results.
func (t *Manager) Interrupt(why error) {
	t.running.mu.Lock()
	defer t.running.mu.Unlock()
	for _, end := range t.running.end {
		end(why)
	}
}

// Stopped ends them because the robot was stopped by other ways than its tool stop: a switch, the body's socket.
func (t *Manager) Stopped() { t.Interrupt(errStopped) }

// stops sees every call of the tool stop.
type stops struct{ manager *Manager }

// stopTool is the robot's tool that stops everything.
const stopTool = "stop"

// Before implements tool.Observer. A tool that says stop itself goes on: it ended its own movement.
func (s stops) Before(c tool.Call) {
	if c.Tool == stopTool && c.Depth == 0 {
		s.manager.Interrupt(errStopped)
	}
}

// After implements tool.Observer.
func (s stops) After(tool.Call, tool.Result) {}

var _ tool.Observer = stops{}
