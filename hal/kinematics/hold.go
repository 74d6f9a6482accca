package kinematics

import (
	"math"

	"github.com/reachyd/reachyd/hal"
)

const (
	headWeight = 0.2593 * 9.81 // N, of the head with its antennas
	// Near a singular pose a motor that gives way a little lets the head sink much, which puts more weight on the motor. Motors of this
	// stiffness, N·m/rad, must still hold it. With proportional gain 300 and nothing else a servo is about as soft.
	minStiffness = 1.5
	// With a determinant above this share of the neutral one they hold it everywhere, which need not be calculated.
	surelyHeld = 0.75
	// Metres and radians by which the pose is moved for the derivative of the forces on it.
	smallPush = 1e-5
)

var headCentre = hal.Vec3{0.0033, -0.0010, 0.0513}

// turns says how far each motor turns when the head of a pose in the body frame is shifted (columns 0…2) and turned about its origin
// (columns 3…5), radians for each metre and radian.
func turns(p *hal.Pose, joints *hal.Joints) (a [numLegs][6]float64) {
	for k := range legs {
		arm := legs[k].arm(joints[int(firstLeg)+k])
		end := p.R.Apply(legs[k].end)
		var u hal.Vec3
		for i := range u {
			u[i] = p.T[i] + end[i] - arm.tip[i]
		}
		along := armLength * (u[0]*arm.way[0] + u[1]*arm.way[1] + u[2]*arm.way[2])
		a[k] = [6]float64{
			u[0] / along, u[1] / along, u[2] / along,
			(end[1]*u[2] - end[2]*u[1]) / along, (end[2]*u[0] - end[0]*u[2]) / along, (end[0]*u[1] - end[1]*u[0]) / along,
		}
	}
	return a
}

// pull is what the weight of the head does to the columns of turns, N and N·m.
func pull(p *hal.Pose) [6]float64 {
	c := p.R.Apply(headCentre)
	return [6]float64{0, 0, headWeight, headWeight * c[1], -headWeight * c[0], 0}
}

// holds reports whether motors of a stiffness, in N·m/rad, hold the head at a pose in the body frame, so that a push brings it back:
// whether the energy of weight and motors has its minimum there.
func holds(p *hal.Pose, joints *hal.Joints, stiffness float64) bool {
	a, weight := turns(p, joints), pull(p)
	var m system // aᵀ·torque = weight
	for i := range m {
		for k := range a {
			m[i][k] = a[k][i]
		}
		m[i][6] = weight[i]
	}
	m.solve()
	// The second derivatives of the energy: of the motors as springs, and of the weight less what holds it.
	var h [6][6]float64
	for i := range h {
		for j := range h {
			for k := range a {
				h[i][j] += stiffness * a[k][i] * a[k][j]
			}
		}
	}
	for j := range h {
		for _, push := range [...]float64{smallPush, -smallPush} {
			q := *p
			var turn hal.Vec3
			if j < 3 {
				q.T[j] += push
			} else {
				turn[j-3] = 1
				rotate(&q.R, turn, push)
			}
			var at hal.Joints
			if failed, _ := solveArms(&q, &at); failed >= 0 {
				return false
			}
			b, weight := turns(&q, &at), pull(&q)
			for i := range h {
				left := weight[i]
				for k := range b {
					left -= b[k][i] * m[k][6]
				}
				h[i][j] += left / (2 * push)
			}
		}
	}
	return positive(&h)
}

// positive reports whether a symmetric matrix is positive definite, by Cholesky's decomposition in place.
func positive(h *[6][6]float64) bool {
	for j := range h {
		for i := j; i < len(h); i++ {
			for k := range j {
				h[i][j] -= h[i][k] * h[j][k]
			}
			if i > j {
				h[i][j] /= h[j][j]
			} else if h[j][j] > 0 {
				h[j][j] = math.Sqrt(h[j][j])
			} else {
				return false
			}
		}
	}
	return true
}
