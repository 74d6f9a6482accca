package kinematics_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// eye is where the camera sits in the head frame.
var eye = hal.Vec3{0.0437, 0, 0.0512}

// seenFrom returns the target's place relative to the eye, in the head frame.
func seenFrom(p hal.Pose, x, y, z float64) hal.Vec3 {
	local := p.R.T().Apply(hal.Vec3{x - p.T[0], y - p.T[1], z - kinematics.HeadHeight - p.T[2]})
	for i := range local {
		local[i] -= eye[i]
	}
	return local
}

func TestLookAtPutsTheTargetOnTheEyesAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Float64Range(-3, 3)
		x, y, z := at.Draw(t, "x"), at.Draw(t, "y"), at.Draw(t, "z")
		pose, err := kinematics.LookAt(x, y, z)
		if errors.Is(err, kinematics.ErrTooClose) {
			if math.Hypot(math.Hypot(x, y), z-kinematics.HeadHeight) > 0.0512 {
				t.Fatal("refused although far enough")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if off := seenFrom(pose, x, y, z); math.Abs(off[1]) > 1e-12 || math.Abs(off[2]) > 1e-12 {
			t.Fatalf("the target is at %v", off)
		}
		if roll := pose.R[7]; math.Abs(roll) > 1e-12 {
			t.Fatalf("the horizon is tilted: %v", roll)
		}
	})
}

func TestLookAtKnownTargets(t *testing.T) {
	for _, c := range []struct {
		name       string
		x, y, z    float64
		pitch, yaw float64 // degrees
	}{
		{"straight ahead at eye height", 1, 0, kinematics.HeadHeight + 0.0512, 0, 0},
		{"ahead at head height, so below the eye", 0.5, 0, kinematics.HeadHeight, 5.878, 0},
		{"left", 0, 1, kinematics.HeadHeight + 0.0512, 0, 90},
		{"the apple on the table", 0.6, -0.2, 0.03, 17.607, -18.435},
	} {
		pose, err := kinematics.LookAt(c.x, c.y, c.z)
		if err != nil {
			t.Fatal(err)
		}
		h := pose.Head()
		if math.Abs(h.Pitch-c.pitch*degree) > 1e-4 || math.Abs(h.Yaw-c.yaw*degree) > 1e-4 || pose.T != (hal.Vec3{}) {
			t.Errorf("%s: pitch %.3f°, yaw %.3f°", c.name, h.Pitch/degree, h.Yaw/degree)
		}
	}
}

func TestLookAtRefuses(t *testing.T) {
	for _, c := range []struct {
		x, y, z float64
		want    error
	}{
		{math.NaN(), 0, 0, kinematics.ErrNotFinite},
		{0, math.Inf(1), 0, kinematics.ErrNotFinite},
		{1.7e308, 1.7e308, 1.7e308, kinematics.ErrNotFinite},
		{0, 0, kinematics.HeadHeight, kinematics.ErrTooClose},
		{0.02, 0, kinematics.HeadHeight + 0.04, kinematics.ErrTooClose},
	} {
		if _, err := kinematics.LookAt(c.x, c.y, c.z); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestPixelRay(t *testing.T) {
	plain := kinematics.Camera{FocalX: 600, FocalY: 600, CenterX: 640, CenterY: 360}
	for _, c := range []struct {
		u, v float64
		want hal.Vec3
	}{
		{640, 360, hal.Vec3{1, 0, 0}},
		{1240, 360, hal.Vec3{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0}}, // right in the picture is −y
		{640, 960, hal.Vec3{math.Sqrt2 / 2, 0, -math.Sqrt2 / 2}},  // down in the picture is −z
	} {
		got, err := kinematics.PixelRay(c.u, c.v, &plain)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("(%v, %v): %v, want %v", c.u, c.v, got, c.want)
			}
		}
	}
	if _, err := kinematics.PixelRay(math.NaN(), 0, &plain); !errors.Is(err, kinematics.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
	if _, err := kinematics.PixelRay(0, 0, &kinematics.Camera{}); !errors.Is(err, kinematics.ErrNotFinite) {
		t.Errorf("camera without focal length: %v", err)
	}
	if _, _, err := plain.Pixel(hal.Vec3{-1, 0, 0}); !errors.Is(err, kinematics.ErrNoRay) {
		t.Errorf("behind the camera: %v", err)
	}
	// A barrel lens folds back: nothing is pictured further out than the fold.
	fold := plain
	fold.Distortion[0] = -1
	if ray, err := kinematics.PixelRay(1240, 360, &fold); !errors.Is(err, kinematics.ErrNoRay) {
		t.Errorf("beyond the fold: %v, %v", ray, err)
	}
}

// Every pixel of the robot's own camera has a ray, and the ray is pictured at that pixel.
func TestPixelRayUndoesTheLens(t *testing.T) {
	small := kinematics.EyeCamera.Scaled(1280./3840, 720./2592, 1)
	for _, c := range []struct {
		camera        kinematics.Camera
		width, height float64
	}{{kinematics.EyeCamera, 3840, 2592}, {small, 1280, 720}} {
		for i := range 41 {
			for j := range 41 {
				u, v := c.width*float64(i)/40, c.height*float64(j)/40
				ray, err := kinematics.PixelRay(u, v, &c.camera)
				if err != nil {
					t.Fatalf("(%v, %v): %v", u, v, err)
				}
				if n := math.Hypot(math.Hypot(ray[0], ray[1]), ray[2]); math.Abs(n-1) > 1e-12 {
					t.Fatalf("(%v, %v): length %v", u, v, n)
				}
				bu, bv, err := c.camera.Pixel(ray)
				if err != nil || math.Hypot(bu-u, bv-v) > 1e-5 {
					t.Fatalf("(%v, %v) came back as (%v, %v), %v", u, v, bu, bv, err)
				}
			}
		}
	}
}
