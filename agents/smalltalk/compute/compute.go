package compute

import (
	"sync"
	"time"
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
	if len(toks) < 2 {
		return "", false
	}
	v := builtIn().read(toks, &context{now: now})
	if v == nil {
		return "", false
	}
	return v.text, true
}
