package stt

import (
	"strings"
	"testing"
)

// whole splits a word into itself.
func whole(word string) []string { return []string{word} }

func TestWhatIsSpokenHereIsLikelier(t *testing.T) {
	g := newNgrams([]Spoken{{"look at the duck", 1}, {"look left", 2}, {"nod twice", 1}}, whole)
	lean := func(text string) float64 {
		words := strings.Fields(text)
		before := []int{ngramBegin}
		for _, w := range words[:len(words)-1] {
			before = append(before, g.ids[" "+w])
		}
		return g.lean(before[max(0, len(before)-ngramOrder):], g.ids[" "+words[len(words)-1]])
	}
	for _, c := range []struct{ more, less string }{
		{"nod twice", "nod left"},
		{"look left", "look at"},
		{"look at the duck", "look at the dark"},
		{"look left", "left look"},
		{"look", "twice"},
	} {
		if more, less := lean(c.more), lean(c.less); more <= less {
			t.Errorf("%q %.2f, %q %.2f", c.more, more, c.less, less)
		}
	}
	if got := lean("the weather"); got != 0 {
		t.Errorf("a word that nobody says here leans by %v", got)
	}
	if end, on := g.lean([]int{g.ids[" nod"], g.ids[" twice"]}, ngramEnd), g.lean([]int{ngramBegin, g.ids[" nod"]}, ngramEnd); end <= on {
		t.Errorf("a sentence ends with %v after its last word and with %v within", end, on)
	}
	if got := (&ngrams{}).lean(nil, 1); got != 0 {
		t.Errorf("without sentences: %v", got)
	}
}

func TestFormsOfTokens(t *testing.T) {
	for token, want := range map[string]string{" Look": " look", " look": " look", "ing": "ing", ".": "", ", ": "", " 30": " 30", "'s": "'s"} {
		if got := form(token); got != want {
			t.Errorf("%q: %q", token, got)
		}
	}
}
