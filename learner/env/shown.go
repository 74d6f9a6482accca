package env

import (
	"math"

	"github.com/reachyd/reachyd/hal"
)

// Shown is a movement of the head that a person showed: a pose for each decision, rad and m. Its last one is what was to be reached.
type Shown []hal.Head

// Show lives through what was shown, as an episode of its own start and target, and calls step with each observation and the action that
// leads along what was shown. Where that is faster than an action may be, the rest comes later. What is done differs from that action by
// normal noise of a standard deviation: so it is also seen what leads back to where the hand was. Seed is of everything else.
func (r *Reach) Show(seed uint64, shown Shown, noise float64, step func(obs, action []float32)) {
	r.given = shown
	defer func() { r.given = nil }()
	rng := seeded(seed)
	obs, action, done := make([]float32, reachObs), make([]float32, reachAxes), make([]float32, reachAxes)
	r.Reset(seed, obs)
	for k := 1; ; k++ {
		want, goal := axesOf(shown[min(k, len(shown)-1)]), axesOf(r.rig.goal)
		for i := range action {
			action[i] = float32(clamp((want[i]-goal[i])/reachStep[i], -1, 1))
			done[i] = float32(clamp(float64(action[i])+noise*rng.NormFloat64(), -1, 1))
		}
		step(obs, action)
		if r.Step(done, obs).Done() {
			return
		}
	}
}

// Moves reports whether what was shown is far enough for something to be learned from it.
func (s Shown) Moves() bool {
	if len(s) < 2 {
		return false
	}
	a, b := axesOf(s[0]), axesOf(s[len(s)-1])
	for i := range a {
		if math.Abs(a[i]-b[i]) > reachNear[i] {
			return true
		}
	}
	return false
}
