package tts

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// voiceOf gives each sentence one sample a character.
type voiceOf struct{ rates []int }

func (v *voiceOf) Synthesize(_ context.Context, sentence string, emit func(int, []float32) error) error {
	rate := v.rates[0]
	if len(v.rates) > 1 {
		v.rates = v.rates[1:]
	}
	return emit(rate, make([]float32, len(sentence)))
}
func (v *voiceOf) Name() string { return "test" }
func (v *voiceOf) Close() error { return nil }

func TestRender(t *testing.T) {
	rate, pcm, err := Render(t.Context(), &voiceOf{rates: []int{16000}}, "Hello there. I am here.")
	if err != nil || rate != 16000 || len(pcm) != len("Hello there.")+len("I am here.") {
		t.Errorf("rate %d, %d samples, %v", rate, len(pcm), err)
	}
	for _, bad := range []struct {
		text string
		want error
	}{{" ...", ErrNothing}, {strings.Repeat("a", MaxText+1), ErrTooLong}} {
		if _, _, err := Render(t.Context(), &voiceOf{rates: []int{16000}}, bad.text); !errors.Is(err, bad.want) {
			t.Errorf("%.20q: %v, want %v", bad.text, err, bad.want)
		}
	}
	if _, _, err := Render(t.Context(), &voiceOf{rates: []int{16000, 22050}}, "One. Two."); !errors.Is(err, ErrVoice) {
		t.Errorf("a voice that changes its rate: %v", err)
	}
}
