package voice

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/language/levenshtein"
)

// wakePhrase is recognised by its sound rather than by its letters: recognisers spell a name in many ways.
type wakePhrase struct {
	words int
	key   string
}

func newWakePhrase(phrase string) wakePhrase {
	w := language.HeardWords(phrase)
	return wakePhrase{len(w), soundKey(strings.Join(w, ""))}
}

func (w *wakePhrase) empty() bool { return w.key == "" }

// cut removes the phrase from the beginning of a text. It is found when the first words sound like it, whatever their
// number, but for one sound in six.
func (w *wakePhrase) cut(text string) (rest string, found bool) {
	if w.empty() {
		return text, false
	}
	best, bestAt := len(w.key)/6+1, -1
	said := ""
	at := 0
	for range w.words + 2 {
		word, end := nextWord(text, at)
		if word == "" {
			break
		}
		at = end
		said += word
		if d := levenshtein.Distance(soundKey(said), w.key, best-1); d < best {
			best, bestAt = d, at
		}
	}
	if bestAt < 0 {
		return text, false
	}
	return strings.TrimLeft(text[bestAt:], " ,.;:!?-…–"), true
}

// nextWord returns the letters and digits of the first word of text from a byte on, in lower case, and where it ends.
func nextWord(text string, from int) (word string, end int) {
	end = len(text)
	for i, r := range text[from:] {
		if strings.ContainsRune(" ,.;:!?-…–\t\n", r) {
			if word != "" {
				return word, from + i
			}
			continue
		}
		if w := language.HeardWords(string(r)); len(w) > 0 {
			word += w[0]
		}
	}
	return word, end
}

// sounds are letters that recognisers take for each other, longest first.
var sounds = strings.NewReplacer(
	"tch", "k", "sch", "k", "ch", "k", "sh", "k", "tj", "k", "ck", "k", "ph", "f", "gh", "", "wh", "w", "th", "t",
	"c", "k", "q", "k", "x", "ks", "z", "s", "v", "f", "b", "p", "d", "t", "g", "k", "j", "k",
	"h", "", "w", "",
	"a", "V", "e", "V", "i", "V", "o", "V", "u", "V", "y", "V", "ä", "V", "ö", "V", "ü", "V",
)

// soundKey maps words that sound alike to the same key: consonants by class, vowels by their place, doubles once.
func soundKey(word string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range sounds.Replace(word) {
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
