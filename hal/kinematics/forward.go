package kinematics

import (
	"errors"
	"math"

	"github.com/reachyd/reachyd/hal"
)

// ErrNoSolution is returned when no head pose fits the six arm angles, or none was found in a bounded number of steps.
var ErrNoSolution = errors.New("kinematics: no head pose fits the arm angles")

const (
	maxSteps = 20 // from one guess; 2…4 are enough when it is near
	// A Newton step of this size, in metres, leaves an error of the order of its square.
	smallStep = 1e-7
	maxShift  = 0.02 // metres one step may move the head
	maxTurn   = 0.35 // radians one step may turn it
)

// Solver is forward kinematics for a robot that is measured again and again: each solution starts the next one. The
// zero value starts from the neutral pose. It must not be used by two goroutines at once.
type Solver struct {
	pose hal.Pose // in the body frame
	warm bool
}

// Forward returns the head pose that the measured joints hold. When it fails, the next call starts from the neutral
// pose again. The error is ErrNotFinite or ErrNoSolution.
func (s *Solver) Forward(joints *hal.Joints) (hal.Pose, error) {
	if !s.warm {
		s.pose = toBody(hal.IdentityPose, 0)
	}
	_, err := solve(joints, &s.pose)
	s.warm = err == nil
	if err != nil {
		return hal.Pose{}, err
	}
	return toWorld(s.pose, joints[hal.BodyYaw]), nil
}

// Forward returns the head pose that the joints hold, and the number of Newton steps it took from the guess, which is
// a head pose near the solution, or hal.IdentityPose. The error is ErrNotFinite or ErrNoSolution.
func Forward(joints *hal.Joints, guess hal.Pose) (hal.Pose, int, error) {
	if !finite(joints[hal.BodyYaw]) {
		return hal.Pose{}, 0, ErrNotFinite
	}
	pose := toBody(guess, joints[hal.BodyYaw])
	steps, err := solve(joints, &pose)
	if err != nil {
		return hal.Pose{}, steps, err
	}
	return toWorld(pose, joints[hal.BodyYaw]), steps, nil
}

// solve improves a pose in the body frame until the six rods fit. It tries the guess, then the neutral pose.
func solve(joints *hal.Joints, pose *hal.Pose) (steps int, err error) {
	for j := hal.BodyYaw; j <= hal.Stewart6; j++ {
		if !finite(joints[j]) {
			return 0, ErrNotFinite
		}
	}
	var arms [numLegs]arm
	for k := range arms {
		arms[k] = legs[k].arm(joints[int(firstLeg)+k])
	}
	if plausible(pose) {
		n, ok := newton(&arms, pose)
		steps += n
		if ok {
			return steps, nil
		}
	}
	*pose = toBody(hal.IdentityPose, 0)
	n, ok := newton(&arms, pose)
	steps += n
	if !ok {
		return steps, ErrNoSolution
	}
	return steps, nil
}

// newton runs Newton's method on the six rod lengths, at most maxSteps steps of bounded size. It fails when it does
// not converge, and when it converges to a way to put the platform together that the robot cannot be in.
func newton(arms *[numLegs]arm, pose *hal.Pose) (steps int, ok bool) {
	for steps = 1; steps <= maxSteps; steps++ {
		m, assembled := rods(arms, pose)
		det := m.solve()
		shift := math.Sqrt(m[0][6]*m[0][6] + m[1][6]*m[1][6] + m[2][6]*m[2][6])
		turn := math.Sqrt(m[3][6]*m[3][6]+m[4][6]*m[4][6]+m[5][6]*m[5][6]) / headRadius
		if !finite(shift + turn) {
			return steps, false
		}
		scale := min(1, maxShift/max(shift, maxShift), maxTurn/max(turn, maxTurn))
		for i := range 3 {
			pose.T[i] += scale * m[i][6]
		}
		rotate(&pose.R, hal.Vec3{m[3][6], m[4][6], m[5][6]}, scale/headRadius)
		if shift < smallStep && turn < smallStep/headRadius {
			return steps, assembled && det*neutralDet > 0 && plausible(pose)
		}
	}
	return maxSteps, false
}

// plausible reports whether the head is within 100 mm of neutral, tilted by less than 90° and turned by less than about
// 105° to its body. Poses beyond that can fit the same arm angles as one within, but the head cannot get there.
func plausible(p *hal.Pose) bool {
	const far, cosTurn = 0.1, -0.25
	z := p.T[2] - HeadHeight
	return p.T[0]*p.T[0]+p.T[1]*p.T[1]+z*z < far*far && p.R[8] > 0 && p.R[0]+p.R[4] > cosTurn*(1+p.R[8])
}

// system is six linear equations: columns 0…2 are the head's shift in metres, 3…5 its turn about its origin times
// headRadius, column 6 is the right-hand side and, once solved, the solution.
type system [6][7]float64

// rods states how the six rod lengths change with the head's pose, and by how much each rod is too short or too long.
// Each row is divided by the present rod length, which makes the residual a length and the convergence quadratic.
// It also reports whether every rod leaves its arm to the side on which the robot was assembled.
func rods(arms *[numLegs]arm, pose *hal.Pose) (m system, assembled bool) {
	assembled = true
	for k := range legs {
		end := pose.R.Apply(legs[k].end)
		var u hal.Vec3
		for i := range u {
			u[i] = pose.T[i] + end[i] - arms[k].tip[i]
		}
		length := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
		for i := range u {
			u[i] /= length
		}
		way := &arms[k].way
		if legs[k].side*(u[0]*way[0]+u[1]*way[1]+u[2]*way[2]) >= 0 {
			assembled = false
		}
		m[k] = [7]float64{
			u[0], u[1], u[2],
			(end[1]*u[2] - end[2]*u[1]) / headRadius,
			(end[2]*u[0] - end[0]*u[2]) / headRadius,
			(end[0]*u[1] - end[1]*u[0]) / headRadius,
			rodLength - length,
		}
	}
	return m, assembled
}

// solve solves the equations in place by elimination with row pivots and returns the determinant. When that is 0 the
// solution is not finite.
func (m *system) solve() (det float64) {
	det = 1
	for col := range 6 {
		pivot := col
		for row := col + 1; row < 6; row++ {
			if math.Abs(m[row][col]) > math.Abs(m[pivot][col]) {
				pivot = row
			}
		}
		if pivot != col {
			m[col], m[pivot] = m[pivot], m[col]
			det = -det
		}
		det *= m[col][col]
		inverse := 1 / m[col][col]
		for row := col + 1; row < 6; row++ {
			factor := m[row][col] * inverse
			for i := col + 1; i < 7; i++ {
				m[row][i] -= factor * m[col][i]
			}
		}
	}
	for row := 5; row >= 0; row-- {
		for i := row + 1; i < 6; i++ {
			m[row][6] -= m[row][i] * m[i][6]
		}
		m[row][6] /= m[row][row]
	}
	return det
}

// neutralDet is the determinant in the neutral pose. Its sign is that of every pose that the head can be brought to
// without passing a pose in which it is loose.
var neutralDet = func() float64 {
	neutral := toBody(hal.IdentityPose, 0)
	var joints hal.Joints
	solveArms(&neutral, &joints)
	return determinant(&neutral, &joints)
}()

// determinant of the rods' equations at a pose in the body frame and its arm angles: 0 where the head is loose although
// all motors hold.
func determinant(p *hal.Pose, joints *hal.Joints) float64 {
	var arms [numLegs]arm
	for k := range arms {
		arms[k] = legs[k].arm(joints[int(firstLeg)+k])
	}
	m, _ := rods(&arms, p)
	return m.solve()
}

// rotate turns r by the rotation vector v·scale, from the left, and removes the rounding that products gather.
func rotate(r *hal.Mat3, v hal.Vec3, scale float64) {
	x, y, z := v[0]*scale, v[1]*scale, v[2]*scale
	angle := math.Sqrt(x*x + y*y + z*z)
	if angle > 0 {
		sin, cos := math.Sincos(angle)
		x, y, z = x/angle, y/angle, z/angle
		v := 1 - cos
		*r = hal.Mat3{
			cos + x*x*v, x*y*v - z*sin, x*z*v + y*sin,
			y*x*v + z*sin, cos + y*y*v, y*z*v - x*sin,
			z*x*v - y*sin, z*y*v + x*sin, cos + z*z*v,
		}.Mul(*r)
	}
	// One step of r·(3 − rᵀr)/2, which is enough because the error is always small.
	g := r.T().Mul(*r)
	for i := range g {
		g[i] *= -0.5
	}
	g[0], g[4], g[8] = g[0]+1.5, g[4]+1.5, g[8]+1.5
	*r = r.Mul(g)
}
