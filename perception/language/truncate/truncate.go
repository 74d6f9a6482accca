// Package truncate shortens text that is quoted in an error, a prompt or a report.
package truncate

import "unicode/utf8"

// Runes returns s, or its beginning and "…" when it has more than most characters: at most most characters in all.
func Runes(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == most {
			return s[:i] + "…"
		}
	}
	return "" // most is 0
}
