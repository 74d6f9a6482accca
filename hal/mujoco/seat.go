//go:build mujoco

package mujoco

import (
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// neutralHeight is the height of the head frame in the neutral pose.
const neutralHeight = kinematics.HeadHeight

// matrix converts a unit quaternion w, x, y, z to a rotation.
func matrix(q [4]float64) hal.Mat3 {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return hal.Mat3{
		1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y),
		2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x),
		2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y),
	}
}

// aim returns the quaternion of the ball joint that points rod k at its place on the head. arm is the arm's angle,
// head the head frame in the body's frame (its origin at its true height), rest the rod's orientation at quaternion 1.
func aim(k int, arm float64, head *hal.Pose, rest *hal.Mat3) [4]float64 {
	l := leg(k)
	sin, cos := math.Sincos(arm)
	end := head.R.Apply(l.end)
	var d hal.Vec3 // from the arm's tip to the rod's end, in the body's frame
	for i := range d {
		tip := l.motor[i] + armLength*(cos*l.x[i]+sin*l.y[i])
		d[i] = end[i] + head.T[i] - tip
	}
	// In the arm's frame, which is the motor's turned by the arm's angle about z, and then in the rod's.
	x, y, z := dot(d, l.x), dot(d, l.y), dot(d, l.z)
	v := rest.T().Apply(hal.Vec3{cos*x + sin*y, -sin*x + cos*y, z})
	n := math.Sqrt(dot(v, v))
	// The smallest rotation that takes z to v.
	q := [4]float64{1 + v[2]/n, -v[1] / n, v[0] / n, 0}
	n = math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2])
	if n < 1e-9 {
		return [4]float64{0, 1, 0, 0}
	}
	return [4]float64{q[0] / n, q[1] / n, q[2] / n, 0}
}
