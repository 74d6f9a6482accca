package language

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/reachyd/reachyd/perception/language/template"
)

// Utterance is a text that was analysed once, for everybody who reads it. It is not changed after Analyse: who wants to
// mend tokens further clones them. What only some readers need is made when it is asked for first: see Plain and Request.
// Several goroutines may use it at once.
type Utterance struct {
	Text     string
	Said     *template.Sentence // the text as templates look at it
	TooLong  bool               // beyond MaxText or MaxTokens: no command, and there are no tokens
	Raw      Tokens             // as they were written: contractions taken apart, nothing mended
	Tokens   Tokens             // mended: no hesitations and stutters; numbers read; mis-hearings and misspellings repaired
	Clauses  []Span             // the tokens between the marks
	Question bool               // it asks: a question mark, or a word order of questions
	Negated  bool               // a word of denial stands in it
	Address  Span               // the tokens at the beginning that call the robot: "hey reachy,"; empty when there are none

	heard Tokens // as Tokens, but misspellings are not repaired

	undisguised, asked sync.Once
	plain              *template.Sentence
	request            *Request
	other              atomic.Pointer[reworded]
}

// Span is a run of tokens: From is the first, To the one behind the last.
type Span struct{ From, To int }

// Len returns how many tokens the span has.
func (s Span) Len() int { return s.To - s.From }

var (
	addresses = Phrases("addresses")
	asking    = Phrases("question-openers")
	denials   = Words("denials")
	things    = map[string]bool{"apple": true, "croissant": true, "duck": true}
)

// analyses counts the calls of Analyse.
var analyses atomic.Int64

// Analyses returns how many texts this process has analysed.
func Analyses() int64 { return analyses.Load() }

// Unread returns a text of which nothing is known; no command is found in it.
func Unread(text string) *Utterance {
	return &Utterance{Text: text, Said: template.Split(""), TooLong: true}
}

// Analyse cuts a text into tokens, mends them, and says what every reader wants to know.
func Analyse(text string) *Utterance {
	analyses.Add(1)
	u := &Utterance{Text: text, Said: template.Split(text)}
	toks, ok := tokenize(text)
	if !ok {
		u.TooLong = true
		return u
	}
	u.Raw = joinHyphens(toks)
	u.heard = mend(slices.Clone(u.Raw))
	u.Tokens = u.Named(things)
	u.Clauses = clauses(u.Tokens)
	u.Address = Span{0, addresses.Len(u.Tokens, 0)}
	u.Negated = slices.ContainsFunc(u.Tokens, func(t Token) bool { return t.Kind == Word && denials[t.Word] })
	u.Question = u.asks()
	return u
}

// Named returns the tokens with misspellings repaired, where the names of things count as words that may be meant.
func (u *Utterance) Named(names map[string]bool) Tokens {
	toks := slices.Clone(u.heard)
	correctTypos(toks, names)
	return saidOnce(dropStutters(toks))
}

// asks reports whether the text is a question.
func (u *Utterance) asks() bool {
	if n := len(u.Tokens); n > 0 && u.Tokens[n-1].Kind == Mark && u.Tokens[n-1].Word == "?" {
		return true
	}
	return slices.ContainsFunc(u.Clauses, func(s Span) bool {
		return asking.Has(u.Tokens, s.From) || s.From < u.Address.To && asking.Has(u.Tokens, u.Address.To)
	})
}

// clauses are the runs of tokens between marks.
func clauses(toks Tokens) []Span {
	var spans []Span
	from := 0
	for k := range len(toks) + 1 {
		if k < len(toks) && toks[k].Kind != Mark {
			continue
		}
		if k > from {
			spans = append(spans, Span{from, k})
		}
		from = k + 1
	}
	return spans
}

// String returns the mended words with single spaces, without marks: the form in which sentences are compared.
func (ts Tokens) String() string {
	var b strings.Builder
	for _, t := range ts {
		if t.Kind == Mark {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Word)
	}
	return b.String()
}
