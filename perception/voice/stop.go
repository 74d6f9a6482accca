package voice

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/template"
)

// The stops are those of the conversation, but only the plain ones: a stop is looked for in what was half heard, too.
var (
	bareStops  = language.Sentences("stop-bare")
	stopPlain  = bareStops.Rule("stop")
	stopDrawn  = bareStops.Rule("long-drawn")
	stopVerbs  = language.Words("stop-verbs")
	stopAlone  = language.Words("stop-alone")
	stopThings = language.Words("stop-pointers")
)

// IsStop reports whether a sentence means nothing but that the robot is to stop at once: 'stop', 'please stop it now',
// but neither 'don't stop' nor 'the stop sign', nor 'stop talking', which is less.
func IsStop(text string) bool { return stopWords(text) > 0 }

// Points reports whether a stop says what of, without naming it: 'stop it' may mean what was spoken of, such as a timer, and only
// the conversation knows.
func Points(text string) bool {
	return slices.ContainsFunc(language.HeardWords(text), func(w string) bool { return stopThings[w] })
}

// stopWords counts the stop words of a text that is a stop and nothing else; of any other text there are 0.
func stopWords(text string) int {
	words := language.HeardWords(text)
	if len(words) == 1 && stopAlone[words[0]] {
		return 1
	}
	if said := template.Split(strings.Join(words, " ")); stopPlain.Find(said) == nil && stopDrawn.Find(said) == nil {
		return 0
	}
	n := 0
	for _, w := range words {
		if stopVerbs[w] {
			n++
		}
	}
	return max(1, n) // "ceeease" is none of the verbs
}
