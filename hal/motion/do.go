package motion

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/request"
)

// job is a request on its way to the tick. Whoever made it has planned the move; the tick decides and begins it.
type job struct {
	req    *hal.Request
	move   *move
	answer hal.Answer    // of the plan; used when the tick agrees
	seen   *latch        // the stop that a reset is meant for
	at     time.Duration // when it was asked for
	taken  atomic.Bool
	done   chan hal.Answer
}

// Do checks, plans and begins what a request asks for, and returns the answer at the next tick. Stop does not wait.
// When ctx ends first the answer is rejected with CodeUnavailable, and nothing will move because of the request.
func (l *Loop) Do(ctx context.Context, r hal.Request) hal.Answer {
	req := &r
	if bad := request.Check(req); bad != nil {
		return *bad
	}
	switch req.Verb {
	case hal.VerbStop:
		category := 1
		if req.Category != nil {
			category = *req.Category
		}
		l.Stop(category, req.Source, req.Reason)
		return hal.Answer{Outcome: hal.Accepted}
	case hal.VerbTarget:
		a, _ := l.sources.get(l, req.Source).Target(req)
		return a
	}
	j := &job{req: req, seen: l.stop.Load(), at: l.clock.Now(), done: make(chan hal.Answer, 1)}
	l.planMu.Lock()
	defer l.planMu.Unlock()
	if bad := l.plan(j); bad != nil {
		return *bad
	}
	select {
	case l.jobs <- j:
		l.hurry()
	case <-ctx.Done():
		return *rejected(hal.CodeUnavailable, "%v", context.Cause(ctx))
	case <-l.done:
		return *rejected(hal.CodeUnavailable, "%v", ErrClosed)
	}
	select {
	case a := <-j.done:
		return a
	case <-l.done:
		return *rejected(hal.CodeUnavailable, "%v", ErrClosed)
	case <-ctx.Done():
		if j.taken.CompareAndSwap(false, true) {
			return *rejected(hal.CodeUnavailable, "%v", context.Cause(ctx))
		}
	}
	select { // the tick was faster
	case a := <-j.done:
		return a
	case <-l.done:
		return *rejected(hal.CodeUnavailable, "%v", ErrClosed)
	}
}

func (l *Loop) newID() string { return l.prefix + strconv.FormatUint(l.ids.Add(1), 10) }

// serveJobs decides the requests that have come since the last tick.
func (l *Loop) serveJobs() {
	for range jobsPerTick {
		select {
		case j := <-l.jobs:
			if !j.taken.CompareAndSwap(false, true) {
				continue // nobody waits for it any more
			}
			if a := l.decide(j); a != nil {
				j.answer = *a
			}
			l.decided = append(l.decided, j)
		default:
			return
		}
	}
}

// answerJobs answers them, once everybody can see what they changed.
func (l *Loop) answerJobs(seen bool) {
	if !seen || len(l.decided) == 0 {
		return
	}
	for _, j := range l.decided {
		j.done <- j.answer
	}
	clear(l.decided)
	l.decided = l.decided[:0]
}

// decide carries a request out, or returns why not. A nil answer means: as planned.
func (l *Loop) decide(j *job) *hal.Answer {
	l.fillControl()
	c := &l.control
	switch j.req.Verb {
	case hal.VerbReset:
		return l.reset(j.seen, j.req.Source)
	case hal.VerbHold:
		if j.req.ID != "" && !c.knows(j.req.ID) {
			return nil // it is over, and what moves the robot now is somebody else's
		}
		l.cancel(hal.EndCancelled, "hold")
		return nil
	case hal.VerbMotors:
		return l.motors(j.req)
	case hal.VerbOffset:
		if bad := c.forbids(headMask); bad != nil {
			return bad
		}
		antennas := hal.Antennas{}
		if j.req.Antennas != nil {
			antennas = j.req.Antennas.Over(antennas)
		}
		if !l.offs.set(j.req.Source, leanOf(j.req.Head.Over(hal.Head{}), antennas), j.req.Duration, l.now) {
			return rejected(hal.CodeBusy, "%d sources add offsets already", maxOffsets)
		}
		return nil
	case hal.VerbIdle:
		if *j.req.On && c.Latched {
			return c.forbids(0)
		}
		l.breath.on = *j.req.On
		return nil
	}
	return l.admit(j)
}

// admit begins a planned move or puts it into the queue.
func (l *Loop) admit(j *job) *hal.Answer {
	m, c := j.move, &l.control
	torque := c.Torque
	if j.req.Verb == hal.VerbWake {
		c.Torque = hal.AllJoints // it will switch it on
	}
	bad := c.forbids(m.uses)
	c.Torque = torque
	switch {
	case bad != nil:
		return bad
	case c.knows(m.id):
		return rejected(hal.CodeInvalid, "id %q names a move that has not ended yet", m.id)
	}
	if j.req.Queue && l.mode == moving {
		if len(l.queue) >= l.cfg.Queue {
			return rejected(hal.CodeBusy, "%d moves are waiting already", len(l.queue))
		}
		l.queue = append(l.queue, m)
		l.tail = m.end
		return nil
	}
	if j.req.Verb == hal.VerbWake && torque != hal.AllJoints {
		err := l.switchTorque(hal.AllJoints&^torque&^c.Frozen, true)
		if l.health.Torque&headMask != headMask {
			return rejected(hal.CodeFault, "%v", err)
		}
		l.mode = holding
		l.rebase()
	}
	l.dropTarget(j.at)
	if j.req.Verb == hal.VerbGoto {
		m.waited = min(max(0, l.now-j.at), maxWait)
	}
	l.replace(m)
	return nil
}

// replace lets a move take over from whatever moves the robot now.
func (l *Loop) replace(m *move) {
	reason := "replaced by " + m.name
	if l.mode == streaming {
		owner := l.stream.owner
		l.endStream(hal.EndCancelled, "lease lost: "+reason)
		if old := l.stream.displaced; old != nil && old != owner {
			old.barred.Store(nil)
		}
		owner.barred.Store(&m.id)
		l.stream.displaced = owner
	}
	if l.cur != nil || len(l.queue) > 0 {
		l.finish(hal.EndCancelled, reason)
	}
	l.tail = m.end
	l.beginMove(m)
}

// motors switches torque.
func (l *Loop) motors(req *hal.Request) *hal.Answer {
	c := &l.control
	mask := hal.AllJoints
	if len(req.Joints) > 0 {
		mask = 0
		for _, n := range req.Joints {
			if j, err := hal.ParseJoint(n); err == nil {
				mask = mask.With(j)
			}
		}
	}
	if !c.Online || (*req.On && c.Latched) {
		return c.forbids(0)
	}
	if *req.On {
		mask &^= c.Torque
	} else if c.Torque&mask != 0 {
		l.cancel(hal.EndCancelled, "motors switched off")
	}
	if mask == 0 {
		return nil
	}
	if err := l.switchTorque(mask, *req.On); err != nil {
		return rejected(hal.CodeFault, "%v", err)
	}
	if l.mode == holding {
		l.rebase()
	}
	return nil
}

// moveName is how a request's move is called in states and events.
func moveName(req *hal.Request) string {
	if req.Name != "" {
		return fmt.Sprintf("%s %s", req.Verb, req.Name)
	}
	return string(req.Verb)
}
