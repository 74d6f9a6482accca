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

// job is a turn or a call that acts on the robot, or a turn that thinks and may come to act on it.
type job struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	work    *work
	session string // of a turn that thinks
	acts    bool   // guarded by work.mu
	inside  bool   // only the job's own goroutine reads and writes it
}

func newWork() work {
	return work{mu: new(sync.Mutex), jobs: map[*job]struct{}{}, place: newGate()}
}

// announce interrupts all jobs that act and adds a new one. Its end must be called.
func (w *work) announce(ctx context.Context) *job {
	return w.add(ctx, &job{work: w, acts: true}, func(other *job) bool { return other.acts })
}

// announceThought adds a job that only thinks for now. It interrupts what its own session thinks about, for it corrects
// or replaces it, and leaves the others alone.
func (w *work) announceThought(ctx context.Context, session string) *job {
	return w.add(ctx, &job{work: w, session: session}, func(other *job) bool { return other.session == session })
}

func (w *work) add(ctx context.Context, j *job, ends func(*job) bool) *job {
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	for other := range w.jobs {
		if ends(other) {
			other.cancel(errNewer)
		}
	}
	w.jobs[j] = struct{}{}
	return j
}

// interruptSession ends what a session thinks about or does after thinking.
func (w *work) interruptSession(session string, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.jobs {
		if j.session == session {
			j.cancel(why)
		}
	}
}

// act makes a job that thinks one that acts: it waits behind those that act now, and can then be interrupted by a newer
// command. It reports whether it may go on; to ask again costs nothing.
func (j *job) act() bool {
	if j.inside {
		return j.ctx.Err() == nil
	}
	j.work.mu.Lock()
	j.acts = true
	j.work.mu.Unlock()
	return j.begin()
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
