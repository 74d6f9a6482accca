package tts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/audio"
)

// tone is a voice that says 50 ms of a tone per character, in pieces of 20 ms, as fast as it can.
type tone struct {
	mu    sync.Mutex
	said  []string
	at    []time.Time // when each sentence began to be made
	fails string      // a sentence that contains this fails in its middle
}

func (v *tone) Name() string { return "tone" }
func (v *tone) Close() error { return nil }

func (v *tone) Synthesize(ctx context.Context, s string, emit func(int, []float32) error) error {
	v.mu.Lock()
	v.said, v.at = append(v.said, s), append(v.at, time.Now())
	fails := v.fails != "" && strings.Contains(s, v.fails)
	v.mu.Unlock()
	pcm := make([]float32, 320)
	n := len(s) * 50 / 20
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if fails && i == n/2 {
			return fmt.Errorf("%w: hoarse", ErrVoice)
		}
		for k := range pcm {
			pcm[k] = float32(0.5 * math.Sin(float64(i*320+k)/5))
		}
		if err := emit(16000, pcm); err != nil {
			return err
		}
	}
	return nil
}

// rig is a speaker that plays to nobody and notes what happens.
type rig struct {
	*Speaker
	player   *audio.Player
	mu       sync.Mutex
	events   []string
	heads    []hal.Head
	antennas []hal.Antennas
	when     []time.Time
}

func (r *rig) Offset(_ context.Context, h hal.Head, a hal.Antennas) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.antennas = append(r.antennas, a)
	r.heads, r.when = append(r.heads, h), append(r.when, time.Now())
	return nil
}

func (r *rig) log() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.events, " | ")
}

func newRig(t *testing.T, v Voice, change func(*rig)) *rig {
	t.Helper()
	player, err := audio.NewNull(audio.PumpOptions{Rate: 16000})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{player: player}
	r.Speaker = &Speaker{Voice: v, Sink: player, Volume: player, Mover: r}
	if change != nil {
		change(r)
	}
	r.OnEvent = func(e Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		s := fmt.Sprintf("%d %s %q", e.ID, e.Type, e.Text)
		if e.Err != nil {
			s += " " + e.Err.Error()
		}
		r.events = append(r.events, s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = r.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended; player.Close() })
	return r
}

func TestSayReturnsWhenItWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &tone{}
		r := newRig(t, v, nil)
		start := time.Now()
		got, err := r.Say(t.Context(), "**Hello** there. This is me.")
		if err != nil {
			t.Fatal(err)
		}
		d := time.Since(start)
		if want := 24 * 50 * time.Millisecond; d < want-100*time.Millisecond || d > want+100*time.Millisecond ||
			!got.Complete || got.Text != "Hello there. This is me." || (got.Heard-d).Abs() > 15*time.Millisecond {
			t.Errorf("after %v: %+v", d, got)
		}
		if want := `1 started "Hello there. This is me." | 1 finished "Hello there. This is me."`; r.log() != want {
			t.Errorf("events %s", r.log())
		}
		// The second sentence was made while the first was being heard.
		if len(v.at) != 2 || v.at[1].Sub(start) > 100*time.Millisecond {
			t.Errorf("%q at %v", v.said, v.at)
		}
		if n := r.player.Status().Underruns; n != 0 {
			t.Errorf("%d under-runs", n)
		}
		if s := r.Status(); s.Speaking || s.Waiting != 0 || s.Voice != "tone" {
			t.Errorf("%+v", s)
		}
	})
}

func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, nil)
		for i := range 3 {
			if id, err := r.Start(fmt.Sprintf("Text %d.", i)); err != nil || id != uint64(i+1) {
				t.Fatal(id, err)
			}
		}
		if _, err := r.Say(t.Context(), "Last."); err != nil {
			t.Fatal(err)
		}
		if want := `1 started "Text 0." | 1 finished "Text 0." | 2 started "Text 1." | 2 finished "Text 1." | ` +
			`3 started "Text 2." | 3 finished "Text 2." | 4 started "Last." | 4 finished "Last."`; r.log() != want {
			t.Errorf("events %s", r.log())
		}
	})
}

func TestHush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, nil)
		said := make(chan error, 1)
		go func() { _, err := r.Say(t.Context(), "One two three four five. Six seven."); said <- err }()
		synctest.Wait()
		if _, err := r.Start("And something else."); err != nil {
			t.Fatal(err)
		}
		time.Sleep(720 * time.Millisecond) // 14 characters: "One two three "
		at := time.Now()
		got := r.Hush()
		if d := time.Since(at); d > 20*time.Millisecond {
			t.Errorf("Hush took %v", d)
		}
		if got.Text != "One two three" || got.Complete || got.Heard < 700*time.Millisecond || got.Heard > 740*time.Millisecond {
			t.Errorf("%+v", got)
		}
		if err := <-said; !errors.Is(err, ErrInterrupted) {
			t.Error(err)
		}
		before, _ := r.player.Progress()
		time.Sleep(time.Second)
		if after, pending := r.player.Progress(); after-before > 15*time.Millisecond || pending != 0 {
			t.Errorf("%v were heard after Hush, %v pending", after-before, pending)
		}
		if want := `1 started "One two three four five. Six seven." | 1 interrupted "One two three" | 2 interrupted ""`; r.log() != want {
			t.Errorf("events %s", r.log())
		}
		if got := r.Hush(); got != (Spoken{}) {
			t.Errorf("Hush of nothing %+v", got)
		}
		// What is said next is whole.
		if got, err := r.Say(t.Context(), "Sorry."); err != nil || !got.Complete || got.Heard != 300*time.Millisecond {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// pausing is a voice that ends each sentence with a second of silence.
type pausing struct{ tone }

func (v *pausing) Synthesize(ctx context.Context, s string, emit func(int, []float32) error) error {
	if err := v.tone.Synthesize(ctx, s, emit); err != nil {
		return err
	}
	for range 10 {
		if err := emit(16000, make([]float32, 1600)); err != nil {
			return err
		}
	}
	return nil
}

// A pause is kept between sentences and not waited for after the last.
func TestSilenceAtTheEndIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &pausing{}, nil)
		start := time.Now()
		got, err := r.Say(t.Context(), "One two. Four five.") // 400 ms, a pause, 500 ms
		if d := time.Since(start); err != nil || d < 1900*time.Millisecond || d > 1950*time.Millisecond || (got.Heard-d).Abs() > 20*time.Millisecond {
			t.Errorf("after %v: %+v, %v", d, got, err)
		}
		_, _ = r.Start("One two. Four five.")
		time.Sleep(1000 * time.Millisecond) // in the pause
		if got := r.Hush(); got.Text != "One two." {
			t.Errorf("in the pause %+v", got)
		}
	})
}

// Endless silence does not fill the memory.
func TestLongSilence(t *testing.T) {
	player, err := audio.NewNull(audio.PumpOptions{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	s := &Speaker{Sink: player}
	s.init()
	p, of := progress{}, &text{ctx: t.Context()}
	for range 600 {
		if err := s.write(&p, sound{of: of, rate: 16000, pcm: make([]float32, 1600)}); err != nil {
			t.Fatal(err)
		}
	}
	if held := lengthOf(len(p.held), p.heldRate); held > maxHeld+200*time.Millisecond || p.written+held != time.Minute {
		t.Errorf("%v are held, %v written", held, p.written)
	}
}

// The end of Say's context interrupts that text alone.
func TestSayIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 330*time.Millisecond)
		defer cancel()
		next := make(chan Spoken, 1)
		go func() {
			time.Sleep(100 * time.Millisecond)
			s, _ := r.Say(t.Context(), "Next one.")
			next <- s
		}()
		got, err := r.Say(ctx, "This will not be heard to its end.")
		if !errors.Is(err, context.DeadlineExceeded) || got.Text != "This" {
			t.Errorf("%+v, %v", got, err)
		}
		if got := <-next; !got.Complete || got.Heard != 440*time.Millisecond {
			t.Errorf("next %+v", got)
		}
	})
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, nil)
		if _, err := r.Say(t.Context(), strings.Repeat("ä", MaxText+1)); !errors.Is(err, ErrTooLong) ||
			!strings.Contains(err.Error(), "5001 characters, allowed 5000") {
			t.Errorf("long: %v", err)
		}
		for _, s := range []string{"", "  \n", "😀", "***"} {
			if _, err := r.Say(t.Context(), s); !errors.Is(err, ErrNothing) {
				t.Errorf("%q: %v", s, err)
			}
		}
		for i := range MaxQueue + 1 { // one is being said
			if _, err := r.Start("Wait for me."); err != nil {
				t.Fatal(i, err)
			}
		}
		if _, err := r.Start("One too many."); !errors.Is(err, ErrQueueFull) {
			t.Errorf("queue: %v", err)
		}
		r.Hush()
		if id, err := r.Start("Now."); err != nil || id != MaxQueue+2 {
			t.Errorf("after Hush: %d, %v", id, err)
		}
		for _, level := range []int{-1, 101} {
			if err := r.SetVolume(level); err == nil || !strings.Contains(err.Error(), "is not within 0…100") {
				t.Errorf("volume %d: %v", level, err)
			}
		}
		if err := r.SetVolume(30); err != nil {
			t.Error(err)
		}
		if err := newRig(t, &tone{}, func(r *rig) { r.Volume = nil }).SetVolume(30); err == nil {
			t.Error("volume without a control")
		}
	})
}

// A voice that fails ends its text, and the next one is said.
func TestVoiceFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{fails: "bad"}, nil)
		got, err := r.Say(t.Context(), "A good one. A bad one.")
		if !errors.Is(err, ErrVoice) || got.Complete || !strings.HasPrefix(got.Text, "A good one.") {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := r.Say(t.Context(), "Fine."); err != nil {
			t.Error(err)
		}
		if want := `| 1 failed "A good one. A" the voice failed: hoarse |`; !strings.Contains(r.log(), want) {
			t.Errorf("events %s", r.log())
		}
	})
}

// A voice that dies in the middle of a queue is replaced, and nothing is left out.
func TestFallbackInTheMiddleOfAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := &tone{fails: "die"}, &tone{}
		failures := 0
		f := &Fallback{First: first, Second: second, OnFailure: func(error) { failures++ }}
		r := newRig(t, f, nil)
		for _, s := range []string{"One. Two.", "Now die here. Three.", "Four."} {
			if got, err := r.Say(t.Context(), s); err != nil || !got.Complete {
				t.Errorf("%q: %+v, %v", s, got, err)
			}
		}
		if failures != 1 || strings.Join(second.said, "|") != "Now die here." || len(first.said) != 5 {
			t.Errorf("%d failures; first %q, second %q", failures, first.said, second.said)
		}
	})
}

// deaf is a loudspeaker that was unplugged.
type deaf struct{ *audio.Player }

func (deaf) Write(context.Context, int, []float32) error { return audio.ErrNoDevice }

func TestLoudspeakerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, func(r *rig) { r.Sink = deaf{r.player} })
		if got, err := r.Say(t.Context(), "Hello."); !errors.Is(err, audio.ErrNoDevice) || got.Text != "" {
			t.Errorf("%+v, %v", got, err)
		}
		if !strings.Contains(r.log(), `1 failed ""`) {
			t.Errorf("events %s", r.log())
		}
	})
}

func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		player, err := audio.NewNull(audio.PumpOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer player.Close()
		s := &Speaker{Voice: &tone{}, Sink: player}
		ctx, cancel := context.WithCancel(t.Context())
		said := make(chan error, 2)
		for range 2 {
			go func() { _, err := s.Say(t.Context(), "This takes a while."); said <- err }()
		}
		time.AfterFunc(200*time.Millisecond, cancel)
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := <-said; !errors.Is(err, ErrInterrupted) {
				t.Error(err)
			}
		}
		if _, err := s.Say(t.Context(), "Too late."); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}

// The head moves while something is heard, and is back in its place 0.3 s after.
func TestHeadMovesWithTheVoice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, nil)
		check := func(what string, began, ended time.Time) {
			t.Helper()
			time.Sleep(time.Second)
			r.mu.Lock()
			defer r.mu.Unlock()
			if len(r.heads) == 0 {
				t.Fatalf("%s: the head kept still", what)
			}
			last := len(r.heads) - 1
			if r.heads[last] != (hal.Head{}) || r.when[last].Sub(ended) > 300*time.Millisecond || r.when[0].Sub(began) > 100*time.Millisecond {
				t.Errorf("%s: last %+v, %v after the end; first after %v", what, r.heads[last], r.when[last].Sub(ended), r.when[0].Sub(began))
			}
			if n := int(r.when[last].Sub(r.when[0])/Tick) + 1; n != len(r.heads) {
				t.Errorf("%s: %d offsets in %v", what, len(r.heads), r.when[last].Sub(r.when[0]))
			}
			moved := false
			for _, h := range r.heads {
				moved = moved || math.Abs(h.Pitch) > 0.3*MaxSpeechPitch
			}
			if !moved {
				t.Errorf("%s: it hardly moved", what)
			}
			r.heads, r.when = nil, nil
		}
		began := time.Now()
		if _, err := r.Say(t.Context(), "This is a sentence of some length."); err != nil {
			t.Fatal(err)
		}
		check("said", began, time.Now())
		began = time.Now()
		if _, err := r.Start("This is a sentence of some length."); err != nil {
			t.Fatal(err)
		}
		time.Sleep(700 * time.Millisecond)
		r.Hush()
		check("interrupted", began, time.Now())
		if l := r.Loudness(); l != 0 {
			t.Errorf("silence has loudness %v", l)
		}
	})
}

// A body that does not answer is told of in the status and does not disturb the voice.
func TestBodyIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &tone{}, func(r *rig) { r.Mover = stuck{} })
		if got, err := r.Say(t.Context(), "Hello there."); err != nil || !got.Complete || got.Heard != 600*time.Millisecond {
			t.Errorf("%+v, %v", got, err)
		}
		if s := r.Status(); !strings.Contains(s.MoveErr, "deadline") {
			t.Errorf("%+v", s)
		}
	})
}

type stuck struct{}

func (stuck) Offset(ctx context.Context, _ hal.Head, _ hal.Antennas) error {
	<-ctx.Done()
	return ctx.Err()
}
