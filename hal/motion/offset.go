package motion

import (
	"math"
	"time"

	"github.com/reachyd/reachyd/hal"
)

const (
	maxOffsets   = 8
	offsetFade   = 0.06        // s, time constant with which an offset is followed
	offsetSilent = time.Second // a source that says nothing for so long loses its offset
)

// What one source may add to the head at most, in rad and m.
const (
	MaxOffsetTilt  = 0.5
	MaxOffsetShift = 0.03
)

// offset is what one source adds to the head, in the world frame.
type offset struct {
	source   string
	goal     hal.Head
	now      hal.Head
	lastSeen time.Duration
}

// offsets are all sources; the sum is applied before kinematics.
type offsets struct {
	list [maxOffsets]offset
}

// set stores a source's wish and reports whether there was room for it.
func (o *offsets) set(source string, h hal.Head, now time.Duration) bool {
	free := -1
	for i := range o.list {
		s := &o.list[i]
		if s.source == source {
			s.goal, s.lastSeen = h, now
			return true
		}
		if s.source == "" && free < 0 {
			free = i
		}
	}
	if free < 0 {
		return false
	}
	o.list[free] = offset{source: source, goal: h, lastSeen: now}
	return true
}

// step follows the wishes for one tick and adds them up.
func (o *offsets) step(now time.Duration, dt float64) (sum hal.Head, any bool) {
	k := 1 - math.Exp(-dt/offsetFade)
	for i := range o.list {
		s := &o.list[i]
		if s.source == "" {
			continue
		}
		if now-s.lastSeen > offsetSilent {
			s.goal = hal.Head{}
		}
		n := &s.now
		n.X += k * (s.goal.X - n.X)
		n.Y += k * (s.goal.Y - n.Y)
		n.Z += k * (s.goal.Z - n.Z)
		n.Roll += k * (s.goal.Roll - n.Roll)
		n.Pitch += k * (s.goal.Pitch - n.Pitch)
		n.Yaw += k * (s.goal.Yaw - n.Yaw)
		if s.goal == (hal.Head{}) && math.Abs(n.X)+math.Abs(n.Y)+math.Abs(n.Z)+math.Abs(n.Roll)+math.Abs(n.Pitch)+math.Abs(n.Yaw) < 1e-5 {
			*s = offset{}
			continue
		}
		any = true
		sum.X += n.X
		sum.Y += n.Y
		sum.Z += n.Z
		sum.Roll += n.Roll
		sum.Pitch += n.Pitch
		sum.Yaw += n.Yaw
	}
	return sum, any
}

// add lays an offset over a posture: t = t + t_off, R = R_off·R.
func (p *posture) add(h *hal.Head) {
	p.t[0] += h.X
	p.t[1] += h.Y
	p.t[2] += h.Z
	// R_off = Rz(ψ)·E and R = Rz(yaw)·res: the yaws add up as numbers, E is seen from the turned head.
	e := hal.RotY(h.Pitch).Mul(hal.RotX(h.Roll))
	seen := hal.RotZ(-p.yaw).Mul(e).Mul(hal.RotZ(p.yaw))
	p.res = quatOf(seen).mul(p.res)
	p.yaw += h.Yaw
}

// breathing is the idle movement: a slow rise and fall that is never quite the same.
type breathing struct {
	on     bool
	amount float64 // 0…1, fades in and out
	phase  float64
	idle   float64 // s since the last move
}

const (
	breatheAfter = 3.0 // s without a move before it begins
	breatheIn    = 2.0 // s to fade in
	breatheOut   = 0.4 // s to fade out
)

// step returns the head and antenna offsets of this tick.
func (b *breathing) step(idle bool, dt float64) (h hal.Head, antenna float64, any bool) {
	b.idle += dt
	if !idle {
		b.idle = 0
	}
	if b.on && b.idle > breatheAfter {
		b.amount = min(1, b.amount+dt/breatheIn)
	} else {
		b.amount = max(0, b.amount-dt/breatheOut)
	}
	if b.amount == 0 {
		b.phase = 0
		return h, 0, false
	}
	b.phase += dt
	a := progress(hal.EasingMinJerk, b.amount)
	slow, fast := math.Sin(2*math.Pi*0.09*b.phase), math.Sin(2*math.Pi*0.23*b.phase)
	h.Z = a * 0.003 * fast
	h.Pitch = a * 0.014 * math.Sin(2*math.Pi*0.23*b.phase-0.8)
	h.Roll = a * 0.010 * slow
	h.Yaw = a * 0.012 * math.Sin(2*math.Pi*0.053*b.phase)
	return h, a * 0.06 * math.Sin(2*math.Pi*0.23*b.phase-0.4), true
}
