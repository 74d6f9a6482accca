package env

import (
	"math"
	"math/rand/v2"

	"github.com/reachyd/reachyd/hal"
)

// Axes of the pose that Reach reaches.
const (
	axisYaw = iota
	axisPitch
	axisRoll
	axisZ
	reachAxes
)

// What an axis may turn in one decision at an action of 1, and what counts as there: degrees, and metres for z.
var (
	reachStep = [reachAxes]float64{lookStep, lookStep, lookStep, 0.012}
	reachNear = [reachAxes]float64{1.5, 1.5, 1.5, 0.002}
	reachUnit = [reachAxes]float64{20, 15, 15, 0.015}
)

const (
	reachSteps = 30
	reachObs   = 4 * reachAxes
)

// Reach is the task of taking a pose quickly and without going beyond it.
type Reach struct {
	opts Options
	rig  *rig
	rng  *rand.Rand

	target, start, at, was [reachAxes]float64 // degrees and metres
	act                    [reachAxes]float64
	delay                  [2][reachAxes]float64 // what was measured, that is still on its way
	late                   bool
	noise                  float64
	steps, held, there     int
	beyond                 bool
	given                  Shown // start and target of the next episode, if they are given
}

// NewReach returns the task.
func NewReach(opts Options) *Reach {
	if opts.Weights == (Weights{}) {
		opts.Weights = DefaultWeights
	}
	return &Reach{opts: opts, rig: opts.rig()}
}

// Close implements io.Closer.
func (r *Reach) Close() error { return r.rig.close() }

// Vary sets how much the next episodes vary, 0…1.
func (r *Reach) Vary(random float64) { r.opts.Random = random }

// Spec implements Env.
func (r *Reach) Spec() Spec {
	return Spec{ID: ReachPose, Observation: Box(reachObs, -10, 10), Action: Box(reachAxes, -1, 1), MaxSteps: reachSteps}
}

func poseOf(p [reachAxes]float64) hal.Head {
	return hal.Head{Yaw: p[axisYaw] * deg, Pitch: p[axisPitch] * deg, Roll: p[axisRoll] * deg, Z: p[axisZ]}
}

func axesOf(h hal.Head) [reachAxes]float64 {
	return [reachAxes]float64{h.Yaw / deg, h.Pitch / deg, h.Roll / deg, h.Z}
}

func (r *Reach) draw() (p [reachAxes]float64) {
	wide := 40.0
	if r.opts.HeldOut {
		wide = 55
	}
	return [reachAxes]float64{
		uniform(r.rng, -wide, wide), uniform(r.rng, -15, 20), uniform(r.rng, -15, 15), uniform(r.rng, -0.01, 0.01),
	}
}

// Reset implements Env.
func (r *Reach) Reset(seed uint64, obs []float32) {
	r.rng = seeded(seed)
	r.start, r.target = r.draw(), r.draw()
	if n := len(r.given); n > 0 {
		r.start, r.target = axesOf(r.given[0]), axesOf(r.given[n-1])
	}
	r.rig.begin(poseOf(r.start), 1-r.opts.Random*uniform(r.rng, 0, 0.5))
	r.late, r.noise = r.rng.Float64() < r.opts.Random/2, r.opts.Random*uniform(r.rng, 0, 0.3)
	r.steps, r.held, r.there, r.beyond, r.act = 0, 0, 0, false, [reachAxes]float64{}
	r.at = axesOf(r.rig.head())
	r.start, r.was = r.at, r.at
	r.delay = [2][reachAxes]float64{r.at, r.at}
	r.observe(obs)
}

func (r *Reach) observe(obs []float32) {
	measured := r.at
	if r.late {
		measured = r.delay[0]
	}
	goal := axesOf(r.rig.goal)
	for i := range reachAxes {
		u := reachUnit[i]
		measured[i] += r.noise * u / 20 * r.rng.NormFloat64()
		write(obs[i:], (r.target[i]-measured[i])/u)
		write(obs[reachAxes+i:], (r.target[i]-goal[i])/u)
		write(obs[2*reachAxes+i:], (measured[i]-r.was[i])/u)
		write(obs[3*reachAxes+i:], r.act[i])
	}
	r.delay = [2][reachAxes]float64{r.delay[1], r.at}
	r.was = measured
}

// Step implements Env. An action is by how much the goal moves on each axis, as a part of what it may in one decision.
func (r *Reach) Step(action, obs []float32) Outcome {
	begun := r.rig.err == nil
	unsafe, limits := r.rig.unsafe, r.rig.limits
	goal := axesOf(r.rig.goal)
	jerk := 0.0
	for i := range reachAxes {
		a := clamp(float64(action[i]), -1, 1)
		jerk += (a - r.act[i]) * (a - r.act[i])
		r.act[i] = a
		goal[i] += a * reachStep[i]
	}
	var most [reachAxes]float64 // how far it went beyond the target, on the way from the start
	r.rig.glide(poseOf(goal), func(k int) {
		if k%5 == 0 {
			r.at = axesOf(r.rig.head())
			for i := range most {
				if way := r.target[i] - r.start[i]; math.Abs(way) > 2*reachNear[i] {
					most[i] = max(most[i], math.Copysign(1, way)*(r.at[i]-r.target[i])/reachNear[i])
				}
			}
		}
	})
	r.steps++
	o := Outcome{Unsafe: r.rig.unsafe - unsafe, Limited: r.rig.limits - limits}
	near, far := true, 0.0
	for i := range reachAxes {
		off := math.Abs(r.at[i] - r.target[i])
		near = near && off < reachNear[i]
		far += min(1, off/reachUnit[i]/2) / reachAxes
		if most[i] > 4.0/3 && !r.beyond {
			r.beyond = true
			o.Task--
		}
	}
	o.Task -= far
	o.Safety = -float64(o.Unsafe+o.Limited) - 0.02*jerk
	r.judge(near, &o)
	w := r.opts.Weights
	o.Reward = w.Task*o.Task + w.Human*o.Human + w.Safety*o.Safety
	if r.rig.err != nil {
		o = r.rig.ended(o, begun)
	}
	r.observe(obs)
	return o
}

func (r *Reach) judge(near bool, o *Outcome) {
	if !near {
		r.held = 0
	} else if r.held++; r.held == 1 {
		r.there = r.steps
	}
	switch {
	case r.held >= lookHold:
		o.Terminated, o.Success = true, !r.beyond
		o.Merit = float64(r.there) * decision * tick * r.rig.pace()
		o.Task++
	case r.steps >= reachSteps:
		o.Truncated = true
	}
}

// ClassicReach is a goto of the robot: minimum jerk, at 60° a second on average.
type ClassicReach struct {
	path [][reachAxes]float64
	sent bool
}

// Begin implements Controller.
func (c *ClassicReach) Begin() { *c = ClassicReach{} }

// Act implements Controller.
func (c *ClassicReach) Act(obs, action []float32) {
	if !c.sent {
		c.sent = true
		far := 0.0
		var way [reachAxes]float64
		for i := range way {
			way[i] = float64(obs[reachAxes+i]) * reachUnit[i]
			if i != axisZ {
				far = max(far, math.Abs(way[i]))
			}
		}
		n, was := steps(far), 0.0
		for k := 1; k <= n; k++ {
			s := minJerk(float64(k) / float64(n))
			var part [reachAxes]float64
			for i := range part {
				part[i] = (s - was) * way[i] / reachStep[i]
			}
			c.path, was = append(c.path, part), s
		}
	}
	clear(action)
	if len(c.path) > 0 {
		for i, a := range c.path[0] {
			action[i] = float32(a)
		}
		c.path = c.path[1:]
	}
}

var (
	_ Env        = (*Reach)(nil)
	_ Controller = (*ClassicReach)(nil)
)
