package language

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// signs are the tokens of single characters. Those that are not here, and no hyphens, say nothing.
var signs = map[rune]Token{
	',': {Kind: Mark, Word: ","}, ';': {Kind: Mark, Word: ";"}, ':': {Kind: Mark, Word: ":"}, '.': {Kind: Mark, Word: "."}, '!': {Kind: Mark, Word: "!"},
	'?': {Kind: Mark, Word: "?"}, '(': {Kind: Mark, Word: "("}, ')': {Kind: Mark, Word: ")"}, '…': {Kind: Mark, Word: ","}, '—': {Kind: Mark, Word: ","},
	'–': {Kind: Mark, Word: ","}, '°': {Kind: Word, Word: "degrees"}, '%': {Kind: Word, Word: "percent"}, '&': {Kind: Word, Word: "and"},
	'+': {Kind: Word, Word: "and"}, '=': {Kind: Word, Word: "="},
	'½': {Kind: Number, Num: 0.5}, '¼': {Kind: Number, Num: 0.25}, '¾': {Kind: Number, Num: 0.75},
}

// appendMark adds the token for a character r of n bytes; characters that say nothing are dropped.
func appendMark(toks Tokens, text string, i, n int, r rune) Tokens {
	if k := len(toks) - 1; r == '.' && k >= 0 && toks[k].End == i && toks[k].Kind == Mark && (toks[k].Word == "." || toks[k].Word == ",") {
		toks[k].Word, toks[k].Orig, toks[k].End = ",", ",", i+n // an ellipsis is a pause
		return toks
	}
	if r == '-' || r == '−' || r == '‒' {
		return appendHyphen(toks, text, i, n)
	}
	t, ok := signs[r]
	if !ok {
		return toks
	}
	t.Orig, t.Start, t.End = t.Word, i, i+n
	return append(toks, t)
}

// appendHyphen adds the token for a hyphen: a minus, a hyphen of a compound, the end of a word cut off, or a pause.
func appendHyphen(toks Tokens, text string, i, n int) Tokens {
	before, next := ' ', rune(0)
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(text[:i])
	}
	if i+n < len(text) {
		next, _ = utf8.DecodeRuneInString(text[i+n:])
	}
	t := Token{Kind: Mark, Word: "-", Start: i, End: i + n}
	number := unicode.IsDigit(next) || next == '.'
	switch {
	case number && !unicode.IsDigit(before):
		t.Kind, t.Word, t.Orig = Word, "minus", "minus"
	case number, unicode.IsLetter(next) && (unicode.IsLetter(before) || unicode.IsDigit(before)):
		// resolved by joinHyphens
	case len(toks) > 0 && unicode.IsLetter(before): // "l- look": a word cut off
		toks[len(toks)-1].Glued = true
		t.Word = "~"
	default:
		t.Word, t.Orig = ",", ","
	}
	return append(toks, t)
}

// scanNumber reads 12, 2.5, 2,5, 1,000, 1/2, 3x and the unit glued to it.
func scanNumber(toks Tokens, text string, start int) (Tokens, int) {
	s, i := scanDigits(text, start)
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		v = 1e9 // too many digits: beyond every limit, said so later
	}
	if i+1 < len(text) && text[i] == ':' && isDigit(text[i+1]) { // a time of day
		for i < len(text) && (isDigit(text[i]) || text[i] == ':') {
			i++
		}
		return append(toks, Token{Kind: Word, Word: "o'clock", Orig: "o'clock", Start: start, End: i}), i
	}
	end := i
	for i < len(text) && (text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z') {
		i++
	}
	suffix := strings.ToLower(text[end:i])
	if ordinals[suffix] {
		return append(toks, Token{Kind: Word, Word: s + suffix, Orig: s + suffix, Start: start, End: i}), i
	}
	toks = append(toks, Token{Kind: Number, Num: v, Word: s, Orig: s, Start: start, End: end, Digits: true})
	if suffix == "" {
		return toks, i
	}
	if suffix == "x" {
		suffix = "times"
	}
	return append(toks, Token{Kind: Word, Word: suffix, Orig: suffix, Start: end, End: i}), i
}

var ordinals = set("st", "nd", "rd", "th")

// scanDigits reads the digits at i with their separators: 12, 1,000, 2.5, 2,5 and 1/2 (as 0.5).
func scanDigits(text string, i int) (s string, end int) {
	start := i
	i = digitsEnd(text, i)
	whole := i - start
	s = text[start:i]
	for whole <= 3 && i < len(text) && text[i] == ',' && digitsEnd(text, i+1) == i+4 {
		s += text[i+1 : i+4]
		i += 4
	}
	if i+1 >= len(text) || !isDigit(text[i+1]) {
		return s, i
	}
	behind := digitsEnd(text, i+1)
	switch text[i] {
	case '.', ',':
		return s + "." + text[i+1:behind], behind
	case '/':
		a, _ := strconv.ParseFloat(s, 64)
		if b, _ := strconv.ParseFloat(text[i+1:behind], 64); b != 0 {
			s = strconv.FormatFloat(a/b, 'g', -1, 64)
		}
		return s, behind
	}
	return s, i
}

// digitsEnd returns where the run of digits at i ends.
func digitsEnd(text string, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}
