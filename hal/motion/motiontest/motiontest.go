// Package motiontest has servos for tests of what stands on the control loop.
package motiontest

import (
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/motion"
)

// Servos are at once where they are told to be, and always under torque. The loop alone may touch At, rad, while it runs.
type Servos struct{ At hal.Joints }

// Cycle implements motion.Servos.
func (s *Servos) Cycle(goal *hal.Joints, fb *hal.Feedback) error {
	s.At = *goal
	fb.Position, fb.Fresh = s.At, hal.AllJoints
	return nil
}

// SetTorque implements motion.Servos.
func (s *Servos) SetTorque(hal.JointMask, bool) error { return nil }

// Health implements motion.Servos.
func (s *Servos) Health(h *hal.Health) {
	h.Online, h.Torque, h.Goal, h.Found = true, hal.AllJoints, s.At, hal.AllJoints
}

var _ motion.Servos = (*Servos)(nil)
