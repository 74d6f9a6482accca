package motion

import (
	"math"

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

	q, v   hal.Joints // present goals and their speeds
	tq, tv hal.Joints // the target before, and its speed
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

// resume makes the present goals and speeds those of the target: a source that takes over and begins there keeps the speeds
// what they are.
func (l *limiter) resume() { l.tq, l.tv = l.q, l.v }

// pin sets a joint's goal without a way there: only for joints without torque, or that nobody could reach before.
func (l *limiter) pin(j int, q float64) {
	l.q[j] = min(max(q, l.pos[j].Min), l.pos[j].Max)
	l.v[j] = 0
	l.tq[j], l.tv[j] = l.q[j], 0
}

// step moves the goals of the joints in mask one tick towards target; the others brake. A target that moves is followed at
// its own speed: only what is left between it and the goal is closed as if it stood still.
// The six arms share one pace, so that the head goes straight and no rod is pulled against another.
func (l *limiter) step(target *hal.Joints, mask hal.JointMask) {
	var along, rest hal.Joints // rad/s with the target, and rad that are left
	for j := range rest {
		if !mask.Has(hal.Joint(j)) || math.IsNaN(target[j]) {
			l.tq[j], l.tv[j] = l.q[j], 0
			continue
		}
		to := min(max(target[j], l.pos[j].Min), l.pos[j].Max)
		speed := (to - l.tq[j]) / l.dt
		along[j] = slower(speed, l.tv[j])
		l.tq[j], l.tv[j] = to, speed
		rest[j] = to - l.q[j]
	}
	want := l.closing(&along, &rest)
	if !l.canArms(&want) { // then their pace counts for more than their lag
		for j := int(hal.Stewart1); j <= int(hal.Stewart6); j++ {
			along[j] = 0
		}
		want = l.closing(&along, &rest)
	}
	l.apply(&want)
}

// closing returns the speeds that close the rest while the target goes along.
func (l *limiter) closing(along, rest *hal.Joints) (want hal.Joints) {
	pace := 1 / l.dt
	for j := range want {
		left := rest[j] - along[j]*l.dt
		if left == 0 {
			continue
		}
		want[j] = math.Copysign(min(l.stoppable(j, math.Abs(left)), l.lim[j].Speed), left)
		if isArm(j) {
			pace = min(pace, want[j]/left)
		}
	}
	for j := range want {
		if isArm(j) {
			want[j] = (rest[j] - along[j]*l.dt) * pace
		}
		want[j] += along[j]
	}
	return want
}

// canArms says whether all arms can have these speeds in the next tick, so that none falls behind the others.
func (l *limiter) canArms(want *hal.Joints) bool {
	for j := int(hal.Stewart1); j <= int(hal.Stewart6); j++ {
		if math.Abs(want[j]) > l.lim[j].Speed || math.Abs(want[j]-l.v[j]) > l.lim[j].Accel*l.dt {
			return false
		}
	}
	return true
}

func isArm(j int) bool { return j >= int(hal.Stewart1) && j <= int(hal.Stewart6) }

// slower returns the smaller of two speeds that have the same sign, and 0 where they have not: a target that jumps has no speed.
func slower(a, b float64) float64 {
	if a*b <= 0 {
		return 0
	}
	if math.Abs(a) < math.Abs(b) {
		return a
	}
	return b
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

// stop returns where the goals would be if they braked from now on.
func (l *limiter) stop() hal.Joints {
	var slowest float64 // s
	for j, v := range l.v {
		if isArm(j) {
			slowest = max(slowest, math.Abs(v)/l.lim[j].Accel)
		}
	}
	q := l.q
	for j, v := range l.v {
		took := slowest
		if !isArm(j) {
			took = math.Abs(v) / l.lim[j].Accel
		}
		q[j] = min(max(q[j]+v*took/2, l.pos[j].Min), l.pos[j].Max)
	}
	return q
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
