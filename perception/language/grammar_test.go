package language

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// writtenOut lists the phrases of a pattern the slow way.
func writtenOut(p string) []string {
	open, shut := group(p)
	if open < 0 {
		return []string{p}
	}
	var out []string
	choices := slices.Collect(alternatives(p[open+1 : shut]))
	if p[open] == '[' {
		choices = append(choices, "")
	}
	for _, alt := range choices {
		for _, a := range writtenOut(alt) {
			for _, tail := range writtenOut(p[shut+1:]) {
				out = append(out, p[:open]+a+tail)
			}
		}
	}
	return out
}

// patterns draws phrases with alternatives over few words, so that many of them overlap.
func patterns(t *rapid.T) string {
	var one func(depth int) string
	one = func(depth int) string {
		parts := make([]string, rapid.IntRange(1, 3).Draw(t, "parts"))
		for k := range parts {
			if depth > 0 && rapid.Bool().Draw(t, "choice") {
				alts := make([]string, rapid.IntRange(1, 3).Draw(t, "alternatives"))
				for a := range alts {
					alts[a] = one(depth - 1)
				}
				parts[k] = "(" + strings.Join(alts, "|") + ")"
				if rapid.Bool().Draw(t, "optional") {
					parts[k] = "[" + strings.Join(alts, "|") + "]"
				}
				continue
			}
			parts[k] = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "word")
		}
		return strings.Join(parts, " ")
	}
	return one(2)
}

// The shared nodes know exactly the phrases that writing them out gives, each with the value of its first place.
func TestTrieEqualsPhrasesWrittenOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("phrases p:\n")
		want := map[string]string{}
		for k := range rapid.IntRange(1, 4).Draw(t, "lines") {
			value, p := fmt.Sprintf("v%d", k), patterns(t)
			fmt.Fprintf(&text, "%s = %s\n", value, strings.ReplaceAll(p, " ", "\n  ")) // an entry may go on anywhere
			for _, phrase := range writtenOut(p) {
				phrase = strings.Join(strings.Fields(phrase), " ")
				if _, ok := want[phrase]; !ok && phrase != "" {
					want[phrase] = value
				}
			}
		}
		got := map[string]string{}
		all := map[string]*table{}
		if err := read("test.txt", text.String(), all); err != nil {
			t.Fatal(err)
		}
		g := all["p"].trie.tree()
		var walk func(at int32, path string)
		walk = func(at int32, path string) {
			if key, ok := g.ends(at); ok {
				got[path] = key
			}
			n := g.nodes[at]
			for _, e := range g.edges[n.first : n.first+uint32(n.edges)] {
				walk(int32(e.to), strings.TrimSpace(path+" "+g.words[e.word]))
			}
		}
		walk(root, "")
		for phrase, v := range want {
			if got[phrase] != v {
				t.Fatalf("%q: got value %q, want %q; table:\n%s", phrase, got[phrase], v, &text)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d phrases, want %d; table:\n%s", len(got), len(want), &text)
		}
	})
}
