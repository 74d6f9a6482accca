package env

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

func TestWhatWasShownIsAnEpisode(t *testing.T) {
	var s Shown
	for k := range 15 {
		s = append(s, hal.Head{Yaw: 0.03 * float64(k), Pitch: -0.01 * float64(k)})
	}
	if !s.Moves() || s[:1].Moves() || (Shown{s[0], s[0]}).Moves() {
		t.Error("what moves is not told from what rests")
	}
	e, n := NewReach(Options{}), 0
	first, last := make([]float32, reachObs), make([]float32, reachAxes)
	e.Show(3, s, 0, func(obs, action []float32) {
		if n++; n == 1 {
			copy(first, obs)
		}
		copy(last, action)
	})
	if n < 14 || n > reachSteps {
		t.Errorf("it took %d decisions", n)
	}
	// The first observation says how far it is: 0.42 rad to the left and 0.14 rad up.
	if yaw, pitch := float64(first[0])*20, float64(first[1])*15; math.Abs(yaw-24) > 1.5 || math.Abs(pitch+8) > 1.5 {
		t.Errorf("%.1f° to the left and %.1f° down", yaw, pitch)
	}
	for i, a := range last {
		if math.Abs(float64(a)) > 0.01 {
			t.Errorf("it does not rest at its end: action %d is %g", i, a)
		}
	}
}
