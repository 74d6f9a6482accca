package demo

import (
	"fmt"
	"math"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// MaxActions is how many targets a demonstration may have.
const MaxActions = 200

// target is a pose of the whole robot: head, body yaw and antennas, metres and radians.
type target [9]float64

func (t *target) move(a *api.ShownAction) {
	const rad = math.Pi / 180
	set := func(at int, v *float64, unit float64) {
		t[at] = 0
		if v != nil {
			t[at] = *v * unit
		}
	}
	if h := a.Head; h != nil { // a field that is left out is 0, as of goto
		for i, v := range []*float64{h.X, h.Y, h.Z} {
			set(i, v, 1)
		}
		for i, v := range []*float64{h.Roll, h.Pitch, h.Yaw} {
			set(3+i, v, rad)
		}
	}
	if a.BodyYaw != nil {
		t[6] = *a.BodyYaw * rad
	}
	if a.Antennas != nil {
		t[7], t[8] = a.Antennas.Left*rad, a.Antennas.Right*rad
	}
}

func (t *target) joints() (hal.Joints, error) {
	head := hal.Head{X: t[0], Y: t[1], Z: t[2], Roll: t[3], Pitch: t[4], Yaw: t[5]}
	f, err := kinematics.NearestHead(head, t[6], hal.Antennas{Left: t[7], Right: t[8]})
	return f.Joints, err
}

// FromActions returns the joints of one target after the other, at Rate, from the neutral pose and with minimum jerk. What the robot
// cannot take is drawn to the nearest that it can.
func FromActions(actions []api.ShownAction) ([]hal.Joints, error) {
	if len(actions) == 0 {
		return nil, fmt.Errorf("actions: there are none; allowed are 1…%d", MaxActions)
	}
	var at target
	begin, err := at.joints()
	all := []hal.Joints{begin}
	for i := range actions {
		a := &actions[i]
		if a.Head == nil && a.BodyYaw == nil && a.Antennas == nil {
			return nil, fmt.Errorf("actions[%d]: head, body_yaw, antennas: at least one must be given", i)
		}
		to := at
		to.move(a)
		frames := max(1, int(math.Round(a.Duration*Rate)))
		if len(all)+frames > MaxFrames {
			return nil, fmt.Errorf("actions[%d]: the demonstration gets longer than %g s", i, MaxFrames/Rate)
		}
		for k := 1; k <= frames && err == nil; k++ {
			s := float64(k) / float64(frames)
			s = s * s * s * (10 - 15*s + 6*s*s)
			var between target
			for c := range between {
				between[c] = at[c] + s*(to[c]-at[c])
			}
			var q hal.Joints
			q, err = between.joints()
			all = append(all, q)
		}
		at = to
	}
	return all, err
}
