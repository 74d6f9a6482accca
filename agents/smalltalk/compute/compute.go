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

// promising says whether a sentence may be a question that can be worked out.
func promising(toks []token) bool {
	for i, t := range toks {
		if t.sort != aWord && t.sort != aMark && t.sort != aQuote || builtIn().hint[t.word] {
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
