package kinematics_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// mustBeFeasible checks everything that a result of Nearest promises, whatever was wished.
func mustBeFeasible(t interface {
	Helper()
	Fatalf(string, ...any)
}, f *kinematics.Feasible,
) {
	t.Helper()
	if !f.Head.Finite() {
		t.Fatalf("not finite: %+v", f.Head)
	}
	for j := range f.Joints {
		if l := hal.JointLimits[j]; !(f.Joints[j] >= l.Min && f.Joints[j] <= l.Max) {
			t.Fatalf("%s = %v is outside %v", hal.Joint(j), f.Joints[j], l)
		}
	}
	h := f.Head
	if !(math.Abs(h.Roll) <= 40*degree && math.Abs(h.Pitch) <= 40*degree && math.Abs(h.Yaw) <= math.Pi &&
		math.Abs(f.BodyYaw) <= 160*degree+1e-12 && math.Abs(h.Yaw-f.BodyYaw) <= 65*degree+1e-12) {
		t.Fatalf("outside the published ranges: %+v over %v", h, f.BodyYaw)
	}
	joints, err := kinematics.Inverse(f.Pose, f.BodyYaw)
	if err != nil {
		t.Fatalf("%+v: %v", h, err)
	}
	for j := hal.BodyYaw; j <= hal.Stewart6; j++ {
		if math.Abs(joints[j]-f.Joints[j]) > 1e-9 {
			t.Fatalf("%+v: joints %v do not belong to the pose, whose are %v", h, f.Joints, joints)
		}
	}
	if _, _, err := kinematics.Forward(&f.Joints, f.Pose); err != nil {
		t.Fatalf("%+v: %v", h, err)
	}
}

func TestNearestLeavesFeasiblePosesAlone(t *testing.T) {
	for name, c := range map[string]struct {
		head     hal.Head
		body     float64
		antennas hal.Antennas
	}{
		"awake":        {hal.AwakeHead, 0, hal.AwakeAntennas},
		"asleep":       {hal.SleepHead, 0, hal.SleepAntennas},
		"looks back":   {deg(0, 0, 0, 0, 10, 180), 120 * degree, hal.Antennas{}},
		"high":         {deg(0, 0, 20, 0, 0, 0), 0, hal.Antennas{}},
		"low":          {deg(0, 0, -50, 0, 0, 0), 0, hal.Antennas{}},
		"up":           {deg(0, 0, 0, 0, -40, 0), 0, hal.Antennas{}},
		"down":         {deg(0, 0, 0, 0, 40, 0), 0, hal.Antennas{}},
		"tilts":        {deg(0, 0, 0, 40, 0, 0), 0, hal.Antennas{}},
		"turns":        {deg(0, 0, 0, 0, 0, 65), 0, hal.Antennas{}},
		"body at stop": {deg(0, 0, 0, 0, 0, -160), -160 * degree, hal.Antennas{}},
	} {
		f, err := kinematics.NearestHead(c.head, c.body, c.antennas)
		if err != nil {
			t.Fatal(err)
		}
		mustBeFeasible(t, &f)
		if len(f.Changed()) != 0 || f.Head != c.head || f.BodyYaw != c.body || f.Antennas != c.antennas || f.Scale != 1 {
			t.Errorf("%s: changed to %+v: %+v", name, f.Head, f.HalChanges())
		}
		if changes := f.HalChanges(); changes != nil {
			t.Errorf("%s: changes %v", name, changes)
		}
		if f.Joints[hal.LeftAntenna] != c.antennas.Left || f.Joints[hal.RightAntenna] != c.antennas.Right {
			t.Errorf("%s: antennas are swapped: %v", name, f.Joints)
		}
		fromPose, err := kinematics.Nearest(c.head.Pose(), c.body, c.antennas)
		if err != nil {
			t.Fatal(err)
		}
		if shift, turn := distance(fromPose.Pose, c.head.Pose()); shift > 1e-12 || turn > 1e-12 {
			t.Errorf("%s: as a transform it moved by %g m, %g rad", name, shift, turn)
		}
	}
}

func TestNearestSaysWhatItChanged(t *testing.T) {
	for _, c := range []struct {
		name  string
		head  hal.Head
		body  float64
		ant   hal.Antennas
		want  []string // field and beginning of the limit
		given []float64
	}{
		{
			"pitch", deg(0, 0, 0, 0, 60, 0), 0,
			hal.Antennas{},
			[]string{"head.pitch: range"},
			[]float64{40 * degree},
		},
		{
			"yaw to body", deg(0, 0, 0, 0, 0, 100), 0,
			hal.Antennas{},
			[]string{"head.yaw: head at most 65° from the body"},
			[]float64{65 * degree},
		},
		{
			"yaw", deg(0, 0, 0, 0, 0, 200), 150 * degree,
			hal.Antennas{},
			[]string{"head.yaw: range"},
			[]float64{math.Pi},
		},
		{
			"body", deg(0, 0, 0, 0, 0, 150), 170 * degree,
			hal.Antennas{},
			[]string{"body_yaw: range"},
			[]float64{160 * degree},
		},
		{
			"antennas",
			hal.Head{},
			0,
			hal.Antennas{Left: 4, Right: -4},
			[]string{"antennas.left: range", "antennas.right: range"},
			[]float64{hal.JointLimits[hal.LeftAntenna].Max, -math.Pi},
		},
		{
			"all of the head", deg(0, 0, 20, 30, 30, 0), 0,
			hal.Antennas{},
			[]string{"head.z: range of an arm's motor (stewart_3)", "head.roll: range of an arm's motor (stewart_3)", "head.pitch: range of an arm's motor (stewart_3)"},
			nil,
		},
	} {
		f, err := kinematics.NearestHead(c.head, c.body, c.ant)
		if err != nil {
			t.Fatal(err)
		}
		mustBeFeasible(t, &f)
		changes := f.HalChanges()
		if len(changes) != len(c.want) {
			t.Errorf("%s: changes %+v", c.name, changes)
			continue
		}
		for i, change := range changes {
			if got := change.Field + ": " + change.Limit; !strings.HasPrefix(got, c.want[i]) {
				t.Errorf("%s: change %d is %q, want %q", c.name, i, got, c.want[i])
			}
			if c.given != nil && math.Abs(change.Given-c.given[i]) > 1e-9 {
				t.Errorf("%s: %s given %v, want %v", c.name, change.Field, change.Given, c.given[i])
			}
			if change.Asked == change.Given {
				t.Errorf("%s: %+v changes nothing", c.name, change)
			}
		}
	}
}

// Each limit is what stops the head somewhere: a limit that nothing can trip would be dead code.
func TestNearestTripsEveryLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	seen := map[kinematics.Limit]bool{}
	for range 2000 {
		within := func(limit float64) float64 { return (2*random.Float64() - 1) * limit }
		f, err := kinematics.NearestHead(hal.Head{
			X: within(0.06), Y: within(0.06), Z: within(0.06),
			Roll: within(0.8), Pitch: within(0.8), Yaw: within(1.3),
		}, 0, hal.Antennas{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Changed() {
			seen[c.Limit] = true
		}
	}
	for l := kinematics.LimitRange; l <= kinematics.LimitLoose; l++ {
		if !seen[l] {
			t.Errorf("nothing was limited by %q", l)
		}
	}
}

func TestNearestRefusesWhatIsNotANumber(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, h := range []hal.Head{{X: nan}, {Y: inf}, {Z: -inf}, {Roll: nan}, {Pitch: inf}, {Yaw: nan}} {
		if f, err := kinematics.NearestHead(h, 0, hal.Antennas{}); !errors.Is(err, kinematics.ErrNotFinite) || f != (kinematics.Feasible{}) {
			t.Errorf("%+v: %v", h, err)
		}
	}
	for _, a := range []hal.Antennas{{Left: nan}, {Right: inf}} {
		if _, err := kinematics.NearestHead(hal.Head{}, 0, a); !errors.Is(err, kinematics.ErrNotFinite) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if _, err := kinematics.NearestHead(hal.Head{}, nan, hal.Antennas{}); !errors.Is(err, kinematics.ErrNotFinite) {
		t.Errorf("body: %v", err)
	}
	bad := hal.IdentityPose
	bad.R[8] = inf
	if _, err := kinematics.Nearest(bad, 0, hal.Antennas{}); !errors.Is(err, kinematics.ErrNotFinite) {
		t.Errorf("pose: %v", err)
	}
}

// wish draws any wish near and well beyond what is feasible.
func wish(t *rapid.T) (hal.Head, float64) {
	within := func(name string, limit float64) float64 { return rapid.Float64Range(-limit, limit).Draw(t, name) }
	return hal.Head{
		X: within("x", 0.08), Y: within("y", 0.08), Z: within("z", 0.08),
		Roll: within("roll", 1.5), Pitch: within("pitch", 1.5), Yaw: within("yaw", 4),
	}, within("body", 4)
}

func nearest(t *rapid.T, h hal.Head, body float64) kinematics.Feasible {
	f, err := kinematics.NearestHead(h, body, hal.Antennas{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What was given can be wished, and is then given unchanged.
func TestNearestIsSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, body := wish(t)
		first := nearest(t, h, body)
		mustBeFeasible(t, &first)
		again := nearest(t, first.Head, first.BodyYaw)
		if len(again.Changed()) != 0 || again.Head != first.Head {
			t.Fatalf("%+v became %+v: %+v", first.Head, again.Head, again.HalChanges())
		}
	})
}

// A stream of wishes that moves in small steps gives a stream of results without jumps.
func TestNearestDoesNotJump(t *testing.T) {
	const step = 1e-4 // rad, and the same in units of 30 mm
	worst := 0.0
	check := func(t interface{ Fatalf(string, ...any) }, a, b *kinematics.Feasible) {
		for j := range a.Joints {
			d := math.Abs(a.Joints[j]-b.Joints[j]) / step
			worst = max(worst, d)
			if d > 60 {
				t.Fatalf("a step of %g moves %s by %g:\n%+v\n%+v", step, hal.Joint(j), d*step, a.Head, b.Head)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h, body := wish(t)
		small := func(name string) float64 { return rapid.Float64Range(-step, step).Draw(t, name) }
		a := nearest(t, h, body)
		b := nearest(t, hal.Head{
			X: h.X + 0.03*small("dx"), Y: h.Y + 0.03*small("dy"), Z: h.Z + 0.03*small("dz"),
			Roll: h.Roll + small("droll"), Pitch: h.Pitch + small("dpitch"), Yaw: h.Yaw + small("dyaw"),
		}, body+small("dbody"))
		check(t, &a, &b)
	})
	random := rand.New(rand.NewPCG(7, 8))
	within := func(limit float64) float64 { return (2*random.Float64() - 1) * limit }
	for range 5000 {
		h := hal.Head{X: within(0.06), Y: within(0.06), Z: within(0.06), Roll: within(1), Pitch: within(1), Yaw: within(1.3)}
		a, err := kinematics.NearestHead(h, 0, hal.Antennas{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := kinematics.NearestHead(hal.Head{
			X: h.X + within(0.03*step), Y: h.Y + within(0.03*step), Z: h.Z + within(0.03*step),
			Roll: h.Roll + within(step), Pitch: h.Pitch + within(step), Yaw: h.Yaw + within(step),
		}, within(step), hal.Antennas{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, &a, &b)
	}
	t.Logf("a joint moved at most %.1f times as far as the wish", worst)
}

// Wishing more of one thing never gives less of it.
func TestNearestIsMonotone(t *testing.T) {
	for f, set := range map[string]func(v float64) hal.Head{
		"x":     func(v float64) hal.Head { return hal.Head{X: v / 10} },
		"z":     func(v float64) hal.Head { return hal.Head{Z: v / 10} },
		"roll":  func(v float64) hal.Head { return hal.Head{Roll: v} },
		"pitch": func(v float64) hal.Head { return hal.Head{Pitch: v, Z: 0.005} },
		"yaw":   func(v float64) hal.Head { return hal.Head{Yaw: 4 * v, Roll: 0.2} },
	} {
		last := math.Inf(-1)
		for v := -1.2; v <= 1.2; v += 0.002 {
			got, err := kinematics.NearestHead(set(v), 0, hal.Antennas{})
			if err != nil {
				t.Fatal(err)
			}
			h := got.Head
			value := map[string]float64{"x": h.X, "z": h.Z, "roll": h.Roll, "pitch": h.Pitch, "yaw": h.Yaw}[f]
			if value < last-1e-9 {
				t.Fatalf("%s: wish %v gave %v after %v", f, v, value, last)
			}
			last = value
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
	f.Add(0.05, -0.05, 0.05, 1.0, -1.0, 3.0, -3.0, 4.0, -4.0)
	f.Add(1e308, -1e308, 1e308, 1e308, -1e308, 1e308, -1e308, 1e308, -1e308)
	f.Add(5e-324, math.Inf(1), math.NaN(), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
	f.Add(0.0, 0.0, 0.0245, 0.0, 0.0, 1.13, 0.0, 3.15, -3.15)
	f.Fuzz(func(t *testing.T, x, y, z, roll, pitch, yaw, body, left, right float64) {
		head, antennas := hal.Head{X: x, Y: y, Z: z, Roll: roll, Pitch: pitch, Yaw: yaw}, hal.Antennas{Left: left, Right: right}
		got, err := kinematics.NearestHead(head, body, antennas)
		if err != nil {
			if head.Finite() && !math.IsNaN(body+left+right) && !math.IsInf(body, 0) && !math.IsInf(left, 0) && !math.IsInf(right, 0) {
				t.Fatalf("finite wish refused: %v", err)
			}
			return
		}
		mustBeFeasible(t, &got)
		// Any nine numbers as a matrix, which need not be a rotation.
		got, err = kinematics.Nearest(hal.Pose{R: hal.Mat3{x, y, z, roll, pitch, yaw, body, left, right}, T: hal.Vec3{right, left, body}}, yaw, antennas)
		if err != nil {
			return
		}
		mustBeFeasible(t, &got)
	})
}

func BenchmarkNearest(b *testing.B) {
	for _, c := range []struct {
		name string
		head hal.Head
	}{
		{"feasible", deg(0, 0, 0, 10, 10, 10)},
		{"drawn in", deg(40, 40, 20, 40, 40, 65)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := kinematics.NearestHead(c.head, 0, hal.Antennas{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestNothingAllocates(t *testing.T) {
	far, near := deg(40, 40, 20, 40, 40, 65).Pose(), deg(5, -5, 8, 10, -12, 25).Pose()
	joints, err := kinematics.Inverse(near, 0)
	if err != nil {
		t.Fatal(err)
	}
	impossible := hal.Joints{0, 3, 3, 3, 3, 3, 3}
	var solver kinematics.Solver
	for name, call := range map[string]func(){
		"Inverse":           func() { _, _ = kinematics.Inverse(near, 0) },
		"Inverse, error":    func() { _, _ = kinematics.Inverse(far, 0) },
		"Solver":            func() { _, _ = solver.Forward(&joints) },
		"Solver, error":     func() { _, _ = solver.Forward(&impossible) },
		"Forward":           func() { _, _, _ = kinematics.Forward(&joints, hal.IdentityPose) },
		"Nearest":           func() { _, _ = kinematics.Nearest(near, 0, hal.Antennas{}) },
		"Nearest, drawn in": func() { f, _ := kinematics.Nearest(far, 0, hal.Antennas{}); _ = f.Changed() },
		"AutoBodyYaw":       func() { _ = kinematics.AutoBodyYaw(near, 0) },
		"LookAt":            func() { _, _ = kinematics.LookAt(1, 0, 0) },
	} {
		if n := testing.AllocsPerRun(100, call); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
