package voice

import (
	"strings"

	"github.com/reachyd/reachyd/perception/client"
)

var (
	// hanging are words that no sentence ends with.
	hanging = set("and then to the a an of with your my his her its our their at for by or but so because if when while in into " +
		"from than as between um umm uh uhm er erm hmm ah minus point hundred about towards toward followed plus slightly very " +
		"is are was will would could should can")
	// slots are verbs that lack something when they are all there is.
	slots = set("turn look move tilt rotate set go say show tell express play raise lower point do make find search take")
	// commands begin a sentence that its last word can complete.
	commands = set("turn look move tilt rotate raise lower nod shake go wake sleep set bow dance wiggle gesture be act show play say " +
		"find track follow take what where who how when why which is are can could tell wait repeat describe count point lean face center centre")
	// closing are words after which a command asks for nothing more.
	closing = set("left right up down straight ahead forward forwards backward backwards back center centre middle home neutral around " +
		"degrees degree seconds second minutes minute times twice percent please thanks happy sad surprised angry curious confused scared " +
		"excited tired loving sleepy photo picture selfie head antennas antenna nod bow dance sleep up me apple croissant duck face see moment")
	// whole are sentences by themselves.
	whole = set("yes no stop halt freeze hello hi hey goodbye bye thanks nod bow dance sleep ok okay")
)

// Completeness judges a sentence as far as it was said, by its last words. It knows English.
func Completeness(text string) client.Verdict {
	text = strings.TrimSpace(text)
	w := words(text)
	if len(w) == 0 {
		return client.Unknown
	}
	last := w[len(w)-1]
	for _, tail := range []string{"...", "…", ",", "-", "–", ":"} {
		if strings.HasSuffix(text, tail) {
			return client.Hanging
		}
	}
	switch {
	case IsStop(text), strings.HasSuffix(text, "?"):
		return client.Complete
	case hanging[last]:
		return client.Hanging
	}
	// Politeness and the name do not make a sentence: 'robot, please turn' still lacks where to.
	for len(w) > 1 && (stopBefore[w[0]] || w[0] == "can" || w[0] == "could" || w[0] == "would" || w[0] == "you" || w[0] == "then") {
		w = w[1:]
	}
	switch {
	case len(w) == 1 && whole[w[0]]:
		return client.Complete
	case len(w) == 1 && slots[w[0]], len(w) == 2 && slots[w[0]] && (w[1] == "me" || w[1] == "it"):
		return client.Hanging
	case len(w) == 2 && w[0] == "thank" && w[1] == "you":
		return client.Complete
	case commands[w[0]] && closing[last]:
		return client.Complete
	}
	return client.Unknown
}
