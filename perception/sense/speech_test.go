package sense

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/tts"
)

func TestSpeak(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	type result struct {
		client.Spoken
		error
	}
	say := func(ctx context.Context) <-chan result {
		c := make(chan result, 1)
		go func() { s, err := r.Speak(ctx, "Hello."); c <- result{s, err} }()
		return c
	}
	c := say(t.Context())
	if e := r.event(client.SpeakingStarted); e.Text != "Hello." {
		t.Errorf("%+v", e)
	}
	if st, _ := r.Client.State(t.Context()); !st.Speech.Speaking || st.Speech.Queued != 0 || st.Speech.Volume != 80 {
		t.Errorf("%+v", st.Speech)
	}
	r.voice.end <- struct{}{}
	if s := <-c; s.error != nil || s.Reason != client.ReasonFinished || s.Heard != 1 {
		t.Errorf("%+v", s)
	}
	if e := r.event(client.SpeakingDone); e.Reason != client.ReasonFinished {
		t.Errorf("%+v", e)
	}
	c = say(t.Context())
	r.event(client.SpeakingStarted)
	if err := r.Hush(t.Context()); err != nil {
		t.Error(err)
	}
	if s := <-c; s.error != nil || s.Reason != client.ReasonInterrupted {
		t.Errorf("%+v", s)
	}
	r.event(client.SpeakingDone)
	ctx, cancel := context.WithCancel(t.Context())
	c = say(ctx)
	r.event(client.SpeakingStarted)
	cancel()
	if s := <-c; !errors.Is(s.error, context.Canceled) {
		t.Errorf("%+v", s)
	}
	if e := r.event(client.SpeakingDone); e.Reason != client.ReasonInterrupted {
		t.Errorf("%+v", e)
	}
	for err, status := range map[error]int{
		tts.ErrNothing: 400, tts.ErrTooLong: 400, tts.ErrQueueFull: 503, tts.ErrVoice: 500, tts.ErrClosed: 503,
	} {
		r.voice.err = fmt.Errorf("x: %w", err)
		_, got := r.Speak(t.Context(), "Hello.")
		wantStatus(t, got, status)
	}
}

func TestTextsThatWaitHaveALimit(t *testing.T) {
	r := newRig(t, nil)
	r.watching()
	var wg sync.WaitGroup
	for range MaxSpeaking {
		wg.Go(func() { r.Speak(context.Background(), "Hello.") })
	}
	r.until("texts", func() bool { return len(r.events) == MaxSpeaking })
	_, err := r.Speak(t.Context(), "One more.")
	wantStatus(t, err, http.StatusServiceUnavailable)
	close(r.voice.end)
	wg.Wait()
}

func TestVolume(t *testing.T) {
	r := newRig(t, nil)
	if err := r.SetVolume(t.Context(), 0); err != nil || r.knob.level != 0 {
		t.Error(err, r.knob.level)
	}
	if st, _ := r.Client.State(t.Context()); st.Speech.Volume != 0 {
		t.Errorf("%+v", st.Speech)
	}
	for _, level := range []int{-1, 101} {
		wantStatus(t, r.SetVolume(t.Context(), level), http.StatusBadRequest)
	}
}

// A sound file is played at its moment; what is none, is too large or has no moment is refused.
func TestSoundFiles(t *testing.T) {
	r := newRig(t, nil)
	wav := "RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data\x08\x00\x00\x00abcdefgh"
	said, err := r.Play(t.Context(), []byte(wav), time.Now().Add(10*time.Hour))
	if err != nil || said.Reason != client.ReasonFinished || !slices.Equal(r.voice.played, []string{"4 samples at 16000 Hz, in 10h0m0s"}) {
		t.Errorf("%+v %v %q", said, err, r.voice.played)
	}
	var refused *client.Error
	if _, err := r.Play(t.Context(), []byte("no sound"), time.Now()); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		t.Errorf("no sound: %v", err)
	}
	if _, err := r.Play(t.Context(), append([]byte(wav[:40]+"\xff\xff\xff\xff"), make([]byte, maxSound)...), time.Now()); !errors.As(err, &refused) ||
		refused.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %v", err)
	}
	r.voice.err = tts.ErrBusy
	if _, err := r.Play(t.Context(), []byte(wav), time.Now()); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("beside words: %v", err)
	}
}
