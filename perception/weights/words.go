package weights

import "strings"

// Words finds the place of a word in a text of one a line. Beside the text it has some bytes a word: a map of it has fifty.
type Words struct {
	text  string
	ends  []uint32 // of each line
	slots []uint32 // line + 1 by hash, 0: none
}

// NewWords returns those of a text whose every line ends with a line feed.
func NewWords(text string) *Words {
	w := &Words{text: text, ends: make([]uint32, 0, strings.Count(text, "\n"))}
	size := 2
	for size < 2*cap(w.ends) {
		size *= 2
	}
	w.slots = make([]uint32, size)
	for rest := text; ; {
		line, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return w
		}
		rest = after
		w.ends = append(w.ends, uint32(len(text)-len(rest)-1))
		at, _ := w.slot(line)
		w.slots[at] = uint32(len(w.ends)) // of a word that is there twice the last
	}
}

// WordsOf returns those of a list, none of which has a line feed in it.
func WordsOf(list []string) *Words {
	var text strings.Builder
	for _, w := range list {
		text.WriteString(w)
		text.WriteByte('\n')
	}
	return NewWords(strings.Clone(text.String()))
}

// Len is how many words there are.
func (w *Words) Len() int { return len(w.ends) }

// At is the word of a place.
func (w *Words) At(i int) string {
	from := uint32(0)
	if i > 0 {
		from = w.ends[i-1] + 1
	}
	return w.text[from:w.ends[i]]
}

// Find is the place of a word; false: it is none of them.
func (w *Words) Find(word string) (at int, ok bool) {
	_, at = w.slot(word)
	return at, at >= 0
}

// slot is where a word is, or would be, and its place, below 0 when it is not there.
func (w *Words) slot(word string) (slot, at int) {
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
