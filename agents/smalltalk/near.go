package smalltalk

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/perception/weights"
)

// nearness guesses the kind of a sentence that no template covers, by the words that it shares with what the kinds are written in:
// a word of few kinds says more than one of many.
type nearness struct {
	kinds []*kind
	like  map[*kind]character
	stems *weights.Words
	from  []int32 // of the kinds of each stem, and where those of the last one end
	of    []int32 // the numbers of the kinds that have a stem
}

func newNearness(p *Persona) *nearness {
	n := &nearness{kinds: p.kinds, like: make(map[*kind]character, len(p.kinds))}
	kinds := map[string][]int32{}
	for i, k := range p.kinds {
		n.like[k] = newCharacter(k)
		add := func(text string) {
			for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" |()[]^$,.!?", r) }) {
				if strings.ContainsAny(w, "{}<>*:") || w >= "0" && w <= "9~" {
					continue
				}
				s := root(w)
				if of := kinds[s]; len(of) == 0 || of[len(of)-1] != int32(i) {
					kinds[s] = append(of, int32(i))
				}
			}
		}
		for _, all := range [][]string{k.ways, k.examples, k.words} {
			for _, text := range all {
				add(strings.ToLower(text))
			}
		}
	}
	stems := slices.Sorted(maps.Keys(kinds))
	n.stems = weights.WordsOf(stems)
	for _, s := range stems {
		n.from, n.of = append(n.from, int32(len(n.of))), append(n.of, kinds[s]...)
	}
	n.from, n.of = append(n.from, int32(len(n.of))), slices.Clone(n.of)
	return n
}

// having is the numbers of the kinds that have a stem.
func (n *nearness) having(stem string) []int32 {
	at, known := n.stems.Find(stem)
	if !known {
		return nil
	}
	return n.of[n.from[at]:n.from[at+1]]
}

// root is what words of one meaning have in common.
func root(w string) string {
	if to, ok := irregular[w]; ok {
		w = to
	}
	return language.Stem(w)
}

// questionWords ask for different things: who asks for no place, and when for no reason. "What" and "how" ask for many.
var questionWords = slices.Sorted(maps.Keys(language.Words("talk-question-words")))

// speaks says which persons a text is about: who speaks, and who is spoken to.
func speaks(words []string) (me, you bool) {
	for _, w := range words {
		me, you = me || first[w], you || second[w]
	}
	return me, you
}

// measures are words that after "how" or "what" ask for one thing only: "how old" for no number, "what time" for no game.
var measures = slices.Sorted(maps.Keys(language.Words("talk-measures")))

// asking says of a text whether it opens as a question does: with a question word, or with the verb.
func asking(words []string) bool {
	i := 0
	for i < len(words)-1 && leads[words[i]] {
		i++
	}
	return i < len(words) && openings[words[i]]
}

// character is what the sentences of a kind have in common, as far as it tells them from others.
type character struct {
	asks    uint32 // of questionWords, and behind them measures, by a bit each
	asking  bool   // they may be questions
	me, you bool
	yours   bool // all examples speak to the robot about itself
	denies  bool // they may say "not"
}

// asked is the bit of a question word or a measure; 0 of any other word.
func asked(w string) uint32 {
	if at := slices.Index(questionWords, w); at >= 0 {
		return 1 << at
	}
	if at := slices.Index(measures, w); at >= 0 {
		return 1 << (len(questionWords) + at)
	}
	return 0
}

func newCharacter(k *kind) character {
	var c character
	for _, text := range slices.Concat(k.ways, k.examples) {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && r != '<' && r != '>' })
		for _, w := range words {
			c.asks |= asked(w)
		}
		c.asking, c.denies = c.asking || asking(words), c.denies || denies(words)
		me, you := speaks(words)
		c.me, c.you = c.me || me, c.you || you
	}
	c.yours = len(k.examples) > 0 && !slices.ContainsFunc(k.examples, func(e string) bool {
		_, you := speaks(strings.Fields(strings.ToLower(e)))
		return !you
	})
	return c
}

// fits says whether a sentence that a kind is only guessed for may be of it: it asks what sentences of the kind ask, of whom they speak.
func (c character) fits(text string) bool {
	words := strings.Fields(text)
	for _, w := range questionWords {
		if slices.Contains(words[:min(len(words), maxBefore)], w) && c.asks&asked(w) == 0 {
			return false
		}
	}
	if asking(words) {
		at := slices.IndexFunc(words, func(w string) bool { return w == "how" || w == "what" })
		if !c.asking || at >= 0 && at+1 < len(words) && slices.Contains(measures, words[at+1]) && c.asks&asked(words[at+1]) == 0 {
			return false
		}
	}
	if !c.denies && denies(words) && !asking(words) {
		return false
	}
	me, you := speaks(words)
	return (!me || you || c.me) && (!you || me || c.you) && (you || !c.yours)
}

// addressed says whether a sentence may be of a kind of which all sentences speak to the robot about itself: it must, too.
func (c character) addressed(text string) bool {
	_, you := speaks(strings.Fields(text))
	return you || !c.yours
}

// denies says whether words turn round what they say; "is it not" does not.
func denies(words []string) bool {
	for i, w := range words {
		tag := i > 0 && i+1 < len(words) && openings[words[i-1]] && tagged[words[i+1]]
		if negatives[w] && !tag {
			return true
		}
	}
	return false
}

// maxBefore is how many words of a sentence may hold its question word: "so, where …"; later ones begin a clause.
const maxBefore = 3

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
		of := n.having(s)
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
		if barred(n.kinds[k]) || !n.like[n.kinds[k]].fits(text) {
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
