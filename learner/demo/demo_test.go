package demo

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/kinematics"
)

// shown is a demonstration of a trembling hand that turns the head left and back, with rest before and after.
func shown(t testing.TB, tremble float64) *Demo {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	d := &Demo{Name: "curious look", Task: "look curious", How: ByHand, At: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Rate: Rate}
	for i := range 100 {
		s := math.Sin(math.Pi * math.Max(0, math.Min(1, float64(i-25)/50)))
		q, err := kinematics.Inverse(hal.Head{Yaw: 0.5 * s, Roll: 0.2 * s}.Pose(), 0)
		if err != nil {
			t.Fatal(err)
		}
		q[hal.LeftAntenna] = s
		if i >= 25 && i < 75 {
			for j := hal.Stewart1; j <= hal.Stewart6; j++ {
				q[j] += tremble * rng.NormFloat64()
			}
		}
		d.Joints = append(d.Joints, q)
	}
	return d
}

func TestRecordingIsTrimmedSmoothAndSlowEnough(t *testing.T) {
	d := shown(t, 0.004)
	r, err := d.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Frames); n < 50 || n > 65 {
		t.Errorf("%d of 100 frames are left; the motion has 50", n)
	}
	rough := func(yaw func(i int) float64, n int) (sum float64) {
		for i := 2; i < n; i++ {
			sum += math.Abs(yaw(i) - 2*yaw(i-1) + yaw(i-2))
		}
		return sum / float64(n)
	}
	var s kinematics.Solver
	var raw []float64
	for i := range d.Joints {
		p, err := s.Forward(&d.Joints[i])
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, p.Head().Yaw)
	}
	head := func(i int) float64 { return math.Atan2(r.Frames[i].Head[1][0], r.Frames[i].Head[0][0]) }
	before, after := rough(func(i int) float64 { return raw[20+i] }, 60), rough(head, len(r.Frames))
	if after > before/2 {
		t.Errorf("the head still trembles: %g of %g", after, before)
	}
	top := 0.0
	for i := range r.Frames {
		top = max(top, head(i))
		if i > 0 && math.Abs(head(i)-head(i-1)) > (turnSpeed+1e-6)*(r.Time[i]-r.Time[i-1]) {
			t.Errorf("frame %d turns too fast", i)
		}
	}
	if math.Abs(top-0.5) > 0.05 {
		t.Errorf("the head turned to %.2f rad, shown was 0.5", top)
	}
}

func TestFastDemonstrationIsSlowedDown(t *testing.T) {
	d := shown(t, 0)
	d.Rate = 100 // the same frames in a quarter of the time
	for i := range d.Joints {
		d.Joints[i][hal.LeftAntenna] *= 2.8
	}
	r, err := d.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if shown, made := float64(len(r.Frames))/d.Rate, r.Time[len(r.Time)-1]; made < 1.05*shown {
		t.Errorf("%.2f s became %.2f s", shown, made)
	}
	for i := 1; i < len(r.Frames); i++ {
		if v := (r.Frames[i].Antennas[1] - r.Frames[i-1].Antennas[1]) / (r.Time[i] - r.Time[i-1]); math.Abs(v) > antennaMax+1e-6 {
			t.Errorf("frame %d: the antenna turns at %.1f rad/s", i, v)
		}
	}
}

func TestWhatIsNoDemonstration(t *testing.T) {
	still := shown(t, 0)
	for i := range still.Joints {
		still.Joints[i] = still.Joints[0]
	}
	if _, err := still.Recording(); !errors.Is(err, ErrStill) {
		t.Errorf("a robot at rest: %v", err)
	}
	for says, spoil := range map[string]func(d *Demo){
		"frames":     func(d *Demo) { d.Joints = d.Joints[:3] },
		"rate":       func(d *Demo) { d.Rate = 0 },
		"name":       func(d *Demo) { d.Name = "../etc" },
		"stewart_2":  func(d *Demo) { d.Joints[7][hal.Stewart2] = math.NaN() },
		"joints: 30": func(d *Demo) { d.Joints = make([]hal.Joints, MaxFrames+1) },
	} {
		d := shown(t, 0)
		spoil(d)
		if _, err := d.Recording(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func TestExportAndImport(t *testing.T) {
	d := shown(t, 0.002)
	data, err := d.Export()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Import(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != d.Name || got.Task != d.Task || got.How != d.How || !got.At.Equal(d.At) || len(got.Joints) != len(d.Joints) {
		t.Errorf("imported %+v", got)
	}
	for i := range d.Joints {
		for j := range d.Joints[i] {
			if math.Abs(got.Joints[i][j]-d.Joints[i][j]) > 1e-6 {
				t.Fatalf("frame %d, joint %d: %g, want %g", i, j, got.Joints[i][j], d.Joints[i][j])
			}
		}
	}
}

func FuzzImport(f *testing.F) {
	data, err := shown(f, 0).Export()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Import(data)
		if err != nil {
			return
		}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
