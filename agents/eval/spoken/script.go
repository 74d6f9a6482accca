package main

import (
	_ "embed" // the lines
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:embed lines.txt
var ownLines string

// line is what is said, and what is wanted of the robot; see lines.txt.
type line struct {
	who, text string
	voice     string // of the synthesiser

	does, says []string // of each alternatives, with | between them
	memory     bool
	keeps      time.Duration
	kept       []string // what it says then
	interrupts time.Duration
	quiet      bool
}

// script reads lines.
func script(text string) (all []line, err error) {
	voices := map[string]string{}
	n := 0
	for raw := range strings.Lines(text) {
		n++
		raw = strings.TrimSpace(raw)
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		if rest, ok := strings.CutPrefix(raw, "voice "); ok {
			who, voice, found := strings.Cut(rest, "=")
			if !found || strings.TrimSpace(voice) == "" {
				return nil, fmt.Errorf("line %d: %q is no voice; allowed is such as: voice Anna = piper joe", n, raw)
			}
			voices[strings.TrimSpace(who)] = strings.TrimSpace(voice)
			continue
		}
		said, marks, _ := strings.Cut(raw, "|")
		who, what, found := strings.Cut(said, ":")
		l := line{who: strings.TrimSpace(who), text: strings.TrimSpace(what)}
		if l.voice = voices[l.who]; !found || l.voice == "" || l.text == "" {
			const none = "line %d: %q is said by nobody; allowed is such as: Anna: Look left. | does move_head (with a line before: voice Anna = piper joe)"
			return nil, fmt.Errorf(none, n, raw)
		}
		for m := range strings.SplitSeq(marks, ";") {
			if err := l.mark(strings.Fields(m)); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
		if l.interrupts > 0 && len(all) == 0 {
			return nil, fmt.Errorf("line %d: the first line interrupts nothing", n)
		}
		all = append(all, l)
	}
	return all, nil
}

// mark reads a mark.
func (l *line) mark(words []string) (err error) {
	if len(words) == 0 {
		return nil
	}
	name, rest := words[0], words[1:]
	switch {
	case name == "does" && len(rest) > 0:
		l.does = rest
	case name == "says" && len(rest) > 0:
		l.says = rest
	case name == "memory" && len(rest) == 0:
		l.memory = true
	case name == "quiet" && len(rest) == 0:
		l.quiet = true
	case name == "keeps" && len(rest) > 1:
		l.keeps, err = time.ParseDuration(rest[0])
		l.kept = rest[1:]
	case name == "interrupts" && len(rest) == 1:
		l.interrupts, err = time.ParseDuration(rest[0])
	default:
		return fmt.Errorf("mark %q; allowed are does TOOL …, says WORD …, memory, quiet, keeps TIME WORD …, interrupts TIME", strings.Join(words, " "))
	}
	if err == nil && (name == "keeps" && l.keeps <= 0 || name == "interrupts" && l.interrupts <= 0) {
		err = fmt.Errorf("mark %s: %s is no time; allowed is more than 0s", name, rest[0])
	}
	return err
}

// anyOf reports whether one of several alternatives, with | between them, is there.
func anyOf(alternatives string, is func(string) bool) bool {
	return slices.ContainsFunc(strings.Split(alternatives, "|"), is)
}

// hasWords reports whether a text has all words, of each one of its alternatives.
func hasWords(text string, want []string) bool {
	have := words(text)
	for _, w := range want {
		if !anyOf(w, func(one string) bool { return slices.Contains(have, one) }) {
			return false
		}
	}
	return true
}
