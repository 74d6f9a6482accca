package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
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

// readFile reads a file of at most so many bytes.
func readFile(path string, most int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", usagef("%w", err)
	}
	if info.Size() > most {
		return "", usagef("%s has %d bytes, allowed are %d", path, info.Size(), most)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", usagef("%w", err)
	}
	return string(data), nil
}
