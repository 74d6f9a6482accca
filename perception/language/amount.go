package language

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// amountTables are the words of Amounts; see en/numbers.txt.
var (
	fractionNames = values(Map("fraction-names")) // how many of these are one
	dozens        = values(Map("dozens"))
)

// fractionSigns writes fractions that are one character as two numbers.
var fractionSigns = strings.NewReplacer("½", " 1/2 ", "¼", " 1/4 ", "¾", " 3/4 ", "⅓", " 1/3 ", "⅔", " 2/3 ", "⅛", " 1/8 ", "º", "°")

// Amounts writes the numbers in a text of small letters in digits, as InDigits does, and goes on to amounts: "three and a
// half hours" is "3.5 hours", "two dozen" is "24", "minus five" is "-5", "two thirds of 90" is "0.666… of 90", "1e6" is
// "1000000", "a quarter past three" is "3:15". isUnit says which words are units, before which "half" and "3/4" are numbers.
func Amounts(text string, isUnit func(word string) bool) string {
	words := strings.Fields(text)
	for i, w := range words { // InDigits reads a dozen as twelve, and two dozen as two numbers
		if dozens[w] > 0 {
			words[i] = w + "fold"
		}
	}
	a := amounts{in: strings.Fields(InDigits(fractionSigns.Replace(strings.Join(words, " ")))), isUnit: isUnit}
	for a.at < len(a.in) {
		n := 0
		for _, read := range amountReaders {
			if n = read(&a); n > 0 {
				break
			}
		}
		if n == 0 {
			a.out = append(a.out, a.in[a.at])
			n = 1
		}
		a.at += n
	}
	return strings.Join(a.out, " ")
}

// amounts is a text on its way.
type amounts struct {
	in, out []string
	at      int
	isUnit  func(word string) bool
}

// amountReaders are asked in this order; each returns how many words it took.
var amountReaders = []func(*amounts) int{
	(*amounts).timeOfDay, (*amounts).negative, (*amounts).half, (*amounts).partOf, (*amounts).dozen, (*amounts).mixed, (*amounts).pointed, (*amounts).exponent,
}

// word is the word i places ahead; empty behind the end.
func (a *amounts) word(i int) string {
	if i += a.at; i >= 0 && i < len(a.in) {
		return a.in[i]
	}
	return ""
}

func (a *amounts) number(i int) (x float64, ok bool) {
	w := a.word(i)
	if w == "" || !isDigit(w[len(w)-1]) || !isDigit(w[0]) && w[0] != '-' {
		return 0, false
	}
	x, err := strconv.ParseFloat(w, 64)
	return x, err == nil && math.Abs(x) < 1e15
}

func (a *amounts) put(x float64) { a.out = append(a.out, strconv.FormatFloat(x, 'f', -1, 64)) }

// article reports whether the word i places ahead is "a" or "an".
func (a *amounts) article(i int) bool { return a.word(i) == "a" || a.word(i) == "an" }

// dozenAt is what a dozen or a score i places ahead is; 0 for another word.
func (a *amounts) dozenAt(i int) float64 {
	name, ok := strings.CutSuffix(a.word(i), "fold")
	if !ok {
		return 0
	}
	return dozens[name]
}

// timeOfDay reads "quarter past 3", "half past 10", "20 past 4", "5 minutes to 8".
func (a *amounts) timeOfDay() int {
	i := 0
	var minutes float64
	if a.article(0) {
		i++
	}
	switch w := a.word(i); w {
	case "quarter":
		minutes = 15
	case "half":
		minutes = 30
	default:
		var ok bool
		if minutes, ok = a.number(i); !ok || i > 0 || minutes < 1 || minutes > 29 || minutes != math.Trunc(minutes) {
			return 0
		}
		if next := a.word(i + 1); next == "minutes" || next == "minute" {
			i++
		} else if a.word(i+1) == "to" {
			return 0 // "convert 10 to 8"
		}
	}
	hour, ok := a.number(i + 2)
	if !ok || hour < 1 || hour > 24 || hour != math.Trunc(hour) {
		return 0
	}
	switch a.word(i + 1) {
	case "past", "after":
	case "to", "before":
		hour, minutes = hour-1, 60-minutes
	default:
		return 0
	}
	m := strconv.Itoa(int(minutes))
	if minutes < 10 {
		m = "0" + m
	}
	a.out = append(a.out, strconv.Itoa(int(hour))+":"+m)
	return i + 3
}

// negative reads "minus 5" where nothing is subtracted.
func (a *amounts) negative() int {
	if w := a.word(0); w != "minus" && w != "negative" {
		return 0
	}
	if n := len(a.out); n > 0 {
		if last := a.out[n-1]; isDigit(last[len(last)-1]) || last == ")" || a.isUnit(last) {
			return 0
		}
	}
	x, ok := a.number(1)
	if !ok {
		return 0
	}
	a.in[a.at+1] = strconv.FormatFloat(-x, 'f', -1, 64)
	return 1 + max(1, a.mixedAt(1))
}

// half reads "half a dozen", "half an hour", "half kilo", "a quarter of a mile".
func (a *amounts) half() int {
	i := 0
	if a.article(0) {
		i++
	}
	parts := map[string]float64{"half": 0.5, "quarter": 0.25}[a.word(i)]
	if parts == 0 {
		return 0
	}
	i++
	if a.word(i) == "of" {
		i++
	}
	if a.article(i) {
		i++
	}
	switch n := a.dozenAt(i); {
	case n > 0:
		a.put(parts * n)
		return i + 1
	case a.isUnit(a.word(i)) && (i != 2 || a.word(1) != "of"):
		a.put(parts)
		return i
	}
	return 0
}

// partOf reads "3 quarters of an hour", "2 thirds of 90", "a fifth of 20".
func (a *amounts) partOf() int {
	x, ok := a.number(0)
	if a.article(0) {
		x, ok = 1, true
	}
	parts := fractionNames[a.word(1)]
	if !ok || parts == 0 || x != math.Trunc(x) {
		return 0
	}
	switch {
	case a.word(2) == "of" && (a.article(3) || a.word(3) == "the") && a.isUnit(a.word(4)):
		a.put(x / parts)
		return 4
	case a.isUnit(a.word(2)):
		a.put(x / parts)
		return 2
	case a.word(2) == "of" && !a.article(0):
		if _, ok := a.number(3); ok && (parts > 4 || x > 1) { // the sums know the others by name
			a.put(x / parts)
			return 2
		}
	case a.word(2) == "of":
		if _, ok := a.number(3); ok && parts > 4 {
			a.put(x / parts)
			return 2
		}
	}
	return 0
}

// dozen reads "a dozen", "2 dozen", "3 dozens".
func (a *amounts) dozen() int {
	if n := a.dozenAt(0); n > 0 {
		a.put(n)
		return 1 + a.of(1)
	}
	n := a.dozenAt(1)
	x, ok := a.number(0)
	switch {
	case n > 0 && a.article(0):
		a.put(n)
	case n > 0 && ok:
		a.put(n * x)
	default:
		return 0
	}
	return 2 + a.of(2)
}

func (a *amounts) of(i int) int {
	if a.word(i) == "of" {
		return 1
	}
	return 0
}

// mixed reads "3 and a half", "1 and 3 quarters", "2 1/2 cups", "3/4 hour", and "an hour and a half".
func (a *amounts) mixed() int {
	if n := a.mixedAt(0); n > 0 {
		return n
	}
	if (a.article(0) || a.word(0) == "the") && a.isUnit(a.word(1)) && a.word(2) == "and" && a.article(3) && fractionNames[a.word(4)] > 0 {
		a.put(1 + 1/fractionNames[a.word(4)])
		a.out = append(a.out, a.word(1))
		return 5
	}
	if x, ok := quotient(a.word(0)); ok && a.isUnit(a.word(1)) {
		a.put(x)
		return 1
	}
	return 0
}

// mixedAt writes the mixed number i places ahead, and returns how many words it has; 0 when there is none.
func (a *amounts) mixedAt(i int) int {
	x, ok := a.number(i)
	if !ok || x != math.Trunc(x) {
		if ok && i > 0 {
			a.put(x)
			return 1
		}
		return 0
	}
	sign := 1.0
	if x < 0 {
		sign = -1
	}
	if f, ok := quotient(a.word(i + 1)); ok && f < 1 {
		a.put(x + sign*f)
		return 2
	}
	if a.isUnit(a.word(i+1)) && a.word(i+2) == "and" && a.article(i+3) && fractionNames[a.word(i+4)] > 0 { // 2 hours and a half
		a.put(x + sign/fractionNames[a.word(i+4)])
		a.out = append(a.out, a.word(i+1))
		return 5
	}
	if a.word(i+1) == "and" {
		part, ok := a.number(i + 2)
		if a.article(i + 2) {
			part, ok = 1, true
		}
		if parts := fractionNames[a.word(i+3)]; ok && parts > part && part > 0 {
			a.put(x + sign*part/parts)
			return 4 + a.ofUnit(i+4)
		}
	}
	if i > 0 {
		a.put(x)
		return 1
	}
	return 0
}

// ofUnit is 1 for the "of" before a unit.
func (a *amounts) ofUnit(i int) int {
	if a.word(i) == "of" && a.isUnit(a.word(i+1)) {
		return 1
	}
	return 0
}

// quotient reads "3/4".
func quotient(word string) (x float64, ok bool) {
	over, under, found := strings.Cut(word, "/")
	p, err := strconv.Atoi(over)
	q, err2 := strconv.Atoi(under)
	if !found || err != nil || err2 != nil || p < 1 || q < 1 || q > 1000 || p > 1000 {
		return 0, false
	}
	return float64(p) / float64(q), true
}

// pointed reads "point 5".
func (a *amounts) pointed() int {
	if a.word(0) != "point" || a.at > 0 && slices.Contains([]string{"a", "the", "to", "at"}, a.in[a.at-1]) {
		return 0
	}
	x, ok := a.number(1)
	if !ok || x < 0 || x > 9 || x != math.Trunc(x) {
		return 0
	}
	if n := len(a.out); n > 0 {
		if whole, err := strconv.Atoi(a.out[n-1]); err == nil {
			a.out[n-1] = strconv.Itoa(whole) + "." + a.word(1)
			return 2
		}
	}
	a.put(x / 10)
	return 2
}

// exponent writes "1e6" in full.
func (a *amounts) exponent() int {
	x, ok := a.number(0)
	if !ok || !strings.ContainsAny(a.word(0), "eE") {
		return 0
	}
	a.put(x)
	return 1
}
