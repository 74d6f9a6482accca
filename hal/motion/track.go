package motion

import (
	"math"
	"time"

	"github.com/reachyd/reachyd/hal"
)

// axes of a posture, in the units of it.
const (
	aX = iota
	aY
	aZ
	aYaw
	aTurnX // the rest of the rotation, as a rotation vector
	aTurnY
	aTurnZ
	aBody
	aRight
	aLeft
	axes
)

// vector is a posture as numbers, or its speed.
type vector [axes]float64

func vectorOf(p *posture) vector {
	r := p.res.vec()
	return vector{p.t[0], p.t[1], p.t[2], p.yaw, r[0], r[1], r[2], p.body, p.right, p.left}
}

func vectorOfRates(r *rates) vector {
	return vector{r.t[0], r.t[1], r.t[2], r.yaw, r.w[0], r.w[1], r.w[2], r.body, r.right, r.left}
}

func (v *vector) posture() posture {
	return posture{
		t: hal.Vec3{v[aX], v[aY], v[aZ]}, yaw: v[aYaw], res: turn(hal.Vec3{v[aTurnX], v[aTurnY], v[aTurnZ]}),
		body: v[aBody], right: v[aRight], left: v[aLeft],
	}
}

const (
	// samples are the newest targets from which the speed of a fast stream is told; four are enough for a slow one.
	samples = 5
	// fastPeriod is the longest mean interval of a fast stream, s.
	fastPeriod = 0.025
	// lead is how far ahead of now a fast stream is followed, s: about half of what the bus and the servos take to follow.
	lead = 0.015
	// foreseen is the part of the time that the samples span over which their acceleration is taken to go on.
	foreseen = 0.5
	// behind is how many intervals a slow stream is followed behind now, and bend over how many of them its acceleration goes on.
	behind, bend = 0.4, 0.75
	// alike is the ratio of two speeds in a row from which on they belong to one movement.
	alike = 0.1
	// late is how many intervals after the newest target the next one is no longer expected.
	late = 2.0
	// over is the silence, in intervals of all targets and for a tick at least, after which a stream has surely ended: what was foreseen is
	// taken back as fast as the joints may.
	over = 20.0
	// gap is the silence after which a stream begins anew, s.
	gap = 0.15
	// stiff is how fast the way closes up to targets, rad/s, critically damped; with slow ones it takes its time, the product
	// stretch of that and the interval, but is never slower than soft.
	stiff, soft, stretch = 60.0, 15.0, 2.0
)

// believable is the acceleration up to which targets are taken for a movement; beyond twice of it they are taken for a jump,
// beyond which nothing is to be expected. m/s² and rad/s².
var believable = vector{3, 3, 3, 60, 60, 60, 60, 60, 100, 100}

// jump is how far a target may be from the way to be a part of a movement, m and rad. To one that is farther there is no way to
// be smooth about: the limiter goes there as fast as the joints may.
var jump = vector{0.01, 0.01, 0.01, 0.25, 0.2, 0.2, 0.2, 0.25, 0.6, 0.6}

// track turns the targets of a stream, whenever they come, into a smooth way that is close to them.
type track struct {
	x, v vector // where the way is, and how fast

	z      [samples]vector // the newest targets, the newest first
	t      [samples]time.Duration
	n      int     // how many of them there are
	period float64 // mean interval of these, s
	every  float64 // mean interval of all that came, also of those between two ticks, of which only the newest counts, s
	slope  vector  // of the targets, where that is known
}

func newTrack(at *posture, speed *rates) track {
	return track{x: vectorOf(at), v: vectorOfRates(speed)}
}

// take adds a target that came at a time, the newest of so many.
func (k *track) take(to *posture, at time.Duration, count int) {
	if k.n > 0 {
		interval := (at - k.t[0]).Seconds()
		k.every += 0.2 * (interval/float64(count) - k.every)
		switch {
		case interval > gap:
			k.n = 0
		case k.n == 1:
			k.period = interval
		default:
			k.period += 0.2 * (interval - k.period)
		}
	} else {
		k.every = fastPeriod
	}
	copy(k.z[1:], k.z[:samples-1])
	copy(k.t[1:], k.t[:samples-1])
	k.z[0], k.t[0] = vectorOf(to), at
	k.n = min(k.n+1, samples)
	for i := range k.x {
		if math.Abs(k.z[0][i]-k.x[i]) > jump[i] {
			k.x, k.v, k.slope, k.n = k.z[0], vector{}, vector{}, 1
			return
		}
	}
	k.slope = k.speed()
}

// fast says whether targets come so often that a jump can be told from a movement, so that the next ones can be foreseen.
func (k *track) fast() bool { return k.n == samples && k.period <= fastPeriod }

// speed is how fast the newest targets move; an axis that jumps has none.
func (k *track) speed() (s vector) {
	if k.n < 3 {
		return s
	}
	middle, last := 1, 2
	if k.fast() {
		middle, last = samples/2, samples-1
	}
	recent, early := (k.t[0] - k.t[middle]).Seconds(), (k.t[middle] - k.t[last]).Seconds()
	if min(recent, early) < k.period/2 { // they came in a heap: their times say nothing
		return k.slope
	}
	for i := range s {
		newer, older := (k.z[0][i]-k.z[middle][i])/recent, (k.z[middle][i]-k.z[last][i])/early
		if !k.fast() {
			s[i] = k.bent(i, newer, older)
			continue
		}
		accel := (newer - older) / ((recent + early) / 2)
		believed := min(1, max(0, 2-math.Abs(accel)/believable[i]))
		if most := max(math.Abs(newer), math.Abs(older)); most > 0 { // a jump among targets that stand still is no movement
			believed = min(believed, min(math.Abs(newer), math.Abs(older))/most/alike)
		}
		// The mean over the samples is the speed in their middle; half of the way from there to now is foreseen, too.
		s[i] = believed * ((k.z[0][i]-k.z[last][i])/(recent+early) + foreseen*accel*(recent+early))
	}
	return s
}

// bent is the speed of an axis of a slow stream from those of its newest two intervals. The acceleration between them goes on
// where the one before was alike; that of noise changes its sign, and is not followed.
func (k *track) bent(axis int, newer, older float64) float64 {
	speed := tangent(newer, older)
	if k.n < 4 {
		return speed
	}
	first, second, third := (k.t[0] - k.t[1]).Seconds(), (k.t[1] - k.t[2]).Seconds(), (k.t[2] - k.t[3]).Seconds()
	if third < k.period/2 { // in a heap with the one before
		return speed
	}
	oldest := (k.z[2][axis] - k.z[3][axis]) / third
	accel := slower((newer-older)/(first+second), (older-oldest)/(second+third)) * 2
	least, most := min(math.Abs(newer), math.Abs(older)), max(math.Abs(newer), math.Abs(older))
	if accel == 0 || least < alike*most || math.Abs(accel) > believable[axis] {
		return speed
	}
	return newer + bend*accel*first
}

// next goes one tick on, to a time.
func (k *track) next(now time.Duration, dt float64) posture {
	if k.n == 0 {
		return k.x.posture()
	}
	b, rate, omega := k.z[0], vector{}, stiff
	ahead := (now - k.t[0]).Seconds()
	if ahead > max(over*k.every, dt) {
		k.x, k.v = b, vector{}
		return k.x.posture()
	}
	if ahead < late*k.period { // the next one is still to be expected
		rate = k.slope
		if k.fast() { // of a flood next to nothing is foreseen, so that it ends where its last target is
			ahead = min(ahead+lead, over*k.every)
		} else {
			ahead -= behind * k.period
			omega = max(soft, min(stiff, stretch/k.period))
		}
		for i := range b {
			b[i] += rate[i] * ahead
		}
	}
	fade := math.Exp(-omega * dt)
	for i := range k.x {
		off, drift := k.x[i]-(b[i]-rate[i]*dt), k.v[i]-rate[i]
		pull := drift + omega*off
		k.x[i] = b[i] + (off+pull*dt)*fade
		k.v[i] = rate[i] + (drift-omega*pull*dt)*fade
	}
	return k.x.posture()
}
