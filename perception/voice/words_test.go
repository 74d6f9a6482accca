package voice

import (
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
)

func TestIsStop(t *testing.T) {
	for _, text := range []string{
		"stop", "Stop!", "STOP.", "halt", "Freeze!", "stop stop", "Stop, stop, stop!", "robot stop", "please stop", "stop it",
		"Stop that right now, please.", "Hey Reachy, stop!", "okay stop", "no, stop", "stop moving", "stop at once", "oh stop it now robot",
		"wait, stop", "stop now halt", "Hold.",
	} {
		if !IsStop(text) {
			t.Errorf("%q is a stop", text)
		}
	}
	for _, text := range []string{
		"", " ", "...", "don't stop", "don’t stop", "do not stop", "never stop", "stop sign", "the stop sign", "stop talking", "bus stop",
		"non stop", "look left and stop", "stop the music", "freeze frame", "please", "it", "stopped", "unstoppable", "stop signs ahead",
		"when do you stop", "full stop", "that stop", "it stop", "stop if you see me", "don't you stop now", "hold my hand", "hold on", "hold that", "don't hold",
	} {
		if IsStop(text) {
			t.Errorf("%q is no stop", text)
		}
	}
}

func FuzzIsStop(f *testing.F) {
	for _, s := range []string{"stop", "don't stop", "Stop, robot!", "\xff stop", "stop\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if IsStop(s) && !strings.Contains(strings.ToLower(s), "st") && !strings.ContainsAny(strings.ToLower(s), "hfſ") {
			t.Errorf("%q", s)
		}
		if IsStop("don't " + s) {
			t.Errorf("do not %q", s)
		}
		if IsStop(s + " sign") {
			t.Errorf("%q sign", s)
		}
	})
}

func TestCompleteness(t *testing.T) {
	for _, c := range []struct {
		text string
		want client.Endpoint
	}{
		{"Look left.", client.Complete},
		{"turn right 30 degrees", client.Complete},
		{"robot, please look up", client.Complete},
		{"nod", client.Complete},
		{"thank you", client.Complete},
		{"What do you see?", client.Complete},
		{"stop", client.Complete},
		{"look at the apple", client.Complete},
		{"look left and", client.Incomplete},
		{"Look left, then", client.Incomplete},
		{"turn by", client.Incomplete},
		{"can you turn", client.Incomplete},
		{"tell me", client.Incomplete},
		{"please look", client.Incomplete},
		{"I was thinking um", client.Incomplete},
		{"look at the", client.Incomplete},
		{"turn left by twenty", client.Unknown},
		{"and so...", client.Incomplete},
		{"the weather is nice", client.Unknown},
		{"", client.Unknown},
		{"?!", client.Unknown},
	} {
		if got := Endpoint(c.text); got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
	}
}

func TestWakePhraseByItsSound(t *testing.T) {
	w := newWakePhrase("hey Reachy")
	for text, rest := range map[string]string{
		"Hey Reachy, look left":   "look left",
		"hey richie look left":    "look left",
		"Hey, Reachie! Look left": "Look left",
		"Hey Reach e look left":   "look left",
		"a reachy look left":      "look left",
		"Hey Reachy":              "",
		"Hey Richey. What's up?":  "What's up?",
	} {
		if got, ok := w.cut(text); !ok || got != rest {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"look left", "hey you", "hello there", "he reads", "", "the rich", "reaching for the sky", "hey", "Rachel is here",
	} {
		if rest, ok := w.cut(text); ok {
			t.Errorf("%q was taken for the phrase, rest %q", text, rest)
		}
	}
}

func FuzzWakePhrase(f *testing.F) {
	f.Add("hey reachy", "hey richie look left")
	f.Add("", "x")
	f.Add("ok", "ok. ok\xff")
	f.Fuzz(func(t *testing.T, phrase, text string) {
		w := newWakePhrase(phrase)
		rest, ok := w.cut(text)
		if !strings.HasSuffix(text, rest) || (ok && w.empty()) {
			t.Errorf("%q in %q: %q %v", phrase, text, rest, ok)
		}
		Endpoint(text)
		language.HasWords(text)
	})
}
