package voice

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/client"
)

// slow is a recogniser that answers when it is told to, in a room with a real clock.
type slow struct {
	began  chan []float32
	answer chan string
}

func (s *slow) Transcribe(ctx context.Context, samples []float32) (Transcript, error) {
	s.began <- samples
	select {
	case text := <-s.answer:
		return Transcript{Text: text, Confidence: 1}, nil
	case <-ctx.Done():
		return Transcript{}, ctx.Err()
	}
}

// wait plays silence, if any, until so many events are there.
func (r *room) wait(n int) {
	r.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		r.mu.Lock()
		k := len(r.events)
		r.mu.Unlock()
		if k >= n {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("only %s", r.types())
		}
		r.work.Wait()
	}
}

func newSlowRoom(t *testing.T, change func(*Config)) (*room, *slow) {
	s := &slow{make(chan []float32, 8), make(chan string)}
	return newRoom(t, func(c *Config) {
		c.Recognizer, c.Synchronous, c.Now = s, false, time.Now
		if change != nil {
			change(c)
		}
	}), s
}

func TestTheTextMayComeLate(t *testing.T) {
	r, s := newSlowRoom(t, nil)
	r.speak(20)
	r.pause(15)
	<-s.began
	r.want("speech_started")
	s.answer <- "look left" // complete, and the short pause is over already
	r.wait(3)
	r.want("speech_started partial utterance")
}

func TestTheNextSentenceBeginsWhileTheTextIsAwaited(t *testing.T) {
	r, s := newSlowRoom(t, nil)
	r.speak(20)
	r.pause(28) // long: decided without a text
	first := <-s.began
	head := first[len(first)-FrameSize*10]
	r.speak(20)
	r.pause(60) // must wait for its turn
	r.want("speech_started speech_started")
	if first[len(first)-FrameSize*10] != head {
		t.Error("the sound under recognition was overwritten")
	}
	s.answer <- "look left"
	<-s.began
	s.answer <- "look right"
	r.wait(5)
	r.want("speech_started speech_started utterance partial utterance")
	if a, b := r.events[2].Utterance, r.events[4].Utterance; a.Text != "look left" || b.Text != "look right" || a.Turn != 1 || b.Turn != 2 {
		t.Errorf("%+v %+v", a, b)
	}
}

func TestSpeculationIsCancelledAndBegunAgain(t *testing.T) {
	r, s := newSlowRoom(t, nil)
	r.speak(70)
	<-s.began // in the middle of speech
	r.pause(5)
	<-s.began  // the pause is more important
	r.speak(2) // long enough a recording that it is worth to be aborted
	r.work.Wait()
	r.pause(10)
	<-s.began
	s.answer <- "look left"
	r.wait(3)
	r.want("speech_started partial utterance")
}

func TestStopInAShortSpeculationCountsAlthoughSpeechWentOn(t *testing.T) {
	r, s := newSlowRoom(t, nil)
	r.speak(10)
	r.pause(4)
	<-s.began
	r.speak(6) // 'stop … stop …'
	s.answer <- "stop stop"
	r.wait(2)
	r.want("speech_started stop_word")
}

func TestARecogniserThatHangsIsGivenUp(t *testing.T) {
	r, s := newSlowRoom(t, func(c *Config) { c.Timeout = 10 * time.Millisecond })
	r.speak(20)
	r.pause(28)
	<-s.began
	r.wait(2)
	r.want("speech_started rejected:failed")
}

func TestMuteDuringRecognition(t *testing.T) {
	r, s := newSlowRoom(t, nil)
	r.speak(20)
	r.pause(5)
	<-s.began
	r.Mute(true)
	r.work.Wait()
	r.want("speech_started rejected:muted mute")
	for i, b := range r.buffers {
		for _, v := range b[:cap(b)] {
			if v != 0 {
				t.Fatalf("sound is left in buffer %d", i)
			}
		}
	}
}

func TestSomebodyElseJudges(t *testing.T) {
	r := newRoom(t, nil)
	r.texts = says("the weather") // unknown to the rules
	r.speak(20)
	r.pause(10)
	p := r.last()
	r.SetEndpoint(p.Turn+1, p.Revision, client.Complete)
	r.SetEndpoint(p.Turn, p.Revision+1, client.Complete)
	r.want("speech_started partial")
	r.SetEndpoint(p.Turn, p.Revision, client.Complete)
	r.want("speech_started partial utterance")
	r.SetEndpoint(p.Turn, p.Revision, client.Complete) // too late

	r.speak(20)
	r.pause(5)
	p = r.last()
	r.SetEndpoint(p.Turn, p.Revision, client.Incomplete)
	r.pause(22)
	if got := r.last().Type; got != client.Partial {
		t.Errorf("%s after a medium pause, although it hangs", got)
	}
	r.pause(1)
	if got := r.last().Type; got != client.Heard {
		t.Errorf("%s after a long pause", got)
	}
}

func TestFlushEndsARecording(t *testing.T) {
	r := newRoom(t, nil)
	r.speak(20)
	r.Flush()
	r.want("speech_started utterance")
	if u := r.last().Utterance; u.Speculated {
		t.Errorf("%+v", u)
	}
}

func TestGapsAreCounted(t *testing.T) {
	r := newRoom(t, nil)
	r.pause(3)
	r.at = r.at.Add(time.Second)
	r.pause(3)
	if s := r.Stats(); s.Gaps != 1 || s.Frames != 6 {
		t.Errorf("%+v", s)
	}
}

func TestConfigIsChecked(t *testing.T) {
	good := func() Config {
		return Config{Detector: &scriptedDetector{}, Recognizer: &room{}, Event: func(client.Event) {}}
	}
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"nothing", func(c *Config) { *c = Config{} }, "needed"},
		{"pause", func(c *Config) { c.Short = 2 * time.Second }, "must not fall"},
		{"negative", func(c *Config) { c.PreRoll = -1 }, "pre-roll"},
		{"endless", func(c *Config) { c.Longest = 2 * time.Minute }, "longest"},
	} {
		cfg := good()
		c.change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAfterCloseNothingHappens(t *testing.T) {
	r, s := newSlowRoom(t, nil)
	r.speak(20)
	r.pause(28)
	<-s.began
	r.Close()
	r.Close()
	r.speak(20)
	r.Mute(true)
	r.Flush()
	r.want("speech_started")
}

func TestADetectorThatFailsIsReported(t *testing.T) {
	r := newRoom(t, func(c *Config) { c.Detector = brokenDetector{} })
	if err := r.Hear(slices.Repeat([]float32{0.1}, FrameSize), r.at); err == nil {
		t.Error("no error")
	}
}

type brokenDetector struct{}

func (brokenDetector) Speech([]float32) (float32, error) { return 0, errors.New("broken") }
func (brokenDetector) Reset()                            {}

func TestHearingAllocatesNothing(t *testing.T) {
	r := newRoom(t, func(c *Config) { c.Interim = -1 })
	quiet, loud := slices.Repeat([]float32{0.0001}, FrameSize), slices.Repeat([]float32{0.1}, FrameSize)
	r.speak(10)
	for name, frame := range map[string][]float32{"speech": loud, "silence": quiet} {
		frame[0] = 0
		if name == "speech" {
			frame[0] = 0.9e-3
		}
		if n := testing.AllocsPerRun(100, func() { _ = r.Hear(frame, r.at); r.at = r.at.Add(FrameTime) }); n > 0 {
			t.Errorf("%s: %v allocations a frame", name, n)
		}
		r.pause(40)
	}
}

func BenchmarkHear(b *testing.B) {
	e, err := New(Config{Detector: &scriptedDetector{}, Recognizer: &room{}, Event: func(client.Event) {}, Synchronous: true})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	frame := make([]float32, FrameSize)
	for i := range frame {
		frame[i] = 0.01 * float32(i&1)
	}
	at := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Hear(frame, at); err != nil {
			b.Fatal(err)
		}
		at = at.Add(FrameTime)
	}
}
