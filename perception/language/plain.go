package language

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/reachyd/reachyd/perception/language/template"
)

// Plain returns the text without disguise, for rules that nobody must get round: small plain letters, single blanks, without
// accents, marks and invisible characters, letters that look like ours or are spread. It is made when it is asked for first.
func (u *Utterance) Plain() *template.Sentence {
	u.undisguised.Do(func() { u.plain = template.Split(undisguise(u.Text)) })
	return u.plain
}

// lookalikes are letters that are written in place of Latin ones.
var lookalikes = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'у': 'y', 'х': 'x', 'і': 'i', 'ѕ': 's', 'ԁ': 'd', 'һ': 'h', 'ӏ': 'l', 'ո': 'n', 'ο': 'o',
	'α': 'a',
	'ι': 'i',
	'’': '\'', '‘': '\'', '`': '\'', '´': '\'', 'ı': 'i', 'ß': 's', 'ø': 'o', 'ł': 'l',
}

// letterDigits stand for letters within a word that has both: "1gn0re".
var letterDigits = map[rune]rune{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's'}

// undisguise writes a text so that a rule can be matched with it: small plain letters, single blanks, without accents,
// invisible characters, letters of other scripts that look like ours, and letters that are spread ("i g n o r e").
func undisguise(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cf, r), r >= 0xE0000:
			continue
		case unicode.IsSpace(r), r == '_', r == '-', r == '*', r == ',', r == ';', r == '!', r == '?', r == '"', unicode.IsControl(r):
			b.WriteByte(' ')
			continue
		}
		r = unicode.ToLower(r)
		if plain, ok := lookalikes[r]; ok {
			r = plain
		}
		b.WriteRune(r)
	}
	fields := strings.Fields(b.String())
	for i, f := range fields {
		fields[i] = lettersOf(strings.TrimRight(f, "."))
	}
	return strings.Join(unspread(fields), " ")
}

// lettersOf replaces digits that stand for letters, in words that have more letters than digits.
func lettersOf(word string) string {
	var other, alpha int
	for _, r := range word {
		if _, ok := letterDigits[r]; ok {
			other++
		} else if unicode.IsLetter(r) {
			alpha++
		}
	}
	if other == 0 || alpha < 2 || other > alpha || strings.ContainsAny(word, "/:.°%") {
		return word
	}
	return strings.Map(func(r rune) rune {
		if plain, ok := letterDigits[r]; ok {
			return plain
		}
		return r
	}, word)
}

// unspread joins runs of four and more single letters.
func unspread(fields []string) []string {
	out := fields[:0:0]
	for i := 0; i < len(fields); {
		n := i
		for n < len(fields) && len(fields[n]) == 1 && fields[n][0] >= 'a' && fields[n][0] <= 'z' {
			n++
		}
		if n-i >= 4 {
			out = append(out, strings.Join(fields[i:n], ""))
			i = n
			continue
		}
		out = append(out, fields[i])
		i++
	}
	return out
}
