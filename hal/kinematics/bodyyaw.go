package kinematics

import (
	"math"

	"github.com/reachyd/reachyd/hal"
)

// AutoBodyYaw returns the body angle that lets the head take its yaw: the requested one as long as head and body are
// no more than 65° apart, else as little more as is needed, always within ±160°.
//
// The head's yaw is its true Euler yaw atan2(R10, R00), in (−π, π]. (The official daemon takes atan2(−R01, R00), which
// differs by 1…3° at 20° of tilt.) Angles are never wrapped, because the body cannot turn through its stop at the
// back: a head that crosses ±180° sends the body the long way round. A caller that streams yaw as a number should
// use AutoBodyYawFor, where the number has no seam.
func AutoBodyYaw(head hal.Pose, requested float64) float64 {
	return AutoBodyYawFor(math.Atan2(head.R[3], head.R[0]), requested)
}

// AutoBodyYawFor is AutoBodyYaw for a head yaw given as a number. NaN in either argument gives NaN, which Nearest refuses.
func AutoBodyYawFor(headYaw, requested float64) float64 {
	body := headYaw - clamp(headYaw-requested, -maxHeadToBody, maxHeadToBody)
	return clamp(body, -maxBodyYaw, maxBodyYaw)
}
