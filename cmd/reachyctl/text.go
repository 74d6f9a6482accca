package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// valueText writes a value that came from JSON: text without quotes where it is one word.
func valueText(v any) string {
	if s, ok := v.(string); ok && s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r == '"' || r == '=' || unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return printable(fmt.Sprint(v))
	}
	return string(data)
}

// printable keeps what others wrote from steering the terminal: control characters other than line breaks and tabs
// become spaces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, s)
}
