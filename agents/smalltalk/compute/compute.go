package compute

import (
	"slices"
	"strings"
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
		if text = withoutTale(text); text != "" {
			return Answer(text, now)
		}
		return "", false
	}
	return v.text, true
}

// tales are what is told before a question, or behind it, and asks nothing: "my old head cannot do it any more".
var tales = language.Reword("tales")

// withoutTale is a question without the tale around it; empty where there is none, or one with a number that the question does not name.
func withoutTale(text string) string {
	question := tales.Apply(text)
	if question == text {
		return ""
	}
	tale := strings.Replace(text, question, " ", 1)
	asked := lex(question)
	if !slices.ContainsFunc(asked, func(t token) bool { return t.sort == aNumber }) {
		return ""
	}
	for _, t := range lex(tale) {
		if t.sort != aWord && t.sort != aMark && !slices.Contains(asked, t) {
			return ""
		}
	}
	return question
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
