package audio

import (
	"fmt"
	"math"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sine(n, rate int, hz, amplitude float64) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(amplitude * math.Sin(2*math.Pi*hz*float64(i)/float64(rate)))
	}
	return s
}

func rms(s []float32) float64 {
	sum := 0.0
	for _, v := range s {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(max(1, len(s))))
}

func convert(t *testing.T, in, out int, s []float32) []float32 {
	t.Helper()
	r, err := NewResampler(in, out)
	if err != nil {
		t.Fatal(err)
	}
	return r.Flush(r.Process(nil, s))
}

// A tone that both rates can carry comes out as the same tone, at the same time.
func TestResamplerKeepsWhatFits(t *testing.T) {
	for _, c := range []struct{ in, out int }{
		{8000, 16000}, {11025, 16000}, {16000, 48000}, {22050, 16000}, {22050, 48000}, {44100, 16000}, {48000, 16000}, {44099, 16000}, {96000, 16000}, {16000, 16000},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			for _, hz := range []float64{100, 440, 0.35 * float64(min(c.in, c.out))} {
				got := convert(t, c.in, c.out, sine(c.in/4, c.in, hz, 0.5))
				want := sine(c.out/4, c.out, hz, 0.5)
				if d := len(got) - len(want); d < -1 || d > 1 {
					t.Fatalf("%d samples, want %d", len(got), len(want))
				}
				worst := 0.0
				for i := 1000; i < len(want)-1000; i++ { // the ends begin and stop suddenly, which no rate can carry
					worst = max(worst, math.Abs(float64(got[i]-want[i])))
				}
				if worst > 1e-3 {
					t.Errorf("%.0f Hz: off by %g", hz, worst)
				}
			}
		})
	}
}

// A tone above half of the lower rate must not come back as another one.
func TestResamplerTakesOutWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		in, out int
		hz      float64
	}{{48000, 16000, 9000}, {44100, 16000, 12000}, {22050, 16000, 9500}, {48000, 16000, 20000}} {
		got := convert(t, c.in, c.out, sine(c.in/4, c.in, c.hz, 0.5))
		if level := 20 * math.Log10(rms(got[1000:len(got)-1000])/rms(sine(1000, c.in, c.hz, 0.5))); level > -75 {
			t.Errorf("%v: %.0f dB are left", c, level)
		}
	}
}

// However the stream is cut into pieces, the result is the same, and no longer or shorter than the input.
func TestResamplerPieces(t *testing.T) {
	made := map[[2]int]*Resampler{}
	rates := rapid.SampledFrom([]int{MinRate, 7919, 16000, 22050, 48000})
	rapid.Check(t, func(t *rapid.T) {
		in, out := rates.Draw(t, "in"), rates.Draw(t, "out")
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		s := sine(n, in, 300, 0.9)
		r := made[[2]int{in, out}]
		if r == nil {
			var err error
			if r, err = NewResampler(in, out); err != nil {
				t.Fatal(err)
			}
			made[[2]int{in, out}] = r
		}
		whole := r.Flush(r.Process(nil, s))
		if want := (n*out + in - 1) / in; len(whole) != want {
			t.Fatalf("%d samples of %d Hz gave %d of %d Hz, want %d", n, in, len(whole), out, want)
		}
		var cut []float32
		for len(s) > 0 {
			k := rapid.IntRange(1, len(s)).Draw(t, "piece")
			cut = r.Process(cut, s[:k])
			s = s[k:]
		}
		cut = r.Flush(cut)
		if len(cut) != len(whole) {
			t.Fatalf("in pieces %d samples, at once %d", len(cut), len(whole))
		}
		for i := range cut {
			if cut[i] != whole[i] {
				t.Fatalf("sample %d: in pieces %v, at once %v", i, cut[i], whole[i])
			}
		}
	})
}

func TestResamplerRates(t *testing.T) {
	for _, c := range [][2]int{{0, 16000}, {16000, 0}, {MinRate - 1, 16000}, {16000, MaxRate + 1}} {
		if _, err := NewResampler(c[0], c[1]); err == nil {
			t.Errorf("%v was accepted", c)
		}
	}
}

func BenchmarkResample(b *testing.B) {
	for _, c := range [][2]int{{22050, 16000}, {22050, 48000}, {44100, 16000}} {
		b.Run(fmt.Sprintf("%d-%d", c[0], c[1]), func(b *testing.B) {
			r, err := NewResampler(c[0], c[1])
			if err != nil {
				b.Fatal(err)
			}
			s, dst := sine(c[0]/50, c[0], 440, 0.5), make([]float32, 0, c[1])
			b.ReportAllocs()
			for b.Loop() {
				dst = r.Process(dst[:0], s)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20e6*100, "%core")
		})
	}
}
