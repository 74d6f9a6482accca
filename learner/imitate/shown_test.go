package imitate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/learner/demo"
	"github.com/reachyd/reachyd/learner/env"
)

// guided is a demonstration of an unsteady hand on the joints, which brings the head from one pose to another, as it is recorded.
func guided(t *testing.T, rng *rand.Rand) *demo.Demo {
	t.Helper()
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	pose := func() hal.Head {
		return hal.Head{Yaw: between(-0.7, 0.7), Pitch: between(-0.26, 0.35), Roll: between(-0.26, 0.26), Z: between(-0.01, 0.01)}
	}
	from, to := pose(), pose()
	far := max(math.Abs(to.Yaw-from.Yaw), math.Abs(to.Pitch-from.Pitch), math.Abs(to.Roll-from.Roll))
	frames := int(demo.Rate * max(0.6, far/between(0.7, 1)))
	d := &demo.Demo{Name: "guided", Task: "reach", How: demo.ByHand, Rate: demo.Rate}
	const rest = 10 // frames
	for k := -rest; k <= frames+rest; k++ {
		s := math.Max(0, math.Min(1, float64(k)/float64(frames)))
		s = s * s * (3 - 2*s)
		mix := func(a, b float64) float64 { return a + s*(b-a) }
		f, err := kinematics.NearestHead(hal.Head{
			Yaw: mix(from.Yaw, to.Yaw), Pitch: mix(from.Pitch, to.Pitch), Roll: mix(from.Roll, to.Roll), Z: mix(from.Z, to.Z),
		}, 0, hal.Antennas{})
		if err != nil {
			t.Fatal(err)
		}
		q := f.Joints
		for j := hal.Stewart1; j <= hal.Stewart6; j++ {
			q[j] += 0.002 * rng.NormFloat64()
		}
		d.Joints = append(d.Joints, q)
	}
	return d
}

// Twenty moves that a hand guided, as they were recorded by the joints, are worth something where nobody has shown anything.
func TestGuidedMovesTeach(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	var shown []env.Shown
	for range 20 {
		const decisions = 10 // a second
		heads, err := guided(t, rng).Heads(decisions)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, heads)
	}
	e := env.NewReach(env.Options{Random: 0.3})
	s := FromShown(e, append(shown, env.Shown{{}, {}}), 1)
	if s.Episodes != 20 || len(s.Obs) < 20*passes*5 {
		t.Fatalf("%d examples of %d movements", len(s.Obs), s.Episodes)
	}
	untrained, clone := score(e, Clone(e.Spec(), s, 1, 0)), score(e, Clone(e.Spec(), s, 1, 40))
	t.Logf("return of unseen episodes: untrained %.2f, cloned %.2f", untrained, clone)
	if clone < untrained+2 {
		t.Errorf("the clone's return is %.2f, that of an untrained policy %.2f", clone, untrained)
	}
}
