//go:build mujoco

package mujoco

import (
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
	"github.com/reachyd/reachyd/hal/virtual"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const tick = 0.01

// robot is a Sim with goals instead of servos.
type robot struct {
	*Sim
	drives  virtual.Drives
	motions virtual.Motions
}

func open(t testing.TB, o Options) *robot {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &robot{Sim: s}
}

// neutral is a robot that holds its head straight.
func neutral(t testing.TB, scene Scene) *robot {
	t.Helper()
	j := inverse(t, hal.Head{}, 0)
	r := open(t, Options{Scene: scene, Start: j})
	r.goals(j)
	return r
}

func inverse(t testing.TB, h hal.Head, yaw float64) hal.Joints {
	t.Helper()
	j, err := kinematics.Inverse(h.Pose(), yaw)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func (r *robot) goals(j hal.Joints) {
	for i := range j {
		r.drives[i] = virtual.Drive{On: true, Position: j[i], Limit: 1}
	}
}

func (r *robot) run(seconds float64) {
	for range int(math.Round(seconds / tick)) {
		r.Step(tick, &r.drives, &r.motions)
	}
}

// moveTo goes to joints by interpolated head poses, as the motion layer does.
func (r *robot) moveTo(t testing.TB, from, to hal.Head, yawFrom, yawTo, seconds float64) {
	t.Helper()
	n := int(math.Round(seconds / tick))
	mix := func(a, b, s float64) float64 { return a + (b-a)*s }
	for i := 1; i <= n; i++ {
		x := float64(i) / float64(n)
		s := x * x * x * (10 + x*(-15+6*x))
		h := hal.Head{
			X: mix(from.X, to.X, s), Y: mix(from.Y, to.Y, s), Z: mix(from.Z, to.Z, s),
			Roll: mix(from.Roll, to.Roll, s), Pitch: mix(from.Pitch, to.Pitch, s), Yaw: mix(from.Yaw, to.Yaw, s),
		}
		r.goals(inverse(t, h, mix(yawFrom, yawTo, s)))
		r.run(tick)
	}
}

// headError is the true pose against the wanted one, metres and radians.
func (r *robot) headError(want hal.Head) (float64, float64) {
	is, should := r.Truth().Head.Pose(), want.Pose()
	return distance(is.T, should.T), angle(is.R, should.R)
}

func feasible(rng *rand.Rand) (hal.Head, float64) {
	u := func(a float64) float64 { return (2*rng.Float64() - 1) * a }
	for {
		yaw := u(1.0)
		h := hal.Head{X: u(0.01), Y: u(0.01), Z: u(0.012), Roll: u(0.35), Pitch: u(0.35), Yaw: yaw + u(0.5)}
		j, err := kinematics.Inverse(h.Pose(), yaw)
		ok := err == nil
		for i := range j {
			ok = ok && j[i] >= hal.JointLimits[i].Min && j[i] <= hal.JointLimits[i].Max
		}
		if ok {
			return h, yaw
		}
	}
}

func TestHeadGoesWhereItIsTold(t *testing.T) {
	const goals = 100
	r := neutral(t, Empty)
	rng := rand.New(rand.NewPCG(1, 2))
	var toCommand, toJoints [2][]float64
	worstGap := 0.0
	from, fromYaw := hal.Head{}, 0.0
	for range goals {
		h, yaw := feasible(rng)
		r.moveTo(t, from, h, fromYaw, yaw, 0.6)
		r.run(0.4)
		d, a := r.headError(h)
		toCommand[0], toCommand[1] = append(toCommand[0], d*1e3), append(toCommand[1], a*180/math.Pi)
		truth := r.Truth()
		measured, _, err := kinematics.Forward(&truth.Joints, hal.IdentityPose)
		if err != nil {
			t.Fatal(err)
		}
		d, a = r.headError(measured.Head())
		toJoints[0], toJoints[1] = append(toJoints[0], d*1e3), append(toJoints[1], a*180/math.Pi)
		worstGap = max(worstGap, truth.Closure)
		from, fromYaw = h, yaw
	}
	for _, v := range [...][]float64{toCommand[0], toCommand[1], toJoints[0], toJoints[1]} {
		slices.Sort(v)
	}
	t.Logf("head against the command:         p50 %.3f mm %.3f°, max %.3f mm %.3f°",
		toCommand[0][goals/2], toCommand[1][goals/2], toCommand[0][goals-1], toCommand[1][goals-1])
	t.Logf("head against FK(measured joints): p50 %.3f mm %.3f°, max %.3f mm %.3f°",
		toJoints[0][goals/2], toJoints[1][goals/2], toJoints[0][goals-1], toJoints[1][goals-1])
	t.Logf("widest gap in a loop: %.0f µm, flips %d", worstGap*1e6, r.Truth().Flips)
	if toCommand[0][goals-1] > 2 || toCommand[1][goals-1] > 2.5 || toJoints[0][goals-1] > 0.2 || toJoints[1][goals-1] > 0.3 || r.Truth().Flips > 0 {
		t.Error("the model does not follow")
	}
}

func TestAntennasAndBodyHaveTheSignsOfTheBus(t *testing.T) {
	r := neutral(t, Empty)
	j := inverse(t, hal.Head{Yaw: 0.4}, 0.4)
	j[hal.RightAntenna], j[hal.LeftAntenna] = -0.7, 1.1
	r.goals(j)
	r.run(1)
	truth := r.Truth()
	for i := range j {
		if math.Abs(truth.Joints[i]-j[i]) > 0.02 || math.Abs(r.motions[i].Position-j[i]) > 0.02 {
			t.Errorf("%v: at %.3f, servo says %.3f, goal %.3f", hal.Joint(i), truth.Joints[i], r.motions[i].Position, j[i])
		}
	}
	if math.Abs(truth.BodyYaw-0.4) > 0.02 || math.Abs(truth.Head.Yaw-0.4) > 0.02 {
		t.Errorf("body %v, head %v", truth.BodyYaw, truth.Head.Yaw)
	}
	// The model turns its antennas the other way round.
	if q := r.qpos[r.driven[hal.RightAntenna].qpos]; math.Abs(q-0.7) > 0.02 {
		t.Errorf("in the model the right antenna stands at %v", q)
	}
}

func TestStartsAsleepWithoutAGap(t *testing.T) {
	r := open(t, Options{Start: virtual.SleepJoints})
	truth := r.Truth()
	if d, a := r.headError(hal.SleepHead); d > 1e-4 || a > 1e-3 || truth.Closure > 1e-5 {
		t.Errorf("head off by %v m %v rad, gap %v m", d, a, truth.Closure)
	}
	r.run(2) // without torque
	if d, _ := r.headError(hal.SleepHead); d > 0.01 || r.Truth().Flips != 0 {
		t.Errorf("the head rolled off its rest by %v m, flips %d", d, r.Truth().Flips)
	}
}

func TestTorqueOffIsHonoured(t *testing.T) {
	r := neutral(t, Empty)
	r.run(0.5)
	if err := r.push(hal.Vec3{0, 0, -25}); err != nil {
		t.Fatal(err)
	}
	r.run(0.5)
	if d, _ := r.headError(hal.Head{}); d > 0.012 {
		t.Errorf("held, the head gave way by %v m", d)
	}
	r.drives = virtual.Drives{}
	r.run(0.5)
	if d, _ := r.headError(hal.Head{}); d < 0.02 {
		t.Errorf("free, the head moved by %v m only: it must be back-drivable", d)
	}
	for j := range r.motions {
		if r.motions[j].Torque != 0 {
			t.Errorf("%v without torque gives %v N·m", hal.Joint(j), r.motions[j].Torque)
		}
	}
	// One joint alone.
	r = neutral(t, Empty)
	r.drives[hal.LeftAntenna] = virtual.Drive{Position: 1}
	r.drives[hal.RightAntenna].Position = 1
	r.run(0.5)
	if l, right := r.motions[hal.LeftAntenna].Position, r.motions[hal.RightAntenna].Position; math.Abs(l) > 0.1 || right < 0.9 {
		t.Errorf("left without torque at %v, right with torque at %v", l, right)
	}
}

func TestTorqueLimitAndCurrentMode(t *testing.T) {
	r := neutral(t, Empty)
	r.drives[hal.BodyYaw] = virtual.Drive{On: true, Position: 1, Limit: 0.02}
	r.run(0.5)
	if p := r.motions[hal.BodyYaw].Position; p > 0.1 {
		t.Errorf("0.04 N·m cannot overcome the friction, but the body stands at %v", p)
	}
	r.drives[hal.BodyYaw] = virtual.Drive{On: true, ByTorque: true, Torque: -0.5, Limit: 1}
	r.run(0.3)
	if m := r.motions[hal.BodyYaw]; m.Position > -0.1 || math.Abs(m.Torque+0.5) > 1e-6 {
		t.Errorf("a torque of −0.5 N·m gives %+v", m)
	}
}

// anywhere sends the joints of the platform to where they may be, each by itself.
func (r *robot) anywhere(j hal.Joints, rng *rand.Rand) {
	for k := hal.Stewart1; k <= hal.Stewart6; k++ {
		lim := hal.JointLimits[k]
		j[k] = lim.Min + rng.Float64()*(lim.Max-lim.Min)
	}
	r.goals(j)
	r.run(0.5)
}

func TestWatchdogPutsAFlippedPlatformTogether(t *testing.T) {
	r := neutral(t, Table)
	r.run(0.2)
	apple := r.Truth().Objects[0]
	home := inverse(t, hal.Head{}, 0)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < 100 && r.Truth().Flips == 0; i++ {
		r.anywhere(home, rng)
	}
	if r.Truth().Flips == 0 {
		t.Fatal("no target made it flip: the test shows nothing")
	}
	r.goals(home)
	r.run(1)
	if d, a := r.headError(hal.Head{}); d > 0.002 || a > 0.03 {
		t.Errorf("after the repair the head is off by %v m %v rad", d, a)
	}
	if now := r.Truth().Objects[0]; distance(now.Position, apple.Position) > 0.003 {
		t.Errorf("the apple went from %v to %v", apple.Position, now.Position)
	}
}

func TestRandomTargetsNeverLeaveItFlipped(t *testing.T) {
	r := neutral(t, Empty)
	home := inverse(t, hal.Head{}, 0)
	rng := rand.New(rand.NewPCG(3, 4))
	missed := 0
	const rounds = 60
	for range rounds {
		r.anywhere(home, rng)
		r.goals(home)
		r.run(1.5)
		if d, a := r.headError(hal.Head{}); d > 0.003 || a > 0.05 {
			missed++
		}
	}
	truth := r.Truth()
	t.Logf("%d infeasible targets: %d flips, %d not back at neutral", rounds, truth.Flips, missed)
	if missed > 0 {
		t.Errorf("%d of %d did not come back", missed, rounds)
	}
}

func TestNaNIsSurvived(t *testing.T) {
	r := neutral(t, Table)
	r.mu.Lock()
	r.qvel[3] = math.NaN()
	r.mu.Unlock()
	r.run(1)
	truth := r.Truth()
	if d, _ := r.headError(hal.Head{}); !(d < 0.002) || truth.Flips == 0 || truth.Warnings == 0 {
		t.Errorf("head off by %v, %+v", d, truth)
	}
	if !(truth.Objects[0].Position[0] > 0.5) {
		t.Errorf("the apple is at %v", truth.Objects[0].Position)
	}
}

func TestObjects(t *testing.T) {
	r := neutral(t, Table)
	r.run(1)
	names := []string{}
	for _, o := range r.Truth().Objects {
		names = append(names, o.Name)
		if o.Position[2] < 0.01 || o.Position[2] > 0.05 {
			t.Errorf("%s lies at %v", o.Name, o.Position)
		}
	}
	if !slices.Equal(names, []string{"apple", "croissant", "duck"}) {
		t.Errorf("objects %v", names)
	}
	if c := r.Truth().Contacts; !slices.Contains(c, [2]string{"apple", "table"}) {
		t.Errorf("contacts %v: the apple lies on the table", c)
	}
	if err := r.MoveObject("apple", hal.Vec3{0.4, 0.2, 0.2}, &[4]float64{2, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if a := r.Truth().Objects[0]; a.Position != (hal.Vec3{0.4, 0.2, 0.2}) || a.Quaternion != [4]float64{1, 0, 0, 0} {
		t.Errorf("moved to %+v", a)
	}
	r.run(1)
	if a := r.Truth().Objects[0]; a.Position[2] > 0.05 {
		t.Errorf("it does not fall: %v", a.Position)
	}
	for want, err := range map[string]error{
		`"pear" is unknown`: r.MoveObject("pear", hal.Vec3{}, nil),
		"position[1]":       r.MoveObject("duck", hal.Vec3{0, math.NaN(), 0}, nil),
		"position[2]":       r.MoveObject("duck", hal.Vec3{0, 0, 30}, nil),
		"quaternion":        r.MoveObject("duck", hal.Vec3{}, &[4]float64{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to contain %q", err, want)
		}
	}
	r.Reset(&r.motions)
	if a := r.Truth().Objects[0]; a.Position != (hal.Vec3{0.6, -0.2, 0.03}) {
		t.Errorf("after the reset the apple is at %v", a.Position)
	}
	if n := len(open(t, Options{Scene: Empty}).Truth().Objects); n != 0 {
		t.Errorf("%d objects in the empty scene", n)
	}
}

// share returns the share of pixels that are of a colour.
func share(img *image.RGBA, is func(r, g, b int) bool) float64 {
	n := 0
	for i := 0; i < len(img.Pix); i += 4 {
		if is(int(img.Pix[i]), int(img.Pix[i+1]), int(img.Pix[i+2])) {
			n++
		}
	}
	return float64(n) * 4 / float64(len(img.Pix))
}

func TestPictures(t *testing.T) {
	r := neutral(t, Table)
	red := func(r, g, b int) bool { return r > 110 && g < 60 && b < 60 }
	yellow := func(r, g, b int) bool { return r > 140 && g > 110 && b < 70 }
	look := func() (float64, float64) {
		t.Helper()
		img, err := r.Render(EyeCamera, 320, 240)
		if err != nil {
			t.Fatal(err)
		}
		return share(img, red), share(img, yellow)
	}
	r.goals(inverse(t, hal.Head{Pitch: 0.3}, 0))
	r.run(1)
	apple, duck := look()
	if apple < 0.001 || duck < 0.001 {
		t.Errorf("apple %.4f, duck %.4f of the picture: both must be seen", apple, duck)
	}
	r.goals(inverse(t, hal.Head{Pitch: 0.3, Yaw: 0.7}, 0.7))
	r.run(1)
	if apple, _ := look(); apple > 0.0005 {
		t.Errorf("looking left the apple on the right is still seen: %.4f", apple)
	}
	for _, size := range [][2]int{{MinSize, MinSize}, {MaxWidth, MaxHeight}, {640, 480}} {
		img, err := r.Render(StudioClose, size[0], size[1])
		if err != nil || img.Rect.Dx() != size[0] || img.Rect.Dy() != size[1] {
			t.Fatalf("%v: %v", size, err)
		}
		if black := share(img, func(r, g, b int) bool { return r+g+b == 0 }); black > 0.1 {
			t.Errorf("%v: %.0f %% of the picture is black", size, 100*black)
		}
	}
	for want, tc := range map[string]struct {
		camera string
		w, h   int
	}{
		`camera "nose"`: {"nose", 640, 480},
		"width = 15":    {EyeCamera, MinSize - 1, 480},
		"height = 961":  {EyeCamera, 640, MaxHeight + 1},
	} {
		if _, err := r.Render(tc.camera, tc.w, tc.h); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to contain %q", err, want)
		}
	}
}

func TestWithoutEGLOnlyPicturesAreMissing(t *testing.T) {
	library := eglLibrary
	eglLibrary = "libNoSuchEGL.so.1"
	defer func() { eglLibrary = library }()
	r := neutral(t, Table)
	for range 2 {
		if _, err := r.Render(EyeCamera, 320, 240); !errors.Is(err, ErrNoPictures) || !strings.Contains(err.Error(), "libNoSuchEGL") {
			t.Fatalf("error %v", err)
		}
	}
	r.run(0.1)
	if r.Truth().Steps != 50 {
		t.Error("the physics must go on")
	}
	r.Close() // before the name of the library is put back
}

func TestCloseIsQuiet(t *testing.T) {
	r := neutral(t, Table)
	if _, err := r.Render(EyeCamera, 64, 48); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	r.run(0.1)
	r.Reset(&r.motions)
	if _, err := r.Render(EyeCamera, 64, 48); !errors.Is(err, ErrNoPictures) {
		t.Errorf("render after close: %v", err)
	}
	if err := r.MoveObject("apple", hal.Vec3{}, nil); err == nil {
		t.Error("move after close")
	}
	if r.Truth().Steps != 0 {
		t.Error("truth after close")
	}
}

func BenchmarkStep(b *testing.B) {
	for _, scene := range []Scene{Empty, Table} {
		b.Run(string(scene), func(b *testing.B) {
			r := neutral(b, scene)
			r.run(0.5)
			b.ReportAllocs()
			for b.Loop() {
				r.Step(tick, &r.drives, &r.motions)
			}
			b.ReportMetric(tick*1e9/(float64(b.Elapsed().Nanoseconds())/float64(b.N)), "x-real-time")
		})
	}
}

func BenchmarkRender(b *testing.B) {
	for name, size := range map[string][2]int{"640x480": {640, 480}, "320x240": {320, 240}} {
		b.Run(name, func(b *testing.B) {
			r := neutral(b, Table)
			if _, err := r.Render(EyeCamera, size[0], size[1]); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := r.Render(EyeCamera, size[0], size[1]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
