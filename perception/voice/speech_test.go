package voice

import (
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/speechtest"
)

// newRealRoom has a real detector; the recogniser finds text in everything.
func newRealRoom(t *testing.T, text string) *room {
	r := newRoom(t, func(c *Config) { c.Detector, c.Interim = newDetector(t), -1 })
	r.texts = says(text)
	return r
}

// play lets the room hear samples.
func (r *room) play(x []float32) {
	r.t.Helper()
	if err := r.Hear(x, r.at); err != nil {
		r.t.Fatal(err)
	}
	r.at = r.at.Add(time.Duration(len(x)) * time.Second / Rate)
}

// bed is the sound of a room in which nobody is, dBFS.
func bed(t *testing.T, x []float32, dbfs float64) []float32 {
	return add(x, speechtest.Gain(speechtest.Noise(t, speechtest.Pink, len(x), 5), dbfs), 0)
}

func TestRealVoicesAreCutAsTheyWereSpoken(t *testing.T) {
	const before = 1500 * time.Millisecond
	for _, speaker := range speechtest.Voices {
		for _, text := range []string{"stop", "Please turn your head to the right."} {
			said := speechtest.Say(t, speaker, text)
			r := newRealRoom(t, "look left")
			began := r.at
			r.play(bed(t, speechtest.Join(speechtest.Pause(before), said, speechtest.Pause(2*time.Second)), -62))
			if got := strings.ReplaceAll(r.types(), "partial ", ""); got != "speech_started utterance" { // pauses between words may be short ones
				t.Errorf("%s, %q: %s", speaker, text, got)
				continue
			}
			u := r.last().Utterance
			// The recording has 50 ms of silence on either side.
			start := u.Start.Sub(began.Add(before + 50*time.Millisecond))
			end := u.End.Sub(began.Add(before + time.Duration(len(said))*time.Second/Rate - 50*time.Millisecond))
			if start < -150*time.Millisecond || start > 150*time.Millisecond || end < -350*time.Millisecond || end > 250*time.Millisecond {
				t.Errorf("%s, %q: began %v late, ended %v late", speaker, text, start, end)
			}
			// All of the words and some of the silence before them reach the recogniser.
			have := time.Duration(r.lens[len(r.lens)-1]) * time.Second / Rate
			if first := u.End.Add(4 * FrameTime).Add(-have); first.After(began.Add(before + 50*time.Millisecond)) {
				t.Errorf("%s, %q: the first %v are lost", speaker, text, first.Sub(began.Add(before+50*time.Millisecond)))
			}
		}
	}
}

func TestAHangingSentenceIsWaitedFor(t *testing.T) {
	first := speechtest.Say(t, "flite:slt", "look left and")
	r := newRealRoom(t, "")
	r.texts = func(_ int, x []float32) (Transcript, error) {
		if len(x) < len(first)+speechtest.Samples(900*time.Millisecond) {
			return Transcript{Text: "look left and"}, nil
		}
		return Transcript{Text: "look left and then nod"}, nil
	}
	r.play(bed(t, speechtest.Join(
		speechtest.Pause(time.Second), first, speechtest.Pause(450*time.Millisecond),
		speechtest.Say(t, "flite:slt", "then nod"), speechtest.Pause(2*time.Second)), -62))
	if got := r.types(); strings.Count(got, "utterance") != 1 || r.last().Utterance.Text != "look left and then nod" {
		t.Errorf("%s", got)
	}
}

func TestNoiseIsNoSentence(t *testing.T) {
	const long = 12 * time.Second
	for _, k := range []speechtest.Kind{speechtest.White, speechtest.Pink, speechtest.Hum, speechtest.Servo, speechtest.Music, speechtest.Cough} {
		r := newRealRoom(t, "look left")
		r.play(bed(t, speechtest.Join(
			speechtest.Pause(time.Second), speechtest.Gain(speechtest.Noise(t, k, speechtest.Samples(long), 2), -30), speechtest.Pause(2*time.Second)), -62))
		got := strings.Count(r.types(), "utterance")
		t.Logf("%v: %d sentences, rejected %v", k, got, r.Stats().Rejected)
		// By loudness alone bursts and chords are speech; then the recogniser has to know better.
		if silero && got > 0 {
			t.Errorf("%v: %s", k, r.types())
		}
	}
}

func TestSpeechInNoiseIsFound(t *testing.T) {
	if !silero {
		t.Log("loudness alone does not find speech in noise; built without whisper")
		return
	}
	said := speechtest.Join(speechtest.Pause(1500*time.Millisecond),
		speechtest.Say(t, "espeak:en-us", "Please turn your head to the right."), speechtest.Pause(2*time.Second))
	for _, k := range []speechtest.Kind{speechtest.White, speechtest.Pink, speechtest.Hum, speechtest.Servo} {
		r := newRealRoom(t, "look left")
		r.play(speechtest.Mix(t, said, k, 10, 3))
		if got := r.types(); strings.Count(got, "utterance") != 1 || strings.Contains(got, "rejected") {
			t.Errorf("%v at 10 dB: %s", k, got)
		}
	}
}

func TestAMonologueIsCut(t *testing.T) {
	// Of a shorter longest sentence, so that the test is quick; the program's own test has a whole minute.
	said := speechtest.Say(t, "espeak:en-us", "There was once a robot who lived on a table in a small laboratory, and every morning when the "+
		"sun came in through the window it lifted its head and looked around the room for somebody to talk to, but there was nobody")
	r := newRoom(t, func(c *Config) { c.Detector, c.Interim, c.Longest = newDetector(t), -1, 4*time.Second })
	r.play(speechtest.Join(speechtest.Pause(time.Second), said, speechtest.Pause(2*time.Second)))
	st := r.Stats()
	t.Logf("%d s of it: %d sentences, rejected %v", len(said)/Rate, st.Utterances, st.Rejected)
	heard := time.Duration(0) // all of it, once
	for _, e := range r.events {
		if e.Utterance != nil {
			heard += e.Utterance.End.Sub(e.Utterance.Start)
		}
	}
	if all := time.Duration(len(said)) * time.Second / Rate; st.Utterances < 2 || len(st.Rejected) > 0 || heard < all-time.Second || heard > all {
		t.Errorf("%v of %v: %s", heard, all, r.types())
	}
}
