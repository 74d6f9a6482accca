package motion

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal"
)

const (
	eventsKept = 1024 // for readers that are slow
	endsKept   = 256  // for callers of Wait that come late
	pendingMax = 256  // events that a tick may have to keep back
)

// published is what the tick shows to everybody else. The tick only ever tries the lock: when a reader holds it, the
// readers see the next tick instead.
type published struct {
	mu      sync.Mutex
	state   hal.State
	health  hal.Health
	tele    hal.Telemetry
	control control
	events  [eventsKept]hal.Event // event Seq s is at s % eventsKept
	last    uint64                // Seq of the newest
	ends    [endsKept]hal.Event
	ended   int
	subs    map[*Subscription]struct{}

	// Of the tick alone.
	pending []hal.Event
	seq     uint64
}

func (p *published) init() {
	p.subs = map[*Subscription]struct{}{}
	p.pending = make([]hal.Event, 0, pendingMax)
}

// emit gives an event its number. It is seen with the next publication.
func (l *Loop) emit(e hal.Event) {
	p := &l.pub
	p.seq++
	e.Seq, e.TS = p.seq, time.Now()
	if len(p.pending) < cap(p.pending) {
		p.pending = append(p.pending, e) // else it is a gap in Seq
	}
}

// publish shows the tick to the readers, and reports whether it could.
func (l *Loop) publish() bool {
	l.fillControl()
	p := &l.pub
	if !p.mu.TryLock() {
		return false
	}
	defer p.mu.Unlock()
	l.fillState(&p.state)
	p.health, p.control = l.health, l.control
	if l.tele.fresh {
		l.tele.fresh = false
		p.tele = l.tele.out
	}
	for s := range p.subs {
		s.tick(l.now, l.period)
	}
	if len(p.pending) == 0 {
		return true
	}
	for i := range p.pending {
		e := &p.pending[i]
		p.events[e.Seq%eventsKept] = *e
		if e.Type == hal.EventMoveDone {
			p.ends[p.ended%endsKept] = *e
			p.ended++
		}
	}
	p.last = p.seq
	clear(p.pending)
	p.pending = p.pending[:0]
	for s := range p.subs {
		wake(s.C)
	}
	return true
}

func (l *Loop) fillState(s *hal.State) {
	s.TS = time.Now()
	switch {
	case !l.control.Online:
		s.Mode = hal.ModeOffline
	case l.health.Torque == hal.AllJoints:
		s.Mode = hal.ModeEnabled
	case l.health.Torque == 0:
		s.Mode = hal.ModeDisabled
	default:
		s.Mode = hal.ModePartial
	}
	s.Torque = l.health.Torque
	s.Moving = l.mode != holding
	s.Move, s.MoveName = "", ""
	switch l.mode {
	case moving:
		s.Move, s.MoveName = l.cur.id, l.cur.name
	case streaming:
		s.Move, s.MoveName = l.stream.id, l.stream.name
	}
	s.Queued = len(l.queue)
	s.Head = l.measured.Head()
	s.BodyYaw = l.fb.Position[hal.BodyYaw]
	s.Antennas = hal.Antennas{Left: l.fb.Position[hal.LeftAntenna], Right: l.fb.Position[hal.RightAntenna]}
	s.Joints, s.Velocity, s.Current = l.fb.Position, l.fb.Velocity, l.fb.Current
	s.Goal = l.lim.q
	s.GoalHead = l.base.head()
	s.EStop, s.EStopReason, s.EStopBy = false, "", ""
	if l.latched != nil {
		s.EStop, s.EStopReason, s.EStopBy = true, l.latched.reason, l.latched.by
	}
	s.Faults = l.faults.list
}

// State returns the newest snapshot.
func (l *Loop) State() hal.State {
	l.pub.mu.Lock()
	defer l.pub.mu.Unlock()
	s := l.pub.state
	// The latch is younger than the tick.
	if st := l.stop.Load(); st != nil {
		s.EStop, s.EStopReason, s.EStopBy = true, st.reason, st.by
	}
	return s
}

// Subscription wakes its holder when there are new events, and from time to time when there is a new state.
type Subscription struct {
	// C receives a value when events were published since the last receive, and States one every so often, with a tick: then the
	// state is new, and nobody has to wake up for it who is not awake.
	C, States chan struct{}
	loop      *Loop
	every     time.Duration
	due       time.Duration // when States is
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// tick wakes the holder when it is time for a state, or as good as.
func (s *Subscription) tick(now, period time.Duration) {
	if s.every == 0 || now < s.due-period/2 {
		return
	}
	s.due = max(s.due+s.every, now+period/2)
	wake(s.States)
}

// Subscribe returns a subscription, with as many states as there are in a period, 0 for none, and the Seq of the newest event.
// Close it.
func (l *Loop) Subscribe(every time.Duration) (s *Subscription, last uint64) {
	s = &Subscription{C: make(chan struct{}, 1), States: make(chan struct{}, 1), loop: l, every: every, due: l.clock.Now() + every}
	l.pub.mu.Lock()
	defer l.pub.mu.Unlock()
	l.pub.subs[s] = struct{}{}
	return s, l.pub.last
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.loop.pub.mu.Lock()
	defer s.loop.pub.mu.Unlock()
	delete(s.loop.pub.subs, s)
}

// Events appends to buf the events after the given Seq, oldest first, as far as they are kept (the newest 1024).
func (l *Loop) Events(after uint64, buf []hal.Event) []hal.Event {
	l.pub.mu.Lock()
	defer l.pub.mu.Unlock()
	last := l.pub.last
	if last > eventsKept {
		after = max(after, last-eventsKept)
	}
	for seq := after + 1; seq <= last; seq++ {
		if e := &l.pub.events[seq%eventsKept]; e.Seq == seq {
			buf = append(buf, *e)
		}
	}
	return buf
}

// UnknownMoveError says that the loop knows no move of that name.
type UnknownMoveError struct{ Move string }

// Error says which moves would have been known.
func (e *UnknownMoveError) Error() string {
	return fmt.Sprintf("move %q is unknown: it neither runs nor waits, and is not among the last %d ends", e.Move, endsKept)
}

// Wait returns how a move ended, also when that was before the call; the newest end counts when an ID was used again.
// The error is an *UnknownMoveError, the context's, or ErrClosed.
func (l *Loop) Wait(ctx context.Context, id string) (hal.Event, error) {
	sub, _ := l.Subscribe(0)
	defer sub.Close()
	for {
		e, active, found := l.lookUp(id)
		switch {
		case found && !active:
			return e, nil
		case !active:
			return hal.Event{}, &UnknownMoveError{id}
		}
		select {
		case <-sub.C:
		case <-ctx.Done():
			return hal.Event{}, context.Cause(ctx)
		case <-l.done:
			return hal.Event{}, ErrClosed
		}
	}
}

func (l *Loop) lookUp(id string) (e hal.Event, active, found bool) {
	p := &l.pub
	p.mu.Lock()
	defer p.mu.Unlock()
	active = p.control.knows(id)
	for i := p.ended - 1; i >= max(0, p.ended-endsKept); i-- {
		if p.ends[i%endsKept].Move == id {
			return p.ends[i%endsKept], active, true
		}
	}
	return hal.Event{}, active, false
}
