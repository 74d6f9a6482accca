package language

import (
	"regexp"
	"regexp/syntax"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// applied is Apply with every expression tried.
func (r *Rewordings) applied(text string) string {
	rules := r.rules()
	for i := range rules {
		rule := &rules[i]
		text = rule.from().ReplaceAllString(text, rule.to)
	}
	return text
}

// rewordingTables are all of them, and all their examples.
func rewordingTables() (all []*Rewordings, examples []string) {
	for _, tab := range tables {
		if tab.kind != "rewordings" {
			continue
		}
		r := Reword(tab.name)
		all = append(all, r)
		rules := r.rules()
		for i := range rules {
			examples = append(examples, rules[i].examples...)
		}
	}
	return all, examples
}

// compiled are all expressions of some tables, which stay compiled for as long as somebody has them.
func compiled(all []*Rewordings) (exprs []*regexp.Regexp) {
	for _, r := range all {
		rules := r.rules()
		for i := range rules {
			exprs = append(exprs, rules[i].from())
		}
	}
	return exprs
}

// To look for what an expression needs changes no result, and saves most of the work.
func TestRewordingsSkipOnlyWhatCannotFit(t *testing.T) {
	all, examples := rewordingTables()
	defer runtime.KeepAlive(compiled(all))
	tried, skipped := 0, 0
	for _, r := range all {
		for _, text := range examples {
			if got, want := r.Apply(text), r.applied(text); got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
			rules := r.rules()
			for i := range rules {
				if tried++; !rules[i].mayFit(strings.ToLower(text)) {
					skipped++
				}
			}
		}
	}
	if tried == 0 || skipped*10 < tried*9 {
		t.Errorf("of %d trials %d are left out; at least nine of ten were to be", tried, skipped)
	}
}

func TestNeeds(t *testing.T) {
	for expr, want := range map[string][]string{
		`(?i)\bTurn (?:left|right)\b`: {"turn "},
		`(?i)(?:ab|cde)?fgh+`:         {"fg"},
		`(?i)(?:one|two)`:             {"one", "two"},
		`(?i)(?:one|[a-z])`:           nil,
		`(?i)(one){2} x`:              {"one"},
		`(?i)(one){0,2}`:              nil,
		`(?i)\d*[a-z]`:                nil,
		`(?i)é`:                       nil,
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := needs(re); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
}

// What a letter beyond ASCII is a case of only the expression knows: the Kelvin sign is a k.
func TestRewordingsBeyondASCII(t *testing.T) {
	r := &Rewordings{func() []rewording {
		return []rewording{{expr: `(?i)ask`, needs: []string{"ask"}, to: "tell"}}
	}}
	if got := r.Apply("a\u017f\u212a me"); got != "tell me" {
		t.Errorf("got %q", got)
	}
}

func FuzzRewordings(f *testing.F) {
	all, examples := rewordingTables()
	defer runtime.KeepAlive(compiled(all))
	for _, text := range examples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		for _, r := range all {
			if got, want := r.Apply(text), r.applied(text); got != want {
				t.Fatalf("%q: got %q, want %q", text, got, want)
			}
		}
	})
}

func BenchmarkRewordings(b *testing.B) {
	r := Reword("misleading")
	for b.Loop() {
		r.Apply("how far can you turn your head")
	}
}
