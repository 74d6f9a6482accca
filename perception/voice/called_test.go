package voice

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
)

// scriptedSpotter finds the phrase once in a turn, behind a sample, and so many samples later.
type scriptedSpotter struct {
	end, late    int // end 0: never
	heard, told  int
	resets, ends int
}

func (s *scriptedSpotter) Hear(x []float32) (int, bool) {
	s.heard += len(x)
	return s.find(s.end + s.late)
}

func (s *scriptedSpotter) find(at int) (int, bool) {
	if s.end == 0 || s.told > 0 || s.heard < at {
		return 0, false
	}
	s.told++
	return s.end, true
}

func (s *scriptedSpotter) Flush() (int, bool) { s.ends++; return s.find(s.end) }
func (s *scriptedSpotter) Reset()             { s.heard, s.told = 0, 0; s.resets++ }

// before are the frames of a turn before its first one of speech.
const before = 9

// behind sets where the phrase ends, in frames of speech, and how many frames later it is found.
func (s *scriptedSpotter) behind(frames, late int) {
	s.end, s.late = (before+frames)*FrameSize, late*FrameSize
}

func newCalledRoom(t *testing.T) (*room, *scriptedSpotter) {
	s := &scriptedSpotter{}
	r := newRoom(t, func(c *Config) { c.WakePhrase, c.Spotter, c.Interim = "hey reachy", s, -1 })
	r.pause(20)
	return r, s
}

func TestThePhraseIsCutFromTheSound(t *testing.T) {
	r, s := newCalledRoom(t)
	s.behind(15, 4)
	r.speak(25)
	r.want("speech_started called") // while he still speaks
	r.speak(10)
	r.pause(10)
	r.want("speech_started called partial utterance")
	if want := (20 + 3) * FrameSize; r.calls != 1 || r.lens[0] != want {
		t.Errorf("the recogniser got %v samples, want %d once", r.lens, want)
	}
	if u := r.last().Utterance; u.Text != "look left" || u.End.Sub(u.Start) != 35*FrameTime {
		t.Errorf("%+v", u)
	}
	s.end = 0
	r.speak(30)
	r.pause(20)
	if got := r.last(); got.Type != client.Rejected || got.Reason != client.ReasonNoWakePhrase {
		t.Errorf("without the phrase: %+v", got)
	}
	if s.resets != 2 {
		t.Errorf("%d sounds of 2 turns", s.resets)
	}
}

// The sound before a turn reaches the spotter, and silence does not.
func TestTheSpotterHearsTurnsOnly(t *testing.T) {
	r, s := newCalledRoom(t)
	r.pause(200)
	if s.heard != 0 {
		t.Fatalf("%d samples of silence", s.heard)
	}
	r.speak(30)
	if want := (before + 30) * FrameSize; s.heard != want {
		t.Errorf("it heard %d samples, want %d", s.heard, want)
	}
}

func TestThePhraseAloneOpensTheTimeForASentence(t *testing.T) {
	for name, c := range map[string]struct {
		end, late, asked int
		text             Transcript
	}{
		"it is found while he speaks": {17, 2, 0, Transcript{Text: "look left"}},
		"it is found in the pause":    {19, 7, 1, Transcript{Text: "look left"}},
		"its last sound is long":      {12, 4, 1, Transcript{Reason: client.ReasonNotUnderstood, Message: "no"}},
		"… and so is the search":      {12, 14, 2, Transcript{}},
	} {
		r, s := newCalledRoom(t)
		s.behind(c.end, c.late)
		r.texts = func(int, []float32) (Transcript, error) { return c.text, nil }
		r.speak(20)
		r.pause(19)
		if got := strings.ReplaceAll(r.types(), "partial ", ""); got != "speech_started called woken" || r.calls != c.asked {
			t.Errorf("%s: %s, %d recognitions, want %d", name, got, r.calls, c.asked)
		}
		s.end = 0
		r.texts = says("look right")
		r.pause(100)
		r.speak(20)
		r.pause(10)
		if got := r.last(); got.Type != client.Heard || got.Utterance.Text != "look right" {
			t.Errorf("%s, then: %s", name, r.types())
		}
		r.pause(300)
		r.speak(20)
		r.pause(10)
		if got := r.last(); got.Reason != client.ReasonNoWakePhrase {
			t.Errorf("%s, long after it: %s", name, r.types())
		}
	}
}

func TestWhatFollowsThePhraseAfterAPauseIsHeard(t *testing.T) {
	r, s := newCalledRoom(t)
	s.behind(20, 8)
	r.speak(20)
	r.pause(12)
	r.speak(20)
	r.pause(10)
	r.want("speech_started called partial utterance")
	if last := r.lens[len(r.lens)-1]; last != (12+20+3)*FrameSize {
		t.Errorf("the recogniser got %v samples", r.lens)
	}
}

// The phrase may be found in the words, too, and what is left of it there is cut.
func TestThePhraseIsFoundInTheWordsAsWell(t *testing.T) {
	for _, heard := range []bool{false, true} {
		r, s := newCalledRoom(t)
		if heard {
			s.behind(8, 4)
		}
		r.texts = says("Hey Reachy, look left.")
		r.speak(30)
		r.pause(10)
		if got := r.last(); got.Type != client.Heard || got.Utterance.Text != "look left." {
			t.Errorf("heard in the sound: %v: %s", heard, r.types())
		}
	}
}

func TestAStopNeedsNoPhrase(t *testing.T) {
	for _, end := range []int{0, 12} {
		r, s := newCalledRoom(t)
		if end > 0 {
			s.behind(end, 3)
		}
		r.texts = says("Stop!")
		r.speak(25)
		r.pause(10)
		if got := strings.ReplaceAll(r.types(), "called ", ""); got != "speech_started stop_word" || r.stops != 1 {
			t.Errorf("phrase behind %d frames: %s, %d stops", end, got, r.stops)
		}
	}
}

// A stop that the recogniser works on already is not lost when the phrase is found.
func TestACallDoesNotHideAStop(t *testing.T) {
	s := &scriptedSpotter{}
	r, slow := newSlowRoom(t, func(c *Config) { c.WakePhrase, c.Spotter = "hey reachy", s })
	r.pause(20)
	s.behind(10, 6)
	r.speak(20)
	r.pause(4)
	<-slow.began
	s.told, s.end = 0, (before+20)*FrameSize
	r.pause(3)
	slow.answer <- "stop stop"
	r.wait(3)
	r.want("speech_started called stop_word")
}

func TestThePhraseTwice(t *testing.T) {
	r, s := newCalledRoom(t)
	s.behind(10, 2)
	r.speak(15)
	s.told = 0
	s.behind(30, 2)
	r.speak(30)
	r.pause(10)
	r.want("speech_started called partial utterance")
	if want := (15 + 3) * FrameSize; r.lens[0] != want {
		t.Errorf("the recogniser got %v samples, want %d", r.lens, want)
	}
}

func TestThePhraseAtTheEndOfARecording(t *testing.T) {
	for frames, want := range map[int]string{20: "speech_started called woken", 8: "speech_started called utterance"} {
		r, s := newCalledRoom(t)
		s.behind(frames, 100)
		r.speak(20)
		r.Flush()
		r.want(want)
		if s.ends != 1 {
			t.Errorf("%d ends", s.ends)
		}
	}
}

func TestMuteForgetsThePhrase(t *testing.T) {
	r, s := newCalledRoom(t)
	s.behind(15, 10)
	r.speak(20)
	resets := s.resets
	r.Mute(true)
	if s.resets != resets+1 {
		t.Error("the spotter goes on")
	}
	r.Mute(false)
	r.want("speech_started rejected:muted mute mute")
}
