package env

import (
	"errors"
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/learner/onrobot"
)

// Live is the robot itself in the place of a simulation. It asks the body like everybody else, in real time.
type Live interface {
	// Begin brings the head to a start, as a goto does, and returns where it rests, rad and m.
	Begin(start hal.Head) (hal.Head, error)
	// Glide moves the goal of the head to another one within one decision and returns where the head was on the way, evenly spaced,
	// the last one at its end. Changed says that the body did not take what was asked as it was.
	Glide(from, to hal.Head) (on []hal.Head, changed bool, err error)
	// Pace is how many times longer a decision takes than in simulation; learned motion is slower by as much.
	Pace() float64
}

// stopCounts is what a stop is worth, whatever the weights are.
const stopCounts = -1.0

// beginLive brings the robot itself to where an episode begins.
func (r *rig) beginLive(start hal.Head) {
	r.goal, r.from, r.unsafe, r.limits, r.ticks = start, start, 0, 0, 0
	if errors.Is(r.err, onrobot.ErrTaken) {
		r.err = nil
	}
	if r.err != nil {
		return // nothing moves any more
	}
	var at hal.Head
	if at, r.err = r.live.Begin(start); r.err == nil {
		r.seen = at
	}
}

// glideLive is the part of glide in which the robot itself moves.
func (r *rig) glideLive(at func(k int)) {
	if r.err != nil {
		return
	}
	on, changed, err := r.live.Glide(r.from, r.goal)
	if changed {
		r.unsafe++
	}
	if r.err = err; err != nil || len(on) == 0 {
		return
	}
	for k := 1; k <= decision; k++ {
		r.seen = on[(k*len(on)-1)/decision]
		r.ticks++
		if at != nil {
			at(k)
		}
	}
}

// nearer is as far on the way from one goal to another as the robot itself may go in one decision.
func nearer(from, to hal.Head) hal.Head {
	const turn, slide = lookStep * deg, 0.012 // rad, m
	far := max(
		math.Abs(to.Yaw-from.Yaw)/turn, math.Abs(to.Pitch-from.Pitch)/turn, math.Abs(to.Roll-from.Roll)/turn,
		math.Abs(to.X-from.X)/slide, math.Abs(to.Y-from.Y)/slide, math.Abs(to.Z-from.Z)/slide)
	if far <= 1 {
		return to
	}
	return between(from, to, 1/far)
}

// ended is the outcome of a step that the robot itself did not end, or did not begin when begun is false.
func (r *rig) ended(o Outcome, begun bool) Outcome {
	o.Success, o.Terminated, o.Truncated = false, false, true
	o.Halted = !errors.Is(r.err, onrobot.ErrTaken)
	if begun && errors.Is(r.err, onrobot.ErrStopped) {
		o.Terminated, o.Truncated, o.Stopped = true, false, true
		o.Human = stopCounts
		o.Reward += stopCounts
	}
	return o
}

var _ Live = (*onrobot.Client)(nil)
