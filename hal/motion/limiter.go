package motion

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/hal"
)

// JointLimit is how fast a joint may be asked to move: rad/s and rad/s².
type JointLimit struct{ Speed, Accel float64 }

// DefaultLimits are the speed and acceleration limits; the package documentation says where they come from.
var DefaultLimits = [hal.NumJoints]JointLimit{
	hal.BodyYaw:      {Speed: 3, Accel: 30},
	hal.Stewart1:     {Speed: 6, Accel: 80},
	hal.Stewart2:     {Speed: 6, Accel: 80},
	hal.Stewart3:     {Speed: 6, Accel: 80},
	hal.Stewart4:     {Speed: 6, Accel: 80},
	hal.Stewart5:     {Speed: 6, Accel: 80},
	hal.Stewart6:     {Speed: 6, Accel: 80},
	hal.RightAntenna: {Speed: 12, Accel: 200},
	hal.LeftAntenna:  {Speed: 12, Accel: 200},
}

// limiter is the last word before the bus. Each step moves its goals towards a target, never faster than a joint may,
// never changing speed faster than a joint may, and always so that it can still stop before a position limit and
// before the target. It is exact in discrete time: what it promises holds for the goals that are written.
type limiter struct {
	dt  float64
	lim [hal.NumJoints]JointLimit
	pos [hal.NumJoints]hal.Limits

	q, v hal.Joints // present goals and their speeds
}

func newLimiter(dt float64, lim [hal.NumJoints]JointLimit, pos [hal.NumJoints]hal.Limits) limiter {
	return limiter{dt: dt, lim: lim, pos: pos}
}

// stoppable returns the greatest speed of this step after which a joint can still stop within room, when each
// further step takes unit = accel·dt off its speed. It inverts the length of that discrete braking path.
func (l *limiter) stoppable(j int, room float64) float64 {
	if room <= 0 {
		return 0
	}
	unit := l.lim[j].Accel * l.dt
	r := room / (unit * l.dt)
	n := math.Floor((math.Sqrt(1+8*r) - 1) / 2)
	return unit * (r + n*(n+1)/2) / (n + 1)
}

// braking returns the way that a joint needs to stop from a speed: the room for which stoppable returns that speed.
func (l *limiter) braking(j int, speed float64) float64 {
	unit := l.lim[j].Accel * l.dt
	u := math.Abs(speed) / unit
	n := math.Floor(u)
	return unit * l.dt * ((n+1)*u - n*(n+1)/2)
}

// ahead is where the targets are that the present speeds follow: as far before the goals as these need to stop. A
// source that takes over and begins there keeps the speeds what they are.
func (l *limiter) ahead() hal.Joints {
	var lead hal.Joints // s
	for j, v := range l.v {
		if v != 0 {
			lead[j] = l.braking(j, v) / math.Abs(v)
		}
	}
	arms := lead[hal.Stewart1 : hal.Stewart6+1]
	longest := slices.Max(arms)
	for k := range arms {
		arms[k] = longest
	}
	q := l.q
	for j := range q {
		q[j] = min(max(q[j]+l.v[j]*lead[j], l.pos[j].Min), l.pos[j].Max)
	}
	return q
}

// pin sets a joint's goal without a way there: only for joints without torque, or that nobody could reach before.
func (l *limiter) pin(j int, q float64) {
	l.q[j] = min(max(q, l.pos[j].Min), l.pos[j].Max)
	l.v[j] = 0
}

// step moves the goals of the joints in mask one tick towards target; the others brake.
// The six arms share one pace, so that the head goes straight and no rod is pulled against another.
func (l *limiter) step(target *hal.Joints, mask hal.JointMask) {
	var want hal.Joints
	pace := 1 / l.dt
	for j := range want {
		if !mask.Has(hal.Joint(j)) || math.IsNaN(target[j]) {
			continue
		}
		e := min(max(target[j], l.pos[j].Min), l.pos[j].Max) - l.q[j]
		want[j] = e
		top := min(l.stoppable(j, math.Abs(e)), l.lim[j].Speed)
		if j < int(hal.Stewart1) || j > int(hal.Stewart6) {
			want[j] = math.Copysign(top, e)
		} else if e != 0 {
			pace = min(pace, top/math.Abs(e))
		}
	}
	for j := int(hal.Stewart1); j <= int(hal.Stewart6); j++ {
		want[j] *= pace
	}
	l.apply(&want)
}

// brake stops all joints; the six arms take the same time for it.
func (l *limiter) brake() {
	keep := 0.0
	for j := int(hal.Stewart1); j <= int(hal.Stewart6); j++ {
		if s := math.Abs(l.v[j]); s > 0 {
			keep = max(keep, 1-l.lim[j].Accel*l.dt/s)
		}
	}
	var want hal.Joints
	for j := int(hal.Stewart1); j <= int(hal.Stewart6); j++ {
		want[j] = l.v[j] * keep
	}
	l.apply(&want)
}

// apply takes the wanted speeds over as far as the limits allow.
func (l *limiter) apply(want *hal.Joints) {
	for j := range want {
		unit := l.lim[j].Accel * l.dt
		lo := max(l.v[j]-unit, -l.lim[j].Speed, -l.stoppable(j, l.q[j]-l.pos[j].Min))
		hi := min(l.v[j]+unit, l.lim[j].Speed, l.stoppable(j, l.pos[j].Max-l.q[j]))
		l.v[j] = max(lo, min(hi, want[j]))
		l.q[j] = min(max(l.q[j]+l.v[j]*l.dt, l.pos[j].Min), l.pos[j].Max) // the clamp only takes off rounding
	}
}

// still reports whether all goals have stopped.
func (l *limiter) still() bool { return l.v == hal.Joints{} }
