package kinematics

import (
	"errors"
	"math"

	"github.com/reachyd/reachyd/hal"
)

// ErrTooClose is returned for a target that is nearer to the head's origin than the eye.
var ErrTooClose = errors.New("kinematics: the target is inside the head")

// LookAt returns the head pose that brings a target into the middle of the eye camera's picture. The target is in
// world metres: the origin is on the table under the neutral head, x forward, y left, z up. The head stays at its
// neutral place 0.177 m above the origin and turns about it without tilting sideways, so that the horizon stays level.
//
// The eye sits 0.051 m above the head's origin, so the head is turned until the eye's axis, not the head's, meets the
// target. (The official SDK measures the target from the head's origin, although it calls it a world position, and
// points the head's own axis: at 0.5 m the target is then 6° below the middle of the picture.)
//
// The pose may be out of the robot's reach: pass it to Nearest. A target straight above or below is looked at with yaw
// 0. The error is ErrNotFinite or ErrTooClose.
func LookAt(x, y, z float64) (hal.Pose, error) {
	if !finite(x) || !finite(y) || !finite(z) {
		return hal.Pose{}, ErrNotFinite
	}
	z -= HeadHeight
	out := math.Hypot(x, y)
	distance := math.Hypot(out, z)
	if distance <= eyeAboveOrigin {
		return hal.Pose{}, ErrTooClose
	}
	if math.IsInf(distance, 1) {
		return hal.Pose{}, ErrNotFinite
	}
	// The target's height over the head's own x-y plane must be the eye's: out·sin p + z·cos p = eyeAboveOrigin.
	pitch := math.Asin(eyeAboveOrigin/distance) - math.Atan2(z, out)
	return hal.Pose{R: hal.RotZ(math.Atan2(y, x)).Mul(hal.RotY(pitch))}, nil
}
