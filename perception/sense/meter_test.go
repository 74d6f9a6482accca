package sense

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
)

// stream is a sink that has played as much as the test says.
type stream struct {
	written, heard time.Duration
	err            error
}

func (s *stream) Write(_ context.Context, rate int, pcm []float32) error {
	if s.err == nil {
		s.written += time.Duration(len(pcm)) * time.Second / time.Duration(rate)
	}
	return s.err
}
func (s *stream) Drain(context.Context) error { return nil }
func (s *stream) Flush()                      { s.written = s.heard }
func (s *stream) Progress() (heard, pending time.Duration) {
	return s.heard, s.written - s.heard
}

func TestTheMeterKnowsHowLoudItIsWhen(t *testing.T) {
	s, now := &stream{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m := NewMeter(s, &knob{}, func() {})
	m.now = func() time.Time { return now }
	pass := func(d time.Duration) { now = now.Add(d); s.heard = min(s.heard+d, s.written) }
	want := func(what string, from, to time.Duration, dbfs float64, playing bool) {
		t.Helper()
		got, is := m.Loudness(now.Add(from), now.Add(to))
		if is != playing || (playing && math.Abs(got-dbfs) > 0.5) {
			t.Errorf("%s: %.1f dBFS, %v; want %.1f, %v", what, got, is, dbfs, playing)
		}
	}
	want("before", -time.Second, time.Second, 0, false)
	sound := append(slices.Repeat([]float32{0.1}, 16000), slices.Repeat([]float32{0.01}, 16000)...) // −20, −40
	if err := m.Write(t.Context(), 16000, sound); err != nil {
		t.Fatal(err)
	}
	want("at the start", -400*time.Millisecond, 32*time.Millisecond, -20, true)
	want("just before", -400*time.Millisecond, 0, 0, false)
	pass(1300 * time.Millisecond)
	want("quiet part, loud part still in the room", -400*time.Millisecond, 32*time.Millisecond, -20, true)
	want("quiet part", -200*time.Millisecond, 32*time.Millisecond, -40, true)
	if err := m.SetVolume(10); err != nil {
		t.Fatal(err)
	}
	want("turned down", -200*time.Millisecond, 32*time.Millisecond, -80, true)
	m.SetVolume(100)
	pass(300 * time.Millisecond)
	s.Flush()
	want("just cut off", -100*time.Millisecond, 32*time.Millisecond, -40, true)
	want("after it was cut off", 0, 500*time.Millisecond, 0, false)
	pass(500 * time.Millisecond)
	want("long after", -400*time.Millisecond, 32*time.Millisecond, 0, false)
	m.Write(t.Context(), 16000, sound[:1600])
	want("again", 0, 32*time.Millisecond, -20, true)
	want("what was cut off does not come back", 200*time.Millisecond, time.Second, 0, false)
	s.err = audio.ErrFlushed
	if err := m.Write(t.Context(), 16000, sound); err == nil {
		t.Error("no error")
	}
}

func TestTheMeterOnARealPlayer(t *testing.T) {
	p, err := audio.NewNull(audio.PumpOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	hushed := false
	m := NewMeter(p, p, func() { hushed = true })
	if err := m.Write(t.Context(), 22050, slices.Repeat([]float32{0.5, -0.5}, 11025)); err != nil {
		t.Fatal(err)
	}
	if dbfs, playing := m.Loudness(time.Now().Add(-time.Second), time.Now().Add(time.Second)); !playing || math.Abs(dbfs+6) > 1 {
		t.Errorf("%.1f dBFS, %v", dbfs, playing)
	}
	if err := m.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	if _, playing := m.Loudness(time.Now().Add(50*time.Millisecond), time.Now().Add(time.Second)); playing {
		t.Error("it goes on after its end")
	}
	if m.Hush(); !hushed {
		t.Error("not hushed")
	}
}
