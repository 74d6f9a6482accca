package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"
)

// SortedKeys returns the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// ValueText writes a value that came from JSON: text without quotes where it is one word.
func ValueText(v any) string {
	if s, ok := v.(string); ok && s != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r == '"' || r == '=' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return Printable(fmt.Sprint(v))
	}
	return string(data)
}

// Printable keeps what others wrote from steering the terminal: control characters other than line breaks and tabs
// become spaces.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, s)
}

// ReadFile reads a file of at most so many bytes.
func ReadFile(path string, most int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", Usage("%w", err)
	}
	if info.Size() > most {
		return "", Usage("%s has %d bytes, allowed are %d", path, info.Size(), most)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", Usage("%w", err)
	}
	return string(data), nil
}
