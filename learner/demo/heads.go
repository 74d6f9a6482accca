package demo

import (
	"fmt"
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// Heads returns where the head was, so many times a second, without the rest before and after, smoothed: rad and m. The error is
// ErrStill or names the frame that is no posture of the robot.
func (d *Demo) Heads(rate float64) ([]hal.Head, error) {
	joints, err := d.path()
	if err != nil {
		return nil, err
	}
	var solver kinematics.Solver
	var heads []hal.Head
	for k := 0; ; k++ {
		at := float64(k) * d.Rate / rate
		i := int(at)
		if i >= len(joints)-1 {
			i, at = len(joints)-1, float64(len(joints)-1)
		}
		q, next := joints[i], joints[min(i+1, len(joints)-1)]
		for j := range q {
			q[j] += (at - math.Floor(at)) * (next[j] - q[j])
		}
		pose, err := solver.Forward(&q)
		if err != nil {
			return nil, fmt.Errorf("joints: frame %d is no posture of this robot: %w", i, err)
		}
		if heads = append(heads, pose.Head()); i == len(joints)-1 {
			return heads, nil
		}
	}
}
