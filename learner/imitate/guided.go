package imitate

import (
	"math"
	"math/rand/v2"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/learner/demo"
	"github.com/reachyd/reachyd/learner/env"
)

// Guided is a demonstration of an unsteady hand on the joints, which brings the head from one pose to another, as it is recorded.
func Guided(rng *rand.Rand) (*demo.Demo, error) {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	pose := func() hal.Head {
		return hal.Head{Yaw: between(-0.7, 0.7), Pitch: between(-0.26, 0.35), Roll: between(-0.26, 0.26), Z: between(-0.01, 0.01)}
	}
	from, to := pose(), pose()
	far := max(math.Abs(to.Yaw-from.Yaw), math.Abs(to.Pitch-from.Pitch), math.Abs(to.Roll-from.Roll))
	frames := int(demo.Rate * max(0.6, far/between(0.7, 1)))
	d := &demo.Demo{Name: "guided", Task: "reach", How: demo.ByHand, Rate: demo.Rate}
	const rest, shake = 10, 0.002 // frames, rad
	for k := -rest; k <= frames+rest; k++ {
		s := math.Max(0, math.Min(1, float64(k)/float64(frames)))
		s = s * s * (3 - 2*s)
		mix := func(a, b float64) float64 { return a + s*(b-a) }
		f, err := kinematics.NearestHead(hal.Head{
			Yaw: mix(from.Yaw, to.Yaw), Pitch: mix(from.Pitch, to.Pitch), Roll: mix(from.Roll, to.Roll), Z: mix(from.Z, to.Z),
		}, 0, hal.Antennas{})
		if err != nil {
			return nil, err
		}
		q := f.Joints
		for j := hal.Stewart1; j <= hal.Stewart6; j++ {
			q[j] += shake * rng.NormFloat64()
		}
		d.Joints = append(d.Joints, q)
	}
	return d, nil
}

// GuidedMoves are so many of them as movements of the head, at the rate of decisions.
func GuidedMoves(rng *rand.Rand, moves int) (all []env.Shown, err error) {
	const decisions = 10 // a second
	for range moves {
		d, err := Guided(rng)
		if err != nil {
			return nil, err
		}
		heads, err := d.Heads(decisions)
		if err != nil {
			return nil, err
		}
		all = append(all, heads)
	}
	return all, nil
}
