package language

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"
)

// Rewordings say in words of the grammar what people also say in a form that it has no place for. They are safe for concurrent use.
type Rewordings struct {
	rules func() []rewording
}

// rewording is one regular expression and what takes its place.
type rewording struct {
	name     string
	expr     string
	compiled atomic.Pointer[weak.Pointer[regexp.Regexp]] // of expr, until garbage is collected: most texts need none
	needs    []string                                    // of which one stands in a text that from fits, in lower case; none: that is not known
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
	lower, plain := strings.ToLower(text), isASCII(text)
	for i := range r.rules() {
		rule := &r.rules()[i]
		if plain && !rule.mayFit(lower) {
			continue
		}
		if out := rule.from().ReplaceAllString(text, rule.to); out != text {
			text = out
			lower, plain = strings.ToLower(text), isASCII(text)
		}
	}
	return text
}

// mayFit says whether the expression need be tried on a text of ASCII that is given in lower case. Beyond ASCII there are letters of
// which only the expression knows that they are cases of each other.
func (r *rewording) mayFit(lower string) bool {
	return len(r.needs) == 0 || slices.ContainsFunc(r.needs, func(piece string) bool { return strings.Contains(lower, piece) })
}

// from is the expression, compiled.
func (r *rewording) from() *regexp.Regexp {
	if kept := r.compiled.Load(); kept != nil {
		if re := kept.Value(); re != nil {
			return re
		}
	}
	re := regexp.MustCompile(r.expr)
	kept := weak.Make(re)
	r.compiled.Store(&kept)
	return re
}

// rewordings reads a table: a mistake in it is one of its authors, and ends the program.
func (t *table) rewordings() []rewording {
	entries := t.entries()
	rules := make([]rewording, len(entries))
	for i, e := range entries {
		from, to, ok := strings.Cut(e.text+" ", behind)
		if !ok {
			panic(fmt.Sprintf("language: %s: rewording %q has no %q", t.at(e.line), e.key, behind))
		}
		from = "(?i)" + strings.ReplaceAll(from, " &", "")
		parsed, err := syntax.Parse(from, syntax.Perl)
		if err != nil {
			panic(fmt.Sprintf("language: %s: rewording %q: %v", t.at(e.line), e.key, err))
		}
		rules[i] = rewording{
			name: e.key, expr: from, needs: needs(parsed), to: strings.ReplaceAll(strings.TrimSpace(to), "_", " "), examples: e.examples,
		}
	}
	return rules
}
