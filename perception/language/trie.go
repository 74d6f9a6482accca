package language

import (
	"slices"
	"strings"
	"sync"
)

// Trie finds the longest phrase of a table at a position. It is safe for concurrent use.
type Trie struct {
	from  *table
	once  sync.Once
	nodes *node
}

// node is where a phrase may go on. Phrases that go on in the same ways share their nodes.
type node struct {
	next []edge // in the order of their words; a map would take ten times the memory
	ends bool   // a phrase ends here
	key  string // its key
}

// edge is a word by which a phrase goes on.
type edge struct {
	word string
	to   *node
}

// after returns where a phrase goes on after a word, nil when none does.
func (n *node) after(word string) *node {
	k, found := slices.BinarySearchFunc(n.next, word, func(e edge, w string) int { return strings.Compare(e.word, w) })
	if !found {
		return nil
	}
	return n.next[k].to
}

// tree builds the nodes at the first use.
func (t *Trie) tree() *node {
	t.once.Do(func() {
		var g grammar
		for _, e := range t.from.entries {
			for _, alternative := range splitTop(e.text) {
				g.add(alternative, e.key)
			}
		}
		t.nodes = g.build()
	})
	return t.nodes
}

// Keys returns the keys of the table, in its order; one that is there more than once comes as often.
func (t *Trie) Keys() []string {
	keys := make([]string, len(t.from.entries))
	for k, e := range t.from.entries {
		keys[k] = e.key
	}
	return keys
}

// Match returns the key of the longest phrase that begins at token i, and its length in tokens: 0 when there is none.
func (t *Trie) Match(toks Tokens, i int) (key string, n int) {
	nd := t.tree()
	for k := i; k < len(toks); k++ {
		if toks[k].Kind == Quote || toks[k].Kind == Mark {
			break
		}
		nd = nd.after(toks[k].Word)
		if nd == nil {
			break
		}
		if nd.ends {
			key, n = nd.key, k+1-i
		}
	}
	return key, n
}

// Len returns the length in tokens of the longest phrase that begins at token i, 0 when there is none.
func (t *Trie) Len(toks Tokens, i int) int {
	_, n := t.Match(toks, i)
	return n
}

// Has reports whether a phrase begins at token i.
func (t *Trie) Has(toks Tokens, i int) bool { return t.Len(toks, i) > 0 }

// Begins reports whether a phrase has w as its first word.
func (t *Trie) Begins(w string) bool { return t.tree().after(w) != nil }

// Loose is Match that may step over words for which skip answers true, once a first word has matched.
func (t *Trie) Loose(toks Tokens, i int, skip func(*Token) bool) (key string, n int) {
	if i >= len(toks) || t.tree().after(toks[i].Word) == nil {
		return "", 0
	}
	return loosely(t.tree(), toks, i, i, skip)
}

// loosely returns the longest match below nd for the tokens from k on; the phrase began at i.
func loosely(nd *node, toks Tokens, i, k int, skip func(*Token) bool) (key string, n int) {
	if nd.ends {
		key, n = nd.key, k-i
	}
	if k >= len(toks) || toks[k].Kind == Quote || toks[k].Kind == Mark {
		return key, n
	}
	if c := nd.after(toks[k].Word); c != nil {
		if v, m := loosely(c, toks, i, k+1, skip); m > n {
			key, n = v, m
		}
	}
	for m := k; m > i && m < len(toks) && skip(&toks[m]); m++ {
		if m+1 < len(toks) && toks[m+1].Kind == Word {
			if c := nd.after(toks[m+1].Word); c != nil {
				if v, x := loosely(c, toks, i, m+2, skip); x > n {
					key, n = v, x
				}
			}
		}
	}
	return key, n
}
