package motion

import (
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// solve returns what the robot can do that comes nearest to a posture. The body turns as far as the head needs it.
// A posture with NaN, which no caller makes, gives ok = false.
func solve(p *posture) (f kinematics.Feasible, ok bool) {
	h := p.head()
	f, err := kinematics.NearestHead(h, kinematics.AutoBodyYawFor(h.Yaw, p.body), hal.Antennas{Left: p.left, Right: p.right})
	return f, err == nil
}

// postureOf is the posture of a feasible pose.
func postureOf(f *kinematics.Feasible) posture {
	var p posture
	p.setHead(&f.Head)
	p.body = f.BodyYaw
	p.left, p.right = f.Antennas.Left, f.Antennas.Right
	return p
}
