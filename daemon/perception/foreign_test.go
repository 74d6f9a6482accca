package perception

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/perception/client"
)

// Who speaks German is told in German, once a conversation, that only English is understood.
func TestWhoSpeaksAnotherLanguageIsToldOnce(t *testing.T) {
	run(t, func(t *testing.T, r *rig) {
		says := func(text, lang string, confidence float64) (said string, shown []string) {
			r.worker.said, r.diary.events = nil, nil
			r.worker.event(client.Event{Type: client.Heard, Utterance: &client.Utterance{Text: text, Foreign: lang, Confidence: confidence}})
			synctest.Wait()
			return r.worker.notes(), r.diary.events
		}
		const german = "Ich verstehe leider nur Englisch."
		if said, shown := says("the weather is today", "de", 0); said != german+"; replied" || !slices.Equal(shown, []string{"notification " + german}) {
			t.Errorf("first: said %q, shown %q", said, shown)
		}
		if said, shown := says("v gets", "de", 0); said != "" || len(shown) > 0 {
			t.Errorf("again, hardly heard: said %q, shown %q", said, shown)
		}
		if said, _ := says("how are you", "fr", 0.7); said != "You said how are you in voice.; replied" {
			t.Errorf("again, heard well: said %q", said)
		}
		if said, _ := says("how are you", "", 0.7); said != "You said how are you in voice.; replied" {
			t.Errorf("in English: said %q", said)
		}
		time.Sleep(conversationPause + time.Second)
		if said, _ := says("how are you", "fr", 0.7); said != onlyEnglish["fr"]+"; replied" {
			t.Errorf("in the next conversation: said %q", said)
		}
		time.Sleep(conversationPause + time.Second)
		if said, shown := says("how are you", "xx", 0); said != "" || len(shown) > 0 {
			t.Errorf("a language without words: said %q, shown %q", said, shown)
		}
	})
}

func TestItSaysInManyLanguagesThatItKnowsEnglishOnly(t *testing.T) {
	for _, lang := range []string{"de", "fr", "es", "it", "pt", "nl", "pl", "tr", "uk", "ja", "zh"} {
		if onlyEnglish[lang] == "" {
			t.Errorf("nothing is said in %s", lang)
		}
	}
	if onlyEnglish["en"] != "" {
		t.Error("English is told that it is not understood")
	}
}
