package kinematics

import "github.com/reachyd/reachyd/hal"

// Geometry is what a drawing of the platform needs: lengths in metres, body frame for the motors, head frame for the rod ends.
type Geometry struct {
	HeadHeight float64     `json:"head_height"` // of the head frame above the world origin in the neutral pose
	ArmLength  float64     `json:"arm_length"`
	RodLength  float64     `json:"rod_length"`
	Motors     [6]hal.Vec3 `json:"motors"`
	Along      [6]hal.Vec3 `json:"along"` // in which each arm points at angle 0
	Sides      [6]float64  `json:"sides"` // −1 or +1: an arm's tip is lower by side·sin(angle)·arm_length than its motor
	Ends       [6]hal.Vec3 `json:"ends"`  // of the rods at the head
}

// Platform returns the geometry of the head's six arms.
func Platform() Geometry {
	g := Geometry{HeadHeight: HeadHeight, ArmLength: armLength, RodLength: rodLength}
	for k := range legs {
		g.Motors[k], g.Along[k], g.Sides[k], g.Ends[k] = legs[k].motor, legs[k].along, legs[k].side, legs[k].end
	}
	return g
}
