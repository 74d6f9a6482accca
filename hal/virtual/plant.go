package virtual

import "github.com/reachyd/reachyd/hal"

// Plant is what the servos turn: the mechanics behind the nine horns.
type Plant interface {
	// Step moves the joints by dt seconds as drive asks and reports in out where they are.
	Step(dt float64, drive *Drives, out *Motions)
	// Reset puts the joints back to where the plant began and reports it in out.
	Reset(out *Motions)
}

// Drives holds one Drive per joint.
type Drives [hal.NumJoints]Drive

// Motions holds one Motion per joint.
type Motions [hal.NumJoints]Motion

// Drive is what one servo wants of its joint. The zero value is a servo without torque: the joint is free.
type Drive struct {
	On       bool    // torque is enabled
	ByTorque bool    // Torque rules; otherwise Position
	Position float64 // rad
	Torque   float64 // N·m
	Limit    float64 // share of the servo's full torque that it may use, 0…1
	Stiff    float64 // its gain of the position loop against that of this robot's servos; 0 stands for 1
}

// Gain is Stiff, or 1 where nobody set it.
func (d *Drive) Gain() float64 {
	if d.Stiff == 0 {
		return 1
	}
	return d.Stiff
}

// Motion is what a joint does.
type Motion struct {
	Position float64 // rad
	Velocity float64 // rad/s
	Torque   float64 // of the servo on the joint, N·m
}
