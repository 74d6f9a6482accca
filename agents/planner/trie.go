package planner

import "strings"

// trie finds the longest known phrase at a position. It is built once, by newTrie, and only read afterwards.
type trie struct{ root *node }

// node is where a phrase may go on. Phrases that go on in the same ways share their nodes.
type node struct {
	next map[string]*node
	val  any // nil: no phrase ends here
}

// newTrie builds a trie from lines "value = phrase | phrase". In a phrase "(could|can) you (please|)" stands for four.
// A phrase that stands there twice has the value of its first place.
func newTrie(table string) *trie {
	var g grammar
	for line := range strings.Lines(table) {
		key, phrases, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			continue
		}
		for _, alt := range splitTop(phrases) {
			g.add(alt, key)
		}
	}
	return &trie{g.build()}
}

// match returns the value of the longest phrase that begins at i, and its length in tokens.
func (t *trie) match(toks []token, i int) (val any, n int) {
	nd := t.root
	for k := i; k < len(toks); k++ {
		if toks[k].kind == quote || toks[k].kind == punct {
			break
		}
		nd = nd.next[toks[k].w]
		if nd == nil {
			break
		}
		if nd.val != nil {
			val, n = nd.val, k+1-i
		}
	}
	return val, n
}

// has reports whether a phrase begins at i.
func (t *trie) has(toks []token, i int) bool {
	_, n := t.match(toks, i)
	return n > 0
}

// loose is match that may step over words for which skip answers true, once a first word has matched.
func (t *trie) loose(toks []token, i int, skip func(*token) bool) (val any, n int) {
	if i >= len(toks) || t.root.next[toks[i].w] == nil {
		return nil, 0
	}
	return loosely(t.root, toks, i, i, skip)
}

// loosely returns the longest match below nd for the tokens from k on; the phrase began at i.
func loosely(nd *node, toks []token, i, k int, skip func(*token) bool) (val any, n int) {
	if nd.val != nil {
		val, n = nd.val, k-i
	}
	if k >= len(toks) || toks[k].kind == quote || toks[k].kind == punct {
		return val, n
	}
	if c := nd.next[toks[k].w]; c != nil {
		if v, m := loosely(c, toks, i, k+1, skip); m > n {
			val, n = v, m
		}
	}
	for m := k; m > i && m < len(toks) && skip(&toks[m]); m++ {
		if m+1 < len(toks) && toks[m+1].kind == word {
			if c := nd.next[toks[m+1].w]; c != nil {
				if v, x := loosely(c, toks, i, m+2, skip); x > n {
					val, n = v, x
				}
			}
		}
	}
	return val, n
}

// words calls f for every word of every phrase.
func (t *trie) words(f func(string)) {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for w, c := range n.next {
			f(w)
			walk(c)
		}
	}
	walk(t.root)
}

// splitTop splits at the bars that stand outside parentheses.
func splitTop(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, s[from:])
}
