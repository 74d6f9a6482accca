package voice

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
)

func TestMuteForgets(t *testing.T) {
	d := &scriptedDetector{}
	r := newRoom(t, func(c *Config) { c.Detector = d })
	r.speak(20)
	r.Mute(true)
	r.Mute(true)
	r.speak(40)
	r.pause(40)
	r.want("speech_started rejected:muted mute")
	if d.resets != 1 || !r.Stats().Muted {
		t.Errorf("%d resets, %+v", d.resets, r.Stats())
	}
	for _, b := range r.buffers {
		for _, s := range b[:cap(b)] {
			if s != 0 {
				t.Fatal("sound is left in memory")
			}
		}
	}
	for _, s := range r.ring {
		if s != 0 {
			t.Fatal("sound is left in the ring")
		}
	}
	r.Mute(false)
	r.speak(20)
	r.pause(20)
	r.want("speech_started rejected:muted mute mute speech_started partial utterance")
}

func TestWakePhrase(t *testing.T) {
	r := newRoom(t, func(c *Config) { c.WakePhrase = "Hey Reachy" })
	say := func(text string) string {
		r.mu.Lock()
		r.events = nil
		r.mu.Unlock()
		r.texts = says(text)
		r.speak(20)
		r.pause(30)
		return strings.TrimPrefix(r.types(), "speech_started ")
	}
	if got := say("look left"); got != "rejected:no_wake_phrase" {
		t.Error("without phrase:", got)
	}
	if got := say("Hey, Richie, look left."); got != "partial utterance" || r.last().Utterance.Text != "look left." {
		t.Error("with phrase:", got, r.last())
	}
	if got := say("Stop!"); got != "stop_word" || r.stops != 1 {
		t.Error("a stop needs no phrase:", got)
	}
	r.Invite()
	if got := say("look right"); got != "partial utterance" {
		t.Error("after a reply:", got)
	}
	r.pause(300)
	if got := say("look right"); got != "rejected:no_wake_phrase" {
		t.Error("long after a reply:", got)
	}
	if got := say("Hey Reachy!"); got != "woken" && got != "partial woken" {
		t.Error("phrase alone:", got)
	}
	if got := say("look up"); got != "partial utterance" {
		t.Error("after the phrase alone:", got)
	}
}

func TestStopWord(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = says("Stop!")
	r.speak(10)
	r.pause(3)
	r.want("speech_started stop_word")
	if r.stops != 1 {
		t.Fatalf("%d stops", r.stops)
	}
	u := r.last().Utterance
	if since := u.Decided.Sub(u.End); since != 3*FrameTime {
		t.Errorf("stopped %v after the word", since)
	}
	r.pause(40)
	r.want("speech_started stop_word")
}

func TestStopSaidWithoutAPause(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = says("stop stop stop")
	r.speak(60)
	r.pause(40)
	if got := r.types(); strings.Count(got, "stop_word") != 1 || r.stops != 1 || strings.Contains(got, "utterance") {
		t.Errorf("%s, %d stops", got, r.stops)
	}
}

func TestHalfASentenceDoesNotStop(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = func(_ int, s []float32) (Transcript, error) {
		if len(s) < 40*FrameSize {
			return Transcript{Text: "stop"}, nil // the beginning of …
		}
		return Transcript{Text: "stop signs are red"}, nil
	}
	r.pause(10)
	r.speak(50)
	r.pause(30)
	if r.stops != 0 || r.last().Type != client.Heard {
		t.Errorf("%d stops, %s", r.stops, r.types())
	}
}

func TestAStopThatFailsIsSaid(t *testing.T) {
	r := newRoom(t, func(c *Config) {
		c.Stop = func(context.Context) error { return errors.New("no body") }
	})
	r.texts = says("halt")
	r.speak(10)
	r.pause(4)
	if e := r.last(); e.Type != client.StopWord || !strings.Contains(e.Message, "no body") {
		t.Errorf("%+v", e)
	}
}
