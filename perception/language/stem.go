package language

import "strings"

// Stem takes the endings of verbs and nouns off a word: looking, looks and looked are look. Requests are compared so.
func Stem(w string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		rest, ok := strings.CutSuffix(w, ending)
		if !ok || len(rest) < 3 || strings.HasSuffix(w, "ss") {
			continue
		}
		if n := len(rest); n > 3 && rest[n-1] == rest[n-2] && strings.IndexByte("bdgmnprt", rest[n-1]) >= 0 {
			rest = rest[:n-1] // nodding
		}
		return strings.TrimSuffix(rest, "e")
	}
	if len(w) > 4 {
		return strings.TrimSuffix(w, "e")
	}
	return w
}
