package api

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxName = 64 // letters

// IsName reports whether s is a name as a person gives it: a letter or digit of any language, then at most 63 letters, digits, spaces
// and marks of these. A regular expression of it takes 1.3 MB.
func IsName(s, marks string) bool {
	if s == "" || len(s) > maxName*utf8.UTFMax || utf8.RuneCountInString(s) > maxName || !utf8.ValidString(s) {
		return false
	}
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && (i == 0 || r != ' ' && !strings.ContainsRune(marks, r)) {
			return false
		}
	}
	return true
}
