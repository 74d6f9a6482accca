package kinematics

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// A drawing that follows the geometry has rods of the right length, whatever the head's pose.
func TestPlatformDrawsRodsOfTheirLength(t *testing.T) {
	g := Platform()
	for _, head := range []hal.Head{{}, {Pitch: 0.3, Yaw: -0.4}, {Z: 0.01, Roll: 0.2}} {
		pose := head.Pose()
		joints, err := Inverse(pose, 0)
		if err != nil {
			t.Fatal(err)
		}
		for k := range g.Motors {
			sin, cos := math.Sincos(joints[int(firstLeg)+k])
			end := pose.R.Apply(g.Ends[k])
			sum := 0.0
			for i := range end {
				tip := g.Motors[k][i] + g.ArmLength*cos*g.Along[k][i]
				if i == 2 {
					tip -= g.ArmLength * sin * g.Sides[k]
					end[i] += g.HeadHeight
				}
				d := end[i] + pose.T[i] - tip
				sum += d * d
			}
			if length := math.Sqrt(sum); math.Abs(length-g.RodLength) > 1e-6 {
				t.Errorf("head %+v, rod %d: %v m long, want %v", head, k, length, g.RodLength)
			}
		}
	}
}
