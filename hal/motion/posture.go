package motion

import (
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// stance is where the robot is, as measured.
func (l *Loop) stance() hal.Stance {
	p := &l.fb.Position
	return hal.Stance{
		Head: l.measured.Head(), BodyYaw: p[hal.BodyYaw],
		Antennas: hal.Antennas{Left: p[hal.LeftAntenna], Right: p[hal.RightAntenna]},
	}
}

// settle makes the place where the goals have come to rest the new base.
func (l *Loop) settle() {
	l.mode = holding
	l.rebase()
}

func (l *Loop) rebase() {
	l.base = l.goalPosture()
	if math.Abs(kinematics.AutoBodyYawFor(l.base.yaw, l.body)-l.base.body) > 1e-3 {
		l.body = l.base.body
	}
	l.base.body = l.body
}

// goalPosture is the posture that the goals hold, without the offsets that are part of them.
func (l *Loop) goalPosture() posture { return l.jointPosture(&l.lim.q, &l.aiming) }

func (l *Loop) jointPosture(q *hal.Joints, s *kinematics.Solver) posture {
	p := l.base
	p.body = q[hal.BodyYaw]
	p.right, p.left = q[hal.RightAntenna], q[hal.LeftAntenna]
	if pose, err := s.Forward(q); err == nil {
		p.setPose(&pose, p.body)
	}
	return p
}

// aheadPosture is goalPosture for a source that takes over while the goals move. It must keep their speed, so it
// begins where the source before it would be.
func (l *Loop) aheadPosture() posture {
	l.lim.resume()
	return l.goalPosture()
}

// goalRates is how fast the goals move.
func (l *Loop) goalRates() rates {
	if l.lim.still() {
		return rates{}
	}
	before := l.lim.q
	for j := range before {
		before[j] -= l.lim.v[j] * l.dt
	}
	a, b := l.jointPosture(&before, &l.aiming), l.jointPosture(&l.lim.q, &l.aiming)
	return ratesOf(&a, &b, l.dt)
}

// measuredPosture is the posture that the servos measure.
func (l *Loop) measuredPosture() (posture, bool) {
	if l.fb.Fresh != hal.AllJoints {
		return posture{}, false
	}
	return l.jointPosture(&l.fb.Position, &l.seeing), true
}
