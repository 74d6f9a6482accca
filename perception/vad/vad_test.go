package vad

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/reachyd/reachyd/perception/speechtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// segment is a stretch of speech, seconds.
type segment struct{ from, to float64 }

// segments runs audio through a detector the way perception/voice does: three frames above 0.5 begin, ten below 0.35 end.
func segments(t testing.TB, d Detector, x []float32) []segment {
	t.Helper()
	const frame = float64(FrameSize) / SampleRate
	var all []segment
	var speech, pause, onset int
	open := false
	for i := 0; (i+1)*FrameSize <= len(x); i++ {
		p, err := d.Speech(x[i*FrameSize : (i+1)*FrameSize])
		if err != nil {
			t.Fatal(err)
		}
		if p < 0 || p > 1 {
			t.Fatalf("probability %v", p)
		}
		switch {
		case !open && p < 0.5:
			speech = 0
		case !open:
			if speech++; speech == 1 {
				onset = i
			}
			if speech == 3 {
				open, pause = true, 0
				all = append(all, segment{float64(onset) * frame, float64(i+1) * frame})
			}
		case p >= 0.35:
			pause = 0
			all[len(all)-1].to = float64(i+1) * frame
		default:
			if pause++; pause == 10 {
				open, speech = false, 0
			}
		}
	}
	return all
}

// sentences are said in turn with pauses of pause between them and before and after.
func sentences(t testing.TB, pause time.Duration) (x []float32, truth []segment) {
	t.Helper()
	texts := []string{"look left", "turn your head to the right", "where is the apple", "nod twice and then go to sleep", "stop"}
	x = speechtest.Pause(pause)
	for i, v := range speechtest.Voices {
		s := speechtest.Say(t, v, texts[i%len(texts)])
		from := float64(len(x)) / SampleRate
		x = append(x, s...)
		truth = append(truth, segment{from, float64(len(x)) / SampleRate})
		x = append(x, speechtest.Pause(pause)...)
	}
	return x, truth
}

// match compares what was found with what was said. late is how much later than the truth a segment may begin and end.
func match(t *testing.T, found, truth []segment, late float64) {
	t.Helper()
	used := 0
	for _, want := range truth {
		hit := false
		for _, f := range found {
			if f.from < want.to && f.to > want.from {
				hit = true
				used++
				if f.from < want.from-0.1 || f.to > want.to+late {
					t.Errorf("said %.2f–%.2f s, found %.2f–%.2f s", want.from, want.to, f.from, f.to)
				}
			}
		}
		if !hit {
			t.Errorf("what was said at %.2f–%.2f s was not found in %.2f", want.from, want.to, found)
		}
	}
	if used != len(found) {
		t.Errorf("%d of %d segments are not speech: %.2f, said was %.2f", len(found)-used, len(found), found, truth)
	}
}

func TestEnergyFindsSpeechInAQuietRoom(t *testing.T) {
	x, truth := sentences(t, 600*time.Millisecond)
	match(t, segments(t, NewEnergy(), x), truth, 0.2)
	noisy := speechtest.Mix(t, x, speechtest.Pink, 25, 1)
	match(t, segments(t, NewEnergy(), noisy), truth, 0.2)
}

func TestEnergyGetsUsedToANoise(t *testing.T) {
	const seconds = 20
	hum := speechtest.Gain(speechtest.Noise(t, speechtest.Hum, seconds*SampleRate, 1), -30)
	x := speechtest.Join(speechtest.Gain(speechtest.Noise(t, speechtest.White, 2*SampleRate, 1), -60), hum)
	for _, s := range segments(t, NewEnergy(), x) {
		if s.to > 2+4.5 {
			t.Errorf("a motor that began at 2 s is still taken for speech at %.1f s", s.to)
		}
	}
}

func TestEnergyIsDeafToWhatMicrophonesDoInSilence(t *testing.T) {
	for _, level := range []float64{-120, -90, -75, -66} {
		x := speechtest.Gain(speechtest.Noise(t, speechtest.White, 6*SampleRate, 1), level)
		if found := segments(t, NewEnergy(), x); len(found) != 0 {
			t.Errorf("noise of %v dB is speech at %.1f", level, found)
		}
	}
	if found := segments(t, NewEnergy(), make([]float32, 3*SampleRate)); len(found) != 0 {
		t.Errorf("digital silence is speech at %.1f", found)
	}
}

func TestEnergyForgetsWithReset(t *testing.T) {
	e := NewEnergy()
	loud := speechtest.Gain(speechtest.Noise(t, speechtest.White, FrameSize, 1), -20)
	first, _ := e.Speech(loud)
	_, _ = e.Speech(make([]float32, FrameSize))
	if after, _ := e.Speech(loud); after == first {
		t.Fatalf("after silence loud noise is as probable as before: %v", after)
	}
	e.Reset()
	if again, _ := e.Speech(loud); again != first {
		t.Errorf("after Reset it says %v, at first it said %v", again, first)
	}
}

func TestLevel(t *testing.T) {
	square := make([]float32, FrameSize)
	for i := range square {
		square[i] = float32(1 - 2*(i%2))
	}
	for _, c := range []struct {
		frame []float32
		want  float64
	}{
		{square, 0}, {speechtest.Gain(square, -40), -40}, {make([]float32, 8), -120}, {nil, -120}, {speechtest.Gain(square, -200), -120},
	} {
		if got := Level(c.frame); math.Abs(float64(got)-c.want) > 0.01 {
			t.Errorf("%d samples: %v dB instead of %v", len(c.frame), got, c.want)
		}
	}
}

func refuses(t *testing.T, d Detector) {
	t.Helper()
	for name, frame := range map[string][]float32{
		"samples":       make([]float32, FrameSize-1),
		"512":           make([]float32, FrameSize+1),
		"allowed is ±8": append(make([]float32, FrameSize-1), float32(math.NaN())),
		"sample 511":    append(make([]float32, FrameSize-1), float32(math.Inf(1))),
		"sample 0":      append([]float32{-8.1}, make([]float32, FrameSize-1)...),
	} {
		if p, err := d.Speech(frame); p != 0 || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

func TestEnergyRefusesBadFrames(t *testing.T) { refuses(t, NewEnergy()) }

func TestOpenWithoutAModelGoesByLoudness(t *testing.T) {
	d, err := Open("")
	if _, ok := d.(*Energy); !ok || err != nil {
		t.Errorf("no model: %T, %v", d, err)
	}
	d, err = Open("/nowhere/silero.bin")
	if _, ok := d.(*Energy); !ok || err == nil || !strings.Contains(err.Error(), "by loudness only") {
		t.Errorf("a missing model: %T, %v", d, err)
	}
	if !Built && !errors.Is(err, ErrNotBuilt) {
		t.Errorf("without the tag: %v", err)
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
}

// bench feeds frames and reports what part of a core a microphone costs.
func bench(b *testing.B, d Detector, x []float32) {
	b.Helper()
	frames := len(x) / FrameSize
	b.ReportAllocs()
	before := cpu(b)
	i := 0
	for b.Loop() {
		k := i % frames
		if _, err := d.Speech(x[k*FrameSize : (k+1)*FrameSize]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	used := cpu(b) - before
	each := used / time.Duration(b.N)
	b.ReportMetric(float64(each.Nanoseconds())/1e3, "cpu-µs/frame")
	b.ReportMetric(100*each.Seconds()*SampleRate/FrameSize, "%core")
}

// cpu is what the process has used, which a busy machine does not change much.
func cpu(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkEnergy(b *testing.B) {
	x, _ := sentences(b, 600*time.Millisecond)
	bench(b, NewEnergy(), x)
}
