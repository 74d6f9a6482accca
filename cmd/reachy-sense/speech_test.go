package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/perception/sense"
	"github.com/reachyd/reachyd/perception/tts"
)

// A voice that there is not is said with those that there are.
func TestVoicesForOthers(t *testing.T) {
	w := &senses{options: &options{}, log: zerolog.Nop(), models: models.NewStore(t.TempDir(), func(string) string { return "" })}
	for _, voice := range []string{"", "en-us", "fr", "en+f3"} {
		if wav, name, err := w.synthesize(t.Context(), "Hello.", voice); err != nil || len(wav) < 1000 || !strings.HasPrefix(name, "espeak-ng") {
			t.Errorf("%q: %d bytes of %s, %v", voice, len(wav), name, err)
		}
	}
	for _, voice := range []string{"nobody", "../en", "piper-nobody", "piper-", "-v", "<"} {
		_, _, err := w.synthesize(t.Context(), "Hello.", voice)
		if !errors.Is(err, sense.ErrNoVoice) || !strings.HasPrefix(err.Error(), "voice: ") || !strings.Contains(err.Error(), "en-us, ") {
			t.Errorf("%q: %v", voice, err)
		}
	}
	if _, _, err := w.synthesize(t.Context(), "…", ""); !errors.Is(err, tts.ErrNothing) {
		t.Error(err)
	}
}
