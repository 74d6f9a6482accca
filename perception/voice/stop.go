package voice

import "github.com/reachyd/reachyd/perception/language"

var (
	stopVerbs  = language.Words("stop-verbs")
	stopAlone  = language.Words("stop-alone")
	stopBefore = language.Words("stop-openers")
	stopAfter  = language.Words("stop-closers")
)

// IsStop reports whether a sentence means nothing but that the robot is to stop at once: 'stop', 'please stop it now',
// but neither 'don't stop' nor 'the stop sign', nor 'stop talking', which is less.
func IsStop(text string) bool { return stopWords(text) > 0 }

// stopWords counts the stop words of a text that is a stop and nothing else; of any other text there are 0.
func stopWords(text string) int {
	words := language.HeardWords(text)
	if len(words) == 1 && stopAlone[words[0]] {
		return 1
	}
	n := 0
	for _, w := range words {
		switch {
		case stopVerbs[w]:
			n++
		case n == 0 && stopBefore[w]:
		case n > 0 && (stopAfter[w] || stopBefore[w]):
		default:
			return 0
		}
	}
	return n
}
