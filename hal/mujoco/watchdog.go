//go:build mujoco

package mujoco

import (
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// watchdog notices that the platform has snapped into another assembly: the same arm angles with the head elsewhere.
// The constraints are satisfied then, so MuJoCo does not mind, and it never comes back by itself.
type watchdog struct {
	wrong float64 // seconds for which it has looked wrong
}

// How far the head may be from where the arm angles have it, and for how long. Loops under load gape by some 0.1 mm.
const (
	flipDistance = 0.006 // m
	flipAngle    = 0.10  // rad
	flipTime     = 0.25  // s
	flipTilt     = 0.66  // rad: a head that leans on the end of its joints has flipped if no arm angles ask for that
)

// flipped takes in one tick and reports that the platform must be put together anew.
func (w *watchdog) flipped(s *Sim, dt float64) bool {
	joints := s.joints()
	joints[hal.BodyYaw] = 0
	head := s.localHead()
	// From neutral each time: what is warm-started from a wrong assembly stays in it.
	want, _, err := kinematics.Forward(&joints, hal.IdentityPose)
	is := head.Pose()
	var wrong bool
	if err == nil {
		wrong = distance(want.T, is.T) > flipDistance || angle(want.R, is.R) > flipAngle
	} else {
		wrong = math.Abs(head.Roll) > flipTilt || math.Abs(head.Pitch) > flipTilt
	}
	if !wrong {
		w.wrong = 0
		return false
	}
	w.wrong += dt
	return w.wrong > flipTime
}

func distance(a, b hal.Vec3) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// angle is the rotation between two orientations, rad.
func angle(a, b hal.Mat3) float64 {
	r := a.T().Mul(b)
	return math.Acos(max(-1, min(1, (r[0]+r[4]+r[8]-1)/2)))
}
