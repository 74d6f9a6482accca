package language

import (
	"math"
	"strconv"
)

var (
	digitWords = values(Map("digits"))
	tensWords  = values(Map("tens"))
	indefinite = values(Map("indefinite-numbers"))
	partsOfOne = values(Map("parts-of-one"))
)

// values reads the keys of a table as numbers.
func values(keys map[string]string) map[string]float64 {
	m := map[string]float64{}
	for w, key := range keys {
		m[w] = number(key)
	}
	return m
}

// number reads a number of a table, which is part of the program.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("language: " + err.Error())
	}
	return v
}

// readNumbers replaces number words by number tokens: "a hundred and twenty", "minus two point five", "half", "a couple of".
func readNumbers(toks Tokens) Tokens {
	out := make(Tokens, 0, len(toks))
	for i := 0; i < len(toks); {
		v, n := NumberAt(toks, i)
		if v > 0 && v < 1 && n > 1 && toks.Word(i+n-1) == "of" { // "a quarter of eighty degrees"
			if whole, m := NumberAt(toks, i+n); m > 0 {
				v, n = Tidy(v*whole), n+m
			}
		}
		if n == 0 {
			out = append(out, toks[i])
			i++
			continue
		}
		t := Token{Kind: Number, Num: v, Start: toks[i].Start, End: toks[i+n-1].End, Digits: toks[i].Digits}
		for k := i; k < i+n; k++ {
			if k > i {
				t.Word += " "
				t.Orig += " "
			}
			t.Word += toks[k].Word
			t.Orig += toks[k].Orig
		}
		out = append(out, t)
		i += n
	}
	return out
}

// NumberAt reads the number in digits or words that begins at token i, and says how many tokens it has: 0 when there is none.
func NumberAt(toks Tokens, i int) (v float64, n int) {
	switch toks.Word(i) {
	case "minus", "negative":
		if v, n = unsignedAt(toks, i+1); n > 0 {
			return -v, n + 1
		}
		return 0, 0
	case "positive":
		if v, n = unsignedAt(toks, i+1); n > 0 {
			return v, n + 1
		}
	}
	return unsignedAt(toks, i)
}

// unsignedAt reads a number without its sign.
func unsignedAt(toks Tokens, i int) (v float64, n int) {
	switch w := toks.Word(i); w {
	case "a", "an":
		if next := toks.Word(i + 1); next == "hundred" || next == "thousand" {
			v, n = cardinalAt(toks, i+1)
			return v, n + 1
		}
		if v, ok := indefinite[toks.Word(i+1)]; ok { // a couple of, a few, half a
			return v, skipOf(toks, i+2) - i
		}
		if v := smallPart(toks, i+1); v > 0 {
			return v, skipOf(toks, i+2) - i
		}
		return 0, 0
	case "several":
		return 4, 1
	case "few":
		return indefinite[w], 1
	case "couple", "half", "quarter":
		if k := skipOf(toks, i+1); w == "half" && dozens[toks.Word(k)] > 0 {
			return dozens[toks.Word(k)] / 2, skipOf(toks, k+1) - i
		}
		return indefinite[w], skipOf(toks, i+1) - i
	}
	v, n = cardinalAt(toks, i)
	switch {
	case n > 0:
		return broken(toks, i, i+n, v)
	case toks.Word(i) == "point" && toks.Word(i-1) != "a" && toks.Word(i-1) != "the" &&
		!(toks.At(i+1).Digits && toks.At(i+1).Num >= 10): // "your head should point 35 degrees to the right"
		if f, m := fraction(toks, i+1); m > 0 {
			return f, m + 1
		}
	}
	return 0, 0
}

// smallPart is how much "eighth of" and smaller parts than a quarter are of one; 0 where no such part is named.
func smallPart(toks Tokens, i int) float64 {
	if n := fractionNames[toks.Word(i)]; n > 4 && toks.Word(i+1) == "of" {
		return 1 / n
	}
	return 0
}

// broken reads what makes the whole number v, at tokens i up to k, a broken one: "point five", "and a half", "quarters".
func broken(toks Tokens, i, k int, v float64) (float64, int) {
	if toks.Word(k) == "point" {
		if f, m := fraction(toks, k+1); m > 0 {
			return v + f, k + 1 + m - i
		}
	}
	next := toks.At(k + 1)
	switch w := toks.Word(k); {
	case w == "and" && toks.Word(k+1) == "a" && (toks.Word(k+2) == "half" || toks.Word(k+2) == "quarter"):
		return v + indefinite[toks.Word(k+2)], k + 3 - i
	case w == "and" && next.Kind == Number && next.Num < 1 && next.Num > 0 && next.Digits:
		return v + next.Num, k + 2 - i
	case w == "dozen" && v > 1 && v == math.Trunc(v):
		return v * digitWords[w], skipOf(toks, k+1) - i
	case smallPart(toks, k) > 0:
		return v * smallPart(toks, k), skipOf(toks, k+1) - i
	case w == "half" && v == 1, (w == "quarters" || w == "quarter") && v < 4 && !toks[i].Digits, w == "thirds" && v < 3:
		return v / partsOfOne[w], skipOf(toks, k+1) - i
	}
	if t := toks.At(k); t.Kind == Number && t.Num < 1 && t.Word == "" { // 2½
		return v + t.Num, k + 1 - i
	}
	return v, k - i
}

// skipOf steps over "of" and "a" after half, couple, quarter.
func skipOf(toks Tokens, k int) int {
	if toks.Word(k) == "of" {
		k++
	}
	if toks.Word(k) == "a" || toks.Word(k) == "an" {
		k++
	}
	return k
}

// fraction reads the digits spoken after "point".
func fraction(toks Tokens, i int) (f float64, n int) {
	scale := 0.1
	for k := i; k < len(toks) && n < 6; k++ {
		t := &toks[k]
		if t.Kind == Number && t.Digits && t.Num == math.Trunc(t.Num) && t.Num < 100 {
			if t.Num >= 10 {
				return f + t.Num*scale/10, n + 1
			}
			return f + t.Num*scale, n + 1
		}
		d, ok := digitWords[t.Word]
		if t.Word == "oh" {
			d, ok = 0, true
		}
		if t.Kind != Word || !ok || d > 9 {
			if tens, is := tensWords[t.Word]; is && n == 0 {
				return tens / 100, 1
			}
			break
		}
		f += d * scale
		scale /= 10
		n++
	}
	return f, n
}

// cardinal is a whole number that is read word by word.
type cardinal struct {
	total, part float64
	room        float64 // the next word must be smaller than this
	seen        bool
}

// CardinalAt reads the whole number in digits or words that begins at token i, and says how many tokens it has: no halves, no dozens.
func CardinalAt(toks Tokens, i int) (v float64, n int) { return cardinalAt(toks, i) }

// cardinalAt reads digits or a whole number in words.
func cardinalAt(toks Tokens, i int) (v float64, n int) {
	if t := toks.At(i); t.Kind == Number {
		if scale, ok := powers[toks.Word(i+1)]; ok && t.Digits {
			return t.Num * scale, 2
		}
		return t.Num, 1
	}
	c := cardinal{room: math.Inf(1)}
	k := i
	for k < len(toks) && !toks[k].Pronoun && (c.seen || k > 0 || toks[k].Word != "hundred") && c.take(toks.Word(k)) {
		k++
		if powers[toks.Word(k-1)] > 0 {
			k = skipAnd(toks, k)
		}
	}
	if !c.seen {
		return 0, 0
	}
	return c.total + c.part, k - i
}

var powers = map[string]float64{"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9}

// take adds a word to the number, and reports whether it belongs to it.
func (c *cardinal) take(w string) bool {
	if d, ok := digitWords[w]; ok && d < c.room {
		return c.room > 1 && c.add(d, 1)
	}
	if t, ok := tensWords[w]; ok && t < c.room && c.room > 20 {
		return c.add(t, 10)
	}
	scale := powers[w]
	switch {
	case w == "hundred" && c.part < 100 && (c.part > 0 || !c.seen):
		c.part = max(c.part, 1) * scale
		c.room = scale
	case scale >= 1000 && c.total == 0:
		if c.part == 0 {
			c.part = 1
		}
		c.total, c.part, c.room = c.part*scale, 0, 1000
	default:
		return false
	}
	c.seen = true
	return true
}

func (c *cardinal) add(v, room float64) bool {
	c.part += v
	c.room = room
	c.seen = true
	return true
}

// skipAnd steps over the "and" of "a hundred and twenty" when a small number follows.
func skipAnd(toks Tokens, k int) int {
	_, digit := digitWords[toks.Word(k+1)]
	_, tens := tensWords[toks.Word(k+1)]
	if toks.Word(k) == "and" && (digit || tens) {
		return k + 1
	}
	return k
}
