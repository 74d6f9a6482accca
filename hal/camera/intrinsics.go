package camera

import (
	"math"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// Intrinsics is how pixels and directions belong together in pictures of one size.
type Intrinsics struct {
	kinematics.Camera
	Width, Height int
	// Eye is where the camera sits in the head's frame, m.
	Eye hal.Vec3
}

// The sensor of the robot's own camera, for which kinematics.EyeCamera holds.
const (
	sensorWidth  = 3840
	sensorHeight = 2592
)

// robotEye is where the robot's camera sits in its head.
var robotEye = hal.Vec3{0.0437, 0, 0.0512}

// crops are how much of the sensor is left out in some sizes.
var crops = map[[2]int]float64{{1920, 1080}: 1.115, {3840, 2160}: 1.109, {3264, 2448}: 1.115}

// RobotIntrinsics is the lens of the robot's own camera (Lite and wireless).
func RobotIntrinsics(width, height int) Intrinsics {
	crop, ok := crops[[2]int{width, height}]
	if !ok {
		crop = 1
	}
	c := kinematics.EyeCamera.Scaled(float64(width)/sensorWidth, float64(height)/sensorHeight, crop)
	return Intrinsics{Camera: c, Width: width, Height: height, Eye: robotEye}
}

// SimIntrinsics is the lens of the simulated eye: a pinhole.
func SimIntrinsics(width, height int) Intrinsics {
	return pinhole(width, height, kinematics.SimEyeFocal(height), hal.Vec3{0.0395, 0, 0.0525})
}

// WebcamIntrinsics is a guess at the lens of a camera that nobody has calibrated: 53° wide, as most webcams are roughly.
func WebcamIntrinsics(width, height int) Intrinsics {
	return pinhole(width, height, float64(width), robotEye)
}

func pinhole(width, height int, f float64, eye hal.Vec3) Intrinsics {
	c := kinematics.Camera{FocalX: f, FocalY: f, CenterX: float64(width) / 2, CenterY: float64(height) / 2}
	return Intrinsics{Camera: c, Width: width, Height: height, Eye: eye}
}

// Ray returns the unit vector, in the world's frame, toward what is seen at a point of the picture when the head is at
// a pose. Coordinates count from the picture's upper left corner, so that a pixel's middle is at its number plus ½.
func (l *Intrinsics) Ray(u, v float64, head *hal.Pose) (hal.Vec3, error) {
	r, err := kinematics.PixelRay(u, v, &l.Camera)
	if err != nil {
		return hal.Vec3{}, err
	}
	return head.R.Apply(r), nil
}

// EyeAt returns where the camera is in the world when the head is at a pose, m.
func (l *Intrinsics) EyeAt(head *hal.Pose) hal.Vec3 {
	e := head.R.Apply(l.Eye)
	return hal.Vec3{e[0] + head.T[0], e[1] + head.T[1], e[2] + head.T[2] + kinematics.HeadHeight}
}

// Direction is a ray as degrees: + yaw is left, + pitch is down.
func Direction(ray hal.Vec3) (yaw, pitch float64) {
	const degrees = 180 / math.Pi
	return math.Atan2(ray[1], ray[0]) * degrees, -math.Atan2(ray[2], math.Hypot(ray[0], ray[1])) * degrees
}
