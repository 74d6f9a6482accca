package server

import (
	"math"
	"slices"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/body"
)

const (
	// stray is by how much a limp joint must have been moved to be news, rad. The noise of measuring is a sixth of it.
	stray = 0.01
	// off is by how much more or less than before a driven joint must be off its goal: while the robot breathes it lags by up to 0.012.
	off = 2 * stray
)

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
		was, is, most := told.Joints[j], s.Joints[j], stray
		if s.Torque.Has(j) {
			was, is, most = was-told.Goal[j], is-s.Goal[j], off
		}
		if math.Abs(is-was) > most {
			return true
		}
	}
	return false
}
