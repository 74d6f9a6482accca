package env

import (
	"math"
	"math/rand/v2"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/virtual"
)

// Weights are those of the parts of a reward: r = Task·task + Human·human + Safety·safety.
type Weights struct{ Task, Human, Safety float64 }

// DefaultWeights are used when a configuration names none.
var DefaultWeights = Weights{Task: 1, Human: 0.5, Safety: 0.5}

// Options of the tasks of the robot.
type Options struct {
	Plant   func() virtual.Plant // what the servos turn; nil: the plain servo model
	Random  float64              // how much delays, noise, friction, camera and light vary, 0…1
	HeldOut bool                 // things and places that training never shows
	Weights Weights
	Live    Live // the robot itself instead of a plant; for tasks that are OnRobot
}

func (o Options) rig() *rig {
	if o.Live != nil {
		return &rig{live: o.Live}
	}
	if o.Plant == nil {
		return newRig(virtual.NewSimple(virtual.SleepJoints))
	}
	return newRig(o.Plant())
}

// thing is what the camera may have to find.
type thing struct {
	name string
	size float64 // m across
	seen float64 // how likely a frame shows it to the detector in good light
	bias float64 // part of its size by which the middle of its box is off its middle
}

// The things of the simulated table, which training shows, and others, which it does not.
var (
	tableThings = []thing{{"apple", 0.08, 0.97, 0.03}, {"croissant", 0.12, 0.9, 0.15}, {"duck", 0.09, 0.95, 0.1}, {"cube", 0.05, 0.93, 0.02}}
	otherThings = []thing{{"bottle", 0.25, 0.9, 0.1}, {"mug", 0.1, 0.92, 0.2}, {"banana", 0.18, 0.88, 0.2}, {"ball", 0.2, 0.97, 0}}
)

// frame is what one picture said, and where the head was.
type frame struct {
	seen       bool
	left, down float64 // degrees off the middle of the picture
	head       hal.Head
	tick       int
}

// Numbers of an observation of Look.
const (
	obsLeft    = iota // degrees/30 to where the thing must be now, by the latest picture and what the head has turned since
	obsDown           //
	obsYaw            // head, degrees/60
	obsPitch          // degrees/30
	obsLagYaw         // what the head still has to go to its goal, degrees/10
	obsLagDown        //
	obsActYaw         // the last action
	obsActDown        //
	obsAge            // s since the picture
	obsSure           // 1: seen, 0: only heard
	obsRateYaw        // how the thing moves, degrees/30 a second
	obsRateDn         //
	lookObs
)

const (
	lookSteps    = 50  // decisions of an episode
	lookNear     = 2.0 // degrees off the middle that are centred, as in the classical solution
	lookHold     = 3   // decisions for which it must be
	lostAfter    = 1.2 // s without a sighting after which a thing is lost
	followNear   = 5.0 // degrees off on average that still is following
	followSettle = 15  // decisions before following is judged
	lookStep     = LearnedSpeed * decision * tick
)

// Look is the task of bringing something into the middle of the picture: a thing that lies there, one that moves, or a person
// who was heard.
type Look struct {
	id   string
	opts Options
	rig  *rig
	rng  *rand.Rand

	thing      thing
	place      hal.Vec3
	left, down float64 // where the thing is, and how it moves, degrees
	swing      [2]struct{ size, rate, phase float64 }
	distance   float64

	delay, phase     int // ticks that a picture is late, and at which of a decision it is taken
	noise, light     float64
	tilt             [2]float64 // by which the camera is mounted wrongly, degrees
	frames           []frame    // under way
	sight, last      frame      // the latest sighting, and the one before
	rate             [2]float64
	heard            bool
	act              [2]float64
	steps, held      int
	begun, centred   int // decisions at which it was in view, and centred
	sum              float64
	errYaw, errPitch float64
}

// Names of the tasks of the robot.
const (
	LookAtThing   = "look_at_thing"
	Follow        = "follow"
	LookAtSpeaker = "look_at_speaker"
	ReachPose     = "reach_pose"
	Greet         = "greet"
)

// NewLook returns the task LookAtThing, Follow or LookAtSpeaker.
func NewLook(id string, opts Options) *Look {
	if opts.Weights == (Weights{}) {
		opts.Weights = DefaultWeights
	}
	return &Look{id: id, opts: opts, rig: opts.rig()}
}

// Close implements io.Closer.
func (l *Look) Close() error { return l.rig.close() }

// Vary sets how much the next episodes vary, 0…1.
func (l *Look) Vary(random float64) { l.opts.Random = random }

// Spec implements Env.
func (l *Look) Spec() Spec {
	return Spec{ID: l.id, Observation: Box(lookObs, -10, 10), Action: Box(2, -1, 1), MaxSteps: lookSteps}
}

// Reset implements Env.
func (l *Look) Reset(seed uint64, obs []float32) {
	l.rng = seeded(seed)
	l.randomize()
	start := hal.Head{Yaw: uniform(l.rng, -30, 30) * deg, Pitch: uniform(l.rng, -10, 20) * deg}
	l.rig.begin(start, 1-l.opts.Random*uniform(l.rng, 0, 0.5))
	l.frames, l.sight, l.last, l.rate = l.frames[:0], frame{tick: -1000}, frame{tick: -1000}, [2]float64{}
	l.heard, l.act, l.steps, l.held, l.centred, l.sum = false, [2]float64{}, 0, 0, 0, 0
	l.errYaw, l.errPitch = offset(l.rig.head(), l.place)
	if l.id == LookAtSpeaker {
		// What the microphones say: a direction, roughly, and nothing of the height.
		head := l.rig.head()
		l.sight = frame{left: l.left + 8*l.rng.NormFloat64() - head.Yaw/deg, down: -5 - head.Pitch/deg, head: head}
		l.heard = true
	} else {
		l.search()
	}
	l.begun = l.steps
	l.observe(obs)
}

// randomize draws what differs from one episode to the next.
func (l *Look) randomize() {
	r, rng := l.opts.Random, l.rng
	things, far := tableThings, 45.0
	if l.opts.HeldOut {
		things, far = otherThings, 58
	}
	l.thing = things[rng.IntN(len(things))]
	if l.id == LookAtSpeaker {
		l.thing = thing{"face", 0.2, 0.93, 0.05}
	}
	l.left, l.down = uniform(rng, -far, far), uniform(rng, -12, 28)
	if l.opts.HeldOut && math.Abs(l.left) < 20 { // the middle belongs to training
		l.left = math.Copysign(58-math.Abs(l.left), l.left)
	}
	l.distance = uniform(rng, 0.4, 1.8)
	for i := range l.swing {
		l.swing[i].size, l.swing[i].rate, l.swing[i].phase = 0, 0, 0
		if l.id == Follow {
			l.swing[i].size = uniform(rng, 5, 25) / float64(1+i*2)
			l.swing[i].rate = uniform(rng, 0.4, 1.6)
			l.swing[i].phase = uniform(rng, 0, 2*math.Pi)
		}
	}
	if l.id == Follow {
		l.left, l.down = l.left*0.4, l.down*0.5
	}
	l.delay = 5 + int(r*uniform(rng, 0, 12))
	l.phase = rng.IntN(decision)
	l.noise = 0.15 + r*uniform(rng, 0, 0.5)
	l.light = 1 - r*uniform(rng, 0, 0.25)
	l.tilt = [2]float64{r * rng.NormFloat64() * 0.4, r * rng.NormFloat64() * 0.4}
	l.move(0)
}

// move puts the thing where it is at a time, s.
func (l *Look) move(t float64) {
	a, b := l.swing[0], l.swing[1]
	l.place = inDirection(l.left+a.size*math.Sin(a.rate*t+a.phase), l.down+b.size*math.Sin(b.rate*t+b.phase), l.distance)
}

// live moves the head to a goal in one decision, with pictures on the way.
func (l *Look) live(goal hal.Head) {
	l.rig.glide(goal, func(k int) {
		if l.id == Follow {
			l.move(float64(l.rig.ticks) * tick)
		}
		if k%decision == l.phase {
			l.frames = append(l.frames, l.picture())
		}
	})
	l.steps++
	for len(l.frames) > 0 && l.rig.ticks-l.frames[0].tick >= l.delay {
		if f := l.frames[0]; f.seen {
			l.take(f)
		}
		l.frames = l.frames[1:]
	}
	l.errYaw, l.errPitch = offset(l.rig.head(), l.place)
}

// picture is what the detector finds in a picture that is taken now.
func (l *Look) picture() frame {
	f := frame{head: l.rig.head(), tick: l.rig.ticks}
	left, down := offset(f.head, l.place)
	blur := min(0.3, math.Abs(f.head.Yaw-l.rig.goal.Yaw)*0.5)
	size := math.Atan(l.thing.size/l.distance) / deg
	f.seen = math.Abs(left) < pictureX && math.Abs(down) < pictureY && l.rng.Float64() < l.thing.seen*l.light*(1-blur)
	noise := l.noise + 0.02*size
	f.left = left + l.tilt[0] + noise*l.rng.NormFloat64() + l.thing.bias*size*0.1*l.rng.NormFloat64()
	f.down = down + l.tilt[1] + noise*l.rng.NormFloat64() + l.thing.bias*size*0.1*l.rng.NormFloat64()
	return f
}

// take takes a sighting in, and how the thing moves.
func (l *Look) take(f frame) {
	if !l.heard && l.sight.tick > 0 && f.tick > l.sight.tick {
		dt := float64(f.tick-l.sight.tick) * tick
		const weight = 0.3
		l.rate[0] += weight * (((f.left+f.head.Yaw/deg)-(l.sight.left+l.sight.head.Yaw/deg))/dt - l.rate[0])
		l.rate[1] += weight * (((f.down+f.head.Pitch/deg)-(l.sight.down+l.sight.head.Pitch/deg))/dt - l.rate[1])
	}
	l.sight, l.heard = f, false
}

// age is how old the latest sighting is, s.
func (l *Look) age() float64 { return float64(l.rig.ticks-l.sight.tick) * tick }

// search looks around, as the classical solution does, until the thing is in view or the time is over.
func (l *Look) search() {
	const patience = 3
	for k, yaw := range []float64{math.NaN(), 0, 55, -55, 0, 55, -55} {
		goal := l.rig.goal
		if k > 0 {
			goal = hal.Head{Yaw: yaw * deg, Pitch: 15 * deg}
			from := l.rig.goal
			n := steps(math.Hypot(goal.Yaw-from.Yaw, goal.Pitch-from.Pitch) / deg)
			for i := 1; i <= n && l.steps < lookSteps-1; i++ {
				s := minJerk(float64(i) / float64(n))
				l.live(hal.Head{Yaw: mix(from.Yaw, goal.Yaw, s), Pitch: mix(from.Pitch, goal.Pitch, s)})
			}
		}
		for range patience {
			if l.steps >= lookSteps-1 || l.sight.tick > 0 && l.age() < 0.3 {
				return
			}
			l.live(goal)
		}
	}
}

// Where the classical solution moves: 60° a second on average, at least 0.25 and at most 1 s.
func steps(degrees float64) int {
	return int(math.Round(max(0.25, min(1, degrees/60)) / (decision * tick)))
}

func minJerk(s float64) float64 { return s * s * s * (10 + s*(6*s-15)) }

func (l *Look) observe(obs []float32) {
	h, g := l.rig.head(), l.rig.goal
	left := l.sight.left + (l.sight.head.Yaw-h.Yaw)/deg
	down := l.sight.down + (l.sight.head.Pitch-h.Pitch)/deg
	sure := 1.0
	if l.heard {
		sure = 0
	}
	write(obs, left/30, down/30, h.Yaw/deg/60, h.Pitch/deg/30, (g.Yaw-h.Yaw)/deg/10, (g.Pitch-h.Pitch)/deg/10,
		l.act[0], l.act[1], min(2, l.age()), sure, l.rate[0]/30, l.rate[1]/30)
}

// Step implements Env. An action is by how much the goal of the head turns, as a part of what it may turn in one decision.
func (l *Look) Step(action, obs []float32) Outcome {
	unsafe, limits := l.rig.unsafe, l.rig.limits
	a := [2]float64{clamp(float64(action[0]), -1, 1), clamp(float64(action[1]), -1, 1)}
	goal := l.rig.goal
	goal.Yaw += a[0] * lookStep * deg
	goal.Pitch += a[1] * lookStep * deg
	l.live(goal)
	o := Outcome{Unsafe: l.rig.unsafe - unsafe, Limited: l.rig.limits - limits}
	jerk := math.Hypot(a[0]-l.act[0], a[1]-l.act[1])
	l.act = a
	off := math.Hypot(l.errYaw+l.tilt[0], l.errPitch+l.tilt[1])
	o.Task = -min(off, 60) / 60
	o.Safety = -float64(o.Unsafe+o.Limited) - 0.05*jerk*jerk
	l.judge(off, &o)
	w := l.opts.Weights
	o.Reward = w.Task*o.Task + w.Human*o.Human + w.Safety*o.Safety
	l.observe(obs)
	return o
}

// judge says whether the task is done, failed, or goes on.
func (l *Look) judge(off float64, o *Outcome) {
	if l.id == Follow {
		if l.steps > followSettle {
			l.sum += off
		}
		if o.Truncated = l.steps >= lookSteps; o.Truncated {
			o.Merit = l.sum / float64(lookSteps-followSettle)
			o.Success = o.Merit < followNear
		}
		return
	}
	if off > lookNear {
		l.held, l.centred = 0, 0
	} else if l.held++; l.held == 1 {
		l.centred = l.steps
	}
	switch {
	case l.held >= lookHold:
		o.Terminated, o.Success = true, true
		o.Merit = float64(l.centred-l.begun) * decision * tick
		o.Task++
	case l.steps >= lookSteps:
		o.Truncated = true
	case !l.heard && l.age() > lostAfter, l.heard && l.age() > 2*lostAfter:
		o.Terminated = true // lost
		o.Task--
	}
}

var _ Env = (*Look)(nil)
