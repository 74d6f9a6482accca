package motion

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

func TestEnvelopeKeepsTheLimits(t *testing.T) {
	const rate = 100
	e := NewEnvelope(rate, DefaultLimits, hal.Joints{})
	var target, was, speed hal.Joints
	for i := range 400 {
		for j := range target {
			target[j] = 9 * math.Sin(float64(i)*0.3+float64(j)) // far beyond what a joint can do
		}
		q := e.Step(&target)
		for j := range q {
			v := (q[j] - was[j]) * rate
			if lim := hal.JointLimits[j]; q[j] < lim.Min || q[j] > lim.Max {
				t.Fatalf("tick %d: joint %d is at %g", i, j, q[j])
			}
			if math.Abs(v) > DefaultLimits[j].Speed+1e-6 || math.Abs(v-speed[j])*rate > DefaultLimits[j].Accel+1e-3 {
				t.Fatalf("tick %d: joint %d at %g rad/s after %g", i, j, v, speed[j])
			}
			speed[j] = v
		}
		was = q
	}
	target = hal.Joints{hal.BodyYaw: 0.5}
	for range 300 {
		was = e.Step(&target)
	}
	if math.Abs(was[hal.BodyYaw]-0.5) > 1e-9 {
		t.Errorf("the body came to rest at %g, want 0.5", was[hal.BodyYaw])
	}
}
