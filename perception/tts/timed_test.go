package tts

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
)

// watched notes when the first sample that is not silent is heard, by the sink's own account.
type watched struct {
	*audio.Player
	first time.Time
	value float32
}

func (w *watched) Write(ctx context.Context, rate int, pcm []float32) error {
	if w.first.IsZero() {
		for i, v := range pcm {
			if v != 0 {
				_, pending := w.Progress()
				w.first, w.value = time.Now().Add(pending+lengthOf(i, rate)), v
				break
			}
		}
	}
	return w.Player.Write(ctx, rate, pcm)
}

// A sound is heard when it is to be, within 20 ms; of one that is too late the beginning is left out.
func TestTimedSounds(t *testing.T) {
	const rate = 16000
	pcm := make([]float32, rate) // its samples tell where in it they are
	for i := range pcm {
		pcm[i] = float32(i+1) / rate / 2
	}
	for _, in := range []time.Duration{2 * time.Second, 300 * time.Millisecond, 30 * time.Millisecond, 0, -400 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			var w *watched
			r := newRig(t, &tone{}, func(r *rig) {
				w = &watched{Player: r.player}
				r.Sink = w
			})
			begin := time.Now().Add(in)
			said, err := r.Play(t.Context(), rate, pcm, begin)
			if err != nil || !said.Complete {
				t.Fatal(said, err)
			}
			belongs := begin.Add(time.Duration(w.value*2*rate-1) * time.Second / rate)
			if off := w.first.Sub(belongs); off.Abs() > 20*time.Millisecond {
				t.Errorf("to be heard in %v: %v off", in, off)
			}
			if over := time.Until(begin.Add(time.Second)); over.Abs() > 30*time.Millisecond {
				t.Errorf("to be heard in %v: its end is %v off", in, -over)
			}
			if r.log() != "" || len(r.heads) > 0 {
				t.Errorf("events %s, %d movements of the head", r.log(), len(r.heads))
			}
		})
	}
}

func TestTimedSoundsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, nil)
		long := make([]float32, 160000)
		if _, err := r.Play(t.Context(), 16000, long, time.Now().Add(time.Minute)); err == nil || !strings.Contains(err.Error(), "1m0s") {
			t.Errorf("in a minute: %v", err)
		}
		if _, err := r.Play(t.Context(), 16000, nil, time.Now()); !errors.Is(err, ErrNothing) {
			t.Errorf("no sound: %v", err)
		}
		go func() {
			time.Sleep(time.Second)
			r.Hush()
		}()
		start := time.Now()
		if _, err := r.Play(t.Context(), 16000, long, start); !errors.Is(err, ErrInterrupted) || time.Since(start) > 1200*time.Millisecond {
			t.Errorf("hushed after %v: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		if _, err := r.Play(ctx, 16000, long, time.Now()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("given up: %v", err)
		}
		if _, err := r.Start(string(bytes.Repeat([]byte("word "), 20))); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Play(t.Context(), 16000, long, time.Now()); !errors.Is(err, ErrBusy) {
			t.Errorf("beside words: %v", err)
		}
		r.Hush()
		if said, err := r.Say(t.Context(), "Well."); err != nil || !said.Complete {
			t.Errorf("words after a sound: %+v, %v", said, err)
		}
	})
}

// A sound that is still being made is heard as it comes, and ends when it is hushed.
func TestPouredSounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 16000
		var w *watched
		r := newRig(t, &tone{}, func(r *rig) {
			w = &watched{Player: r.player}
			r.Sink = w
		})
		start, left := time.Now(), 10
		more := func(ctx context.Context) ([]float32, error) {
			if left == 0 {
				return nil, io.EOF
			}
			select {
			case <-time.After(100 * time.Millisecond): // as fast as it is heard
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			left--
			return constant(rate/10, 0.5), nil
		}
		said, err := r.Pour(t.Context(), rate, more)
		if took := time.Since(start); err != nil || !said.Complete || said.Heard != time.Second || (took-1100*time.Millisecond).Abs() > 30*time.Millisecond {
			t.Errorf("after %v: %+v, %v", took, said, err)
		}
		if late := w.first.Sub(start) - 100*time.Millisecond; late.Abs() > 20*time.Millisecond {
			t.Errorf("its beginning is heard %v late", late)
		}
		left = 100
		go func() {
			time.Sleep(time.Second)
			r.Hush()
		}()
		start = time.Now()
		if _, err := r.Pour(t.Context(), rate, more); !errors.Is(err, ErrInterrupted) || time.Since(start) > 1200*time.Millisecond {
			t.Errorf("hushed after %v: %v", time.Since(start), err)
		}
		broken := errors.New("broken")
		if _, err := r.Pour(t.Context(), rate, func(context.Context) ([]float32, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Errorf("a source that breaks: %v", err)
		}
		if _, err := r.Pour(t.Context(), 0, more); !errors.Is(err, ErrNothing) {
			t.Errorf("without a rate: %v", err)
		}
	})
}

func constant(n int, v float32) []float32 {
	pcm := make([]float32, n)
	for i := range pcm {
		pcm[i] = v
	}
	return pcm
}
