package smalltalk

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// nearness guesses the kind of a sentence that no template covers, by the words that it shares with what the kinds are written in:
// a word of few kinds says more than one of many.
type nearness struct {
	kinds []*kind
	of    map[string][]int32 // stem to the numbers of the kinds that have it
}

func newNearness(p *Persona) *nearness {
	n := &nearness{kinds: p.kinds, of: map[string][]int32{}}
	for i, k := range p.kinds {
		add := func(text string) {
			for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" |()[]^$,.!?", r) }) {
				if strings.ContainsAny(w, "{}<>*:") || w >= "0" && w <= "9~" {
					continue
				}
				s := root(w)
				if of := n.of[s]; len(of) == 0 || of[len(of)-1] != int32(i) {
					n.of[s] = append(of, int32(i))
				}
			}
		}
		for _, all := range [][]string{k.ways, k.examples, k.words} {
			for _, text := range all {
				add(strings.ToLower(text))
			}
		}
	}
	return n
}

// root is what words of one meaning have in common.
func root(w string) string {
	if to, ok := irregular[w]; ok {
		w = to
	}
	return language.Stem(w)
}

// irregular are forms of verbs that their endings do not show.
var irregular = map[string]string{
	"made": "make", "built": "build", "told": "tell", "said": "say", "heard": "hear", "saw": "see", "seen": "see", "did": "do", "done": "do", "went": "go",
	"froze": "freeze", "frozen": "freeze", "slept": "sleep", "felt": "feel", "knew": "know", "known": "know", "thought": "think", "bought": "buy",
	"came": "come", "gave": "give", "given": "give", "taught": "teach", "spoke": "speak", "spoken": "speak", "spelt": "spell", "weighs": "weigh", "got": "get",
	"understood": "understand", "meant": "mean", "born": "birth", "birthday": "birth", "feet": "foot", "chose": "choose", "chosen": "choose",
}

// Limits of a guess.
const (
	enoughShared = 0.6 // of what the words of a sentence say
	clearlyMore  = 1.1 // than the next kind
)

// guess returns the kind whose words say most of a sentence's; nil where none says enough, or two say as much.
func (n *nearness) guess(m *matcher, text string, barred func(*kind) bool) *kind {
	score := map[int32]float64{}
	all, words := 0.0, 0
	seen := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		s := root(w)
		if seen[s] {
			continue
		}
		seen[s] = true
		of := n.of[s]
		weight := math.Log(float64(len(n.kinds)+1) / float64(len(of)+1))
		if m.fillers[w] {
			weight /= 4
		} else {
			words++
		}
		if len(of) == 0 {
			weight = min(weight, 3)
		}
		all += weight
		for _, k := range of {
			score[k] += weight
		}
	}
	best, next := int32(-1), 0.0
	for _, k := range slices.Sorted(maps.Keys(score)) {
		if barred(n.kinds[k]) {
			continue
		}
		switch {
		case best < 0 || score[k] > score[best]:
			if best >= 0 {
				next = score[best]
			}
			best = k
		case score[k] > next:
			next = score[k]
		}
	}
	if best < 0 || words == 0 || words > 9 || score[best] < enoughShared*all || score[best] < clearlyMore*next {
		return nil
	}
	return n.kinds[best]
}
