package motion

import "github.com/reachyd/reachyd/hal"

// Servos is what the loop needs of the nine servos. Only the loop calls it, from one goroutine.
type Servos interface {
	// Cycle writes the goals, reads what the servos measure into fb and does one slow step. It takes a part of a tick,
	// also when nobody answers. fb.Fresh is empty when nothing was heard; the error then says why.
	Cycle(goal *hal.Joints, fb *hal.Feedback) error
	// SetTorque switches the torque of some joints. Before it is switched on the goals are pinned to the present positions.
	SetTorque(joints hal.JointMask, on bool) error
	// Health brings h up to date. It must not allocate while nothing changes.
	Health(h *hal.Health)
}
