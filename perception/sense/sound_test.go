package sense

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/perception/client"
)

// Programs hear what the microphone does, and silence while it is muted.
func TestProgramsHearTheMicrophone(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	in, err := r.Microphone(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	frame := make([]float32, audio.FrameSize)
	for i := range frame {
		frame[i] = 0.25
	}
	got := make([]byte, 2*audio.FrameSize)
	hears := func(what string, want int16) {
		t.Helper()
		r.tape.play(frame)
		if _, err := io.ReadFull(in, got); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for i := range audio.FrameSize {
			if v := int16(binary.LittleEndian.Uint16(got[2*i:])); v != want {
				t.Fatalf("%s: sample %d is %d, wanted %d", what, i, v, want)
			}
		}
	}
	hears("a sound", 8192)
	if err := r.Mute(ctx, true); err != nil {
		t.Fatal(err)
	}
	hears("a sound while muted", 0)
	if err := r.Mute(ctx, false); err != nil {
		t.Fatal(err)
	}
	hears("a sound after that", 8192)
	for range MaxEars - 1 {
		other, err := r.Microphone(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
	}
	var refused *client.Error
	if _, err := r.Microphone(ctx); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("one too many: %v", err)
	}
	close(r.tape.frames)
	if n, err := io.Copy(io.Discard, in); n != 0 || err != nil {
		t.Errorf("after the recording is over: %d bytes, %v", n, err)
	}
	if _, err := r.Microphone(ctx); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "is over") {
		t.Errorf("a microphone that is gone: %v", err)
	}
}

// A sound that a program makes is played as it comes.
func TestProgramsPourSound(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	from, to := io.Pipe()
	go func() {
		for _, piece := range []string{"\x00", "\x40\x00", "\x40\x00\x40", "\x00"} { // the last half of a sample is left out
			to.Write([]byte(piece))
		}
		to.Close()
	}()
	if said, err := r.Pour(ctx, 24000, from); err != nil || said.Reason != client.ReasonFinished {
		t.Fatal(said, err)
	}
	if got := strings.Join(r.voice.played, ", "); got != "3 samples poured at 24000 Hz, from 0.500" {
		t.Error(got)
	}
	for _, rate := range []int{0, 7999, 48001} {
		var refused *client.Error
		if _, err := r.Pour(ctx, rate, strings.NewReader("ab")); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("at %d Hz: %v", rate, err)
		}
	}
}

// A program that says nothing more, and does not end either, ends its sound.
func TestASoundThatPausesIsOver(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	from, to := io.Pipe()
	defer to.Close()
	go to.Write([]byte("\x00\x40"))
	if said, err := r.Pour(ctx, 16000, from); err != nil || said.Reason != client.ReasonFinished {
		t.Fatal(said, err)
	}
	if got := strings.Join(r.voice.played, ", "); got != "1 samples poured at 16000 Hz, from 0.500" {
		t.Error(got)
	}
}
