package compute

import (
	"sync"
	"time"

	"github.com/reachyd/reachyd/perception/language"
)

// builtIn is the grammar of the program: a mistake in it is one of its authors.
var builtIn = sync.OnceValue(func() *grammar {
	g, err := readGrammar(enGrammar)
	if err != nil {
		panic("compute: " + err.Error())
	}
	return g
})

// Answer answers a question that can be worked out from its words; ok is false for every other sentence.
func Answer(text string, now time.Time) (answer string, ok bool) {
	toks := lex(text)
	if len(toks) < 2 || !promising(toks) {
		return "", false
	}
	v := builtIn().read(toks, &context{now: now})
	if v == nil {
		return "", false
	}
	return v.text, true
}

// hints are words of questions that have no number: without one of them, and without a number, a sentence is not read.
var hints = map[string]bool{
	"letter": true, "letters": true, "vowels": true, "consonants": true, "spell": true, "spelled": true, "spelt": true, "spelling": true, "write": true,
	"backwards": true, "backward": true, "reverse": true, "reversed": true, "round": true, "palindrome": true, "vowel": true, "consonant": true,
	"alphabet": true, "alphabetical": true, "alphabetic": true, "sort": true, "arrange": true, "month": true, "roman": true, "dozen": true, "double": true,
	"words": true, "same": true, "order": true, "day": true, "date": true, "weekday": true, "many": true, "often": true, "numbers": true, "per": true,
	"noon": true, "midnight": true, "midday": true, "word": true, "remainder": true, "leap": true, "read": true, "pairs": true, "square": true,
	"start": true, "begin": true,
}

// promising says whether a sentence may be a question that can be worked out.
func promising(toks []token) bool {
	for i, t := range toks {
		if t.sort != aWord && t.sort != aMark && t.sort != aQuote || hints[t.word] {
			return true
		}
		if _, n := language.CardinalAt(forLanguage(toks[i:i+1]), 1); n > 0 || parts[t.word] > 0 || plurals[t.word] > 0 {
			return true
		}
		if _, ok := months[t.word]; ok || unitOf(t.word) != nil && len(t.word) > 2 {
			return true
		}
		if _, ok := weekdays[t.word]; ok {
			return true
		}
	}
	return false
}
