package kinematics

import (
	"fmt"
	"math"

	"github.com/reachyd/reachyd/hal"
)

// UnreachableError says that no arm angle brings a rod to the head pose, whatever the joint limits are.
type UnreachableError struct {
	Leg hal.Joint // the first leg that is too short or too long: Stewart1…Stewart6
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("kinematics: the head pose is out of reach of %s", e.Leg)
}

// The errors exist beforehand, so that returning one allocates nothing.
var unreachable = func() (all [numLegs]*UnreachableError) {
	for k := range all {
		all[k] = &UnreachableError{Leg: firstLeg + hal.Joint(k)}
	}
	return all
}()

// Inverse returns the joint angles that hold the head at a pose over a body turned to bodyYaw. The two antennas are
// zero. It does not look at joint limits: Nearest does. The error is ErrNotFinite or an *UnreachableError.
func Inverse(head hal.Pose, bodyYaw float64) (hal.Joints, error) {
	if !finitePose(&head) || !finite(bodyYaw) {
		return hal.Joints{}, ErrNotFinite
	}
	var joints hal.Joints
	joints[hal.BodyYaw] = bodyYaw
	p := toBody(head, bodyYaw)
	if k, _ := solveArms(&p, &joints); k >= 0 {
		return hal.Joints{}, unreachable[k]
	}
	return joints, nil
}

// solveArms solves the six legs for a pose in the body frame. It returns the leg that cannot reach, or −1, and how far the
// worst leg is from being stretched: the sine of the angle at which its rod leaves the plane of alignment, 1 best, 0 stretched.
func solveArms(p *hal.Pose, joints *hal.Joints) (failed int, margin float64) {
	margin = 1
	for k := range legs {
		l := &legs[k]
		u := p.R.Apply(l.end)
		for i := range u {
			u[i] += p.T[i] - l.motor[i]
		}
		// The rod end seen from the motor: x along the arm at angle 0, z along the motor axis.
		x := l.along[0]*u[0] + l.along[1]*u[1]
		y := -l.side * u[2]
		z := -(l.out[0]*u[0] + l.out[1]*u[1])
		// |rod end − arm tip| = rodLength is a·cos θ + b·sin θ = c.
		a, b := 2*armLength*x, 2*armLength*y
		c := x*x + y*y + z*z + armLength*armLength - rodLength*rodLength
		square := a*a + b*b
		rest := square - c*c
		if !(rest >= 0) || square == 0 {
			return k, 0
		}
		margin = min(margin, rest/square)
		joints[int(firstLeg)+k] = wrap(math.Atan2(b, a) + l.side*math.Atan2(math.Sqrt(rest), c))
	}
	return -1, math.Sqrt(margin)
}
