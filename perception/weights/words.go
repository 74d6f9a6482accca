package weights

import "strings"

// Words finds the place of a word in a text of one a line. Beside the text it has some bytes a word: a map of it has fifty.
type Words = words[uint32]

// FewWords are Words of a text of at most 65535 bytes, in half the memory.
type FewWords = words[uint16]

type words[N uint16 | uint32] struct {
	text  string
	ends  []N // of each line
	slots []N // line + 1 by hash, 0: none
}

// NewWords returns those of a text whose every line ends with a line feed.
func NewWords(text string) *Words { return newWords[uint32](text) }

func newWords[N uint16 | uint32](text string) *words[N] {
	w := &words[N]{text: text, ends: make([]N, 0, strings.Count(text, "\n"))}
	size := 2
	for size < 2*cap(w.ends) {
		size *= 2
	}
	w.slots = make([]N, size)
	for rest := text; ; {
		line, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return w
		}
		rest = after
		w.ends = append(w.ends, N(len(text)-len(rest)-1))
		at, _ := w.slot(line)
		w.slots[at] = N(len(w.ends)) // of a word that is there twice the last
	}
}

// WordsOf returns those of a list, none of which has a line feed in it.
func WordsOf(list []string) *Words { return NewWords(lines(list)) }

// FewWordsOf are WordsOf a list whose words have at most 65535 bytes, each with one more.
func FewWordsOf(list []string) *FewWords { return newWords[uint16](lines(list)) }

func lines(list []string) string {
	var text strings.Builder
	for _, w := range list {
		text.WriteString(w)
		text.WriteByte('\n')
	}
	return strings.Clone(text.String())
}

// Len is how many words there are.
func (w *words[N]) Len() int { return len(w.ends) }

// At is the word of a place.
func (w *words[N]) At(i int) string {
	from := N(0)
	if i > 0 {
		from = w.ends[i-1] + 1
	}
	return w.text[from:w.ends[i]]
}

// Find is the place of a word; false: it is none of them.
func (w *words[N]) Find(word string) (at int, ok bool) {
	_, at = w.slot(word)
	return at, at >= 0
}

// slot is where a word is, or would be, and its place, below 0 when it is not there.
func (w *words[N]) slot(word string) (slot, at int) {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	last := len(w.slots) - 1
	for slot = int(h^h>>15) & last; ; slot = (slot + 1) & last {
		at = int(w.slots[slot]) - 1
		if at < 0 || w.At(at) == word {
			return slot, at
		}
	}
}
