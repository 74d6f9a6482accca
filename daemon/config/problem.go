package config

import (
	"fmt"
	"strings"
)

// Problem is one thing wrong with the configuration.
type Problem struct {
	Where   string // file:line:column, the environment variable, or the option
	Key     string // path of the key, "" when the text is no YAML at all
	Value   string // as it was given; "" when there is none, or when it is secret
	Wrong   string // what is wrong with it
	Allowed string // what is allowed instead
}

// Error is one line: where, key, value, what is wrong, what is allowed.
func (p Problem) Error() string {
	var b strings.Builder
	for _, s := range []string{p.Where, p.Key} {
		if s != "" {
			b.WriteString(s + ": ")
		}
	}
	if p.Value != "" {
		fmt.Fprintf(&b, "%q ", p.Value)
	}
	b.WriteString(p.Wrong)
	if p.Allowed != "" {
		b.WriteString("; allowed: " + p.Allowed)
	}
	return b.String()
}

// Problems are all that is wrong, in the order in which it was found.
type Problems []Problem

// Error is one problem a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, q := range p {
		lines[i] = q.Error()
	}
	return strings.Join(lines, "\n")
}

// err returns nil for no problems, so that nobody compares a typed nil.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// maxQuoted is how many characters of a value are quoted.
const maxQuoted = 60
