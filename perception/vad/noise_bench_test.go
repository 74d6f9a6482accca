//go:build whisper

package vad

import (
	"fmt"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/speechtest"
)

// BenchmarkInNoise counts how many of 40 sentences are found each for itself, and how many stretches are that hold none, by
// Silero and by loudness.
//
//	go test -tags whisper -run '^$' -bench InNoise -benchtime 1x ./perception/vad
func BenchmarkInNoise(b *testing.B) {
	x := speechtest.Pause(time.Second)
	var truth []segment
	for i := range 8 {
		s, t := sentences(b, 900*time.Millisecond)
		s = speechtest.Gain(s, -float64(i%4)*4) // nearer and farther
		for _, t := range t {
			at := float64(len(x)) / SampleRate
			truth = append(truth, segment{at + t.from, at + t.to})
		}
		x = append(x, s...)
	}
	b.Run("clean", func(b *testing.B) { count(b, speechtest.Mix(b, x, speechtest.White, 50, 1), truth) })
	for _, k := range []speechtest.Kind{speechtest.White, speechtest.Pink, speechtest.Hum, speechtest.Servo, speechtest.Music, speechtest.Babble} {
		for _, snr := range []float64{20, 10, 5} {
			b.Run(fmt.Sprintf("%v-%gdB", k, snr), func(b *testing.B) { count(b, speechtest.Mix(b, x, k, snr, 1), truth) })
		}
	}
}

func count(b *testing.B, x []float32, truth []segment) {
	b.Helper()
	for b.Loop() {
		for name, d := range map[string]Detector{"silero": silero(b), "energy": NewEnergy()} {
			found, wrong := 0, 0
			for _, s := range segments(b, d, x) {
				held := 0
				for _, t := range truth {
					if s.from < t.to && s.to > t.from {
						held++
					}
				}
				switch held {
				case 0:
					wrong++
				case 1:
					found++
				}
			}
			found = min(found, len(truth)) // a sentence in two halves
			b.ReportMetric(float64(100*found/len(truth)), name+"-%found")
			b.ReportMetric(float64(wrong), name+"-false")
		}
	}
	b.ReportMetric(0, "ns/op")
}
