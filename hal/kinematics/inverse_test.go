package kinematics_test

import (
	"errors"
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

const degree = math.Pi / 180

// deg is a head pose in millimetres and degrees.
func deg(x, y, z, roll, pitch, yaw float64) hal.Head {
	return hal.Head{X: x / 1e3, Y: y / 1e3, Z: z / 1e3, Roll: roll * degree, Pitch: pitch * degree, Yaw: yaw * degree}
}

// sleepPose is the transform of the official sleep pose, to the three digits in which it is given.
var sleepPose = hal.Pose{
	R: hal.Mat3{.911, .004, .413, -.004, 1, -.001, -.413, -.001, .911},
	T: hal.Vec3{-.021, .001, -.044},
}

func TestInverseCheckVectors(t *testing.T) {
	for _, c := range []struct {
		name string
		pose hal.Pose
		body float64 // degrees
		want [6]float64
		tol  float64
	}{
		{"neutral", deg(0, 0, 0, 0, 0, 0).Pose(), 0, [6]float64{+0.626547, -0.626543, +0.626540, -0.626536, +0.626537, -0.626539}, 2e-4},
		{"up", deg(0, 0, 10, 0, 0, 0).Pose(), 0, [6]float64{+0.874636, -0.874631, +0.874628, -0.874623, +0.874624, -0.874627}, 2e-4},
		{"down", deg(0, 0, -20, 0, 0, 0).Pose(), 0, [6]float64{+0.177489, -0.177485, +0.177483, -0.177478, +0.177480, -0.177481}, 2e-4},
		{"forward", deg(10, 0, 0, 0, 0, 0).Pose(), 0, [6]float64{+0.535527, -0.719627, +0.664630, -0.664627, +0.719623, -0.535519}, 2e-4},
		{"left", deg(0, 10, 0, 0, 0, 0).Pose(), 0, [6]float64{+0.674405, -0.567943, +0.531698, -0.744145, +0.713817, -0.607285}, 2e-4},
		{"roll", deg(0, 0, 0, 20, 0, 0).Pose(), 0, [6]float64{+0.803515, -0.883053, +0.687061, -0.576288, +0.419352, -0.453685}, 2e-4},
		{"pitch down", deg(0, 0, 0, 0, 20, 0).Pose(), 0, [6]float64{+0.480846, -0.555580, +0.879061, -0.879057, +0.555575, -0.480839}, 2e-4},
		{"pitch up", deg(0, 0, 0, 0, -20, 0).Pose(), 0, [6]float64{+0.809779, -0.691063, +0.406651, -0.406647, +0.691059, -0.809770}, 2e-4},
		{"yaw", deg(0, 0, 0, 0, 0, 30).Pose(), 0, [6]float64{+0.819145, -0.528417, +0.819138, -0.528411, +0.819136, -0.528414}, 2e-4},
		{"all", deg(5, -5, 8, 10, -12, 25).Pose(), 0, [6]float64{+1.134430, -1.007769, +0.937449, -0.550547, +0.921724, -0.721484}, 2e-4},
		{"body", deg(0, 0, 0, 0, 0, 0).Pose(), 45, [6]float64{+0.529542, -0.933464, +0.529534, -0.933458, +0.529530, -0.933460}, 2e-4},
		{"body and head", deg(0, 0, 0, 0, 15, 60).Pose(), 40, [6]float64{+0.639990, -0.493763, +0.922726, -0.744860, +0.696047, -0.427288}, 2e-4},
		{
			"automatic body yaw of the peer", deg(0, 0, 0, 20, 20, 80).Pose(), 14.7803,
			[6]float64{+1.064218, -0.747092, +1.392527, -0.824142, +0.783752, -0.255092},
			2e-4,
		},
		{"sleep, whose rotation is known to three digits only", sleepPose, 0, [6]float64{-0.170624, +0.836488, -0.123432, +0.087572, -0.812169, +0.178508}, 2e-2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := kinematics.Inverse(c.pose, c.body*degree)
			if err != nil {
				t.Fatal(err)
			}
			if got[hal.BodyYaw] != c.body*degree || got[hal.LeftAntenna] != 0 || got[hal.RightAntenna] != 0 {
				t.Errorf("body and antennas are %v", got)
			}
			for k, want := range c.want {
				if d := math.Abs(got[hal.Stewart1+hal.Joint(k)] - want); !(d <= c.tol) {
					t.Errorf("%s = %.6f, want %.6f", hal.Stewart1+hal.Joint(k), got[hal.Stewart1+hal.Joint(k)], want)
				}
			}
		})
	}
}

func TestInverseSaysWhichLegCannotReach(t *testing.T) {
	for _, head := range []hal.Head{deg(0, 0, 30, 0, 0, 0), deg(0, 0, -60, 0, 0, 0), deg(0, 60, 0, 0, 0, 0), deg(0, 0, 0, 55, 0, 0), {X: 1e300}} {
		_, err := kinematics.Inverse(head.Pose(), 0)
		var unreachable *kinematics.UnreachableError
		if !errors.As(err, &unreachable) {
			t.Errorf("%+v: error %v, want an *UnreachableError", head, err)
			continue
		}
		if unreachable.Leg < hal.Stewart1 || unreachable.Leg > hal.Stewart6 {
			t.Errorf("%+v: leg %v", head, unreachable.Leg)
		}
	}
	// The two arms on the left carry a head that rolls to the right: they are the ones that are too short.
	_, err := kinematics.Inverse(deg(0, 0, 0, 55, 0, 0).Pose(), 0)
	if got, want := err.Error(), "kinematics: the head pose is out of reach of stewart_2"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestInverseRefusesWhatIsNotANumber(t *testing.T) {
	bad := hal.IdentityPose
	bad.R[4] = math.NaN()
	for _, c := range []struct {
		pose hal.Pose
		body float64
	}{
		{bad, 0},
		{hal.Pose{R: hal.Identity3, T: hal.Vec3{math.Inf(1), 0, 0}}, 0},
		{hal.IdentityPose, math.NaN()},
		{hal.IdentityPose, math.Inf(-1)},
	} {
		if _, err := kinematics.Inverse(c.pose, c.body); !errors.Is(err, kinematics.ErrNotFinite) {
			t.Errorf("%v %v: error %v", c.pose, c.body, err)
		}
	}
}

func TestAutoBodyYaw(t *testing.T) {
	for _, c := range []struct{ yaw, requested, want float64 }{
		{100, 0, 35},
		{-100, 0, -35},
		{20, 170, 85},
		{0, 90, 65},
		{30, 0, 0},   // stays as long as the head is near
		{60, 40, 40}, // and where it was asked to be
		{180, 0, 115},
		{180, 200, 160},
		{-170, 160, -105}, // no wrapping: the body cannot pass through its stop
		{400, 0, 160},
	} {
		if got := kinematics.AutoBodyYawFor(c.yaw*degree, c.requested*degree); math.Abs(got-c.want*degree) > 1e-12 {
			t.Errorf("head %v°, requested %v°: body %v°, want %v°", c.yaw, c.requested, got/degree, c.want)
		}
		if math.Abs(c.yaw) > 180 {
			continue
		}
		tilted := deg(0, 0, 0, 20, 20, c.yaw).Pose() // the Euler yaw does not depend on the tilt
		if got := kinematics.AutoBodyYaw(tilted, c.requested*degree); math.Abs(got-c.want*degree) > 1e-12 {
			t.Errorf("tilted head %v°, requested %v°: body %v°, want %v°", c.yaw, c.requested, got/degree, c.want)
		}
	}
	if got := kinematics.AutoBodyYawFor(math.NaN(), 0); got == got {
		t.Errorf("NaN gave %v", got)
	}
}

func BenchmarkInverse(b *testing.B) {
	pose := deg(5, -5, 8, 10, -12, 25).Pose()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := kinematics.Inverse(pose, 0.1); err != nil {
			b.Fatal(err)
		}
	}
}
