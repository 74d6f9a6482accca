package hal

import "math"

// HeadGoal is a goal for the head of which every axis may be left out: nil stays at the goal that the axis has when the
// request's turn comes. Units and frame are those of Head.
type HeadGoal struct {
	X     *float64 `json:"x,omitempty"`
	Y     *float64 `json:"y,omitempty"`
	Z     *float64 `json:"z,omitempty"`
	Roll  *float64 `json:"roll,omitempty"`
	Pitch *float64 `json:"pitch,omitempty"`
	Yaw   *float64 `json:"yaw,omitempty"`
}

// NumAxes is how many axes a HeadGoal has.
const NumAxes = 6

// Axis is one axis of a HeadGoal.
type Axis struct {
	Name   string   // as in JSON
	Length bool     // metres; otherwise radians
	Value  *float64 // nil when it is left out
}

// Axes lists the axes in the order x, y, z, roll, pitch, yaw.
func (g *HeadGoal) Axes() [NumAxes]Axis {
	return [NumAxes]Axis{
		{"x", true, g.X},
		{"y", true, g.Y},
		{"z", true, g.Z},
		{"roll", false, g.Roll},
		{"pitch", false, g.Pitch},
		{"yaw", false, g.Yaw},
	}
}

// Over returns the pose in which the axes that the goal leaves out are those of present.
func (g *HeadGoal) Over(present Head) Head {
	set(&present.X, g.X)
	set(&present.Y, g.Y)
	set(&present.Z, g.Z)
	set(&present.Roll, g.Roll)
	set(&present.Pitch, g.Pitch)
	set(&present.Yaw, g.Yaw)
	return present
}

// Full reports whether the goal leaves no axis out.
func (g *HeadGoal) Full() bool {
	return g.X != nil && g.Y != nil && g.Z != nil && g.Roll != nil && g.Pitch != nil && g.Yaw != nil
}

// Empty reports whether the goal leaves all axes out.
func (g *HeadGoal) Empty() bool { return *g == HeadGoal{} }

// Goal returns the goal of all six axes.
func (h Head) Goal() *HeadGoal {
	return &HeadGoal{X: &h.X, Y: &h.Y, Z: &h.Z, Roll: &h.Roll, Pitch: &h.Pitch, Yaw: &h.Yaw}
}

// AntennaGoal is a goal for the antennas, radians; the one that is nil stays at its goal.
type AntennaGoal struct {
	Left  *float64 `json:"left,omitempty"`
	Right *float64 `json:"right,omitempty"`
}

// Over returns the angles in which the antenna that the goal leaves out is that of present.
func (g *AntennaGoal) Over(present Antennas) Antennas {
	set(&present.Left, g.Left)
	set(&present.Right, g.Right)
	return present
}

// Full reports whether the goal is one of both antennas.
func (g *AntennaGoal) Full() bool { return g.Left != nil && g.Right != nil }

// Empty reports whether the goal leaves both antennas out.
func (g *AntennaGoal) Empty() bool { return *g == AntennaGoal{} }

// Goal returns the goal of both antennas.
func (a Antennas) Goal() *AntennaGoal { return &AntennaGoal{Left: &a.Left, Right: &a.Right} }

func set(to, value *float64) {
	if value != nil {
		*to = *value
	}
}

// Radians returns v degrees as the value of an axis; nil for nil.
func Radians(v *float64) *float64 {
	if v == nil {
		return nil
	}
	rad := *v * math.Pi / 180
	return &rad
}
