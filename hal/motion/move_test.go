package motion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
)

func TestGotoArrivesInTime(t *testing.T) {
	for _, law := range []hal.Easing{"", hal.EasingMinJerk, hal.EasingLinear, hal.EasingEaseInOut, hal.EasingCartoon} {
		t.Run(string(law), func(t *testing.T) {
			r := newRig(t)
			want := hal.Head{X: 0.005, Z: 0.01, Roll: deg(5), Pitch: deg(-10), Yaw: deg(30)}
			a := r.must(hal.Request{
				Verb: hal.VerbGoto, Head: want.Goal(), BodyYaw: ptr(deg(20)), Antennas: hal.Antennas{Left: 1, Right: -0.5}.Goal(),
				Duration: 1.5, Easing: law, ID: "a",
			})
			if a.Move != "a" || math.Abs(a.Duration-1.5) > 1e-9 {
				t.Fatalf("answer %+v", a)
			}
			began := r.tickNo
			if e := r.until("a"); e.End != hal.EndDone {
				t.Fatalf("ended %+v", e)
			}
			if took := float64(r.tickNo-began) * r.dt; took < 1.45 || took > 1.62 {
				t.Errorf("took %.2f s", took)
			}
			r.ticks(20)
			s := r.State()
			if d := headDistance(s.Head, want); d > 1e-4 {
				t.Errorf("head at %+v, want %+v", s.Head, want)
			}
			if math.Abs(s.BodyYaw-deg(20)) > 1e-3 || math.Abs(s.Antennas.Left-1) > 2e-3 || math.Abs(s.Antennas.Right+0.5) > 2e-3 {
				t.Errorf("state %+v", s)
			}
			if s.Moving || s.Mode != hal.ModeEnabled {
				t.Errorf("state %+v", s)
			}
			r.checkEnvelope()
		})
	}
}

func headDistance(a, b hal.Head) float64 {
	return math.Max(math.Max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y)), math.Max(math.Abs(a.Z-b.Z),
		math.Max(math.Abs(a.Roll-b.Roll), math.Max(math.Abs(a.Pitch-b.Pitch), math.Abs(a.Yaw-b.Yaw)))))
}

// A gesture at the edge of everything, and every replacement by every other, keeps the limits and never jumps.
func TestReplacementKeepsLimits(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(1, 2))
	verbs := []hal.Verb{hal.VerbGoto, hal.VerbGesture, hal.VerbEmotion, hal.VerbHold, hal.VerbGoto}
	for i := range 300 {
		req := hal.Request{Verb: verbs[i%len(verbs)]}
		switch req.Verb {
		case hal.VerbGoto:
			req.Head = hal.Head{
				X: rng.NormFloat64() * 0.02, Y: rng.NormFloat64() * 0.02, Z: rng.NormFloat64() * 0.02,
				Roll: rng.NormFloat64() * 0.4, Pitch: rng.NormFloat64() * 0.4, Yaw: rng.NormFloat64() * 1.2,
			}.Goal()
			req.BodyYaw = ptr(rng.NormFloat64())
			req.Antennas = hal.Antennas{Left: rng.NormFloat64(), Right: rng.NormFloat64()}.Goal()
			if i%2 == 0 {
				req.Head.X, req.Head.Pitch, req.Antennas.Left = nil, nil, nil
			}
			req.Duration = 0.01 + rng.Float64()
			req.Easing = []hal.Easing{hal.EasingMinJerk, hal.EasingLinear, hal.EasingCartoon, hal.EasingEaseInOut}[rng.IntN(4)]
		case hal.VerbGesture:
			req.Name = catalog.Gestures[rng.IntN(len(catalog.Gestures))].Name
		case hal.VerbEmotion:
			req.Name = catalog.Emotions[rng.IntN(len(catalog.Emotions))].Name
		}
		a := r.do(req)
		if a.Outcome == hal.Rejected && a.Code != hal.CodeUnreachable {
			t.Fatalf("%+v: %+v", req, a)
		}
		r.ticks(rng.IntN(60))
	}
	r.checkEnvelope()
}

func TestAnimationsLookAliveAndStayInside(t *testing.T) {
	all := map[hal.Verb][]string{hal.VerbGesture: catalog.GestureNames(), hal.VerbEmotion: catalog.EmotionNames()}
	for verb, names := range all {
		for _, name := range names {
			for _, yaw := range []float64{0, 40, -100} {
				r := newRig(t)
				r.until(r.must(hal.Request{Verb: hal.VerbGoto, Head: hal.Head{Yaw: deg(yaw)}.Goal()}).Move)
				before := r.State().Goal
				r.bus.history = r.bus.history[:0]
				a := r.must(hal.Request{Verb: verb, Name: name})
				worst := 0.0
				for r.State().Moving {
					if f, ok := solve(&r.base); !ok || len(f.Changed()) > 0 {
						t.Errorf("%s at yaw %g leaves the envelope: %v", name, yaw, f.HalChanges())
						break
					}
					for j, q := range r.lim.q {
						worst = math.Max(worst, math.Abs(q-before[j]))
					}
					r.ticks(1)
				}
				if e := r.until(a.Move); e.End != hal.EndDone || a.Duration > 8 {
					t.Errorf("%s: %+v %+v", name, a, e)
				}
				if name != "neutral" && worst < 0.12 {
					t.Errorf("%s moves no joint by more than %.2f rad", name, worst)
				}
				if verb == hal.VerbGesture {
					for j, q := range r.State().Goal {
						if math.Abs(q-before[j]) > 0.01 {
							t.Errorf("%s at yaw %g ends %g rad from where %v began", name, yaw, q-before[j], hal.Joint(j))
						}
					}
				}
				r.checkEnvelope()
			}
		}
	}
}

// What less than half a count is cannot be told to a servo: who asks a standing robot for a move sees it begin with the next tick or
// two, and it still ends when it was said to.
func TestAMoveFromRestBeginsAtOnce(t *testing.T) {
	for _, law := range []hal.Easing{hal.EasingMinJerk, hal.EasingEaseInOut, hal.EasingCartoon} {
		for name, req := range map[string]hal.Request{
			"head":     {Verb: hal.VerbGoto, Head: hal.Head{Roll: deg(15)}.Goal(), Duration: 1, ID: "a"},
			"antennas": {Verb: hal.VerbGoto, Antennas: hal.Antennas{Left: 0.8, Right: -0.8}.Goal(), Duration: 1, ID: "a"},
		} {
			t.Run(string(law)+" "+name, func(t *testing.T) {
				r := newRig(t)
				req.Easing = law
				before := r.lim.q
				r.must(req)
				if e := r.until("a"); e.End != hal.EndDone {
					t.Fatalf("ended %+v", e)
				}
				first, told := 0, 0 // the cycles that changed a goal at all, and by what a servo can tell
				for i, goal := range r.bus.history {
					most := 0.0
					for _, d := range diff(goal, before) {
						most = max(most, math.Abs(d))
					}
					if first == 0 && most > 1e-9 {
						first = i
					}
					if told == 0 && most > halfCount {
						told = i
					}
				}
				if told-first > 1 {
					t.Errorf("a goal is half a count on its way %d ticks after the move began", told-first)
				}
				if took := float64(len(r.bus.history)-first) * r.dt; took < 0.95 || took > 1.1 {
					t.Errorf("took %.2f s", took)
				}
				r.checkEnvelope()
			})
		}
	}
}
