package language

import (
	"strconv"
	"strings"
)

// InDigits writes the numbers in a text of small letters in digits: "one hundred and five" is "105", "1,000" is "1000",
// "3 million" is "3000000". Marks and units stand alone then: "15%" is "15 percent", "5km" is "5 km".
func InDigits(text string) string {
	in := apart(text)
	toks := make(Tokens, 1, len(in)+1) // a "hundred" is none at the very beginning of a command
	for _, w := range in {
		t := Token{Kind: Word, Word: w}
		if v, err := strconv.ParseFloat(w, 64); err == nil && isDigit(w[len(w)-1]) && isDigit(w[0]) {
			t = Token{Kind: Number, Word: w, Num: v, Digits: true}
		}
		toks = append(toks, t)
	}
	out := in[:0:0]
	for i := 1; i < len(toks); {
		v, n := 0.0, 0
		if toks[i].Kind != Number || powers[toks.Word(i+1)] > 0 { // other digits stay as they are
			v, n = cardinalAt(toks, i)
		}
		if n == 0 {
			out = append(out, toks[i].Word)
			i++
			continue
		}
		i += n
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if toks.Word(i) == "point" {
			if f, m := decimals(toks, i+1); m > 0 {
				text += "." + f
				i += m + 1
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// decimals reads the digits behind "point".
func decimals(toks Tokens, i int) (digits string, n int) {
	for ; i < len(toks); i++ {
		d, ok := digitWords[toks[i].Word]
		if !ok || d > 9 {
			break
		}
		digits += strconv.Itoa(int(d))
		n++
	}
	return digits, n
}

// apart puts blanks around marks and units that touch numbers or words, and takes the commas out of numbers.
func apart(text string) []string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		before, behind := byte(' '), byte(' ')
		if i > 0 {
			before = text[i-1]
		}
		if i+1 < len(text) {
			behind = text[i+1]
		}
		switch {
		case c == '%':
			b.WriteString(" percent ")
		case c == ',' && groupAt(text, i):
		case c == ',':
			b.WriteString(" , ")
		case c == '-' && isLower(before) && isLower(behind):
			b.WriteByte(' ')
		case isDigit(before) && unitAt(text[i:]):
			b.WriteByte(' ')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return strings.Fields(b.String())
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// groupAt reports whether the comma at i stands between the thousands of a number: "1,000", but not "1,0000".
func groupAt(text string, i int) bool {
	from := i
	for from > 0 && (isDigit(text[from-1]) || text[from-1] == ',') {
		from--
	}
	to := i
	for to < len(text) && (isDigit(text[to]) || text[to] == ',') {
		to++
	}
	for k, group := range strings.Split(text[from:to], ",") {
		if k == 0 && (group == "" || len(group) > 3) || k > 0 && len(group) != 3 {
			return false
		}
	}
	return true
}

// unitAt reports whether a text begins with a unit that touches its number: "km", "°c", but not "th" or the "x" of "9x9".
func unitAt(text string) bool {
	letters := strings.TrimPrefix(text, "°")
	n := 0
	for n < len(letters) && (isLower(letters[n]) || strings.HasPrefix(letters[n:], "µ") || strings.HasPrefix(letters[max(0, n-1):], "µ")) {
		n++
	}
	if n == 0 || n < len(letters) && (isDigit(letters[n]) || letters[n] == '_') {
		return false
	}
	switch letters[:n] {
	case "st", "nd", "rd", "th":
		return false
	}
	return true
}
