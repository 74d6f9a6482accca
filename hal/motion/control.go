package motion

import (
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/hal"
)

// control is what decides about a request, and where a planned move would begin. The tick decides by its own; planners
// work with the published copy and are told when it was out of date.
type control struct {
	Online  bool
	Offline string // why not
	Torque  hal.JointMask
	Frozen  hal.JointMask // joints that must not move because of a fault
	Freezes []freeze      // why; replaced, never modified
	Latched bool
	Reason  string // of the emergency stop

	at    posture // where the goals are
	tail  posture // where the last queued move ends
	body  float64 // the body angle that was asked for last
	moves [MaxQueue + 1]string
	count int
}

func (c *control) knows(id string) bool {
	for _, m := range c.moves[:c.count] {
		if m == id {
			return true
		}
	}
	return false
}

func (l *Loop) fillControl() {
	c := &l.control
	c.Torque = l.health.Torque
	c.Latched = l.latched != nil
	if c.Latched {
		c.Reason = l.latched.reason
	}
	c.at = l.base
	c.at.body = l.lim.q[hal.BodyYaw]
	c.at.right, c.at.left = l.lim.q[hal.RightAntenna], l.lim.q[hal.LeftAntenna]
	c.body = l.body
	c.count = 0
	c.tail = c.at
	switch l.mode {
	case moving:
		c.moves[0], c.count = l.cur.id, 1
		c.tail = l.tail
	case streaming:
		c.moves[0], c.count = l.stream.id, 1
	}
	for _, m := range l.queue {
		c.moves[c.count] = m.id
		c.count++
	}
}

// forbids says why joints may not be moved now, or returns nil.
func (c *control) forbids(uses hal.JointMask) *hal.Answer {
	switch {
	case c.Latched:
		return rejected(hal.CodeEStop, "the emergency stop is latched (%s); reset it first", c.Reason)
	case !c.Online:
		return rejected(hal.CodeFault, "the robot is offline: %s", c.Offline)
	case c.Frozen&uses != 0:
		return rejected(hal.CodeFault, "%s", c.frozenBy(uses))
	case c.Torque&uses != uses:
		return rejected(hal.CodeTorqueOff, "the motors of %s are off; wake the robot or switch them on first",
			strings.Join((uses&^c.Torque).Names(), " "))
	}
	return nil
}

// freeze is one fault that takes movement away.
type freeze struct {
	joints hal.JointMask
	part   string // what cannot move
	why    string
}

// newFreeze says which joints a fault at one of them takes away. The six arms hold one head: when one is out, all hold.
func newFreeze(j hal.Joint, f *hal.Fault) freeze {
	z := freeze{joints: hal.JointMask(0).With(j), part: "the " + strings.ReplaceAll(j.String(), "_", " "), why: f.Detail}
	switch {
	case headMask.Has(j):
		z.joints, z.part = headMask, "the head"
	case j == hal.BodyYaw:
		z.part = "the body"
	}
	if z.why == "" {
		z.why = string(f.Name)
	}
	if !strings.Contains(z.why, f.Joint) {
		z.why = f.Joint + ": " + z.why
	}
	return z
}

// frozenBy says what of the joints cannot move, and why.
func (c *control) frozenBy(uses hal.JointMask) string {
	var parts []string
	last := ""
	for _, z := range c.Freezes {
		switch {
		case z.joints&uses == 0:
		case z.part == last: // two arms of one head
			parts[len(parts)-1] += ", " + z.why
		default:
			parts = append(parts, z.part+" cannot move ("+z.why)
			last = z.part
		}
	}
	return strings.Join(parts, "); ") + ")"
}

func rejected(code, format string, args ...any) *hal.Answer {
	return &hal.Answer{Outcome: hal.Rejected, Code: code, Reason: fmt.Sprintf(format, args...)}
}
