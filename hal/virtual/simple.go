package virtual

import (
	"math"
	"sync"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// SleepJoints are the joints of the robot at rest, head down, where plants begin.
var SleepJoints = func() hal.Joints {
	j, err := kinematics.Inverse(hal.SleepHead.Pose(), 0)
	if err != nil {
		panic(err) // a constant pose: a test would have seen it
	}
	j[hal.RightAntenna], j[hal.LeftAntenna] = hal.SleepAntennas.Right, hal.SleepAntennas.Left
	return j
}()

// Simple is a Plant in plain Go: each joint is an inertia with friction, turned by a servo of limited torque and speed.
// The joints do not know of each other, and one without torque stays where it is.
type Simple struct {
	start hal.Joints

	mu     sync.Mutex
	joints Motions
}

// NewSimple returns a plant that begins at the given joints, radians.
func NewSimple(start hal.Joints) *Simple {
	p := &Simple{start: start}
	p.Reset(&Motions{})
	return p
}

// The servo's position loop: critically damped at 60 rad/s, which settles in a tenth of a second like the real ones.
const (
	simpleOmega   = 60.0
	simpleSubstep = 0.001 // s; stable for ω·dt = 0.06
)

// Step implements Plant.
func (p *Simple) Step(dt float64, drive *Drives, out *Motions) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := max(1, int(math.Round(dt/simpleSubstep)))
	for j := range p.joints {
		m, d, spec := &p.joints[j], &drive[j], eeprom[j].spec
		for range n {
			simpleStep(m, d, spec, dt/float64(n))
		}
		lim := hal.JointLimits[j]
		if at := max(lim.Min, min(lim.Max, m.Position)); at != m.Position && j <= int(hal.Stewart6) {
			m.Position, m.Velocity = at, 0 // the mechanical stop; antennas turn freely
		}
	}
	*out = p.joints
}

func simpleStep(m *Motion, d *Drive, spec *modelSpec, dt float64) {
	// The inertia that the full torque accelerates to full speed in 50 ms.
	inertia := spec.stall / (spec.noLoad / 0.05)
	m.Torque = 0
	switch {
	case !d.On:
		m.Velocity *= math.Exp(-dt / 0.02) // the gearbox brakes
	case d.ByTorque:
		m.Torque = max(-1, min(1, d.Torque/spec.stall)) * spec.stall
		m.Velocity += (m.Torque - spec.stall*m.Velocity/spec.noLoad) / inertia * dt
	default:
		want := inertia * (d.Gain()*simpleOmega*simpleOmega*(d.Position-m.Position) - 2*simpleOmega*m.Velocity)
		full := spec.stall * max(0, min(1, d.Limit))
		m.Torque = max(-full, min(full, want))
		m.Velocity += m.Torque / inertia * dt
	}
	m.Velocity = max(-spec.noLoad, min(spec.noLoad, m.Velocity))
	m.Position += m.Velocity * dt
}

// Reset implements Plant.
func (p *Simple) Reset(out *Motions) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for j := range p.joints {
		p.joints[j] = Motion{Position: p.start[j]}
	}
	*out = p.joints
}

var _ Plant = (*Simple)(nil)
