package tts

import (
	"math"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal"
	"pgregory.net/rapid"
)

func numbers(h hal.Head) [6]float64 { return [6]float64{h.X, h.Y, h.Z, h.Roll, h.Pitch, h.Yaw} }

var bounds = numbers(hal.Head{X: MaxSpeechShift, Y: MaxSpeechShift, Z: MaxSpeechShift, Roll: MaxSpeechRoll, Pitch: MaxSpeechPitch, Yaw: MaxSpeechYaw})

// Whatever the loudness does, the offset stays within its bounds, moves smoothly, is the same each time, and is back
// at zero soon after the last sound.
func TestMotionProperties(t *testing.T) {
	level := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1)}))
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.SliceOfN(level, 40, 200).Draw(t, "levels")
		hold := rapid.IntRange(1, 20).Draw(t, "hold")
		var m, again Motion
		before := numbers(hal.Head{})
		step := func(l float64) {
			h := m.Step(l, Tick)
			if h != again.Step(l, Tick) {
				t.Fatal("not deterministic")
			}
			now := numbers(h)
			for i := range now {
				if !(math.Abs(now[i]) <= bounds[i]) {
					t.Fatalf("value %d is %v, at most %v", i, now[i], bounds[i])
				}
				// From zero to the most takes 140 ms at least: seven ticks, half as much again in the middle of the ease.
				if d := math.Abs(now[i] - before[i]); d > bounds[i]*0.45 {
					t.Fatalf("value %d jumps by %v of %v", i, d, bounds[i])
				}
			}
			before = now
		}
		for _, l := range levels {
			for range hold {
				step(l)
			}
		}
		for range int(300*time.Millisecond/Tick) - 1 {
			step(0)
		}
		if !m.Still() || before != numbers(hal.Head{}) {
			t.Fatalf("0.3 s after the last sound %v", before)
		}
	})
}

func TestMotionIsSeen(t *testing.T) {
	var m Motion
	var most [6]float64
	for i := range 500 { // 10 s of four syllables a second
		h := numbers(m.Step(math.Abs(math.Sin(2*math.Pi*2*float64(i)*Tick.Seconds())), Tick))
		for k := range h {
			most[k] = max(most[k], math.Abs(h[k]))
		}
	}
	for k := range most {
		if most[k] < 0.4*bounds[k] {
			t.Errorf("value %d reaches only %v of %v", k, most[k], bounds[k])
		}
	}
}

func TestEnvelope(t *testing.T) {
	var e envelope
	e.begin(5 * time.Second)
	// 100 ms of silence, 100 ms of a loud tone, in pieces that do not fit the hops.
	pcm := make([]float32, 4410)
	for i := range 2205 {
		pcm[2205+i] = float32(0.5 * math.Sin(2*math.Pi*440*float64(i)/22050))
	}
	for rest := pcm; len(rest) > 0; {
		n := min(333, len(rest))
		e.add(22050, rest[:n])
		rest = rest[n:]
	}
	for _, c := range []struct {
		at   time.Duration
		low  float64
		high float64
	}{{0, 0, 0}, {4990, 0, 0}, {5000, 0, 0}, {5090, 0, 0}, {5120, 1, 1}, {5190, 1, 1}, {5210, 0, 0}, {6000, 0, 0}} {
		if got := e.at(c.at * time.Millisecond); got < c.low || got > c.high {
			t.Errorf("at %d ms %v", c.at, got)
		}
	}
	if l := loudness(math.Pow(10, -3)); math.Abs(float64(l)-0.5) > 1e-6 {
		t.Errorf("−30 dB are %v", l)
	}
	if l := loudness(math.NaN()); l != 0 {
		t.Errorf("NaN is %v", l)
	}
}

func BenchmarkEnvelope(b *testing.B) {
	var e envelope
	pcm := make([]float32, 441) // 20 ms
	for i := range pcm {
		pcm[i] = float32(i%7) / 10
	}
	b.ReportAllocs()
	for b.Loop() {
		e.add(22050, pcm)
	}
}

func BenchmarkMotion(b *testing.B) {
	var m Motion
	b.ReportAllocs()
	for b.Loop() {
		m.Step(0.5, Tick)
	}
}
