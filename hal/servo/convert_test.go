package servo

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/reachyd/reachyd/hal"
)

func TestEveryTickSurvivesTheRoundTrip(t *testing.T) {
	c := Config{Max: ticksPerTurn - 1}
	for tick := range int32(ticksPerTurn) {
		if got := c.toTicks(toRad(tick)); got != tick {
			t.Fatalf("tick %d came back as %d", tick, got)
		}
	}
	if c.toTicks(0) != 2048 || toRad(2048) != 0 {
		t.Error("2048 is 0 rad")
	}
}

func TestLimitsAreTheServos(t *testing.T) {
	for j, c := range ReachyMini() {
		l := hal.JointLimits[j]
		lo, hi := c.toTicks(l.Min), c.toTicks(l.Max)
		if hal.Joint(j) != hal.BodyYaw && (lo != int32(c.Min) || hi != int32(c.Max)) {
			t.Errorf("%v: limits are ticks %d…%d, the servo's are %d…%d", hal.Joint(j), lo, hi, c.Min, c.Max)
		}
	}
}

func TestConversionProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := hal.Joint(rapid.IntRange(0, hal.NumJoints-1).Draw(t, "joint"))
		v := rapid.Float64().Draw(t, "rad")
		c, l := ReachyMini()[j], hal.JointLimits[j]
		tick := c.toTicks(v)
		if tick < int32(c.Min) || tick > int32(c.Max) {
			t.Fatalf("%v rad is tick %d, outside %d…%d", v, tick, c.Min, c.Max)
		}
		if in := v >= l.Min && v <= l.Max; in && !allowed(j, v) || !in && allowed(j, v) && math.Min(math.Abs(v-l.Min), math.Abs(v-l.Max)) > slack {
			t.Fatalf("%v: allowed(%v) = %v", j, v, allowed(j, v))
		}
		if v >= l.Min && v <= l.Max && math.Abs(toRad(tick)-v) > tickRad/2+1e-9 {
			t.Fatalf("%v rad became %v", v, toRad(tick))
		}
	})
}

func TestMeasured(t *testing.T) {
	p, v, i := measured([]byte{0xFF, 0xFF, 0xFD, 0xFF, 0xFF, 0xFF, 0x00, 0x0C, 0x00, 0x00})
	if math.Abs(p-math.Pi/2) > 1e-12 || math.Abs(v+3*0.229*2*math.Pi/60) > 1e-12 || i != -0.001 {
		t.Errorf("position %v, velocity %v, current %v", p, v, i)
	}
}
