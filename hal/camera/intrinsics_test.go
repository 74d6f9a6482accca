package camera

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

var lenses = map[string]Intrinsics{
	"simulated": SimIntrinsics(640, 480), "robot": RobotIntrinsics(1280, 720), "robot, cropped": RobotIntrinsics(1920, 1080),
	"webcam": WebcamIntrinsics(640, 480),
}

func TestRaysAndPixels(t *testing.T) {
	head := hal.Head{Yaw: 0.4, Pitch: 0.2, Roll: -0.1}.Pose()
	for name, l := range lenses {
		mid, err := l.Ray(l.CenterX, l.CenterY, &head)
		if err != nil {
			t.Fatal(err)
		}
		// The middle of the picture is where the head points.
		if yaw, pitch := Direction(mid); math.Abs(yaw-0.4*180/math.Pi) > 1e-6 || math.Abs(pitch-0.2*180/math.Pi) > 1e-6 {
			t.Errorf("%s: the middle looks to yaw %v, pitch %v", name, yaw, pitch)
		}
		for _, at := range [][2]float64{{0.3, 0.4}, {0.5, 0.8}, {0.7, 0.2}} {
			u, v := at[0]*float64(l.Width), at[1]*float64(l.Height)
			ray, err := l.Ray(u, v, &hal.IdentityPose)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			// Left in the picture is left of the robot, high is up.
			if (ray[1] > 0) != (u < l.CenterX) || (ray[2] > 0) != (v < l.CenterY) {
				t.Errorf("%s: (%v, %v) looks to %v", name, u, v, ray)
			}
			bu, bv, err := l.Pixel(ray)
			if err != nil || math.Hypot(bu-u, bv-v) > 1e-3 {
				t.Errorf("%s: (%v, %v) came back as (%v, %v), %v", name, u, v, bu, bv, err)
			}
		}
	}
}

// The simulated eye is 80° high, and its place is that of the model.
func TestSimulatedEye(t *testing.T) {
	l := SimIntrinsics(640, 480)
	top, _ := l.Ray(320, 0, &hal.IdentityPose)
	if _, pitch := Direction(top); math.Abs(pitch+40) > 1e-9 {
		t.Errorf("the upper edge is at pitch %v", pitch)
	}
	turned := hal.Head{Yaw: math.Pi / 2, Z: 0.01}.Pose()
	if e := l.EyeAt(&turned); math.Abs(e[0]) > 1e-9 || math.Abs(e[1]-0.0395) > 1e-9 || math.Abs(e[2]-(kinematics.HeadHeight+0.0625)) > 1e-9 {
		t.Errorf("the eye is at %v", e)
	}
}
