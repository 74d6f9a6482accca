//go:build whisper

package main

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/models"
	"github.com/reachyd/reachyd/perception/sense"
	"github.com/reachyd/reachyd/perception/speechtest"
	"github.com/reachyd/reachyd/perception/voice"
)

// With what the program brings along, and without any model file, "hey reachy, look left" is what "look left" is, and the same without the
// phrase is nothing. The phrase is written as English voices have to read it. Run it with -v for the figures.
func TestTheBuiltInModelUnderstandsWhatFollowsTheWakePhrase(t *testing.T) {
	const least = 4 // of five voices
	w := &senses{
		options: &options{language: "en", speech: builtIn, threads: 1, wakePhrase: "hey reachy", microphone: off}, log: zerolog.Nop(), models: &models.Store{},
		server: &sense.Server{},
	}
	defer w.close()
	h := w.hearing(t.Context())
	if h.Off != "" || h.NoSpotter != "" {
		t.Fatalf("%q, %q", h.Off, h.NoSpotter)
	}
	called, woken, done, wrong := 0, 0, 0, 0
	for _, v := range speechtest.Voices {
		for said, want := range map[string]string{"hey reechy, look left": "look left", "look left": "", "hey reechy": ""} {
			got := hears(t, &h, said, v)
			t.Logf("%s: %q: called %v, woken %v, %q", v, said, got.called, got.woken, got.text)
			switch {
			case want != "" && got.text == want:
				done++
				called++
			case want != "" && got.called:
				called++
			case said == "hey reechy" && got.woken:
				woken++
			case said == "look left" && got.text != "":
				wrong++
			}
		}
	}
	t.Logf("of %d voices %d were heard to call, of %d what followed was done, %d said the phrase alone; %d acted without it",
		len(speechtest.Voices), called, done, woken, wrong)
	if called < least || done < least || woken < least || wrong > 0 {
		t.Errorf("%d called, %d done, %d alone; at least %d each; %d without the phrase", called, done, woken, least, wrong)
	}
}

// outcome is what came of a sentence.
type outcome struct {
	called, woken bool
	text          string
}

// hears is what becomes of a sentence that a voice says.
func hears(t *testing.T, h *sense.Hearing, said, by string) (out outcome) {
	t.Helper()
	d, err := h.Detector()
	if err != nil {
		t.Fatal(err)
	}
	c := h.Settings
	c.Detector, c.Recognizer, c.Synchronous = d, h.Recognizer, true
	c.Event = func(e client.Event) {
		switch e.Type {
		case client.Called:
			out.called = true
		case client.Woken:
			out.woken = true
		case client.Heard:
			out.text = e.Utterance.Text
		}
	}
	e, err := voice.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x := speechtest.Join(speechtest.Pause(time.Second), speechtest.Say(t, by, said), speechtest.Pause(2*time.Second))
	for i, n := range speechtest.Gain(speechtest.Noise(t, speechtest.Pink, len(x), 1), -62) {
		x[i] += n
	}
	if err := e.Hear(x, time.Now()); err != nil {
		t.Fatal(err)
	}
	e.Flush()
	return out
}
