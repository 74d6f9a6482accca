package toolmanager

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

// Why a running tool was ended, as the cause of its context.
var (
	errStopped = errors.New("stop was said")
	errClosing = errors.New("the robot shuts down")
)

// running are the calls of self-made tools that run now.
type running struct {
	mu    sync.Mutex
	calls map[int]*runningCall
	n     int
}

type runningCall struct {
	api.RunningTool
	began time.Time
	end   context.CancelCauseFunc
}

// begin adds a call of a version of a tool; the returned function takes it out.
func (r *running) begin(ctx context.Context, name string, version int) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[int]*runningCall{}
	}
	r.n++
	n := r.n
	r.calls[n] = &runningCall{api.RunningTool{Run: n, Name: name, Version: version, Unattended: tool.IsUnattended(ctx)}, time.Now(), cancel}
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, n)
		cancel(nil)
	}
}

// list are the calls that run, the longest first.
func (r *running) list() []api.RunningTool {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]api.RunningTool, 0, len(r.calls))
	for _, n := range slices.Sorted(maps.Keys(r.calls)) {
		c := r.calls[n].RunningTool
		c.Seconds = math.Round(time.Since(r.calls[n].began).Seconds()*10) / 10
		all = append(all, c)
	}
	return all
}

// busy says which tools keep another one from running.
func (r *running) busy() string {
	calls := r.list()
	all := make([]string, 0, len(calls))
	for _, c := range calls {
		all = append(all, fmt.Sprintf("%s (run %d, for %.0f s)", c.Name, c.Run, c.Seconds))
	}
	return fmt.Sprintf("busy: %d tools run: %s; `reachyctl tool kill` ends one", len(all), strings.Join(all, ", "))
}

// errKilled ends a call that somebody ended by its number.
var errKilled = errors.New("somebody ended it")

// doPs lists the calls that run.
func (t *Manager) doPs(_ context.Context, _ arguments) (any, error) {
	return map[string]any{"running": t.running.list()}, nil
}

// doKill ends one call that runs, or all of a tool.
func (t *Manager) doKill(_ context.Context, a arguments) (any, error) {
	t.running.mu.Lock()
	defer t.running.mu.Unlock()
	ended := []int{}
	for _, n := range slices.Sorted(maps.Keys(t.running.calls)) {
		if c := t.running.calls[n]; a.Run == n || a.Run == 0 && a.Name != "" && c.Name == a.Name {
			c.end(errKilled)
			ended = append(ended, n)
		}
	}
	switch {
	case a.Run == 0 && a.Name == "":
		return nil, &inputError{errors.New("run, name: neither is given, allowed is one of them; cmd/tools/ps lists what runs")}
	case len(ended) == 0:
		return nil, &inputError{errors.New("run, name: no such tool runs; cmd/tools/ps lists what runs")}
	}
	return map[string]any{"ended": ended}, nil
}

// Interrupt ends all self-made tools that run, also those that do not move the robot; why is told in their results.
func (t *Manager) Interrupt(why error) {
	t.running.mu.Lock()
	defer t.running.mu.Unlock()
	for _, c := range t.running.calls {
		c.end(why)
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
