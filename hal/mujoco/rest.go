//go:build mujoco

package mujoco

import (
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/virtual"
)

// headJoints are the six arms that carry the head.
const headJoints = hal.JointMask(1<<hal.RightAntenna-1) &^ (1 << hal.BodyYaw)

// rest is the head lying on the body's shell. It is no contact of the physics, which would also be in the way of low poses
// that the shell of a real robot gives room for: while the arms are limp and the head has come down to the shell, it stays.
type rest struct {
	lies bool
	at   [6]float64 // the arms' angles, rad
}

const (
	rimRadius = 0.045  // m, of the head's underside, which touches the shell
	rimPoints = 8      // around it
	shell     = 0.1150 // m, height at which the rim lies on the shell; in the pose of sleep its front is at 0.1144
	leaning   = 0.50   // rad, roll or pitch at which the head's side leans on it
	twisted   = 0.85   // rad, yaw at which the rods touch each other
)

// look takes the head down to rest, or lifts it from there, as the servos have it.
func (r *rest) look(s *Sim, drive *virtual.Drives) {
	for j := hal.Stewart1; j <= hal.Stewart6; j++ {
		if drive[j].On {
			r.lies = false
			return
		}
	}
	if r.lies {
		return
	}
	h := s.localHead()
	switch {
	case s.dog.wrong > 0: // its joints jam before they snap
		copy(r.at[:], s.good[hal.Stewart1:])
	case s.rim() <= shell, math.Abs(h.Roll) >= leaning, math.Abs(h.Pitch) >= leaning, math.Abs(h.Yaw) >= twisted:
		joints := s.joints()
		copy(r.at[:], joints[hal.Stewart1:])
	default:
		return
	}
	r.lies = true
}

// rim is the height of the lowest point of the head's underside, m.
func (s *Sim) rim() float64 {
	head := s.localHead().Pose()
	lowest := math.Inf(1)
	for i := range rimPoints {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / rimPoints)
		p := head.R.Apply(hal.Vec3{rimRadius * cos, rimRadius * sin, 0})
		lowest = min(lowest, p[2]+head.T[2]+neutralHeight)
	}
	return lowest
}
