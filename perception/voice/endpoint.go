package voice

import (
	"strings"

	"github.com/reachyd/reachyd/perception/client"
	"github.com/reachyd/reachyd/perception/language"
)

// The words are in perception/language/en/voice.txt.
var (
	hanging        = language.Words("hanging-words")
	slots          = language.Words("slot-verbs")
	commands       = language.Words("sentence-openers")
	closing        = language.Words("closing-words")
	whole          = language.Words("whole-sentences")
	commandOpeners = language.Words("command-openers")
	leadIns        = language.Words("sentence-lead-ins")
)

// Endpoint judges a sentence as far as it was said, by its last words. It knows English.
func Endpoint(text string) client.Endpoint {
	text = strings.TrimSpace(text)
	w := language.HeardWords(text)
	if len(w) == 0 {
		return client.Unknown
	}
	last := w[len(w)-1]
	for _, tail := range []string{"...", "…", ",", "-", "–", ":"} {
		if strings.HasSuffix(text, tail) {
			return client.Incomplete
		}
	}
	switch {
	case IsStop(text), strings.HasSuffix(text, "?"):
		return client.Complete
	case hanging[last]:
		return client.Incomplete
	}
	// Politeness and the name do not make a sentence: 'robot, please turn' still lacks where to.
	for len(w) > 1 && (leadIns[w[0]] || commandOpeners[w[0]]) {
		w = w[1:]
	}
	switch {
	case len(w) == 1 && whole[w[0]]:
		return client.Complete
	case len(w) == 1 && slots[w[0]], len(w) == 2 && slots[w[0]] && (w[1] == "me" || w[1] == "it"):
		return client.Incomplete
	case len(w) == 2 && w[0] == "thank" && w[1] == "you":
		return client.Complete
	case commands[w[0]] && closing[last]:
		return client.Complete
	}
	return client.Unknown
}
