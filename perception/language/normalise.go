package language

import (
	"slices"
	"strings"
	"unicode/utf8"
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

// joinPhrases mends wrong cuts of several words.
func joinPhrases(toks Tokens) Tokens {
	out := toks[:0]
	for i := 0; i < len(toks); {
		v, n := misheardPhrases.Match(toks, i)
		if n == 0 {
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

// dropHesitations removes "um", "you know" and the like.
func dropHesitations(toks Tokens) Tokens {
	out := toks[:0]
	for i := 0; i < len(toks); {
		if n := hesitations.Len(toks, i); n > 0 && !keptHesitation(toks, i, n) {
			i += n
			// the comma after a hesitation belongs to it
			if i < len(toks) && toks[i].Kind == Mark && toks[i].Word == "," && (len(out) == 0 || out[len(out)-1].Kind == Mark) {
				i++
				if k := len(out) - 1; k >= 0 && out[k].Word == "," && i < len(toks) {
					out = out[:k] // "look, um, left"
				}
			} else if i < len(toks) && toks[i].Kind == Mark && toks[i].Word == "," && len(out) > 0 && i+1 < len(toks) {
				i++
			}
			continue
		}
		if toks[i].Kind == Word && toks[i].Word == "like" && i > 0 && i+1 < len(toks) && toks[i-1].Kind == Mark && toks[i+1].Kind == Mark {
			i += 2
			continue
		}
		out = append(out, toks[i])
		i++
	}
	return out
}

func keptHesitation(toks Tokens, i, n int) bool {
	w := toks[i].Word
	if i > 0 && (toks[i-1].Word == "say" || toks[i-1].Word == "shout" || toks[i-1].Word == "whisper" || toks[i-1].Word == "yell") && (i+n >= len(toks) || toks[i+n].Kind == Mark) {
		return true // "say wow"
	}
	switch w {
	case "let": // "let us see you dance"
		return i+n < len(toks) && (toks[i+n].Word == "you" || toks[i+n].Word == "how" || toks[i+n].Word == "your" || toks[i+n].Word == "what")
	case "you", "i", "whatever", "wow", "hang", "give", "oh", "how", "what":
		if w == "wow" || w == "oh" {
			return i+1 < len(toks) && w == "oh" && toks[i+1].Kind == Word && (toks[i+1].Word == "no" || toks[i+1].Word == "wait")
		}
		if w == "you" && i > 0 && (toks[i-1].Word == "do" || toks[i-1].Word == "what" || toks[i-1].Word == "show" || toks[i-1].Word == "that") {
			return true
		}
		if w == "hang" || w == "give" {
			return true
		}
		if w == "how" || w == "what" {
			return i == 0
		}
		if w == "i" && i+n < len(toks) && toks[i+n].Word == "you" && i == 0 {
			return true // "i think you should": a lead-in
		}
	}
	return false
}

// dropStutters removes words said twice in a row: "look look left", "turn your turn your head".
func dropStutters(toks Tokens) Tokens {
	out := toks[:0]
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if k := len(out); k > 0 && t.Kind == Word && out[k-1].Kind == Word && out[k-1].Word == t.Word && !doubled[t.Word] {
			continue
		}
		if t.Kind == Word && i+1 < len(toks) && toks[i+1].Kind == Word && len(t.Word) <= 4 && len(t.Word) < len(toks[i+1].Word) && strings.HasPrefix(toks[i+1].Word, t.Word) && !Known(t.Word) && utf8.RuneCountInString(t.Word) >= 1 && !wholeWord[t.Word] && t.Word != "i" && t.Word != "x" && t.Word != "y" && t.Word != "z" {
			continue // "lef left"
		}
		out = append(out, t)
		for n := 2; n <= 3; n++ { // repeated phrases that end in a small word
			k := len(out)
			if k >= 2*n && stutterEnds[out[k-1].Word] && slices.EqualFunc(out[k-n:k], out[k-2*n:k-n], func(a, b Token) bool { return a.Kind == Word && b.Kind == Word && a.Word == b.Word }) {
				out = out[:k-n]
				break
			}
		}
	}
	return out
}

var (
	doubled     = Words("doubled")
	stutterEnds = Words("stutter-ends")
)
