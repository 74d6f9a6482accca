package language

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language/levenshtein"
)

var (
	typed         = Map("typed")
	keepsSpelling = Words("keeps-spelling")
	filledPauses  = Reword("filled-pauses")
	shorthand     = Reword("shorthand")
	bySound       = Reword("by-sound")
	beforeNames   = Words("before-names")
	alsoWait      = Words("also-wait")
	stutters      = Words("stutters")
	corrections   = Phrases("corrections")
	bodyParts     = Phrases("parts")
	bodyWays      = Phrases("directions")
	gazes         = Words("gaze-ways") // those of them that the head can take
)

// Tidied is a text as its writer or speaker meant it, for everybody who reads it as a whole: slips of keys and spellings of chats are mended
// (testdata/tidied.txt has some), filled pauses are left out ("in the, um, blue bag"), and a number that somebody takes back is gone ("for
// three, no, four minutes"). A text about spelling, or with a quotation, stays as it is but for its beginning ("right a tool").
func Tidied(text string) string {
	text = bySound.Apply(text)
	toks, ok := tokenize(text)
	if !ok {
		return text
	}
	for i := range toks {
		if toks[i].Kind == Quote || keepsSpelling[toks.Word(i)] {
			return text
		}
	}
	var b strings.Builder
	from := 0
	for i := range toks {
		t := &toks[i]
		named := beforeNames[toks.Word(i-1)] || toks.Word(i-1) == "is" && toks.Word(i-2) == "name"
		if t.Kind != Word || i > 0 && toks[i-1].Start == t.Start || named {
			continue
		}
		raw := text[t.Start:t.End]
		if lower := strings.ToLower(raw); i == 0 || raw == lower { // else it may be a name
			if w := typedAs(lower); w != "" {
				b.WriteString(text[from:t.Start] + w)
				from = t.End
			}
		}
	}
	return renumbered(shorthand.Apply(unstuttered(filledPauses.Apply(b.String() + text[from:]))))
}

// nearestTyped is how many letters a word has at least that is found although one of its letters is wrong.
const nearestTyped = 6

// typedAs is the word that a slip of the keys or a spelling of chats stands for, "" where a word stands for itself.
func typedAs(w string) (found string) {
	if to := typed[w]; to != "" {
		return to
	}
	if Known(w) || inflected(w) || strings.ContainsRune(w, '\'') {
		return ""
	}
	if to := respellings[w]; to != "" && to != "reachy" { // which may be somebody's name
		return to
	}
	if len(w) < 3 {
		return ""
	}
	if to := unstretched(w); to != "" {
		return to
	}
	if to := slipped(w); to != "" || len(w) < nearestTyped {
		return to
	}
	for target := range swapTargets {
		if len(target) < nearestTyped || levenshtein.Distance(w, target, 1) > 1 {
			continue
		}
		if found != "" {
			return ""
		}
		found = target
	}
	return found
}

// unstretched is a known word of which a letter was drawn out: "pleeease"; "" where there is none.
func unstretched(w string) string {
	short, double, run := "", "", 0
	stretched := false
	for i := range len(w) {
		if run++; i > 0 && w[i] != w[i-1] {
			run = 1
		}
		stretched = stretched || run > 2
		if run == 1 {
			short += w[i : i+1]
		}
		if run <= 2 {
			double += w[i : i+1]
		}
	}
	switch {
	case !stretched:
	case Known(double):
		return double
	case Known(short):
		return short
	}
	return ""
}

// mostStuttered is how many words are begun again at once: "could you, could you".
const mostStuttered = 3

// unstuttered is a text in which nothing is begun again at once: "that my, my train is at nine". Words that mean more when they are said twice
// ("very, very", "nod, nod") stay.
func unstuttered(text string) string {
	words := strings.Fields(text)
	same := func(i, k, n int) bool {
		for d := range n {
			first := strings.TrimRight(words[i+d], ",…")
			if first != words[i+d] && d < n-1 || !strings.EqualFold(first, strings.TrimRight(words[k+d], ",")) {
				return false
			}
		}
		return true
	}
	cut := false
	for i := 0; i < len(words); i++ {
		for n := mostStuttered; n > 0; n-- {
			if i+2*n < len(words) && stutters[strings.ToLower(strings.TrimRight(words[i], ",…"))] && same(i, i+n, n) {
				words, cut = slices.Delete(words, i, i+n), true
				n++
			}
		}
	}
	if !cut {
		return text
	}
	return strings.Join(words, " ")
}

// renumbered is a text without a number that is taken back for another one, where neither part of the robot nor direction is named: those
// who read movements know what belongs to which.
func renumbered(text string) string {
	if raw, ok := tokenize(text); !ok || !correctsNumber(raw) {
		return text
	}
	toks := Analyse(text).Tokens
	for i := range toks {
		if way, _ := bodyWays.Match(toks, i); bodyParts.Has(toks, i) || gazes[way] {
			return text
		}
	}
	for i := 1; i < len(toks); i++ {
		left, right := i, correctedBehind(toks, i)
		for left > 0 && (toks.IsMark(left-1) || corrections.Len(toks, left-1) > 0) {
			left--
		}
		if right == 0 || toks.At(right).Kind != Number || toks[right].Pronoun {
			continue
		}
		end := right
		for end < len(toks) && !toks.IsMark(end) {
			end++
		}
		if at, behind := takenBack(toks[:left], toks[right:end]); at >= 0 {
			rest := ""
			if behind < left { // more than the number was said: "three minutes, no, four"
				rest = text[toks[behind-1].End:toks[left-1].End]
			}
			return text[:toks[at].Start] + text[toks[right].Start:toks[end-1].End] + rest + text[toks[end-1].End:]
		}
	}
	return text
}

// correctsNumber reports whether a number stands behind a correction.
func correctsNumber(raw Tokens) bool {
	for i := 1; i < len(raw); i++ {
		k := correctedBehind(raw, i)
		_, small := digitWords[raw.Word(k)]
		_, tens := tensWords[raw.Word(k)]
		if k > 0 && (small || tens || raw.At(k).Kind == Number) {
			return true
		}
	}
	return false
}

// correctedBehind is where stands what is meant behind a correction that begins at a token, 0 where none does: "wait three seconds" is none.
func correctedBehind(toks Tokens, i int) int {
	n := corrections.Len(toks, i)
	if n == 0 || alsoWait[toks.Word(i)] && !toks.IsMark(i+n) {
		return 0
	}
	for n += i; toks.IsMark(n); n++ {
		continue
	}
	return n
}

// takenBack is where in what stands before a correction that begins which is said anew behind it, and where it ends; −1 where no number is.
func takenBack(before, anew Tokens) (at, behind int) {
	at = -1
	for i := range before {
		if before[i].Kind != Number || before[i].Pronoun {
			continue
		}
		at = i
		if alikeUntil(before[i:], anew) == len(before)-i { // the longest that is said in the same form
			return at, len(before)
		}
	}
	return at, min(len(before), at+len(anew))
}

// alikeUntil is how many tokens of two runs are numbers in both, or the same word.
func alikeUntil(a, b Tokens) (n int) {
	for n < len(a) && n < len(b) && (a[n].Kind == Number && b[n].Kind == Number || a[n].Kind == Word && a[n].Word == b.Word(n)) {
		n++
	}
	return n
}
