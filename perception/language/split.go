package language

import (
	"strings"
	"unicode"
)

// SplitWords returns the words of a text in small letters, without punctuation, for what is compared and not understood: a
// fact, a sentence of which the end is still to be heard.
func SplitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var apostrophes = strings.NewReplacer("'", "", "’", "")

// HeardWords are SplitWords of a transcript. An apostrophe within a word is left out, as some recognisers do: "don't" is "dont".
func HeardWords(text string) []string { return SplitWords(apostrophes.Replace(text)) }

// HasWords reports whether there is anything in a transcript but punctuation and remarks such as [noise] or (music).
func HasWords(text string) bool {
	depth := 0
	for _, r := range text {
		switch {
		case r == '[' || r == '(':
			depth++
		case r == ']' || r == ')':
			depth = max(0, depth-1)
		case depth == 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			return true
		}
	}
	return false
}
