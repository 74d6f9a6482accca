package voice

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/perception/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scripted sound: the first sample of a frame is how likely it is speech, the second its number in the script, the
// rest a tone of a loudness.
type scriptedDetector struct{ resets int }

func (d *scriptedDetector) Speech(frame []float32) (float32, error) { return frame[0] * 1e3, nil }
func (d *scriptedDetector) Reset()                                  { d.resets++ }

// room plays scripted sound into an Engine and collects what happens.
type room struct {
	*Engine
	t      testing.TB
	mu     sync.Mutex
	events []client.Event
	at     time.Time
	stops  int
	texts  func(n int, samples []float32) (Transcript, error)
	calls  int
	lens   []int
}

func (r *room) Transcribe(ctx context.Context, samples []float32) (Transcript, error) {
	r.mu.Lock()
	r.calls++
	n := r.calls
	r.lens = append(r.lens, len(samples))
	r.mu.Unlock()
	return r.texts(n, samples)
}

func (r *room) event(e client.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// says makes every recognition yield the text.
func says(text string) func(int, []float32) (Transcript, error) {
	return func(int, []float32) (Transcript, error) {
		return Transcript{Text: text, Confidence: 0.9, Language: "en"}, nil
	}
}

func newRoom(t testing.TB, change func(*Config)) *room {
	t.Helper()
	r := &room{t: t, at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), texts: says("look left")}
	cfg := Config{
		Detector: &scriptedDetector{}, Recognizer: r, Event: r.event, Synchronous: true,
		Stop: func(context.Context) error { r.stops++; return nil },
		Now:  func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	if r.Engine, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// sound plays frames of a probability and a loudness.
func (r *room) sound(frames int, p float32, dbfs float64) {
	r.t.Helper()
	buf := make([]float32, FrameSize)
	amplitude := math.Pow(10, dbfs/20)
	for range frames {
		for i := range buf {
			buf[i] = float32(amplitude * (1 - 2*float64(i&1)))
		}
		buf[0] = p / 1e3
		if err := r.Hear(buf, r.at); err != nil {
			r.t.Fatal(err)
		}
		r.at = r.at.Add(FrameTime)
	}
}

func (r *room) speak(frames int) { r.t.Helper(); r.sound(frames, 0.9, -25) }
func (r *room) pause(frames int) { r.t.Helper(); r.sound(frames, 0.02, -60) }

// types are the types of what happened so far, in order, with reasons.
func (r *room) types() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, e := range r.events {
		s := string(e.Type)
		if e.Reason != "" {
			s += ":" + e.Reason
		}
		if e.Reason == client.ReasonFailed {
			r.t.Log(e.Message)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func (r *room) want(types string) {
	r.t.Helper()
	if got := r.types(); got != types {
		r.t.Fatalf("got  %s\nwant %s", got, types)
	}
}

func (r *room) last() client.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[len(r.events)-1]
}

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
	if got := r.types(); strings.Count(got, "rejected:too_long") != 1 || strings.Contains(got, "utterance") {
		t.Errorf("got %s", got)
	}
	r.pause(30)
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
	s.answer <- "stop"
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
