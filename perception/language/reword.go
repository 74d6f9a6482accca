package language

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Rewordings say in words of the grammar what people also say in a form that it has no place for. They are safe for concurrent use.
type Rewordings struct {
	rules func() []rewording
}

// rewording is one regular expression and what takes its place.
type rewording struct {
	name     string
	from     *regexp.Regexp
	to       string
	examples []string
}

// behind is what stands between the expression of a rewording and what takes its place.
const behind = " => "

// Reword returns a table of rewordings, which are compiled when one is used first. It panics when there is no such table.
func Reword(name string) *Rewordings {
	t := find(name, "rewordings")
	return &Rewordings{sync.OnceValue(t.rewordings)}
}

// Apply returns the text with all rewordings of the table applied in their order.
func (r *Rewordings) Apply(text string) string {
	for _, rule := range r.rules() {
		text = rule.from.ReplaceAllString(text, rule.to)
	}
	return text
}

// rewordings compiles a table: a mistake in it is one of its authors, and ends the program.
func (t *table) rewordings() []rewording {
	rules := make([]rewording, len(t.entries))
	for i, e := range t.entries {
		from, to, ok := strings.Cut(e.text+" ", behind)
		if !ok {
			panic(fmt.Sprintf("language: %s: rewording %q has no %q", e.at, e.key, behind))
		}
		from = strings.ReplaceAll(from, " &", "")
		rule, err := regexp.Compile("(?i)" + from)
		if err != nil {
			panic(fmt.Sprintf("language: %s: rewording %q: %v", e.at, e.key, err))
		}
		rules[i] = rewording{name: e.key, from: rule, to: strings.ReplaceAll(strings.TrimSpace(to), "_", " "), examples: e.examples}
	}
	return rules
}
