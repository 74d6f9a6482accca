package motion

import (
	"cmp"

	"github.com/reachyd/reachyd/hal"
)

// latch is an emergency stop. It is set by whoever asks, at once, and obeyed by the next tick before it writes.
type latch struct {
	category int
	by       string // who asked: the Source of the request
	reason   string
	off      bool // category 0: torque has been switched off
}

// Stop latches the emergency stop at once; the next write to the bus obeys it, and from now on every motion is refused.
// Category 1 brakes within the acceleration limits and holds, category 0 switches the torque off. A latched stop can be
// made stronger, from 1 to 0 or from one that a person spoke to one that speech does not release, but not weaker. Stop works
// whatever else does not, and never waits.
func (l *Loop) Stop(category int, by, reason string) {
	asked := latch{category: category, by: by, reason: cmp.Or(reason, "stop requested")}
	for {
		old, next := l.stop.Load(), asked
		if old != nil {
			if next.category = min(next.category, old.category); old.by != hal.BySpeech {
				next.by = old.by
			}
			if next.category == old.category && next.by == old.by {
				return
			}
		}
		if l.stop.CompareAndSwap(old, &next) {
			return
		}
	}
}

// obeyStop applies the emergency stop, if there is one.
func (l *Loop) obeyStop() {
	s := l.stop.Load()
	if s == nil {
		return
	}
	if s != l.latched {
		if l.latched == nil {
			l.emit(hal.Event{Type: hal.EventEStop, Active: true, Reason: s.reason, By: s.by})
		}
		l.latched = s
		l.control.Latched, l.control.Reason = true, s.reason
		l.cancel(hal.EndStopped, "emergency stop: "+s.reason)
		l.mode = braking
		l.offs = offsets{}
		l.breath = breathing{}
	}
	if s.category == 0 && !s.off && l.servos.SetTorque(hal.AllJoints, false) == nil {
		s.off = true // otherwise every tick tries again: the bus may be away
		l.servos.Health(&l.health)
	}
}

// reset clears the emergency stop and moves nothing: standing joints keep their goals. by is who asks.
func (l *Loop) reset(seen *latch, by string) *hal.Answer {
	switch {
	case seen == nil:
		return &hal.Answer{Outcome: hal.Accepted, Reason: "the emergency stop was not latched"}
	case by == hal.BySpeech && seen.by != hal.BySpeech:
		return rejected(hal.CodeEStop, "the emergency stop was not spoken (%s): speech does not release it", seen.reason)
	}
	if !l.stop.CompareAndSwap(seen, nil) {
		return rejected(hal.CodeEStop, "the emergency stop was latched again meanwhile")
	}
	l.latched = nil
	l.control.Latched = false
	l.cancel(hal.EndStopped, "reset")
	l.pinAstray()
	l.emit(hal.Event{Type: hal.EventEStop, Active: false, Reason: "reset", By: by})
	return &hal.Answer{Outcome: hal.Accepted}
}

// pinAstray gives joints that were moved by hand, or stood still while their goals went on, the goal to stay.
func (l *Loop) pinAstray() {
	for j := range l.lim.q {
		if d := l.lim.q[j] - l.fb.Position[j]; l.fb.Fresh.Has(hal.Joint(j)) && (d > pinnedFrom || d < -pinnedFrom) {
			l.lim.pin(j, l.fb.Position[j])
		}
	}
}

// pinnedFrom is the distance between goal and joint from which a return from stop or fault takes the joint's place as
// the goal, rad. Below it is sag under load, and giving in to that would be a movement.
const pinnedFrom = 0.12
