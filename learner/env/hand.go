package env

import "math/rand/v2"

// Hand is a person who guides the head to a pose by hand: goes for it at a person's pace, a little unsteadily, and slows down
// near it. It demonstrates ReachPose.
type Hand struct {
	Unsteady float64 // standard deviation of an action
	rng      *rand.Rand
	episode  uint64
}

// Begin implements Controller.
func (h *Hand) Begin() {
	h.episode++
	h.rng = rand.New(rand.NewPCG(h.episode, 0x4a2d))
}

// Act implements Controller.
func (h *Hand) Act(obs, action []float32) {
	const pace = 0.8
	for i := range reachAxes {
		left := float64(obs[reachAxes+i]) * reachUnit[i] / reachStep[i] // decisions to the goal at full speed
		action[i] = float32(clamp(0.55*left, -pace, pace) + h.Unsteady*h.rng.NormFloat64())
	}
}

var _ Controller = (*Hand)(nil)
