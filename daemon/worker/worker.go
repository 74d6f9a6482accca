// Package worker keeps one child process alive that serves HTTP on a unix socket: starts, checks, restarts and stops it.
//
// What a program must do to be a worker: listen on its socket; answer GET /healthz with 200 and {"pid":…} as long as a
// restart would not make it better; end by itself, tidily, on SIGTERM; and ignore SIGPIPE if it is to survive a reachyd
// that was killed, since its output then goes nowhere. A worker that survived is adopted by the next reachyd rather
// than started a second time.
package worker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/daemon/beat"
	"github.com/reachyd/reachyd/daemon/descriptors"
)

// Status is what a worker is doing.
type Status string

// The states of a worker. A worker starts as starting.
const (
	Starting   Status = "starting"   // the process is there, but has not answered yet
	Running    Status = "running"    // it answers
	Unhealthy  Status = "unhealthy"  // it did not answer when it was last asked
	Restarting Status = "restarting" // it ended, and will be started again after a pause
	Stopped    Status = "stopped"    // it was told to end, or its program is missing
)

// State is a snapshot of a worker.
type State struct {
	Name     string    `json:"name"`
	Status   Status    `json:"status"`
	Reason   string    `json:"reason,omitempty"` // why it is not running, and what to do about it
	Since    time.Time `json:"since"`
	PID      int       `json:"pid,omitempty"`
	Adopted  bool      `json:"adopted,omitempty"` // left by an earlier reachyd
	Restarts int       `json:"restarts"`          // how often it had to be started again
}

// Worker supervises one child process. Fill in the exported fields, then Run it. Zero durations take their defaults.
type Worker struct {
	Name    string   // as it is called in the log: "body"
	Program string   // file name, found by Find, or a path
	Dir     string   // where to look last for the program; may be empty
	Args    []string // without the program
	Env     []string // nil: as ours
	Socket  string   // path of the unix socket that the program listens on
	// Unit is the systemd unit that starts the program instead of us, by Exec with the arguments that Run writes down for it; "": we do.
	Unit string
	// Expendable programs are ended before others when memory runs out, whatever reachyd's own score is.
	Expendable bool

	Log zerolog.Logger
	// OnState is called at every change, in order, from Run's goroutine: it must be quick. It may be nil.
	OnState func(State)
	// OnNews is called for every line of the output that has a field "event", with that word and the message. It must be quick. It
	// may be nil. A worker that was adopted is not heard: its output went to an earlier reachyd.
	OnNews func(kind, message string)

	HealthPath    string        // "/healthz"
	Interval      time.Duration // between two checks, 500 ms; half of it after one that failed
	HealthTimeout time.Duration // of one check, 1 s
	Misses        int           // so many failed checks in a row mean that the worker hangs, 4
	// BusyMisses is Misses while one of its threads runs or waits for a processor, for one that may be at work; as Misses. StartTimeout grows with it.
	BusyMisses   int
	StartTimeout time.Duration // from start to the first good check, 30 s
	Grace        time.Duration // from SIGTERM to SIGKILL, 10 s
	HangGrace    time.Duration // the same for one that hangs, which is unlikely to end by itself; Grace
	MinBackoff   time.Duration // pause before the second restart in a row (the first is made at once), 200 ms
	MaxBackoff   time.Duration // longest pause, 10 s
	Stable       time.Duration // a worker that ran for so long starts with a clean record, 30 s

	mu      sync.Mutex
	state   State
	changed chan struct{} // closed at the next change
}

// expendable is the kernel's score of a process that goes first when memory runs out; it can be raised by anybody.
const expendable = "300"

func (w *Worker) defaults() {
	duration := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	duration(&w.Interval, 500*time.Millisecond)
	duration(&w.HealthTimeout, time.Second)
	duration(&w.StartTimeout, 30*time.Second)
	duration(&w.Grace, 10*time.Second)
	duration(&w.HangGrace, w.Grace)
	duration(&w.MinBackoff, 200*time.Millisecond)
	duration(&w.MaxBackoff, 10*time.Second)
	duration(&w.Stable, 30*time.Second)
	if w.Misses == 0 {
		w.Misses = 4
	}
	w.BusyMisses = max(w.BusyMisses, w.Misses)
	if w.HealthPath == "" {
		w.HealthPath = "/healthz"
	}
}

// State returns what the worker is doing now.
func (w *Worker) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

// Ready waits until the worker runs. Its error tells what the worker was doing when ctx ended.
func (w *Worker) Ready(ctx context.Context) error {
	for {
		w.mu.Lock()
		if w.changed == nil {
			w.changed = make(chan struct{})
		}
		state, changed := w.state, w.changed
		w.mu.Unlock()
		if state.Status == Running {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("worker %s is %s (%s): %w", w.Name, state.Status, state.Reason, ctx.Err())
		}
	}
}

// set changes the state and tells everybody.
func (w *Worker) set(status Status, reason string, pid int, adopted bool) {
	w.mu.Lock()
	w.state = State{
		Name: w.Name, Status: status, Reason: reason, Since: time.Now(), PID: pid, Adopted: adopted, Restarts: w.state.Restarts,
	}
	state := w.state
	if w.changed != nil {
		close(w.changed)
	}
	w.changed = make(chan struct{})
	w.mu.Unlock()

	level := zerolog.InfoLevel
	if status == Unhealthy || status == Restarting || (status == Stopped && reason != "") {
		level = zerolog.WarnLevel
	}
	e := w.Log.WithLevel(level).Str("worker", w.Name).Str("status", string(status))
	if pid != 0 {
		e = e.Int("pid", pid)
	}
	if reason != "" {
		e = e.Str("reason", reason)
	}
	e.Msg("worker")
	if w.OnState != nil {
		w.OnState(state)
	}
}

// Run keeps the worker alive until ctx ends, then stops it and returns nil.
func (w *Worker) Run(ctx context.Context) error {
	w.defaults()
	h := newHealth(w.Socket, w.HealthPath, w.HealthTimeout)
	defer h.close()
	w.set(Starting, "", 0, false)

	find := w.start
	var p process
	if w.Unit == "" {
		p = w.adopt(ctx, h)
	} else {
		if err := w.writeArgs(); err != nil {
			w.set(Stopped, err.Error(), 0, false)
			return err
		}
		defer context.AfterFunc(ctx, w.removeArgs)() // before the process is ended: its unit shall wait, not start another
		find = func() (process, string, bool) { return w.fromUnit(ctx, h) }
	}
	for failures := 0; ; failures++ {
		began := time.Now()
		reason, missing := "", false
		if p == nil {
			p, reason, missing = find()
		}
		if p != nil {
			reason = w.watch(ctx, h, p)
			p = nil
		}
		if ctx.Err() != nil {
			w.set(Stopped, "", 0, false)
			return nil
		}
		if time.Since(began) >= w.Stable {
			failures = 0
		}
		status, pause := Restarting, backoff(failures, w.MinBackoff, w.MaxBackoff, rand.Float64())
		if missing { // it will not appear by trying often
			status, pause = Stopped, w.MaxBackoff
		}
		w.set(status, reason, 0, false)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			w.set(Stopped, "", 0, false)
			return nil
		}
		w.mu.Lock()
		w.state.Restarts++
		w.mu.Unlock()
	}
}

// start starts the program. Without a process it returns why, and whether the program is missing.
func (w *Worker) start() (p process, reason string, missing bool) {
	path, err := Find(w.Program, w.Dir)
	if err != nil {
		return nil, err.Error(), true
	}
	removeStale(w.Socket)
	c, err := startChild(path, w.Args, w.Env, w.Name, w.Log, w.OnNews)
	if err != nil {
		return nil, err.Error(), false
	}
	if w.Expendable {
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", c.pid()), []byte(expendable), 0); err != nil {
			w.Log.Debug().Str("worker", w.Name).Err(err).Msg("its score for when memory runs out stays as it is")
		}
	}
	w.set(Starting, "", c.pid(), false)
	return c, "", false
}

// watch follows a process until it has ended, of itself, since it hangs, or since ctx ended. It returns why.
func (w *Worker) watch(ctx context.Context, h *health, p process) (reason string) {
	defer p.release()
	if !p.adopted() {
		if reason := w.await(ctx, h, p); reason != "" {
			p.stop(w.Grace)
			return reason
		}
	}
	w.set(Running, "", p.pid(), p.adopted())
	tick := time.NewTimer(beat.Until(w.Interval))
	defer tick.Stop()
	for missed, busy := 0, 0; ; {
		select {
		case <-p.done():
			return p.reason()
		case <-ctx.Done():
			p.stop(w.Grace)
			return "told to stop"
		case <-tick.C:
		}
		began := time.Now()
		_, err := h.check(ctx)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			if missed > 0 {
				w.set(Running, "", p.pid(), p.adopted())
			}
			missed, busy = 0, 0
		case descriptors.Exhausted(err): // that is about us, not about the worker
			w.Log.Debug().Str("worker", w.Name).Err(err).Msg("cannot be looked after now")
		case gone(err) && p.adopted(): // a process that nobody can reach is no use, and a new one needs its devices
			p.stop(w.Grace)
			return p.reason()
		default:
			missed++
			if working(p.pid()) {
				busy++
			}
			limit := min(w.Misses+busy, w.BusyMisses)
			reason := fmt.Sprintf("%d of %d health checks failed: %v", missed, limit, err)
			frozen := stopped(p.pid())
			if frozen {
				reason = "it is stopped by a signal and does not answer"
			}
			w.set(Unhealthy, reason, p.pid(), p.adopted())
			if frozen || missed >= limit {
				p.stop(w.HangGrace)
				return "was ended, since " + reason
			}
		}
		next := beat.Until(w.Interval)
		if missed > 0 { // it is known sooner whether it hangs
			next = max(0, w.Interval/2-time.Since(began))
		}
		tick.Reset(next)
	}
}

// await waits for the first good check of a new process. It returns "" then, or why it will not come.
func (w *Worker) await(ctx context.Context, h *health, p process) string {
	deadline := time.NewTimer(w.StartTimeout)
	defer deadline.Stop()
	late := 1
	for {
		_, err := h.check(ctx)
		if err == nil {
			return ""
		}
		select {
		case <-p.done():
			return p.reason()
		case <-ctx.Done():
			return "told to stop"
		case <-deadline.C:
			if late < w.BusyMisses/w.Misses && working(p.pid()) {
				deadline.Reset(w.StartTimeout)
				late++
				continue
			}
			return fmt.Sprintf("did not answer on %s within %v of its start: %v", w.Socket, w.StartTimeout*time.Duration(late), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// backoff is the pause before another start after so many failures in a row: none, then min doubling up to most, each
// shortened by up to a quarter (random is in [0, 1)) so that workers that failed together do not start together.
func backoff(failures int, least, most time.Duration, random float64) time.Duration {
	if failures == 0 {
		return 0
	}
	d := most
	if shift := failures - 1; shift < 30 && least<<shift < most {
		d = least << shift
	}
	return d - time.Duration(random*float64(d)/4)
}

// process is a child of ours or an adopted one.
type process interface {
	pid() int
	adopted() bool
	done() <-chan struct{}    // closed when it has ended
	reason() string           // why it ended; only after done
	stop(grace time.Duration) // SIGTERM, after grace SIGKILL; returns when it has ended
	release()                 // lets go of what was needed to watch it
}
