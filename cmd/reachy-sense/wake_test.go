package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/perception/sense"
)

// A wake phrase that cannot be found in the sound is told, by how bad that is.
func TestAWakePhraseThatIsNotFoundInTheSound(t *testing.T) {
	for _, words := range []bool{false, true} {
		var out bytes.Buffer
		w, h := &senses{options: &options{wakePhrase: "bo bo"}, log: zerolog.New(&out)}, sense.Hearing{}
		t.Setenv("PATH", t.TempDir()) // no espeak-ng
		w.spotter(t.Context(), &h, words)
		level := map[bool]string{false: `"level":"error"`, true: `"level":"warn"`}[words]
		if h.Settings.Spotter != nil || !strings.Contains(h.NoSpotter, "apt-get install espeak-ng") || !strings.Contains(out.String(), level) {
			t.Errorf("words %v: %q, %s", words, h.NoSpotter, &out)
		}
	}
}

func TestAKnownWakePhraseIsFoundInTheSound(t *testing.T) {
	var out bytes.Buffer
	w, h := &senses{options: &options{wakePhrase: "Hey Reachy"}, log: zerolog.New(&out)}, sense.Hearing{}
	t.Setenv("PATH", t.TempDir())
	if w.spotter(t.Context(), &h, false); h.Settings.Spotter == nil || h.NoSpotter != "" || out.Len() > 0 {
		t.Errorf("%q, %s", h.NoSpotter, &out)
	}
}
