package reward

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

// buckets is into how many weights features are hashed.
const (
	bucketBits = 16
	buckets    = 1 << bucketBits
)

// sentence is a text as the features see it.
type sentence struct {
	words  []string
	roles  []role
	levels []int8 // of each word, 0 for none; of a phrase at its first word
	spans  []int  // words of the phrase that begins here
	negate []bool
}

// A feature is a bucket and how much of it there is.
type feature struct {
	bucket uint32
	value  float32
	word   int // which it is of; none is −1
}

// hasher makes features of names.
type hasher struct {
	out   []feature
	scale float32
	word  int
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

func (h *hasher) add(parts ...string) {
	x := uint32(fnvOffset)
	for _, p := range parts {
		for i := range len(p) {
			x = (x ^ uint32(p[i])) * fnvPrime
		}
		x = (x ^ 0x1f) * fnvPrime
	}
	x ^= x >> 15
	x *= 0x2c1b3c6d
	x ^= x >> 12
	h.out = append(h.out, feature{x & (buckets - 1), h.scale, h.word})
}

func read(text string) *sentence {
	w := tokens(text)
	s := &sentence{words: w, roles: make([]role, len(w)), levels: make([]int8, len(w)), spans: make([]int, len(w)), negate: make([]bool, len(w))}
	for i, t := range w {
		s.roles[i] = vocab().roles[t]
		s.levels[i] = vocab().valence[t]
	}
	for i := range w {
		s.phraseAt(i)
	}
	s.scope()
	return s
}

// phraseAt marks the longest phrase that begins at a word.
func (s *sentence) phraseAt(i int) {
	for n := min(vocab().begins[s.words[i]], len(s.words)-i); n > 0; n-- {
		text := strings.Join(s.words[i:i+n], " ")
		level, isLevel := vocab().phrases[text]
		mark, isMark := vocab().marks[text]
		if isMark {
			s.roles[i] |= mark
		}
		if isLevel {
			s.spans[i] = n
			s.levels[i] = level
			for j := i + 1; j < i+n; j++ {
				s.levels[j] = 0
			}
			return
		}
	}
}

// scope marks what a negation reaches: up to four words, or a sign.
func (s *sentence) scope() {
	left := 0
	neg := vocab().bit["negator"]
	for i, w := range s.words {
		if len(w) == 1 && strings.ContainsAny(w, "?!.,;:") {
			left = 0
			continue
		}
		if left > 0 {
			s.negate[i] = true
			left--
		}
		if s.roles[i]&neg != 0 && s.spans[i] == 0 {
			left = 4
		}
	}
}

func levelName(l int8) string { return strconv.Itoa(int(l)) }

// features are those of a sentence, of length one all together.
func (s *sentence) features() []feature {
	h := &hasher{out: make([]feature, 0, 256), scale: 1}
	s.wordFeatures(h)
	s.shapeFeatures(h)
	s.tagFeatures(h)
	s.levelFeatures(h)
	s.letterFeatures(h)
	var square float64
	for _, f := range h.out {
		square += float64(f.value) * float64(f.value)
	}
	scale := float32(1 / math.Sqrt(square))
	for i := range h.out {
		h.out[i].value *= scale
	}
	return h.out
}

func (s *sentence) wordFeatures(h *hasher) {
	prev, prev2 := "^", "^"
	for i, w := range s.words {
		h.word, h.scale = i, 1
		h.add("w", w)
		if s.negate[i] {
			h.add("n", w)
		}
		h.add("b", prev, w)
		h.scale = 0.7
		h.add("t", prev2, prev, w)
		h.add("s", prev2, w)
		prev2, prev = prev, w
	}
	h.scale = 1
	h.add("b", prev, "$")
}

func (s *sentence) shapeFeatures(h *hasher) {
	h.word, h.scale = -1, 1
	h.add("bias")
	n := len(s.words)
	switch {
	case n <= 1:
		h.add("len1")
	case n <= 3:
		h.add("len3")
	case n <= 6:
		h.add("len6")
	case n <= 12:
		h.add("len12")
	default:
		h.add("lenmore")
	}
	var all role
	for _, r := range s.roles {
		all |= r
	}
	for i, name := range vocab().names {
		if all&(1<<i) != 0 {
			h.add("r", name)
		}
	}
	if n > 0 {
		h.add("first", s.words[0])
		for i, name := range vocab().names {
			if s.roles[0]&(1<<i) != 0 {
				h.add("fr", name)
			}
		}
		h.add("last", s.words[n-1])
	}
	if n > 1 {
		h.add("first2", s.words[0], s.words[1])
	}
}

// tag is a word as its role: function words stay as they are, others are what they do.
func (s *sentence) tag(i int) string {
	w := s.words[i]
	if l := s.levels[i]; l != 0 {
		if s.negate[i] {
			return "~" + levelName(l)
		}
		return levelName(l)
	}
	r := s.roles[i]
	for _, t := range tagged() {
		if r&t.bit != 0 {
			return t.name
		}
	}
	if len(w) <= 3 {
		return w
	}
	return "_"
}

// tagged are the roles by which a word is called in tags, the most telling first.
var tagged = sync.OnceValue(func() (out []tag) {
	for _, n := range []string{
		"negator", "you", "vocative", "i", "family", "others", "third", "animal", "harm", "success", "curse", "laugh", "stopping", "it", "command", "deed",
		"thing", "direction", "time", "intensifier", "diminisher", "concession", "asking", "auxiliary", "past", "hypothetical",
	} {
		out = append(out, tag{"<" + n + ">", vocab().bit[n]})
	}
	return out
})

type tag struct {
	name string
	bit  role
}

func (s *sentence) tagFeatures(h *hasher) {
	tags, at := make([]string, 0, len(s.words)+2), make([]int, 0, len(s.words)+2)
	tags, at = append(tags, "^"), append(at, -1)
	skip := 0
	for i := range s.words {
		if skip > 0 {
			skip--
			continue
		}
		tags, at = append(tags, s.tag(i)), append(at, i)
		if s.spans[i] > 1 {
			skip = s.spans[i] - 1
		}
	}
	tags, at = append(tags, "$"), append(at, -1)
	h.scale = 0.7
	for i := range tags {
		h.word = at[i]
		h.add("g1", tags[i])
		if i > 0 {
			h.add("g2", tags[i-1], tags[i])
		}
		if i > 1 {
			h.add("g3", tags[i-2], tags[i-1], tags[i])
			h.add("gs", tags[i-2], tags[i])
		}
	}
}

// levelFeatures are the sum of what the words are worth, before and after a "but", and how the sentence ends.
func (s *sentence) levelFeatures(h *hasher) {
	var sum, before, after float32
	conceded := false
	for i, l := range s.levels {
		if i > 0 && s.roles[i]&vocab().bit["concession"] != 0 {
			conceded, before, after = true, sum, 0
		}
		v := float32(l)
		if s.negate[i] {
			v *= -0.6
		}
		sum += v
		after += v
	}
	h.word, h.scale = -1, 1
	h.add("sum", sign(sum))
	if conceded {
		h.add("but", sign(before), sign(after))
	}
	if n := len(s.words); n > 0 {
		h.add("end", s.words[n-1][:1], sign(sum))
	}
}

// sign is a sum in five steps.
func sign(x float32) string {
	switch {
	case x > 2:
		return "++"
	case x > 0:
		return "+"
	case x < -2:
		return "--"
	case x < 0:
		return "-"
	}
	return "0"
}

func (s *sentence) letterFeatures(h *hasher) {
	h.scale = 0.35
	var buf []byte
	for i, w := range s.words {
		if len(w) < 3 {
			continue
		}
		h.word = i
		buf = append(append(append(buf[:0], '<'), w...), '>')
		t := string(buf)
		for n := 3; n <= 5; n++ {
			for from := 0; from+n <= len(t); from++ {
				h.add("c", t[from:from+n])
			}
		}
	}
}

// Words are the words and signs of a text as models see them, the bits of what each does, and its worth from −3 to 3 as 0 … 6, 7 more
// where it is negated.
func Words(text string) (words []string, roles []uint64, levels []int) {
	s := read(text)
	roles, levels = make([]uint64, len(s.words)), make([]int, len(s.words))
	for i := range s.words {
		roles[i], levels[i] = uint64(s.roles[i]), int(s.levels[i])+3
		if s.negate[i] {
			levels[i] += 7
		}
	}
	return s.words, roles, levels
}
