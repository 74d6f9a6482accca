package voice

import (
	"context"
	"math"
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
	brakes int
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
		Stop:  func(context.Context, string) error { r.stops++; return nil },
		Brake: func(context.Context) error { r.mu.Lock(); defer r.mu.Unlock(); r.brakes++; return nil },
		Now:   func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
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
