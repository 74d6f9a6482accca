package halt

import (
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/voice"
)

// What the ear takes for a stop the conversation latches, too: the words are of one table.
func TestTheEarStopsAtWhatTheConversationLatches(t *testing.T) {
	p := planner.New()
	check := func(text string, stops bool) {
		t.Helper()
		if heard, read := voice.IsStop(text), Read(language.Analyse(text), p.Plan(text)); heard != stops || stops && read.Kind != Latch {
			t.Errorf("%q: the ear says %v, the conversation %+v; it is one: %v", text, heard, read, stops)
		}
	}
	before := []string{"", "hey", "oh no", "please", "ok", "Reachy,", "can you", "just", "now"}
	behind := []string{
		"", "it", "that", "this", "it now", "that right now, please", "moving", "at once", "everything", "immediately, robot", "already", "right there",
	}
	for _, b := range before {
		for _, verb := range []string{"stop", "halt", "freeze", "Stop, stop,", "cease", "abort"} {
			for _, a := range behind {
				check(b+" "+verb+" "+a+".", true)
			}
		}
	}
	for _, text := range []string{
		"stop following me", "stop the music", "stop talking", "stop the timer", "don't stop", "stop it from falling", "stop it and nod",
	} {
		check(text, false)
	}
}
