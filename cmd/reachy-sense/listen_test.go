//go:build whisper

package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/daemon/worker"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// hearing are arguments for a host that hears recordings only, with what the program brings along.
func hearing(dir string) []string {
	return []string{
		"--socket", filepath.Join(dir, "sock"), "--models", "../../../shared/data", "--speech", builtIn,
		"--microphone", off, "--speaker", off, "--camera", off,
	}
}

func wav(x []float32) *bytes.Reader { return bytes.NewReader(speechtest.EncodeWAV(x)) }

// quiet is the sound of a room in which nobody is.
func quiet(t testing.TB, d time.Duration) []float32 {
	return speechtest.Gain(speechtest.Noise(t, speechtest.Pink, speechtest.Samples(d), 1), -62)
}

func TestWhatIsNoCommandIsNone(t *testing.T) {
	t.Parallel()
	c, out := start(t, hearing(shortDir(t)))
	st, err := c.State(t.Context())
	if err != nil || st.Hearing.Model == "" {
		t.Fatalf("%+v, %v\n%s", st.Hearing, err, out)
	}
	if st.Hearing.Detector != "silero" {
		t.Skip("NOT TESTED: the Silero model is not here: reachyctl models pull silero-v6.2.0")
	}
	sound := func(k speechtest.Kind) []float32 {
		return speechtest.Join(quiet(t, time.Second), speechtest.Gain(speechtest.Noise(t, k, speechtest.Samples(10*time.Second), 4), -30), quiet(t, time.Second))
	}
	story := "There was once a robot who lived on a table in a small laboratory, and every morning it lifted its head and " +
		"looked around the room for somebody to talk to, but there was nobody, so it counted the books on the shelf and the birds on the roof,"
	for _, x := range []struct {
		name  string
		sound []float32
	}{
		{"silence", make([]float32, 5*speechtest.Rate)},
		{"room", quiet(t, 10*time.Second)},
		{"white noise", sound(speechtest.White)},
		{"hum", sound(speechtest.Hum)},
		{"servo", sound(speechtest.Servo)},
		{"music", sound(speechtest.Music)},
		{"cough", sound(speechtest.Cough)},
		{"monologue", slices.Repeat(speechtest.Say(t, "espeak:en-us", story), 6)},
	} {
		h, err := c.Listen(t.Context(), wav(x.sound), nil)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		t.Logf("%s: %s (%.1f s in %.2f s)", x.name, h.Message, h.Duration, h.Took)
		if len(h.Utterances) > 0 || h.StopWord != "" || h.Message == "" {
			t.Errorf("%s: %+v", x.name, h)
		}
	}
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("look left"), "broken": []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00")} {
		_, err := c.Listen(t.Context(), bytes.NewReader(data), nil)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Status != 400 {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v", name, err)
	}
}

// sentences are so many in one recording.
func sentences(t testing.TB, n int) []float32 {
	said := speechtest.Join(speechtest.Say(t, "flite:slt", "look left"), quiet(t, 800*time.Millisecond))
	all := quiet(t, time.Second)
	for range n {
		all = append(all, said...)
	}
	return all
}

// turns is how many times somebody spoke.
func turns(h client.Hearings) int { return len(h.Utterances) + len(h.Rejected) }

func TestTheWorkerComesBackInTheMiddleOfASentence(t *testing.T) {
	t.Parallel()
	s := supervise(t, hearing(shortDir(t)))
	before, _ := s.until(t, worker.Running)
	c := client.New(s.Socket)
	defer c.Close()
	long := wav(sentences(t, 40))
	began := make(chan struct{}, 100)
	done := make(chan error, 1)
	go func() {
		_, err := c.Listen(context.Background(), long, func(client.Event) {
			select {
			case began <- struct{}{}:
			default:
			}
		})
		done <- err
	}()
	select {
	case <-began:
	case err := <-done:
		t.Fatal(err)
	}
	if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if err := <-done; !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("the recording ended with %v", err)
	}
	_, back := s.until(t, worker.Running)
	t.Logf("back %v after the kill", back.Sub(killed).Round(time.Millisecond))
	h, err := c.Listen(t.Context(), wav(sentences(t, 2)), nil)
	if err != nil || turns(h) != 2 {
		t.Errorf("afterwards: %+v, %v", h, err)
	}
}

func TestMemoryIsFlatOverUtterances(t *testing.T) { t.Parallel(); memory(t, 1, 10) }

// BenchmarkMemory is the long run: go test -tags whisper -run xxx -bench Memory -benchtime 40x ./cmd/reachy-sense hears a
// thousand sentences.
func BenchmarkMemory(b *testing.B) { memory(b, b.N, 25) }

// memory has the real program hear recordings, and fails when its memory grows.
func memory(t testing.TB, recordings, each int) {
	s := supervise(t, hearing(shortDir(t)))
	s.until(t, worker.Running)
	c := client.New(s.Socket)
	defer c.Close()
	sound := speechtest.EncodeWAV(sentences(t, each))
	hear := func() {
		h, err := c.Listen(context.Background(), bytes.NewReader(sound), nil)
		if err != nil || turns(h) != each {
			t.Fatalf("%d turns of %d, %v", turns(h), each, err)
		}
	}
	hear() // what is loaded once is loaded now
	before := residentMB(t, c)
	for range recordings {
		hear()
	}
	after := residentMB(t, c)
	if b, ok := t.(*testing.B); ok {
		b.ReportMetric(before, "MB-before")
		b.ReportMetric(after, "MB-after")
	}
	t.Logf("%.1f MB after %d utterances, %.1f MB after %d more", before, each, after, recordings*each)
	if after > before+16+before/10 {
		t.Errorf("from %.1f MB to %.1f MB", before, after)
	}
}

// TestAVoiceInterruptsTheRobot has a recording stand for the microphone, in real time: somebody speaks while the robot does.
func TestAVoiceInterruptsTheRobot(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	path := filepath.Join(dir, "mic.wav")
	speechtest.WriteWAV(t, path, speechtest.Join(
		quiet(t, 4*time.Second), speechtest.Say(t, "flite:slt", "please look at the apple on the table"), quiet(t, 3*time.Second)))
	args := hearing(dir)
	args = append(args, "--microphone", path, "--speaker", "null")
	c, out := start(t, args)
	var began, silent time.Time
	ctx, cancel := context.WithCancel(t.Context())
	watching, ended, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		c.Watch(ctx, func(m client.Message) {
			switch {
			case m.State != nil:
				select {
				case <-watching:
				default:
					close(watching)
				}
			case m.Event.Type == client.SpeechStarted && began.IsZero():
				began = m.Event.Time
			case m.Event.Type == client.SpeakingDone && silent.IsZero():
				silent = m.Event.Time
				close(done)
			}
		})
	}()
	<-watching
	s, err := c.Speak(t.Context(), strings.Repeat("I could talk about the sea for hours and hours, and nobody would stop me. ", 5))
	if err != nil || s.Reason != client.ReasonInterrupted {
		t.Errorf("%+v, %v\n%s", s, err, out)
	}
	st, err := c.State(t.Context())
	if err != nil || st.Counters.BargeIns != 1 {
		t.Errorf("%+v, %v", st.Counters, err)
	}
	select {
	case <-done:
	case <-time.After(patience):
		t.Error("the end of the words is not told")
	}
	cancel()
	<-ended
	// The turn is found to have begun with the frame that silences the robot.
	t.Logf("silent %v after the turn was found to begin", silent.Sub(began).Round(10*time.Microsecond))
}

// residentMB is the worker's memory.
func residentMB(t testing.TB, c *client.Client) float64 {
	t.Helper()
	st, err := c.State(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return float64(st.RSSBytes) / (1 << 20)
}

func TestWhetherTheModelIsTunedIsChosenAndTold(t *testing.T) {
	t.Parallel()
	for _, untuned := range []bool{false, true} {
		args := hearing(shortDir(t))
		args[5] = "tiny.en-q8_0" // instead of built-in
		c, out := start(t, append(args, "--untuned="+strconv.FormatBool(untuned)))
		st, err := c.State(t.Context())
		if err == nil && st.Hearing.Model == "" {
			t.Skip("NOT TESTED: Whisper is not here: reachyctl models pull tiny.en-q8_0: " + st.Hearing.Off)
		}
		if err != nil || st.Hearing.Tuned == untuned {
			t.Errorf("untuned %v: %+v, %v\n%s", untuned, st.Hearing, err, out)
		}
	}
}
