package stt

import (
	"math"
	"strings"
)

// Spoken is a sentence that people say where this is used, and how often beside others.
type Spoken struct {
	Text   string
	Weight float64
}

const (
	ngramOrder   = 3      // words before the one that is judged
	ngramPrior   = 0.5    // weight of what shorter beginnings say, in sentences
	ngramRare    = 0.0005 // probability below which a word is no more likely here than elsewhere
	ngramUnknown = 1.0 / 50000
)

// ngrams knows which token follows which in the sentences that are spoken here. It does not tell capitals from small letters and
// passes over punctuation. The zero value knows nothing.
type ngrams struct {
	ids    map[string]int // 1… of the tokens' texts
	counts [ngramOrder + 1]map[uint64]float32
	totals [ngramOrder + 1]map[uint64]float32
}

const (
	ngramBegin = 1
	ngramEnd   = 2
	ngramMost  = 1<<16 - 1 // ids: four fit into a key
)

// newNgrams counts sentences. tokens splits a word, with the blank before it, into the texts of its tokens.
func newNgrams(sentences []Spoken, tokens func(word string) []string) *ngrams {
	g := &ngrams{ids: map[string]int{"": ngramBegin, "\x00": ngramEnd}}
	for k := range g.counts {
		g.counts[k], g.totals[k] = map[uint64]float32{}, map[uint64]float32{}
	}
	words := map[string][]int{}
	split := func(word string) []int {
		ids, known := words[word]
		if !known {
			for _, t := range tokens(" " + word) {
				ids = append(ids, g.add(form(t)))
			}
			words[word] = ids
		}
		return ids
	}
	var line []int
	for _, s := range sentences {
		fields := strings.Fields(s.Text)
		if len(fields) == 0 {
			continue
		}
		// A first word with a capital may be split in another way.
		small, capital := split(fields[0]), split(strings.ToUpper(fields[0][:1])+fields[0][1:])
		for _, first := range [][]int{small, capital} {
			line = append(append(line[:0], ngramBegin), first...)
			for _, w := range fields[1:] {
				line = append(line, split(w)...)
			}
			g.count(append(line, ngramEnd), float32(s.Weight)/2)
		}
	}
	return g
}

func (g *ngrams) add(form string) int {
	id, known := g.ids[form]
	if !known && len(g.ids) < ngramMost {
		id = len(g.ids) + 1
		g.ids[form] = id
	}
	return id
}

func (g *ngrams) count(line []int, weight float32) {
	for i := 1; i < len(line); i++ {
		for k := 0; k <= min(i, ngramOrder); k++ {
			before := key(line[i-k : i])
			g.totals[k][before] += weight
			g.counts[k][before<<16|uint64(line[i])] += weight
		}
	}
}

// key is a number for up to ngramOrder ids.
func key(ids []int) (k uint64) {
	for _, id := range ids {
		k = k<<16 | uint64(id) //nolint:gosec // below ngramMost
	}
	return k
}

// lean is the logarithm of how many times likelier than a rare word one is here, at least 0. before are the ids of what stands before it.
func (g *ngrams) lean(before []int, id int) float64 {
	if id <= 0 || len(g.totals[0]) == 0 {
		return 0
	}
	p := ngramUnknown
	for k := 0; k <= min(len(before), ngramOrder); k++ {
		ctx := key(before[len(before)-k:])
		total := float64(g.totals[k][ctx])
		if total == 0 {
			break
		}
		p = (float64(g.counts[k][ctx<<16|uint64(id)]) + ngramPrior*p) / (total + ngramPrior) //nolint:gosec // below ngramMost
	}
	return max(0, math.Log(p/ngramRare))
}

// form is a token's text without what does not matter; it is empty for punctuation.
func form(token string) string {
	if !strings.ContainsFunc(token, letterOrDigit) {
		return ""
	}
	return strings.ToLower(token)
}
