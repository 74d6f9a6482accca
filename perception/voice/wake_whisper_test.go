//go:build whisper

package voice

import (
	"testing"
	"time"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/stt"
)

// What tiny.en writes of the phrase is taken for it, and what it writes of other sentences is not. Run it with -v for the figures.
func TestRealWeightsHearTheWakePhrase(t *testing.T) {
	names := stt.Options{Prompt: "Reachy, antennas, croissant, duck, nod, degrees."} // as reachy-sense has them
	r, err := stt.Open(fixtures.Model(t, "tiny.en-q8_0"), stt.Settings{Threads: 1, Defaults: names})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	w := newWakePhrase("hey reachy")
	pause := speechtest.Pause(300 * time.Millisecond)
	for _, noise := range []bool{false, true} {
		var n, found, others, wrong int
		for text, phrase := range map[string]bool{
			"hey reachy, look left": true, "hey reachy, what do you see": true, "hey, where are you": false,
		} {
			for _, voice := range speechtest.Voices {
				x := speechtest.Join(pause, speechtest.Say(t, voice, text), pause)
				if noise {
					x = speechtest.Mix(t, x, speechtest.Pink, 10, 3)
				}
				res, err := r.Transcribe(t.Context(), x)
				if err != nil {
					t.Fatal(err)
				}
				_, ok := w.cut(res.Text)
				switch {
				case phrase && ok:
					found++
					fallthrough
				case phrase:
					n++
				default:
					others++
					if ok {
						wrong++
					}
				}
				if ok != phrase {
					t.Logf("%s, %q, noise %v: %q (%q)", voice, text, noise, res.Text, res.Raw)
				}
			}
		}
		t.Logf("noise %v: %d of %d phrases, %d of %d others", noise, found, n, wrong, others)
		const least = 8
		if found < least || wrong > 0 {
			t.Errorf("noise %v: %d of %d phrases, at least %d; %d of %d others", noise, found, n, least, wrong, others)
		}
	}
}
