package language

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/language/levenshtein"
	"github.com/reachyd/reachyd/perception/weights"
)

// vocabulary holds every word of the tables that are marked as known, and their inflections.
var vocabulary = sync.OnceValue(func() *weights.Words {
	m := map[string]bool{}
	for _, t := range tables {
		if !t.known {
			continue
		}
		for _, e := range t.entries() {
			wordsOf(e.text, func(w string) { m[w] = true })
		}
	}
	for w := range inflections {
		m[w] = true
	}
	for w := range units {
		m[w] = true
	}
	for w := range digitWords {
		m[w] = true
	}
	for w := range tensWords {
		m[w] = true
	}
	for _, w := range []string{"hundred", "thousand", "million", "minus", "negative", "point", "pitch", "yaw", "roll", "not", "and", "of"} {
		m[w] = true
	}
	return weights.WordsOf(slices.Sorted(maps.Keys(m)))
})

// Known reports whether some table knows the word, so that it is taken as it stands.
func Known(w string) bool {
	_, known := vocabulary().Find(w)
	return known
}

// typoTargets are the words that a misspelling may stand for, by first letter.
var typoTargets = sync.OnceValue(func() map[byte][]string {
	m := map[byte][]string{}
	add := func(w string) { m[w[0]] = append(m[w[0]], w) }
	for w := range Words("typo-targets") {
		add(w)
	}
	for _, e := range find("emotion-words", "phrases").entries() {
		wordsOf(e.text, func(w string) {
			if len(w) >= 5 {
				add(w)
			}
		})
	}
	for b, ws := range m {
		slices.Sort(ws)
		m[b] = slices.Compact(ws)
	}
	return m
})

// correctTypos replaces unknown words by the one word of the lexicon that is an edit or two away.
func correctTypos(toks Tokens, names map[string]bool) {
	for i := range toks {
		t := &toks[i]
		if t.Kind != Word || len(t.Word) < 3 || len(t.Word) > 14 || Known(t.Word) || names[t.Word] || t.Word != t.Orig || inflected(t.Word) {
			continue
		}
		w := slipped(t.Word)
		if w == "" && len(t.Word) > 3 {
			w = nearest(t.Word, names)
		}
		if w != "" {
			t.Word = w
		}
	}
}

var (
	swapTargets = Words("swap-targets")
	dropTargets = Words("drop-targets")
)

// slipped is the word of which two letters were swapped, or one was left out or struck twice; "" when there is none or several.
func slipped(w string) string {
	if to := swapped(w); to != "" {
		return to
	}
	for i := 1; i < len(w); i++ {
		if once := w[:i] + w[i+1:]; w[i] == w[i-1] && dropTargets[once] {
			return once
		}
	}
	found := ""
	for target := range dropTargets {
		dropped := len(w) > 3 && len(target) == len(w)+1 && target[0] == w[0] && levenshtein.Distance(w, target, 1) == 1
		if dropped && found != "" {
			return ""
		}
		if dropped {
			found = target
		}
	}
	return found
}

// swapped finds the only word of the swap targets of which two letters stand the other way round, "" when there is none or several:
// words too short, or too like others, to be found by what is near them.
func swapped(w string) (found string) {
	for i := 1; i < len(w); i++ {
		other := w[:i-1] + w[i:i+1] + w[i-1:i] + w[i+1:]
		if other == w || other == found || !swapTargets[other] {
			continue
		}
		if found != "" {
			return ""
		}
		found = other
	}
	return found
}

// inflected reports whether a word is a known one with an ending.
func inflected(w string) bool {
	for _, ending := range [...]string{"s", "es", "ed", "ing", "er", "ers", "d", "'s", "less", "ful", "ish"} {
		if stem, ok := strings.CutSuffix(w, ending); ok && Known(stem) {
			return true
		}
	}
	return false
}

// nearest finds the only word of the typo targets within one edit (two for long words), "" when there is none or several.
func nearest(w string, names map[string]bool) string {
	limit := 1
	if len(w) >= 8 {
		limit = 2
	}
	best, bestD, tie := "", limit+1, false
	try := func(c string) {
		if c == "" || len(c)-len(w) > limit || len(w)-len(c) > limit || len(c) < 4 && len(w) > 4 {
			return
		}
		d := levenshtein.Distance(w, c, limit)
		switch {
		case d < bestD:
			best, bestD, tie = c, d, false
		case d == bestD && c != best:
			tie = true
		}
	}
	for _, c := range typoTargets()[w[0]] {
		try(c)
	}
	for o := range names {
		if o != "" && o[0] == w[0] {
			try(o)
		}
	}
	if best == "" && len(w) >= 6 { // first letters swapped or lost
		for b, ws := range typoTargets() {
			if b != w[0] {
				for _, c := range ws {
					if len(c) >= 6 {
						try(c)
					}
				}
			}
		}
	}
	if tie {
		return ""
	}
	return best
}
