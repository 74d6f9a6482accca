package motion

import (
	"math"
	"time"

	"github.com/reachyd/reachyd/hal"
)

const (
	maxOffsets   = 8
	offsetFade   = 0.06             // s, time constant with which an offset is followed
	offsetSilent = time.Second      // a source that says nothing for so long loses its offset
	offsetKept   = 30 * time.Second // the same for an offset that takes its time to come
	offsetYields = 0.3              // s in which what the robot does by itself makes way
	offsetEnds   = 1.0              // s in which an offset that took its time ends when its source is silent
)

// What one source may add at most, in rad and m.
const (
	MaxOffsetTilt    = 0.5
	MaxOffsetShift   = 0.03
	MaxOffsetAntenna = 0.5
)

// lean is what is added to a posture, in the world frame: x, y, z, roll, pitch, yaw of the head, left and right antenna.
type lean [8]float64

func leanOf(h hal.Head, a hal.Antennas) lean {
	return lean{h.X, h.Y, h.Z, h.Roll, h.Pitch, h.Yaw, a.Left, a.Right}
}

func (v *lean) head() hal.Head {
	return hal.Head{X: v[0], Y: v[1], Z: v[2], Roll: v[3], Pitch: v[4], Yaw: v[5]}
}

func (v *lean) size() (sum float64) {
	for _, x := range v {
		sum += math.Abs(x)
	}
	return sum
}

// offset is what one source adds.
type offset struct {
	source   string
	goal     lean
	now      lean
	lastSeen time.Duration

	// Of one that takes its time: it goes from one lean to the goal by minimum jerk.
	slow   bool
	from   lean
	t      float64 // s since it began
	length float64 // s
}

// to begins to go to a goal within a time.
func (s *offset) to(goal lean, length float64) {
	s.goal, s.slow, s.from, s.t, s.length = goal, true, s.now, 0, length
}

// offsets are all sources; the sum is applied before kinematics.
type offsets struct {
	list [maxOffsets]offset
}

// set stores a source's wish and reports whether there was room for it. A length, s, lets it come slowly, and stay.
func (o *offsets) set(source string, v lean, length float64, now time.Duration) bool {
	free := -1
	for i := range o.list {
		s := &o.list[i]
		if s.source == source {
			s.want(v, length, now)
			return true
		}
		if s.source == "" && free < 0 {
			free = i
		}
	}
	if free < 0 {
		return false
	}
	o.list[free] = offset{source: source}
	o.list[free].want(v, length, now)
	return true
}

func (s *offset) want(v lean, length float64, now time.Duration) {
	s.lastSeen = now
	switch {
	case length <= 0:
		s.goal, s.slow = v, false
	case !s.slow || s.goal != v:
		s.to(v, length)
	}
}

// step follows the wishes for one tick and adds them up. What the robot does by itself ends when it is not idle.
func (o *offsets) step(now time.Duration, dt float64, idle bool) (sum lean, any bool) {
	for i := range o.list {
		s := &o.list[i]
		if s.source == "" {
			continue
		}
		ends := 0.0
		switch silent := now - s.lastSeen; {
		case s.source == hal.IdleSource && !idle:
			ends = offsetYields
		case s.slow && silent > offsetKept:
			ends = offsetEnds
		case !s.slow && silent > offsetSilent:
			s.goal = lean{}
		}
		if ends > 0 && s.goal != (lean{}) {
			s.to(lean{}, ends)
		}
		s.follow(dt)
		if s.goal == (lean{}) && s.now.size() < 1e-5 {
			*s = offset{}
			continue
		}
		any = true
		for k, v := range s.now {
			sum[k] += v
		}
	}
	return sum, any
}

// follow goes on by one tick.
func (s *offset) follow(dt float64) {
	if s.slow {
		s.t += dt
		p := progress(hal.EasingMinJerk, min(1, s.t/s.length))
		for k := range s.now {
			s.now[k] = s.from[k] + p*(s.goal[k]-s.from[k])
		}
		return
	}
	k := 1 - math.Exp(-dt/offsetFade)
	for i := range s.now {
		s.now[i] += k * (s.goal[i] - s.now[i])
	}
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
