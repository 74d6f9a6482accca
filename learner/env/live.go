package env

import (
	"errors"

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
	r.goal, r.from, r.unsafe, r.ticks = start, start, 0, 0
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
