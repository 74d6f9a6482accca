// Package motiontest has servos for tests of what stands on the control loop.
package motiontest

import (
	"slices"
	"sync"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/motion"
)

// Servos that have torque are at once where they are told to be.
type Servos struct {
	mu     sync.Mutex
	at     hal.Joints
	torque hal.JointMask
	goals  []hal.Joints
}

// Awake returns servos under torque, with the head up.
func Awake() *Servos {
	f, err := kinematics.NearestHead(hal.AwakeHead, 0, hal.AwakeAntennas)
	if err != nil {
		panic(err)
	}
	return &Servos{at: f.Joints, torque: hal.AllJoints}
}

// Cycle implements motion.Servos.
func (s *Servos) Cycle(goal *hal.Joints, fb *hal.Feedback) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for j := range goal {
		if s.torque.Has(hal.Joint(j)) {
			s.at[j] = goal[j]
		}
	}
	if len(s.goals) == 0 || s.goals[len(s.goals)-1] != *goal {
		s.goals = append(s.goals, *goal)
	}
	fb.Position, fb.Fresh = s.at, hal.AllJoints
	return nil
}

// SetTorque implements motion.Servos.
func (s *Servos) SetTorque(m hal.JointMask, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on {
		s.torque |= m
	} else {
		s.torque &^= m
	}
	return nil
}

// Health implements motion.Servos.
func (s *Servos) Health(h *hal.Health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.Online, h.Torque, h.Goal, h.Found = true, s.torque, s.at, hal.AllJoints
}

// Torque returns the joints that are held.
func (s *Servos) Torque() hal.JointMask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.torque
}

// Goals returns what the joints were told, rad, each goal that differs from the one before.
func (s *Servos) Goals() []hal.Joints {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.goals)
}

// Place puts the joints somewhere, as a hand does with those that are not held.
func (s *Servos) Place(at hal.Joints) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = at
}

var _ motion.Servos = (*Servos)(nil)
