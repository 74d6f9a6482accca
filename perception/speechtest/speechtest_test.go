package speechtest

import (
	"math"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryVoiceSpeaksTheSameEveryTime(t *testing.T) {
	for _, v := range Voices {
		x := Say(t, v, "look left")
		if d := time.Duration(len(x)) * time.Second / Rate; d < 300*time.Millisecond || d > 2*time.Second {
			t.Errorf("%s takes %v for two words", v, d)
		}
		if top := loudest(x); math.Abs(float64(top)-peak) > 1e-3 {
			t.Errorf("%s peaks at %v, not %v", v, top, peak)
		}
		again, err := speak(t.TempDir(), v, "look left")
		if err != nil || !slices.Equal(x, again) {
			t.Errorf("%s says it differently the second time (%v)", v, err)
		}
		x[0] = 9
		if Say(t, v, "look left")[0] == 9 {
			t.Errorf("%s: the caller's samples are shared", v)
		}
	}
	slow, fast := Say(t, "espeak:en-us@0.7", "look left"), Say(t, "espeak:en-us@1.4", "look left")
	if len(slow) < len(fast)*5/4 {
		t.Errorf("0.7 times the speed takes %d samples, 1.4 times %d", len(slow), len(fast))
	}
}

func TestUnknownVoicesAreNamed(t *testing.T) {
	for _, v := range []string{"", "en-us", "sam:one", "espeak:en-us@9", "espeak:en-us@x", "espeak:klingon-42"} {
		if _, err := speak(t.TempDir(), v, "look left"); err == nil {
			t.Errorf("voice %q speaks", v)
		}
	}
}

func TestNoise(t *testing.T) {
	for _, k := range Kinds {
		x := Noise(t, k, Rate, 1)
		if p := rms(x); math.Abs(p-1) > 1e-3 {
			t.Errorf("%v has a power of %v", k, p)
		}
		if !slices.Equal(x, Noise(t, k, Rate, 1)) {
			t.Errorf("%v is not the same for the same seed", k)
		}
		if slices.Equal(x, Noise(t, k, Rate, 2)) {
			t.Errorf("%v is the same for another seed", k)
		}
	}
}

func TestMixHasTheRatioAskedFor(t *testing.T) {
	x := Say(t, "espeak:en-us", "turn right")
	for _, snr := range []float64{20, 10, 0, -5} {
		y := Mix(t, x, Pink, snr, 3)
		for i := range y {
			y[i] -= x[i]
		}
		if got := 20 * math.Log10(rms(x)/rms(y)); math.Abs(got-snr) > 0.01 {
			t.Errorf("asked for %v dB, got %v", snr, got)
		}
	}
}

func TestReverbRingsAndDecays(t *testing.T) {
	x := make([]float32, Rate/10)
	x[0] = 1
	y := Reverb(x, 400*time.Millisecond, 1)
	early, late := rms(y[100:Rate/10]), rms(y[3*Rate/10:Rate*4/10])
	if early == 0 || late > early/10 {
		t.Errorf("the echoes are %v early and %v late", early, late)
	}
}

func TestWAVRoundTrip(t *testing.T) {
	x := Mix(t, Join(Pause(10*time.Millisecond), Say(t, "espeak:en-us", "stop")), White, 20, 1)
	y, rate, err := ParseWAV(EncodeWAV(x))
	if err != nil || rate != Rate || len(y) != len(x) {
		t.Fatalf("%d samples at %d: %v", len(y), rate, err)
	}
	for i := range x {
		if math.Abs(float64(x[i]-y[i])) > 1.0/32768 {
			t.Fatalf("sample %d is %v, was %v", i, y[i], x[i])
		}
	}
}

func TestResampleKeepsATone(t *testing.T) {
	x := make([]float32, 22050)
	for i := range x {
		x[i] = float32(math.Sin(2 * math.Pi * 1000 * float64(i) / 22050))
	}
	y := Resample(x, 22050, Rate)
	if len(y) != Rate {
		t.Fatalf("a second is %d samples", len(y))
	}
	for i := 200; i < len(y)-200; i++ {
		if want := math.Sin(2 * math.Pi * 1000 * float64(i) / Rate); math.Abs(float64(y[i])-want) > 0.01 {
			t.Fatalf("sample %d is %v, want %v", i, y[i], want)
		}
	}
	for i := range x {
		x[i] = float32(math.Sin(2 * math.Pi * 9500 * float64(i) / 22050))
	}
	if p := rms(Resample(x, 22050, Rate)); p > 0.03 {
		t.Errorf("a tone above the new Nyquist rate comes through with %v", p)
	}
}

func FuzzParseWAV(f *testing.F) {
	f.Add(EncodeWAV([]float32{0, 0.5, -0.5}))
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEdata\x04\x00\x00\x00\x01\x02\x03\x04"))
	f.Add([]byte("RIFF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, rate, err := ParseWAV(b)
		if err == nil && (rate < 1 || 2*len(x) > len(b)) {
			t.Errorf("%d samples at %d from %d bytes", len(x), rate, len(b))
		}
	})
}
