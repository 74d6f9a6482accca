package motion

import (
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// faultList is what is wrong now. list is replaced, never modified, when it changes, so that snapshots may share it.
type faultList struct {
	list []hal.Fault
	seen []hal.Fault // the servos' list from which it was made
	late *hal.Fault
}

// freezing faults take a joint's movement away; the others are told and suffered.
func freezing(n hal.FaultName) bool {
	switch n {
	case hal.FaultServoMissing, hal.FaultOverload, hal.FaultOverheat, hal.FaultElectrical, hal.FaultEncoder:
		return true
	}
	return false
}

// watchFaults compares the servos' faults with the known ones, tells the difference and freezes what must not move.
func (l *Loop) watchFaults(err error) {
	online := l.health.Online
	if online != l.control.Online {
		l.turnOnline(online, err)
	}
	if sameFaults(l.health.Faults, l.faults.seen) && l.faults.late == l.tele.late {
		return
	}
	l.faults.seen, l.faults.late = l.health.Faults, l.tele.late
	old := l.faults.list
	now := make([]hal.Fault, 0, len(l.health.Faults)+1)
	now = append(now, l.health.Faults...)
	if l.tele.late != nil {
		now = append(now, *l.tele.late)
	}
	l.faults.list = now
	for i := range now {
		if !hasFault(old, &now[i]) {
			l.emit(hal.Event{Type: hal.EventFault, Active: true, Fault: &now[i]})
		}
	}
	for i := range old {
		if !hasFault(now, &old[i]) {
			l.emit(hal.Event{Type: hal.EventFault, Active: false, Fault: &old[i]})
		}
	}
	l.freeze(now)
}

// freeze finds the joints that must not move.
func (l *Loop) freeze(now []hal.Fault) {
	before := l.control.Frozen
	c := &l.control
	c.Frozen, c.Freezes = 0, nil
	for i := range now {
		f := &now[i]
		j, err := hal.ParseJoint(f.Joint)
		if err != nil || !freezing(f.Name) {
			continue
		}
		z := newFreeze(j, f)
		c.Frozen |= z.joints
		c.Freezes = append(c.Freezes, z)
	}
	slices.SortStableFunc(c.Freezes, func(a, b freeze) int { return strings.Compare(a.part, b.part) })
	if m := l.cur; m != nil && m.uses&c.Frozen != 0 {
		l.cancel(hal.EndFailed, c.frozenBy(m.uses))
	}
	if l.mode == streaming && l.stream.uses&c.Frozen != 0 {
		l.cancel(hal.EndFailed, c.frozenBy(l.stream.uses))
	}
	if thawed := before &^ c.Frozen; thawed != 0 {
		l.pinAstray()
		if l.mode == holding {
			l.rebase()
		}
	}
}

// turnOnline notes that the bus went away or came back. What returns holds where it is.
func (l *Loop) turnOnline(online bool, err error) {
	c := &l.control
	c.Online = online
	if online {
		c.Offline = ""
		if !l.adopt() {
			l.pinAstray()
		}
		l.mode = holding
		l.lim.v = hal.Joints{}
		l.rebase()
		if l.latched != nil {
			l.latched.off = false // category 0: make sure of it again
		}
		return
	}
	c.Offline = "the bus does not answer"
	if err != nil {
		c.Offline = err.Error()
	}
	l.lim.v = hal.Joints{}
	l.cancel(hal.EndFailed, c.Offline)
	l.mode = holding
}

func sameFaults(a, b []hal.Fault) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func hasFault(list []hal.Fault, f *hal.Fault) bool {
	for i := range list {
		if list[i].Name == f.Name && list[i].Joint == f.Joint {
			return true
		}
	}
	return false
}

func newLateFault(detail string) *hal.Fault {
	return &hal.Fault{Name: hal.FaultDeadline, Detail: detail, Since: time.Now()}
}
