package voice

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/client"
)

func TestTurnEndsByWhatWasSaid(t *testing.T) {
	for _, c := range []struct {
		text   string
		frames int // of the pause that ends the turn
	}{
		{"look left", 10},
		{"the weather", 19},
		{"look left and", 28},
		{"turn by twenty", 19},
		{"look", 28},
	} {
		r := newRoom(t, nil)
		r.texts = says(c.text)
		r.pause(20)
		r.speak(20)
		r.pause(c.frames - 1)
		r.want("speech_started partial")
		r.pause(1)
		r.want("speech_started partial utterance")
		u := r.last().Utterance
		if u.Text != c.text || !u.Speculated || r.calls != 1 {
			t.Errorf("%q: %+v after %d recognitions", c.text, u, r.calls)
		}
		if speech := u.End.Sub(u.Start); speech != 20*FrameTime {
			t.Errorf("%q: speech lasted %v", c.text, speech)
		}
		if d := u.Decided.Sub(u.End); d != frameTimes(c.frames) || u.Latency != d.Seconds() || u.Ready.Sub(u.End) != 3*FrameTime {
			t.Errorf("%q: decided after %v, latency %v, text after %v", c.text, d, u.Latency, u.Ready.Sub(u.End))
		}
	}
}

func TestPreRollAndPauseReachTheRecogniser(t *testing.T) {
	r := newRoom(t, nil)
	var first float32
	r.texts = func(_ int, s []float32) (Transcript, error) { first = s[0]; return Transcript{Text: "look left"}, nil }
	r.pause(3)
	r.sound(1, 0.123, -60) // the ninth frame, counted back from the first with speech
	r.sound(8, 0.02, -60)
	r.speak(20)
	r.pause(10)
	if first < 0.122e-3 || first > 0.124e-3 {
		t.Errorf("the recording begins with the frame of %g", first)
	}
	// Pre-roll of 300 ms is 9 frames; 20 of speech, 3 of pause before speculation.
	if want := (9 + 20 + 3) * FrameSize; r.lens[0] != want {
		t.Errorf("the recogniser got %d frames", r.lens[0]/FrameSize)
	}
}

func TestSpeechAfterASpeculationMakesItVoid(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = func(n int, _ []float32) (Transcript, error) {
		return Transcript{Text: []string{"look", "look left"}[n-1]}, nil
	}
	r.speak(15)
	r.pause(6)
	r.speak(10)
	r.pause(10)
	r.want("speech_started partial partial utterance")
	if u := r.last().Utterance; u.Text != "look left" || r.calls != 2 {
		t.Errorf("%+v after %d recognitions", u, r.calls)
	}
	if s := r.Stats(); s.Speculations != 2 || s.Hits != 1 || s.Utterances != 1 {
		t.Errorf("%+v", s)
	}
}

func TestAClickInThePauseChangesNothing(t *testing.T) {
	r := newRoom(t, nil)
	r.speak(15)
	r.pause(6)
	r.speak(1)
	r.pause(3)
	r.want("speech_started partial utterance")
	if r.calls != 1 {
		t.Errorf("%d recognitions", r.calls)
	}
}

func TestGuards(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(*room)
		want string
	}{
		{"silence", func(r *room) { r.pause(300) }, ""},
		{"click", func(r *room) { r.pause(10); r.speak(2); r.pause(30) }, ""},
		{"short", func(r *room) { r.speak(4); r.pause(30) }, "speech_started rejected:too_short"},
		{"quiet", func(r *room) { r.sound(30, 0.9, -58); r.pause(30) }, "speech_started rejected:too_quiet"},
		{"loud click", func(r *room) { r.sound(1, 0.1, -3); r.speak(30); r.pause(30) }, "speech_started partial utterance"},
		{"no words", func(r *room) { r.texts = says("[BLANK_AUDIO]"); r.speak(30); r.pause(30) }, "speech_started rejected:no_speech"},
		{"hallucinated", func(r *room) {
			r.texts = func(int, []float32) (Transcript, error) {
				return Transcript{Reason: client.ReasonHallucination, Message: "made up"}, nil
			}
			r.speak(30)
			r.pause(30)
		}, "speech_started rejected:hallucination"},
		{"uncertain", func(r *room) {
			r.texts = func(int, []float32) (Transcript, error) { return Transcript{Text: "look left", Confidence: 0.2}, nil }
			r.speak(30)
			r.pause(30)
		}, "speech_started partial rejected:not_understood"},
		{"broken", func(r *room) {
			r.texts = func(int, []float32) (Transcript, error) { return Transcript{}, errors.New("out of memory") }
			r.speak(30)
			r.pause(30)
		}, "speech_started rejected:failed"},
		{"crashing", func(r *room) {
			r.texts = func(int, []float32) (Transcript, error) { panic("index") }
			r.speak(30)
			r.pause(30)
		}, "speech_started rejected:failed"},
		{"nonsense samples", func(r *room) { r.sound(30, 0.9, math.NaN()); r.pause(30) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoom(t, func(cfg *Config) { cfg.MinConfidence = 0.5 })
			c.play(r)
			r.want(c.want)
			if e := r.types(); strings.Contains(e, "rejected") {
				if l := r.last(); l.Message == "" || r.Stats().Rejected[l.Reason] != 1 {
					t.Errorf("%+v, counted %v", l, r.Stats().Rejected)
				}
			}
		})
	}
}

func TestFarBabbleIsNoSpeechBesideALoudVoice(t *testing.T) {
	r := newRoom(t, nil)
	r.sound(5, 0.9, -25)
	r.speak(20)
	r.sound(10, 0.9, -50) // others go on talking at the far end of the room
	r.want("speech_started partial utterance")
}

func TestASentenceThatNeverEndsIsCut(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = says("look left")
	r.speak(2000) // 64 s
	r.pause(30)
	if got := r.types(); strings.Count(got, "utterance") != 5 || strings.Contains(got, "rejected") { // of 15 s each, and the rest
		t.Errorf("got %s", got)
	}
	r.mu.Lock()
	r.events = nil
	r.mu.Unlock()
	r.speak(20)
	r.pause(30)
	r.want("speech_started partial utterance")
}

func TestLongSentencesAreShownWhileTheyAreSaid(t *testing.T) {
	r := newRoom(t, nil)
	r.speak(100)
	if got := strings.Count(r.types(), "partial"); got != 3 {
		t.Errorf("%d partial texts in 3.2 s", got)
	}
	r.speak(300)
	if got := strings.Count(r.types(), "partial"); got != 4 {
		t.Errorf("%d partial texts in 12.8 s", got)
	}
}

func TestTheResultDoesNotDependOnHowTheSoundIsCut(t *testing.T) {
	sound := func(r *room, chunk int) {
		var all []float32
		for _, part := range []struct {
			frames int
			p      float32
			amp    float32
		}{{12, 0, 0.001}, {25, 0.9, 0.1}, {40, 0, 0.001}} {
			for range part.frames {
				f := make([]float32, FrameSize)
				for i := range f {
					f[i] = part.amp * float32(1-2*(i&1))
				}
				f[0] = part.p / 1e3
				all = append(all, f...)
			}
		}
		at := r.at
		for len(all) > 0 {
			n := min(chunk, len(all))
			if err := r.Hear(all[:n], at); err != nil {
				r.t.Fatal(err)
			}
			at = at.Add(time.Duration(n) * time.Second / Rate)
			all = all[n:]
		}
	}
	var first *client.Utterance
	for _, chunk := range []int{FrameSize, 1, 160, 5000, 1 << 20} {
		r := newRoom(t, nil)
		sound(r, chunk)
		r.want("speech_started partial utterance")
		u := r.last().Utterance
		if first == nil {
			first = u
		}
		if d := u.Start.Sub(first.Start).Abs() + u.End.Sub(first.End).Abs() + u.Decided.Sub(first.Decided).Abs(); d > time.Microsecond {
			t.Errorf("in pieces of %d: %+v, at once %+v", chunk, u, first)
		}
	}
}
