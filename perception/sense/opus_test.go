package sense

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/pion/opus"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/audio/audiotest"
	"github.com/reachyd/reachyd/hal/local"
	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// Programs hear what the microphone does as packets of Opus, of which another decoder makes the same sound.
func TestProgramsHearTheMicrophoneAsOpus(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	in, err := r.MicrophoneOpus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	decoder, err := opus.NewDecoderWithOutput(audio.Rate, 1)
	if err != nil {
		t.Fatal(err)
	}
	listen := func(n int) (decoded []float32) {
		t.Helper()
		for len(decoded) < n {
			packet, err := in.Next()
			if err != nil {
				t.Fatal(err)
			}
			pcm := make([]float32, audio.OpusFrame)
			if n, err := decoder.DecodeToFloat32(packet, pcm); err != nil || n != audio.OpusFrame {
				t.Fatalf("%d samples, %v", n, err)
			}
			decoded = append(decoded, pcm...)
		}
		return decoded
	}
	said := speechtest.Say(t, "espeak:en-us", "Please look at the red ball on the table, and tell me what you see.")
	said = said[:len(said)/2560*2560] // whole frames, and whole packets
	var heard []float32
	for at := 0; at < len(said); at += 2560 { // in step: who is slow misses some
		r.tape.play(said[at : at+2560])
		heard = append(heard, listen(2560)...)
	}
	got := audiotest.Match(said, heard, audio.Rate)
	t.Logf("%.1f s of speech come back with a correlation of %.4f", float64(len(said))/audio.Rate, got)
	if got < 0.95 {
		t.Errorf("speech comes back with a correlation of %.4f", got)
	}
	if err := r.Mute(ctx, true); err != nil {
		t.Fatal(err)
	}
	r.tape.play(said[:2*2560])
	for i, v := range listen(2 * 2560)[2560:] {
		if math.Abs(float64(v)) > 0.001 {
			t.Fatalf("while muted, sample %d is %.4f", i, v)
		}
	}
	if s, err := r.Client.State(ctx); err != nil || s.Hearing.NoOpus != "" {
		t.Errorf("%q, %v", s.Hearing.NoOpus, err)
	}
	close(r.tape.frames)
	if _, err := in.Next(); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("after the recording is over: %v", err)
	}
}

// counted says how many encoders are open.
type counted struct {
	opusEncoder
	gone chan struct{}
}

func (c counted) Close() {
	c.opusEncoder.Close()
	c.gone <- struct{}{}
}

// A program that closes frees its encoder and its place.
func TestAProgramThatClosesFreesItsEncoder(t *testing.T) {
	gone := make(chan struct{}, MaxEars+2)
	r := newRig(t, func(r *rig) {
		r.newOpus = func() (opusEncoder, error) {
			e, err := systemOpus()
			return counted{e, gone}, err
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	<-gone                  // that of the start
	for range MaxEars + 1 { // more than may be open at once
		in, err := r.MicrophoneOpus(ctx)
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		select {
		case <-gone:
		case <-ctx.Done():
			t.Fatal("its encoder stays")
		}
	}
}

func TestOpusThatIsMissed(t *testing.T) {
	r := newRig(t, func(r *rig) { r.newOpus = func() (opusEncoder, error) { return nil, audio.ErrNoOpus } })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var refused *client.Error
	if _, err := r.MicrophoneOpus(ctx); !errors.As(err, &refused) || refused.Status != http.StatusNotImplemented ||
		!strings.Contains(refused.Reason, "libopus cannot be loaded") {
		t.Error(err)
	}
	if s, err := r.Client.State(ctx); err != nil || !strings.Contains(s.Hearing.NoOpus, "libopus") {
		t.Errorf("%q, %v", s.Hearing.NoOpus, err)
	}
	in, err := r.Microphone(ctx)
	if err != nil {
		t.Fatalf("samples are not had either: %v", err)
	}
	in.Close()
}

func TestTheMicrophoneAsSomethingElse(t *testing.T) {
	r := newRig(t, nil)
	var refused *client.Error
	_, err := local.NewClient(r.socket, client.ErrUnavailable, func(status int, reason string) error {
		return &client.Error{Status: status, Reason: reason}
	}).Fetch(t.Context(), http.MethodGet, "/microphone?as=mp3", nil, 1<<10)
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || !strings.Contains(refused.Reason, "\"mp3\"; allowed are pcm and opus") {
		t.Error(err)
	}
}
