package mend

import (
	"regexp"
	"slices"
	"strings"
)

var (
	guardLine = regexp.MustCompile(`^([ \t]+)if\b.*:[ \t]*(?:#.*)?$`)
	oneLine   = regexp.MustCompile(`^[ \t]+if\b.*:[ \t]*raise[ \t]+(\w+)\b.*$`)
	raiseLine = regexp.MustCompile(`^[ \t]+raise[ \t]+(\w+)\b`)
)

// Unguarded leaves out the checks "if …: raise X" of errors that nobody asked for: small models refuse negative numbers, empty texts and
// whole numbers for decimal ones of their own accord. asked are the errors that the task names.
func Unguarded(source string, asked []string) string {
	lines := strings.Split(source, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		if m := oneLine.FindStringSubmatch(lines[i]); m != nil && !slices.Contains(asked, m[1]) && !continues(lines, i+1, lines[i]) {
			continue
		}
		end := guardEnd(lines, i, asked)
		if end > i {
			i = end - 1
			continue
		}
		out = append(out, lines[i])
	}
	return strings.Join(out, "\n")
}

// guardEnd is the line behind a check that begins at a line; that line when none begins there.
func guardEnd(lines []string, i int, asked []string) int {
	m := guardLine.FindStringSubmatch(lines[i])
	if m == nil || i+1 >= len(lines) {
		return i
	}
	r := raiseLine.FindStringSubmatch(lines[i+1])
	if r == nil || slices.Contains(asked, r[1]) {
		return i
	}
	end, deep := i+1, 0
	for ; end < len(lines); end++ { // a raise over several lines
		code := literals.ReplaceAllString(lines[end], `""`)
		deep += strings.Count(code, "(") - strings.Count(code, ")")
		if deep <= 0 {
			end++
			break
		}
	}
	if continues(lines, end, lines[i]) || end < len(lines) && indent(lines[end]) > len(m[1]) && strings.TrimSpace(lines[end]) != "" {
		return i
	}
	return end
}

// continues reports whether the next line that says something goes on with the check: elif, else; or whether nothing is left in the
// block, so that it cannot do without.
func continues(lines []string, i int, first string) bool {
	for ; i < len(lines); i++ {
		text := strings.TrimSpace(lines[i])
		if text == "" {
			continue
		}
		return strings.HasPrefix(text, "el") && (strings.HasPrefix(text, "elif") || strings.HasPrefix(text, "else")) && indent(lines[i]) == indent(first) ||
			indent(lines[i]) < indent(first)
	}
	return true
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
