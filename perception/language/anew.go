package language

import "slices"

// What somebody says again is emphasis, or a beginning that was given up: "Look at me! Look at me!", "turn left… turn left ten". Only the
// last of it counts.

// maxAnew is the longest run of words that is looked for again.
const maxAnew = 14

var (
	anewGaps   = Phrases("anew-gaps")   // may stand between: "I said", "did you hear me?"
	anewAgain  = Words("anew-again")    // behind it, it is to be done twice: "turn left, turn left again"
	anewJoints = Words("anew-joints")   // in it, it is a list
	anewQuotes = Phrases("anew-quotes") // before it, it is to be said
)

// saidOnce drops commands that are said again at once.
func saidOnce(toks Tokens) Tokens {
	for i := 0; i < len(toks); i++ {
		switch {
		case anewQuotes.Has(toks, i) || toks[i].Kind == Quote:
			return toks
		case toks[i].Kind != Word || !IsVerb(toks[i].Word) || i > 0 && IsVerb(toks[i-1].Word):
			continue
		}
		for saidAgain(toks, i) > 0 {
			toks = slices.Delete(toks, i, saidAgain(toks, i))
		}
	}
	return toks
}

// saidAgain is where the run of words at i begins again; 0 when it does not, or when both are meant.
func saidAgain(toks Tokens, i int) int {
	number, list := false, false
	for n := 1; n <= maxAnew && i+n < len(toks); n++ {
		last := toks[i+n-1]
		if last.Kind == Mark || last.Kind == Quote || n > 1 && IsVerb(last.Word) && !nounToo[last.Word] {
			return 0
		}
		list = list || anewJoints[last.Word]
		number = number || last.Kind == Number
		k, mark := anewAt(toks, i+n)
		if n == 1 && mark != "!" || (number || list) && (mark == "" || mark == ",") || k+n > len(toks) || !slices.EqualFunc(toks[i:i+n], toks[k:k+n], alike) {
			continue
		}
		if behind := toks.At(k + n); anewAgain[behind.Word] || (mark == "" || mark == ",") && behind.Kind == Number && number {
			return 0
		}
		return k
	}
	return 0
}

// anewAt steps over what may stand before a repetition, and returns the last mark there.
func anewAt(toks Tokens, i int) (at int, mark string) {
	for i < len(toks) {
		if n := anewGaps.Len(toks, i); n > 0 {
			i += n
			continue
		}
		if toks[i].Kind != Mark {
			break
		}
		if mark != "!" {
			mark = toks[i].Word
		}
		i++
	}
	return i, mark
}

func alike(a, b Token) bool { return a.Kind == b.Kind && a.Word == b.Word && a.Num == b.Num }

// nounToo are verbs that are also nouns which stand within a command: "show me your look".
var nounToo = Words("anew-nouns")
