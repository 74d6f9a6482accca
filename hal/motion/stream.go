package motion

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/request"
)

// Streamer is somebody who streams targets. The first one to send a target has the lease; the others are refused until
// it closes, is silent for too long, or a request of somebody else moves the robot. A streamer that was displaced by
// such a request is refused until the request's moves are over, so that the newest wish wins and not the most frequent.
type Streamer struct {
	loop   *Loop
	source string
	barred atomic.Pointer[string] // the move that displaced it

	mu     sync.Mutex
	judged time.Duration // when a target was last compared with the envelope
}

// slot holds the newest target on its way to the tick.
type slot struct {
	owner atomic.Pointer[Streamer]

	mu    sync.Mutex
	fresh bool
	by    *Streamer
	wish  wish
	uses  hal.JointMask
	last  time.Duration
	count int // of targets since the tick took one over
}

// stream is what the tick knows about the present stream.
type stream struct {
	owner    *Streamer
	id, name string
	uses     hal.JointMask
	last     time.Duration // when the newest target came

	to    posture // the newest target
	track track

	displaced *Streamer // whom the present moves have displaced
}

// NewStreamer returns a streamer that is called source in refusals. Close gives its lease back.
func (l *Loop) NewStreamer(source string) *Streamer {
	return &Streamer{loop: l, source: cmp.Or(source, "anonymous"), judged: -time.Hour}
}

// Target hands a target to the next tick; of several within a tick the newest is applied. judged says whether the
// answer has compared the target with the envelope, which is done at most once a tick; otherwise it only says that the
// target was taken.
func (s *Streamer) Target(req *hal.Request) (a hal.Answer, judged bool) {
	l := s.loop
	if bad := request.Check(req); bad != nil {
		return *bad, true
	}
	uses := usesOf(req)
	if st := l.stop.Load(); st != nil {
		c := control{Latched: true, Reason: st.reason}
		return *c.forbids(uses), true
	}
	l.pub.mu.Lock()
	bad := l.pub.control.forbids(uses)
	at, body := l.pub.control.at, l.pub.control.body
	l.pub.mu.Unlock()
	if bad != nil {
		return *bad, true
	}
	if id := s.barred.Load(); id != nil {
		return *rejected(hal.CodeLease, "the lease was lost to move %s; targets are taken again when it is over", *id), true
	}
	sl := &l.slot
	if owner := sl.owner.Load(); owner != s && (owner != nil || !sl.owner.CompareAndSwap(nil, s)) {
		name := "another client"
		if owner != nil {
			name = owner.source
		}
		return *rejected(hal.CodeLease, "%s streams targets", name), true
	}
	now := l.clock.Now()
	w := wishOf(req)
	sl.mu.Lock()
	sl.fresh, sl.by, sl.wish, sl.uses, sl.last = true, s, w, uses, now
	sl.count++
	sl.mu.Unlock()
	l.hurry()

	s.mu.Lock()
	judged = now-s.judged >= l.period
	if judged {
		s.judged = now
	}
	s.mu.Unlock()
	a.Outcome = hal.Accepted
	if judged {
		to := w.from(&at, body)
		if _, changes, ok := envelope(req, &to); !ok {
			return *rejected(hal.CodeInvalid, "the target is not finite"), true
		} else if len(changes) > 0 {
			a.Outcome, a.Changes = hal.Clamped, changes
		}
	}
	return a, judged
}

// Close gives the lease back, if the streamer has it; the robot brakes and holds. It may be called more than once.
func (s *Streamer) Close() { s.loop.slot.owner.CompareAndSwap(s, nil) }

// serveStream takes the newest target over and ends a stream that has fallen silent or was closed.
func (l *Loop) serveStream() {
	st := &l.stream
	l.readmit()
	owner := l.slot.owner.Load()
	if l.mode == streaming && owner != st.owner {
		l.endStream(hal.EndDone, "the lease was given back")
		l.mode = braking
	}
	if l.slot.mu.TryLock() {
		if l.slot.fresh && l.slot.by == owner {
			l.takeTarget(owner, &l.slot)
			l.slot.fresh, l.slot.count = false, 0
		}
		l.slot.mu.Unlock()
	}
	if l.mode == streaming && l.now-st.last > l.cfg.Lease {
		l.endStream(hal.EndCancelled, fmt.Sprintf("lease lost: silent for %v", l.cfg.Lease))
		l.mode = braking
	}
}

// dropTarget drops a first target that has not been taken over yet and is older than what was asked for at: the newest wins.
func (l *Loop) dropTarget(at time.Duration) {
	sl := &l.slot
	if l.mode == streaming || !sl.mu.TryLock() {
		return
	}
	defer sl.mu.Unlock()
	if sl.fresh && sl.last <= at {
		sl.fresh = false
		sl.owner.CompareAndSwap(sl.by, nil)
	}
}

// readmit takes targets of a displaced streamer again once the moves that displaced it are over.
func (l *Loop) readmit() {
	if st := &l.stream; st.displaced != nil && l.cur == nil {
		st.displaced.barred.Store(nil)
		st.displaced = nil
	}
}

func (l *Loop) takeTarget(owner *Streamer, sl *slot) {
	w := &sl.wish
	if l.control.forbids(sl.uses) != nil {
		l.slot.owner.CompareAndSwap(owner, nil)
		return
	}
	st := &l.stream
	if l.mode != streaming {
		if l.cur != nil || len(l.queue) > 0 {
			l.finish(hal.EndCancelled, "replaced by a stream of "+owner.source)
		}
		*st = stream{owner: owner, id: l.newID(), name: "stream " + owner.source, displaced: st.displaced}
		speed := l.goalRates()
		l.base = l.aheadPosture()
		st.to = l.base
		st.track = newTrack(&l.base, &speed)
		l.mode = streaming
		l.emit(hal.Event{Type: hal.EventMoveStarted, Move: st.id, Name: st.name})
	}
	if w.body {
		l.body = w.p.body
	}
	st.last = sl.last
	st.uses |= sl.uses
	st.to = w.from(&st.to, l.body)
	st.track.take(&st.to, sl.last, sl.count)
}

// endStream ends the present stream, if there is one.
func (l *Loop) endStream(end, reason string) {
	if l.mode != streaming {
		return
	}
	st := &l.stream
	l.slot.owner.CompareAndSwap(st.owner, nil)
	l.emit(hal.Event{Type: hal.EventMoveDone, Move: st.id, Name: st.name, End: end, Reason: reason})
	st.owner = nil
	l.mode = braking
}
