package motion

import "github.com/reachyd/reachyd/hal"

// Envelope is the limiter of the control loop without a robot: simulations that run faster than time keep the same limits
// of position, speed and acceleration with it.
type Envelope struct{ lim limiter }

// NewEnvelope returns one for so many ticks a second, whose goals begin at the given joints, rad.
func NewEnvelope(rate float64, limits [hal.NumJoints]JointLimit, start hal.Joints) *Envelope {
	e := &Envelope{newLimiter(1/rate, limits, hal.JointLimits)}
	for j, q := range start {
		e.lim.pin(j, q)
	}
	return e
}

// Step moves the goals of all joints one tick towards target and returns them.
func (e *Envelope) Step(target *hal.Joints) hal.Joints {
	e.lim.step(target, hal.AllJoints)
	return e.lim.q
}
