package voice

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// playback is a loudspeaker that plays samples from a moment on, until it is hushed.
type playback struct {
	levels []float64 // of every frame
	from   time.Time
	hushed time.Time // zero: not yet
	clock  func() time.Time
}

func newPlayback(sound []float32) *playback {
	p := &playback{}
	for part := range slices.Chunk(sound, FrameSize) {
		p.levels = append(p.levels, Level(part))
	}
	return p
}

func (p *playback) Loudness(from, to time.Time) (float64, bool) {
	i, j := p.index(from), p.index(to)
	if !p.hushed.IsZero() {
		j = min(j, p.index(p.hushed))
	}
	if i >= j {
		return silence, false
	}
	loudest := slices.Max(p.levels[i:j])
	return loudest, loudest > silence
}

// index is the frame that is played at a moment, or the first after it.
func (p *playback) index(t time.Time) int {
	return min(max(0, int((t.Sub(p.from)+FrameTime-1)/FrameTime)), len(p.levels))
}

func (p *playback) Hush() {
	if p.hushed.IsZero() {
		p.hushed = p.clock()
	}
}

// add mixes y into x from a moment on.
func add(x, y []float32, at time.Duration) []float32 {
	n := speechtest.Samples(at)
	out := append(slices.Clone(x), make([]float32, max(0, n+len(y)-len(x)))...)
	for i, s := range y {
		out[n+i] += s
	}
	return out
}

const monologue = "I am a small robot, and I can tell you what I see. In front of me there is a red apple beside a yellow duck."

// talk lets the robot speak while the microphone hears the echo and, from a moment on, somebody else.
func talk(t testing.TB, r *room, echoed []float32, delay time.Duration, human []float32, at time.Duration, p *playback) {
	t.Helper()
	bed := speechtest.Gain(speechtest.Noise(t, speechtest.Pink, len(echoed)+2*Rate, 3), -62)
	alone := bed // what is heard once the robot is silent
	if human != nil {
		alone = add(bed, human, at)
	}
	mic := add(alone, echoed, 500*time.Millisecond+delay)
	p.from = r.at.Add(500 * time.Millisecond)
	for i := 0; i+FrameSize <= len(mic); i += FrameSize {
		frame := mic[i : i+FrameSize]
		if !p.hushed.IsZero() && r.at.After(p.hushed.Add(delay)) && i+FrameSize <= len(alone) {
			frame = alone[i : i+FrameSize]
		}
		if err := r.Hear(frame, r.at); err != nil {
			t.Fatal(err)
		}
		r.at = r.at.Add(FrameTime)
	}
	r.pause(40)
}

func newEchoRoom(t testing.TB, p *playback, cancelled bool) *room {
	r := newRoom(t, func(c *Config) {
		c.Detector, c.Loudspeaker, c.EchoCancelled, c.Interim = newDetector(t), p, cancelled, -1
	})
	p.clock = func() time.Time { return r.at }
	return r
}

func TestItsOwnVoiceNeverTriggers(t *testing.T) {
	for _, speaker := range []string{"espeak:en-us", "flite:slt"} {
		said := speechtest.Say(t, speaker, monologue)
		near, far := speechtest.Reverb(said, 150*time.Millisecond, 7), speechtest.Reverb(said[:4*Rate], 400*time.Millisecond, 8)
		for _, c := range []struct {
			name      string
			sound     []float32
			gain      float64
			delay     time.Duration
			cancelled bool
		}{
			{"as it is played", said, 0, 0, false},
			{"loud and near", near, 0, 20 * time.Millisecond, false},
			{"usual", near, -12, 60 * time.Millisecond, false},
			{"late in a hall", far, -18, 150 * time.Millisecond, false},
			{"faint", near, -35, 60 * time.Millisecond, false},
			{"louder than it is played", near, 6, 60 * time.Millisecond, false},
			{"cancelled", near, -45, 60 * time.Millisecond, true},
		} {
			p := newPlayback(said)
			r := newEchoRoom(t, p, c.cancelled)
			talk(t, r, speechtest.Gain(c.sound, c.gain), c.delay, nil, 0, p)
			if got := r.types(); got != "" || !p.hushed.IsZero() || r.Stats().BargeIns != 0 {
				t.Errorf("%s, %s: %s, %d barge-ins", speaker, c.name, got, r.Stats().BargeIns)
			}
		}
	}
}

// interruptions are voices that speak while the robot does.
var interruptions = []struct {
	name      string
	gain      float64 // of the echo, dB
	level     float64 // of the other voice, dB
	cancelled bool
}{
	{"echo 12 dB down", -12, 0, false},
	{"echo 20 dB down", -20, 0, false},
	{"echo 20 dB down, far voice", -20, -8, false},
	{"cancelled, far voice", -45, -12, true},
}

// dialogue is what the robot says, as it is played and as the microphone hears it, and what somebody else says.
type dialogue struct{ said, near, voice []float32 }

func newDialogue(t testing.TB) dialogue {
	said := speechtest.Say(t, "espeak:en-us", monologue)
	return dialogue{
		said, speechtest.Reverb(said, 200*time.Millisecond, 7),
		speechtest.Say(t, "flite:awb", "Please stop talking and look at the apple now."),
	}
}

// interrupt returns how long after the beginning of each voice the robot is silent, by sample.
func (d *dialogue) interrupt(t testing.TB, name string, gain, level float64, cancelled bool) (delays []time.Duration) {
	t.Helper()
	near, voice := speechtest.Gain(d.near, gain), speechtest.Gain(d.voice, level)
	for _, at := range []time.Duration{1800 * time.Millisecond, 2500 * time.Millisecond, 3100 * time.Millisecond, 4700 * time.Millisecond} {
		p := newPlayback(d.said)
		r := newEchoRoom(t, p, cancelled)
		started := r.at.Add(at + 50*time.Millisecond) // the recording begins with silence
		talk(t, r, near, 60*time.Millisecond, voice, at, p)
		if p.hushed.IsZero() || r.Stats().BargeIns == 0 {
			t.Errorf("%s at %v: not silenced", name, at)
			continue
		}
		if !strings.Contains(r.types(), string(client.Heard)) || !r.utterance(t).BargedIn {
			t.Errorf("%s at %v: %s", name, at, r.types())
		}
		delays = append(delays, p.hushed.Sub(started))
	}
	return delays
}

func TestSomebodyElseSilencesIt(t *testing.T) {
	d := newDialogue(t)
	for _, c := range interruptions {
		delays := d.interrupt(t, c.name, c.gain, c.level, c.cancelled)
		t.Logf("%s: silenced %v after the voice began", c.name, delays)
		if len(delays) > 0 && (slices.Min(delays) < 0 || slices.Max(delays) > time.Second) {
			t.Errorf("%s: silenced after %v", c.name, delays)
		}
	}
}

// BenchmarkBargeIn is the time from the beginning of a voice to the word that silences the robot, counted in samples,
// so that the host does not matter. To it belongs the time of the loudspeaker: BenchmarkHush of package tts.
func BenchmarkBargeIn(b *testing.B) {
	d := newDialogue(b)
	for _, c := range interruptions {
		b.Run(c.name, func(b *testing.B) {
			var all []time.Duration
			for b.Loop() {
				all = append(all, d.interrupt(b, c.name, c.gain, c.level, c.cancelled)...)
			}
			slices.Sort(all)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(all[len(all)/2].Milliseconds()), "ms-p50")
			b.ReportMetric(float64(all[len(all)-1].Milliseconds()), "ms-max")
		})
	}
}

// utterance returns the first that was heard.
func (r *room) utterance(t testing.TB) *client.Utterance {
	t.Helper()
	for _, e := range r.events {
		if e.Type == client.Heard {
			return e.Utterance
		}
	}
	t.Fatalf("nothing was heard: %s", r.types())
	return nil
}

func TestTheEchoGateLearnsTheWay(t *testing.T) {
	p := newPlayback(slices.Repeat([]float32{0.1, -0.1}, 10*Rate)) // −20 dBFS
	g := newEchoGate(p, false)
	at := p.from.Add(time.Second)
	for range 100 {
		g.hear(-32, at)
		at = at.Add(FrameTime)
	}
	if math.Abs(g.gain+12) > 3 {
		t.Errorf("learned %.1f dB", g.gain)
	}
	if _, foreign := g.hear(-30, at); foreign {
		t.Error("2 dB more than the echo is another voice")
	}
	if _, foreign := g.hear(-20, at); !foreign {
		t.Error("12 dB more than the echo is no other voice")
	}
}
