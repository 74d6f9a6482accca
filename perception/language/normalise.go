package language

import (
	"slices"
	"strings"
)

// mend repairs what speakers and speech recognisers do to a sentence: stutters, hesitations, mis-hearings. Misspelt
// words are left for correctTypos, which knows the names of things.
func mend(toks Tokens) Tokens {
	toks = joinPhrases(toks)
	toks = dropHesitations(toks)
	toks = dropStutters(toks)
	toks.mend()
	toks = dropStutters(toks)
	return readNumbers(meanNumbers(toks))
}

var hesitations = Phrases("hesitations")

// misheardPhrases are wrong cuts of a recogniser.
var misheardPhrases = Phrases("misheard-phrases")

// denies reports whether "not" before a part of the robot is meant as it stands: within a clause, or where more is said behind it.
func (h Tokens) denies(i, n int) bool {
	return h.Word(i) == "not" && h.Word(i+1) == "your" && (i > 0 && h[i-1].Kind != Mark || h.Word(i+2) == "body" || i+n < len(h) && onlyNow[h.Word(i+n)])
}

// onlyNow are words before what is meant in the place of what is denied.
var onlyNow = Words("only-words")

// joinPhrases mends wrong cuts of several words.
func joinPhrases(toks Tokens) Tokens {
	out := toks[:0]
	for i := 0; i < len(toks); {
		v, n := misheardPhrases.Match(toks, i)
		if n == 0 || toks.denies(i, n) {
			out = append(out, toks[i])
			i++
			continue
		}
		start, stop := toks[i].Start, toks[i+n-1].End
		words := strings.Fields(v)
		if v == "nod" {
			words = []string{"nod", "your"}
		}
		if v == "antennas" && toks[i].Word == "and" && i == 0 && n == 1 {
			words = nil
		}
		fresh := make(Tokens, 0, len(words))
		for _, w := range words {
			fresh = append(fresh, Token{Kind: Word, Word: w, Orig: w, Start: start, End: stop})
		}
		if len(fresh) <= n {
			out = append(out, fresh...)
			i += n
			continue
		}
		rest := append(fresh, toks[i+n:]...)
		return append(out, joinPhrases(rest)...)
	}
	return out
}

// dropHesitations removes "um", "you know" and the like, with the comma behind them.
func dropHesitations(toks Tokens) Tokens {
	out := toks[:0]
	for i := 0; i < len(toks); {
		n := hesitations.Len(toks, i)
		switch {
		case n > 0 && !keptHesitation(toks, i, n):
			i += n
			if toks.At(i).Word != "," || toks.At(i).Kind != Mark {
				break
			}
			begins := len(out) == 0 || out[len(out)-1].Kind == Mark
			if begins || i+1 < len(toks) {
				i++
			}
			if k := len(out) - 1; begins && k >= 0 && out[k].Word == "," && i < len(toks) {
				out = out[:k] // "look, um, left"
			}
		case i > 0 && toks.Word(i) == "like" && toks.IsMark(i-1) && toks.IsMark(i+1):
			i += 2
		default:
			out = append(out, toks[i])
			i++
		}
	}
	return out
}

// keptHesitation reports whether the n tokens at i, which look like a hesitation, mean something there.
func keptHesitation(toks Tokens, i, n int) bool {
	if sayWords[toks.At(i-1).Word] && (i+n >= len(toks) || toks[i+n].Kind == Mark) {
		return true // "say wow"
	}
	next := toks.At(i + n).Word
	switch toks[i].Word {
	case "let":
		return shownWords[next] // "let us see you dance"
	case "oh":
		w := toks.Word(i + 1)
		return w == "no" || w == "wait"
	case "you":
		return beforeYouKnow[toks.At(i-1).Word]
	case "hang", "give":
		return true
	case "how", "what":
		return i == 0
	case "i":
		return i == 0 && next == "you" // "i think you should": a lead-in
	}
	return false
}

var (
	sayWords      = set("say", "shout", "whisper", "yell")
	shownWords    = set("you", "how", "your", "what")
	beforeYouKnow = set("do", "what", "show", "that")
)

// dropStutters removes words said twice in a row: "look look left", "turn your turn your head".
func dropStutters(toks Tokens) Tokens {
	out := toks[:0]
	for i := range toks {
		t := toks[i]
		if k := len(out); k > 0 && t.Kind == Word && out.Word(k-1) == t.Word && !doubled[t.Word] || cutOff(toks, i) {
			continue
		}
		out = withoutRepetition(append(out, t))
	}
	return out
}

// cutOff reports whether the word at i is the beginning of the next one: "lef left".
func cutOff(toks Tokens, i int) bool {
	w, next := toks.Word(i), toks.Word(i+1)
	return w != "" && len(w) <= 4 && len(w) < len(next) && strings.HasPrefix(next, w) && !Known(w) && !wholeWord[w] && !letters[w]
}

var letters = set("i", "x", "y", "z")

// withoutRepetition drops the last two or three words when they repeat those before and end in a small word.
func withoutRepetition(toks Tokens) Tokens {
	k := len(toks)
	same := func(a, b Token) bool { return a.Kind == Word && b.Kind == Word && a.Word == b.Word }
	for n := 2; n <= 3 && k >= 2*n; n++ {
		if stutterEnds[toks[k-1].Word] && slices.EqualFunc(toks[k-n:k], toks[k-2*n:k-n], same) {
			return toks[:k-n]
		}
	}
	return toks
}

var (
	doubled     = Words("doubled")
	stutterEnds = Words("stutter-ends")
)
