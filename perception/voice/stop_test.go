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
	r.want("speech_started")
	if r.stops != 0 || r.brakes != 1 {
		t.Fatalf("after 96 ms %d stops, %d brakes", r.stops, r.brakes)
	}
	r.pause(7)
	r.want("speech_started stop_word")
	if r.stops != 1 || r.brakes != 1 {
		t.Fatalf("%d stops, %d brakes", r.stops, r.brakes)
	}
	u := r.last().Utterance
	if since := u.Decided.Sub(u.End); since != 10*FrameTime {
		t.Errorf("stopped %v after the word", since)
	}
	r.pause(40)
	r.want("speech_started stop_word")
}

// TestAStopThatGoesOnBrakesOnly has a pause behind the word that is as long as that before a p.
func TestAStopThatGoesOnBrakesOnly(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = func(_ int, s []float32) (Transcript, error) {
		if len(s) < 30*FrameSize {
			return Transcript{Text: "Stop."}, nil
		}
		return Transcript{Text: "Stop following me."}, nil
	}
	r.pause(10)
	r.speak(10)
	r.pause(4)
	r.speak(20)
	r.pause(40)
	if r.stops != 0 || r.brakes != 1 || r.last().Type != client.Heard || r.last().Utterance.Text != "Stop following me." {
		t.Errorf("%d stops, %d brakes, %s", r.stops, r.brakes, r.types())
	}
}

// TestAStopIsFoundInWhatIsRejected has guards that throw the text away.
func TestAStopIsFoundInWhatIsRejected(t *testing.T) {
	for _, heard := range []string{"Stop. Stop. Stop.", "please stop", "Robot, stop it now!"} {
		r := newRoom(t, nil)
		r.texts = func(int, []float32) (Transcript, error) {
			return Transcript{Reason: client.ReasonNotUnderstood, Message: "no", Heard: []string{"strap", heard}}, nil
		}
		r.speak(20)
		r.pause(30)
		if r.stops != 1 || r.last().Text != heard {
			t.Errorf("%q: %d stops, %s", heard, r.stops, r.types())
		}
	}
}

// What may have been a stop brakes, and does not latch; who means it says it again.
func TestWhatMayBeAStopBrakes(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = func(int, []float32) (Transcript, error) {
		return Transcript{Reason: client.ReasonNotUnderstood, Message: "no", Perhaps: "Stop."}, nil
	}
	say := func(before int) {
		r.pause(before)
		r.speak(10)
		r.pause(30)
	}
	say(10)
	if r.stops != 0 || r.brakes != 1 || r.last().Reason != client.ReasonNotUnderstood {
		t.Fatalf("%d stops, %d brakes, %s", r.stops, r.brakes, r.types())
	}
	say(300) // long after
	if r.stops != 0 || r.brakes != 2 {
		t.Fatalf("%d stops, %d brakes, %s", r.stops, r.brakes, r.types())
	}
	say(20)
	if r.stops != 1 || r.last().Type != client.StopWord || r.last().Text != "Stop." {
		t.Errorf("said again: %d stops, %s", r.stops, r.types())
	}
	say(20) // it begins anew
	if r.stops != 1 {
		t.Errorf("%d stops, %s", r.stops, r.types())
	}
}

// Where speech goes on behind what may have been a stop, the sentence counts once.
func TestASentenceThatMayBeAStopTwiceIsOne(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = func(int, []float32) (Transcript, error) {
		return Transcript{Text: "it is late", Perhaps: "Stop."}, nil
	}
	r.pause(10)
	r.speak(10)
	r.pause(4)
	r.speak(10)
	r.pause(40)
	if r.stops != 0 || r.last().Type != client.Heard || r.brakes == 0 {
		t.Errorf("%d stops, %d brakes, %s", r.stops, r.brakes, r.types())
	}
}

func TestWhatIsNotMeantForTheRobotIsLeft(t *testing.T) {
	r := newRoom(t, func(c *Config) { c.Meant = func(s Said) bool { return s.Text == "look left" } })
	say := func(text string) string {
		r.texts = says(text)
		r.speak(20)
		r.pause(30)
		return string(r.last().Type) + ":" + r.last().Reason
	}
	if got := say("the beach is nice"); got != "rejected:not_addressed" {
		t.Error(got)
	}
	if got := say("look left"); got != "utterance:" {
		t.Error(got)
	}
	r.Invite()
	if got := say("the beach is nice"); got != "utterance:" {
		t.Error("in a conversation:", got)
	}
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
		c.Stop = func(context.Context, string) error { return errors.New("no body") }
	})
	r.texts = says("halt")
	r.speak(10)
	r.pause(12)
	if e := r.last(); e.Type != client.StopWord || !strings.Contains(e.Message, "no body") {
		t.Errorf("%+v", e)
	}
}

// What was said in another language is told where it is for the robot, though the text is a guess; a request is told from talk around it.
func TestWhatIsForeignAndWhatIsAlone(t *testing.T) {
	var said []Said
	r := newRoom(t, func(c *Config) {
		c.Meant = func(s Said) bool { said = append(said, s); return s.Text == "reachy v gates" }
	})
	say := func(text Transcript, before int) string {
		r.texts = func(int, []float32) (Transcript, error) { return text, nil }
		r.pause(before)
		r.speak(20)
		r.pause(30)
		return string(r.last().Type) + ":" + r.last().Reason
	}
	if got := say(Transcript{Text: "v gates", Foreign: "de"}, 10); got != "rejected:not_addressed" {
		t.Error(got)
	}
	if got := say(Transcript{Text: "the beach is nice"}, 10); got != "rejected:not_addressed" {
		t.Error(got)
	}
	if got := say(Transcript{Text: "reachy v gates", Foreign: "de"}, 200); got != "utterance:" || r.last().Utterance.Foreign != "de" {
		t.Error(got, r.last())
	}
	if len(said) != 3 || !said[0].Foreign || !said[0].Alone || said[1].Foreign || said[1].Alone || !said[2].Alone {
		t.Errorf("%+v", said)
	}
}
