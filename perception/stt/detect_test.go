//go:build whisper

package stt

import (
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/speechtest"
)

// Which language it is is found out beside the text, which stays English, by Whisper base with its real weights.
func TestRealWeightsKnowTheLanguage(t *testing.T) {
	r, err := Open(fixtures.Model(t, "base-q8_0"), Settings{Threads: 1, Defaults: Options{Detect: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const sure = 0.8 // as cmd/reachy-sense wants it
	for _, c := range []struct {
		voice, text, want string
		sure              bool
	}{
		{"espeak:de", "Kannst du mir sagen, wie das Wetter morgen wird?", "de", true},
		{"espeak:it", "Puoi dirmi che tempo farà domani mattina?", "it", true},
		{"espeak:es", "¿Puedes decirme qué tiempo hará mañana?", "es", false},
		{"espeak:de", "Wie geht es dir?", "de", false}, // it sounds like Hebrew to it, and it is not sure
		{"espeak:en-us", "Can you tell me what the weather will be tomorrow?", "en", true},
		{"espeak:en-us", "nod twice", "en", false},
		{"flite:slt", "turn right", "en", true},
		{"flite:slt", "how are you", "en", false},
	} {
		x := speechtest.Join(speechtest.Pause(300*time.Millisecond), speechtest.Say(t, c.voice, c.text), speechtest.Pause(300*time.Millisecond))
		res, err := r.Transcribe(t.Context(), x)
		if err != nil || res.Language != "en" {
			t.Fatalf("%+v, %v", res, err)
		}
		t.Logf("%s, %q: %s %.2f, written %q", c.voice, c.text, res.Detected, res.DetectedSure, res.Raw)
		if right, certain := res.Detected == c.want, res.DetectedSure >= sure; c.sure && !certain || certain && !right {
			t.Errorf("%s, %q: %s %.2f, it is %s", c.voice, c.text, res.Detected, res.DetectedSure, c.want)
		}
	}
}
