package motion

import (
	"math"
	"testing"

	"github.com/reachyd/reachyd/hal"
)

// A gesture half as wide is half as wide in everything, and an emotion comes to rest where it always does.
func TestSizeOfAnimations(t *testing.T) {
	whole := animationOf(&hal.Request{Verb: hal.VerbGesture, Name: "bow"})
	half := animationOf(&hal.Request{Verb: hal.VerbGesture, Name: "bow", Size: 0.5})
	for i, k := range whole.keys {
		h := half.keys[i]
		if h.T != k.T || math.Abs(h.Pitch-k.Pitch/2) > 1e-9 || math.Abs(h.Left-k.Left/2) > 1e-9 || math.Abs(h.Z-k.Z/2) > 1e-9 {
			t.Errorf("key %d: %+v of %+v", i, h, k)
		}
	}
	happy := animationOf(&hal.Request{Verb: hal.VerbEmotion, Name: "happy"})
	wide := animationOf(&hal.Request{Verb: hal.VerbEmotion, Name: "happy", Size: 1.4})
	last, end := happy.keys[len(happy.keys)-1], wide.keys[len(wide.keys)-1]
	if last.Left != awakeAntenna || end.Left != awakeAntenna || end.Right != -awakeAntenna {
		t.Errorf("it ends at %+v, usually at %+v", end, last)
	}
}
