package server

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

// stray is by how much a joint must have come off its goal, or, where it is limp, have been moved, to be news, rad. The noise of
// measuring is a sixth of it.
const stray = 0.01

// pace is which states a reader is told.
type pace struct {
	calm bool // of a robot that rests only what is new, and besides with the telemetry
	now  func() hal.State
	told hal.State
}

// state returns the message with the newest state.
func (p *pace) state() *body.Message {
	p.told = p.now()
	return &body.Message{State: &p.told}
}

// due reports whether the reader is to be told the state.
func (p *pace) due() bool {
	if !p.calm {
		return true
	}
	s := p.now()
	return news(&p.told, &s)
}

// news reports whether the robot moves, or anything is other than it was told. Breathing moves joints and goals alike.
func news(told, s *hal.State) bool {
	if s.Moving || told.Moving || s.Mode != told.Mode || s.Torque != told.Torque || s.Queued != told.Queued ||
		s.EStop != told.EStop || s.EStopReason != told.EStopReason || s.EStopBy != told.EStopBy || !slices.Equal(s.Faults, told.Faults) {
		return true
	}
	for j := range hal.Joint(hal.NumJoints) {
		was, is := told.Joints[j], s.Joints[j]
		if s.Torque.Has(j) {
			was, is = was-told.Goal[j], is-s.Goal[j]
		}
		if math.Abs(is-was) > stray {
			return true
		}
	}
	return false
}
