package wake

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/speechtest"
)

func own(t testing.TB) *Network {
	t.Helper()
	n, err := Own()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The network hears what that of the training hears, which wrote the example beside its file.
func TestTheNetworkIsThatOfTheTraining(t *testing.T) {
	b, err := os.ReadFile("testdata/example.json")
	if err != nil {
		t.Fatal(err)
	}
	var example struct {
		Positions map[int][]float64
	}
	if err := json.Unmarshal(b, &example); err != nil || len(example.Positions) < 3 {
		t.Fatalf("%d positions, %v", len(example.Positions), err)
	}
	x := make([]float32, Rate)
	for i := range x {
		at := float64(i) / Rate
		v := 0.2 * math.Sin(2*math.Pi*(200+300*at)*at)
		if at > 0.4 {
			v += 0.05 * math.Sin(5000*math.Pi*at)
		}
		x[i] = float32(v)
	}
	got := outputs(own(t).NewStream(), x, 512)
	for at, want := range example.Positions {
		for s, v := range want {
			if math.Abs(v-float64(got[at][s])) > 2e-3 {
				t.Fatalf("output %d of symbol %d is %g, in the training %g", at, s, got[at][s], v)
			}
		}
	}
}

// Voices of two synthesisers call the robot and others; run it with -v for the figures. What is said is written as these voices have to
// read it.
func TestVoicesThatCall(t *testing.T) {
	n := own(t)
	for phrase, c := range map[string]struct{ calls, others []string }{
		"hey reachy":  {[]string{"hey reechy, look left", "um, hey reechy"}, []string{"hey richard, look left", "the reach is far", "look left and then nod"}},
		"hello robot": {[]string{"hello robot, look left", "well, hello robot"}, []string{"hey reechy, look left", "hello robert", "the robot is here"}},
	} {
		ways, err := n.Sounds(t.Context(), phrase)
		if err != nil {
			t.Fatal(err)
		}
		s, err := n.NewSpotter(phrase, ways)
		if err != nil {
			t.Fatal(err)
		}
		for _, noisy := range []bool{false, true} {
			said, heard, others, wrong := 0, 0, 0, 0
			for _, v := range speechtest.Voices {
				for _, text := range c.calls {
					said++
					heard += found(t, s, v, text, noisy)
				}
				for _, text := range c.others {
					others++
					wrong += found(t, s, v, text, noisy)
				}
			}
			allowed := 0
			if noisy {
				allowed = 1 // of a name that is near
			}
			t.Logf("%q, noise %v: %d of %d calls, %d of %d others", phrase, noisy, heard, said, wrong, others)
			if 10*heard < 8*said || wrong > allowed {
				t.Errorf("%q, noise %v: %d of %d calls, at least 8 of 10; %d of %d others, at most %d", phrase, noisy, heard, said, wrong, others, allowed)
			}
		}
	}
}

// found is 1 when the phrase is found once in what a voice says.
func found(t *testing.T, s *Spotter, voice, text string, noisy bool) (n int) {
	t.Helper()
	x := speechtest.Join(speechtest.Pause(300*time.Millisecond), speechtest.Say(t, voice, text), speechtest.Pause(300*time.Millisecond))
	level := -62.0 // of a quiet room
	if noisy {
		level = -30 // 10 dB below speech, or a little more
	}
	for i, v := range speechtest.Gain(speechtest.Noise(t, speechtest.Pink, len(x), 1), level) {
		x[i] += v
	}
	_, ok := s.Hear(x)
	_, more := s.Flush()
	if !ok && !more {
		return 0
	}
	if ok && more {
		t.Errorf("%s, %q: found twice", voice, text)
	}
	f := s.Found()
	t.Logf("%s, %q, noise %v: %.2f…%.2f s, confidence %.2f, worst %.2f", voice, text, noisy, float64(f.Begin)/Rate, float64(f.End)/Rate, f.Confidence, f.Worst)
	return 1
}
