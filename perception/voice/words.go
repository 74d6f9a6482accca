package voice

import (
	"strings"
	"unicode"
)

// words splits a text into lower-case words without punctuation. An apostrophe within a word is left out: "don't" is
// "dont".
func words(text string) []string {
	text = strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// hasWords reports whether there is anything in the text but punctuation and remarks such as [noise] or (music).
func hasWords(text string) bool {
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
