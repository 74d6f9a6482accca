package kinematics_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// distance returns how far two poses are apart in metres and in radians.
func distance(a, b hal.Pose) (shift, turn float64) {
	var d hal.Vec3
	for i := range d {
		d[i] = a.T[i] - b.T[i]
	}
	r := a.R.T().Mul(b.R)
	// The sine form is exact for small angles, where the cosine is not.
	sin := math.Hypot(math.Hypot(r[7]-r[5], r[2]-r[6]), r[3]-r[1]) / 2
	return math.Hypot(math.Hypot(d[0], d[1]), d[2]), math.Atan2(sin, (r[0]+r[4]+r[8]-1)/2)
}

// reachable draws a pose of the robot from the whole of what Nearest lets through.
func reachable(t *rapid.T) kinematics.Feasible {
	within := func(name string, limit float64) float64 { return rapid.Float64Range(-limit, limit).Draw(t, name) }
	body := within("body", 160*degree)
	head := hal.Head{
		X: within("x", 0.05), Y: within("y", 0.05), Z: rapid.Float64Range(-0.055, 0.025).Draw(t, "z"),
		Roll: within("roll", 40*degree), Pitch: within("pitch", 40*degree), Yaw: body + within("relative yaw", 65*degree),
	}
	f, err := kinematics.NearestHead(head, body, hal.Antennas{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestForwardUndoesInverse(t *testing.T) {
	var worstShift, worstTurn float64
	worstSteps := 0
	rapid.Check(t, func(t *rapid.T) {
		f := reachable(t)
		joints, err := kinematics.Inverse(f.Pose, f.BodyYaw)
		if err != nil {
			t.Fatal(err)
		}
		got, steps, err := kinematics.Forward(&joints, hal.IdentityPose)
		if err != nil {
			t.Fatalf("%+v: %v after %d steps", f.Head, err, steps)
		}
		shift, turn := distance(got, f.Pose)
		if shift > 1e-9 || turn > 1e-9 {
			t.Fatalf("%+v: off by %g m and %g rad", f.Head, shift, turn)
		}
		worstShift, worstTurn, worstSteps = max(worstShift, shift), max(worstTurn, turn), max(worstSteps, steps)
	})
	t.Logf("worst: %.2g m, %.2g rad, %d steps from neutral", worstShift, worstTurn, worstSteps)
}

// The same over evenly spread poses, whose corners the generator above seldom reaches.
func TestForwardUndoesInverseEverywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	within := func(limit float64) float64 { return (2*random.Float64() - 1) * limit }
	for range 5000 {
		head := hal.Head{
			X: within(0.05), Y: within(0.05), Z: within(0.05),
			Roll: within(40 * degree), Pitch: within(40 * degree), Yaw: within(65 * degree),
		}
		f, err := kinematics.NearestHead(head, 0, hal.Antennas{})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := kinematics.Forward(&f.Joints, hal.IdentityPose)
		if err != nil {
			t.Fatalf("%+v: %v", f.Head, err)
		}
		if shift, turn := distance(got, f.Pose); shift > 1e-9 || turn > 1e-9 {
			t.Fatalf("%+v: off by %g m and %g rad", f.Head, shift, turn)
		}
	}
}

// A solver that follows a moving head needs two or three steps a tick, and does not lag.
func TestSolverTracks(t *testing.T) {
	var solver kinematics.Solver
	guess := hal.IdentityPose
	worst, steps := 0.0, 0
	for tick := range 500 {
		at := float64(tick) / 100
		want := deg(8*math.Sin(3*at), 5*math.Sin(5*at), 6*math.Sin(2*at), 20*math.Sin(2*math.Pi*at), 15*math.Sin(4*math.Pi*at), 60*math.Sin(at)).Pose()
		joints, err := kinematics.Inverse(want, 0.3*math.Sin(at))
		if err != nil {
			t.Fatal(err)
		}
		got, err := solver.Forward(&joints)
		if err != nil {
			t.Fatal(err)
		}
		shift, turn := distance(got, want)
		worst = max(worst, shift, turn)
		_, n, err := kinematics.Forward(&joints, guess)
		if err != nil {
			t.Fatal(err)
		}
		guess = got
		if tick > 0 {
			steps = max(steps, n)
		}
	}
	t.Logf("worst error %.2g, at most %d steps a tick", worst, steps)
	if worst > 1e-9 {
		t.Errorf("lags by %g", worst)
	}
	if steps > 4 {
		t.Errorf("took %d steps from one tick to the next", steps)
	}
}

func TestForwardRefusesWhatCannotBe(t *testing.T) {
	folded := hal.Joints{} // neighbouring arms pulled to opposite ends: the rods cannot meet the head
	for j := hal.Stewart1; j <= hal.Stewart6; j++ {
		folded[j] = 3
	}
	for name, c := range map[string]struct {
		joints hal.Joints
		want   error
	}{
		"impossible": {folded, kinematics.ErrNoSolution},
		"NaN":        {hal.Joints{hal.Stewart3: math.NaN()}, kinematics.ErrNotFinite},
		"infinite":   {hal.Joints{hal.BodyYaw: math.Inf(1)}, kinematics.ErrNotFinite},
	} {
		var solver kinematics.Solver
		if got, err := solver.Forward(&c.joints); !errors.Is(err, c.want) || got != (hal.Pose{}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if got, _, err := kinematics.Forward(&c.joints, hal.IdentityPose); !errors.Is(err, c.want) || got != (hal.Pose{}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		// A bad reading does not spoil the next one.
		good, err := kinematics.Inverse(hal.IdentityPose, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := solver.Forward(&good)
		if err != nil {
			t.Fatalf("after %s: %v", name, err)
		}
		if shift, turn := distance(got, hal.IdentityPose); shift > 1e-9 || turn > 1e-9 {
			t.Errorf("after %s: off by %g m, %g rad", name, shift, turn)
		}
	}
}

// Whatever the guess is, the answer is a pose that holds these joints, or an error; it is never another assembly.
func TestForwardFromAnyGuess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := reachable(t)
		angle := rapid.Float64Range(-4, 4)
		length := rapid.Float64Range(-1, 1)
		guess := hal.Head{
			X: length.Draw(t, "gx"), Y: length.Draw(t, "gy"), Z: length.Draw(t, "gz"),
			Roll: angle.Draw(t, "groll"), Pitch: angle.Draw(t, "gpitch"), Yaw: angle.Draw(t, "gyaw"),
		}.Pose()
		got, steps, err := kinematics.Forward(&f.Joints, guess)
		if err != nil {
			t.Fatalf("%v after %d steps", err, steps)
		}
		if steps > 40 {
			t.Fatalf("%d steps", steps)
		}
		if shift, turn := distance(got, f.Pose); shift > 1e-8 || turn > 1e-8 {
			t.Fatalf("off by %g m and %g rad: %+v %+v", shift, turn, f.Head, got.Head())
		}
	})
}

func FuzzForward(f *testing.F) {
	f.Add(0.0, 0.6, -0.6, 0.6, -0.6, 0.6, -0.6)
	f.Add(1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0)
	f.Add(math.Inf(1), math.NaN(), 1e300, -1e300, 5e-324, 0.0, 1.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h float64) {
		joints := hal.Joints{a, b, c, d, e, g, h}
		pose, steps, err := kinematics.Forward(&joints, hal.IdentityPose)
		if steps > 40 {
			t.Fatalf("%d steps", steps)
		}
		if err != nil {
			return
		}
		back, err := kinematics.Inverse(pose, a)
		if err != nil {
			return // at the edge of reach, rounding decides
		}
		for j := hal.Stewart1; j <= hal.Stewart6; j++ {
			if off := math.Remainder(back[j]-joints[j], 2*math.Pi); math.Abs(off) > 1e-4 {
				t.Fatalf("%v came back as %v", joints, back)
			}
		}
	})
}

// Angles that a hand may have turned the motors to, most of which no head pose fits: the bound on the work holds.
func BenchmarkForwardWorst(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var all [256]hal.Joints
	for i := range all {
		for j := hal.Stewart1; j <= hal.Stewart6; j++ {
			l := hal.JointLimits[j]
			all[i][j] = l.Min + random.Float64()*(l.Max-l.Min)
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_, _, _ = kinematics.Forward(&all[i%len(all)], hal.IdentityPose)
		i++
	}
}

func BenchmarkForwardTracking(b *testing.B) {
	var path [100]hal.Joints
	for i := range path {
		s := math.Sin(2 * math.Pi * float64(i) / 100)
		joints, err := kinematics.Inverse(deg(5*s, -5*s, 8*s, 20*s, -12*s, 25*s).Pose(), 0)
		if err != nil {
			b.Fatal(err)
		}
		path[i] = joints
	}
	var solver kinematics.Solver
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := solver.Forward(&path[i%len(path)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
