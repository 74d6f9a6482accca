// Package template is a self-made tool to begin with: a source that passes the validator, and cases that it passes.
package template

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// placeholder is the name that the templates have in place of the tool's.
const placeholder = "tool_name"

//go:embed tool_name.py
var source string

//go:embed tool_name.cases.json
var cases string

var snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// New returns the source and the test cases of a tool of that name.
func New(name string) (python, json string, err error) {
	if !snake.MatchString(name) || len(name) < 2 || len(name) > 48 {
		return "", "", fmt.Errorf("name %.80q: allowed are 2 to 48 lower-case letters, digits and single underscores, beginning with a letter", name)
	}
	return strings.ReplaceAll(source, placeholder, name), strings.ReplaceAll(cases, placeholder, name), nil
}
