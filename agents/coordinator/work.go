package coordinator

import (
	"context"
	"sync"
)

// work lets one job act on the robot at a time, the newest.
type work struct {
	mu    *sync.Mutex
	jobs  map[*job]struct{} // at work or waiting
	place gate
}

// job is a turn or a call that acts on the robot.
type job struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	work   *work
	inside bool
}

func newWork() work {
	return work{mu: new(sync.Mutex), jobs: map[*job]struct{}{}, place: newGate()}
}

// announce interrupts all jobs there are and adds a new one. Its end must be called.
func (w *work) announce(ctx context.Context) *job {
	ctx, cancel := context.WithCancelCause(ctx)
	j := &job{ctx: ctx, cancel: cancel, work: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	for other := range w.jobs {
		other.cancel(errNewer)
	}
	w.jobs[j] = struct{}{}
	return j
}

// interrupt ends all jobs there are.
func (w *work) interrupt(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.jobs {
		j.cancel(why)
	}
}

// begin waits until the jobs before this one have ended and reports whether it may go on.
func (j *job) begin() bool {
	j.inside = j.work.place.enter(j.ctx)
	return j.inside && j.ctx.Err() == nil
}

func (j *job) end() {
	if j.inside {
		j.work.place.leave()
	}
	j.work.mu.Lock()
	delete(j.work.jobs, j)
	j.work.mu.Unlock()
	j.cancel(nil)
}

// gate lets one in at a time, in the order of arrival: a channel queues its waiting senders first in, first out.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

// enter waits for its turn and reports whether it came before ctx ended.
func (g gate) enter(ctx context.Context) bool {
	select {
	case g <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (g gate) leave() { <-g }
