package trace

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// secretName matches names of values that are never kept.
var secretName = regexp.MustCompile(`(?i)(pass(word|wd)?|secret|token|api[-_]?key|authorization|cookie|credential)`)

// countName matches names of numbers that count the tokens of a language model: those are no secrets.
var countName = regexp.MustCompile(`^(?:[a-z]+_tokens|first_token_ms)$`)

// counts reports whether a value is a number of tokens.
func counts(name string, value any) bool {
	switch value.(type) {
	case int, int64, float64:
		return countName.MatchString(name)
	}
	return false
}

// secretText matches secrets within a text: the name and what follows it.
var secretText = regexp.MustCompile(`(?i)\b((?:password|passwd|secret|token|api[-_]?key|authorization)["']?\s*` +
	`(?::|=|\bis\b)\s*["']?(?:bearer\s+)?)([^\s"',;]+)`)

// userInfo matches the password in an address.
var userInfo = regexp.MustCompile(`(://[^/\s:@]+:)[^/\s@]+@`)

// blob matches base64 or hexadecimal data that is longer than any word: pictures, sounds, keys.
var blob = regexp.MustCompile(`(?:data:[a-z]+/[-+.a-z0-9]+;base64,)?[A-Za-z0-9+/_-]{200,}={0,2}`)

const hidden = "(hidden)"

// Clean returns the text as it may be kept: without secrets, with data in place of which its size stands, and cut at
// MaxDetail characters.
func Clean(text string) string {
	if len(text) >= 200 {
		text = blob.ReplaceAllStringFunc(text, func(s string) string { return fmt.Sprintf("(%d bytes of data)", len(s)) })
	}
	if strings.ContainsAny(text, "=:") || strings.Contains(text, " is ") {
		text = secretText.ReplaceAllString(text, "${1}"+hidden)
		text = userInfo.ReplaceAllString(text, "${1}"+hidden+"@")
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= MaxDetail {
		return text
	}
	return string([]rune(text)[:MaxDetail-1]) + "…"
}

// maxDepth is how deep values are cleaned; what lies deeper is left out.
const maxDepth = 6

func cleanValue(name string, value any) any { return cleanAt(name, value, 0) }

func cleanAt(name string, value any, depth int) any {
	if secretName.MatchString(name) && !counts(name, value) {
		return hidden
	}
	if depth > maxDepth {
		return "(too deep)"
	}
	switch v := value.(type) {
	case string:
		return Clean(v)
	case []byte:
		return fmt.Sprintf("(%d bytes of data)", len(v))
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = cleanAt(k, e, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = cleanAt(name, e, depth+1)
		}
		return out
	}
	return value
}

// size is about how many bytes a cleaned value has as JSON.
func size(value any) int {
	switch v := value.(type) {
	case string:
		return len(v)
	case map[string]any:
		n := 2
		for k, e := range v {
			n += len(k) + 4 + size(e)
		}
		return n
	case []any:
		n := 2
		for _, e := range v {
			n += 1 + size(e)
		}
		return n
	}
	return 8
}
