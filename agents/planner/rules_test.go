package planner

import "testing"

// Every rule has an example of its own, a sentence that it reads.
func TestRulesAreReached(t *testing.T) {
	seen := map[string]bool{}
	reached = func(name string) { seen[name] = true }
	defer func() { reached = nil }()
	p := New()
	names := map[string]bool{}
	p.rules.examples(func(name, example string) {
		if names[name] {
			t.Errorf("rule %q is there twice", name)
		}
		names[name] = true
		clear(seen)
		p.Plan(example)
		if !seen[name] {
			t.Errorf("rule %q: its example %q does not reach it", name, example)
		}
	})
}
