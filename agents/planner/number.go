package planner

import "math"

var digitWords = map[string]float64{
	"zero": 0, "nought": 0, "naught": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "dozen": 12,
}

var tensWords = map[string]float64{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// readNumbers replaces number words by number tokens: "a hundred and twenty", "minus two point five", "half", "a couple of".
func readNumbers(toks []token) []token {
	out := make([]token, 0, len(toks))
	for i := 0; i < len(toks); {
		v, n := numberAt(toks, i)
		if n == 0 {
			out = append(out, toks[i])
			i++
			continue
		}
		t := token{kind: number, num: v, start: toks[i].start, end: toks[i+n-1].end, digits: toks[i].digits}
		for k := i; k < i+n; k++ {
			if k > i {
				t.w += " "
				t.orig += " "
			}
			t.w += toks[k].w
			t.orig += toks[k].orig
		}
		out = append(out, t)
		i += n
	}
	return out
}

// numberAt reads the number that begins at i and says how many tokens it took, 0 when there is none.
func numberAt(toks []token, i int) (float64, int) {
	at := func(k int) string {
		if k < len(toks) && toks[k].kind == word {
			return toks[k].w
		}
		return ""
	}
	start, sign := i, 1.0
	switch at(i) {
	case "minus", "negative":
		if _, n := unsignedAt(toks, i+1); n > 0 {
			sign = -1
			i++
		} else {
			return 0, 0
		}
	case "plus", "positive":
		if _, n := unsignedAt(toks, i+1); n > 0 && at(i) == "positive" {
			i++
		}
	}
	v, n := unsignedAt(toks, i)
	if n == 0 {
		return 0, 0
	}
	return sign * v, i + n - start
}

// unsignedAt reads a number without its sign.
func unsignedAt(toks []token, i int) (float64, int) {
	at := func(k int) string {
		if k < len(toks) && toks[k].kind == word {
			return toks[k].w
		}
		return ""
	}
	k := i
	switch at(k) { // a couple of, a few, half a, a quarter of a, three quarters of a
	case "a", "an":
		switch at(k + 1) {
		case "couple":
			return 2, skipOf(at, k+2) - i
		case "pair":
			return 2, skipOf(at, k+2) - i
		case "few":
			return 3, skipOf(at, k+2) - i
		case "dozen":
			return 12, skipOf(at, k+2) - i
		case "half":
			return 0.5, skipOf(at, k+2) - i
		case "quarter":
			return 0.25, skipOf(at, k+2) - i
		case "third":
			return 1.0 / 3, skipOf(at, k+2) - i
		case "hundred", "thousand":
			v, n := cardinalAt(toks, k+1)
			return v, n + 1
		}
		return 0, 0
	case "couple":
		return 2, skipOf(at, k+1) - i
	case "several":
		return 4, 1
	case "few":
		return 3, 1
	case "half":
		return 0.5, skipOf(at, k+1) - i
	case "quarter":
		return 0.25, skipOf(at, k+1) - i
	}
	v, n := cardinalAt(toks, k)
	if n == 0 {
		if at(k) == "point" && (k == 0 || at(k-1) != "a" && at(k-1) != "the") {
			if f, m := fraction(toks, k+1); m > 0 {
				return f, m + 1
			}
		}
		return 0, 0
	}
	k += n
	if at(k) == "point" {
		if f, m := fraction(toks, k+1); m > 0 {
			return v + f, k + 1 + m - i
		}
	}
	switch {
	case at(k) == "and" && at(k+1) == "a" && at(k+2) == "half":
		return v + 0.5, k + 3 - i
	case at(k) == "and" && at(k+1) == "a" && at(k+2) == "quarter":
		return v + 0.25, k + 3 - i
	case at(k) == "and" && k+1 < len(toks) && toks[k+1].kind == number && toks[k+1].num < 1 && toks[k+1].num > 0 && toks[k+1].digits:
		return v + toks[k+1].num, k + 2 - i
	case (at(k) == "quarters" || at(k) == "quarter") && v < 4 && !toks[i].digits:
		return v / 4, skipOf(at, k+1) - i
	case at(k) == "thirds" && v < 3:
		return v / 3, skipOf(at, k+1) - i
	case at(k) == "half" && v == 1:
		return 0.5, skipOf(at, k+1) - i
	case k < len(toks) && toks[k].kind == number && toks[k].num < 1 && toks[k].w == "": // 2½
		return v + toks[k].num, k + 1 - i
	}
	return v, k - i
}

// skipOf steps over "of" and "a" after half, couple, quarter.
func skipOf(at func(int) string, k int) int {
	if at(k) == "of" {
		k++
	}
	if at(k) == "a" || at(k) == "an" {
		k++
	}
	return k
}

// fraction reads the digits spoken after "point".
func fraction(toks []token, i int) (float64, int) {
	f, scale, n := 0.0, 0.1, 0
	for k := i; k < len(toks) && n < 6; k++ {
		if toks[k].kind == number && toks[k].digits && toks[k].num == math.Trunc(toks[k].num) && toks[k].num < 100 {
			if toks[k].num < 10 {
				f += toks[k].num * scale
			} else {
				f += toks[k].num * scale / 10
			}
			return f, n + 1
		}
		d, ok := digitWords[toks[k].w]
		if !ok && toks[k].w == "oh" {
			d, ok = 0, true
		}
		if toks[k].kind != word || !ok || d > 9 {
			if t, isTens := tensWords[toks[k].w]; isTens && n == 0 {
				return t / 100, 1
			}
			break
		}
		f += d * scale
		scale /= 10
		n++
	}
	return f, n
}

// cardinalAt reads digits or a whole number in words.
func cardinalAt(toks []token, i int) (float64, int) {
	at := func(k int) string {
		if k < len(toks) && toks[k].kind == word && !toks[k].pronoun {
			return toks[k].w
		}
		return ""
	}
	if i < len(toks) && toks[i].kind == number {
		v, k := toks[i].num, i+1
		if !toks[i].digits {
			return v, 1
		}
		switch at(k) {
		case "hundred":
			return v * 100, 2
		case "thousand":
			return v * 1000, 2
		case "million":
			return v * 1e6, 2
		}
		return v, 1
	}
	total, part, k := 0.0, 0.0, i
	seen, room := false, 1e9 // room: the next word must be smaller than this
	for {
		w := at(k)
		if d, ok := digitWords[w]; ok && d < room && !(seen && room > 10 && room < 20) {
			if room <= 1 {
				break
			}
			part += d
			room = 1
			seen = true
			k++
			continue
		}
		if t, ok := tensWords[w]; ok && t < room && room > 20 {
			part += t
			room = 10
			seen = true
			k++
			continue
		}
		if w == "hundred" && (seen || k > 0) && part < 100 && room <= 1e9 {
			if part == 0 {
				if seen {
					break
				}
				part = 1
			}
			part *= 100
			room = 100
			seen = true
			k++
			k = skipAnd(toks, k)
			continue
		}
		if (w == "thousand" || w == "million") && total == 0 {
			if part == 0 {
				part = 1
			}
			if w == "thousand" {
				total = part * 1000
			} else {
				total = part * 1e6
			}
			part, room = 0, 1000
			seen = true
			k++
			k = skipAnd(toks, k)
			continue
		}
		break
	}
	if !seen {
		return 0, 0
	}
	return total + part, k - i
}

// skipAnd steps over the "and" of "a hundred and twenty" when a small number follows.
func skipAnd(toks []token, k int) int {
	if k+1 < len(toks) && toks[k].kind == word && toks[k].w == "and" && toks[k+1].kind == word {
		if _, ok := digitWords[toks[k+1].w]; ok {
			return k + 1
		}
		if _, ok := tensWords[toks[k+1].w]; ok {
			return k + 1
		}
	}
	return k
}

// dimension is what a unit measures.
type dimension uint8

const (
	noUnit  dimension = iota
	angle             // degrees
	span              // seconds
	length            // metres
	percent           // of a hundred
	turns             // whole turns, in degrees
)

type unit struct {
	dim   dimension
	scale float64
}

var units = map[string]unit{
	"degree": {angle, 1}, "degrees": {angle, 1}, "deg": {angle, 1}, "degs": {angle, 1}, "degress": {angle, 1}, "degreese": {angle, 1}, "digrees": {angle, 1}, "°": {angle, 1}, "grad": {angle, 1}, "grade": {angle, 1}, "grades": {angle, 1}, "degre": {angle, 1},
	"rad": {angle, 180 / math.Pi}, "rads": {angle, 180 / math.Pi}, "radian": {angle, 180 / math.Pi}, "radians": {angle, 180 / math.Pi},
	"second": {span, 1}, "seconds": {span, 1}, "sec": {span, 1}, "secs": {span, 1}, "s": {span, 1},
	"ms": {span, 0.001}, "millisecond": {span, 0.001}, "milliseconds": {span, 0.001}, "msec": {span, 0.001},
	"minute": {span, 60}, "minutes": {span, 60}, "min": {span, 60}, "mins": {span, 60}, "hour": {span, 3600}, "hours": {span, 3600}, "hr": {span, 3600}, "hrs": {span, 3600},
	"m": {length, 1}, "metre": {length, 1}, "metres": {length, 1}, "meter": {length, 1}, "meters": {length, 1},
	"cm": {length, 0.01}, "cms": {length, 0.01}, "centimetre": {length, 0.01}, "centimetres": {length, 0.01}, "centimeter": {length, 0.01}, "centimeters": {length, 0.01},
	"mm": {length, 0.001}, "millimetre": {length, 0.001}, "millimetres": {length, 0.001}, "millimeter": {length, 0.001}, "millimeters": {length, 0.001},
	"inch": {length, 0.0254}, "inches": {length, 0.0254}, "foot": {length, 0.3048}, "feet": {length, 0.3048},
	"percent": {percent, 1}, "percents": {percent, 1}, "pct": {percent, 1}, "percentage": {percent, 1}, "turn": {turns, 360}, "turns": {turns, 360}, "circle": {turns, 360}, "circles": {turns, 360}, "revolution": {turns, 360}, "revolutions": {turns, 360}, "rotation": {turns, 360}, "rotations": {turns, 360},
}

// tidy rounds away the noise of unit conversion.
func tidy(v float64) float64 {
	r := math.Round(v*1e4) / 1e4
	if r == 0 {
		return 0 // never −0
	}
	return r
}
