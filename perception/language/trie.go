package language

import (
	"slices"
	"strings"
	"sync"
)

// Trie finds the longest phrase of a table at a position. It is safe for concurrent use.
type Trie struct {
	from *table
	once sync.Once
	graph
}

// graph is the nodes of a trie. Words, edges and nodes are told by their number, which takes an eighth of the memory of pointers.
type graph struct {
	words []string
	keys  []string
	edges []edge // those of a node stand together, in the order of their words
	nodes []node // the first is the root
}

// node is where a phrase may go on. Phrases that go on in the same ways share their nodes.
type node struct {
	first      uint32
	edges, end uint16 // end: 1 + the number of the key of the phrase that ends here; 0 when none does
}

// edge is a word by which a phrase goes on.
type edge struct{ word, to uint16 }

// Nodes that are always meant so.
const (
	root    int32 = 0
	nowhere int32 = -1
)

// after returns where a phrase goes on after a word, nowhere when none does.
func (g *graph) after(n int32, word string) int32 {
	from := g.nodes[n].first
	next := g.edges[from : from+uint32(g.nodes[n].edges)]
	k, found := slices.BinarySearchFunc(next, word, func(e edge, w string) int { return strings.Compare(g.words[e.word], w) })
	if !found {
		return nowhere
	}
	return int32(next[k].to)
}

// ends returns the key of the phrase that ends at a node.
func (g *graph) ends(n int32) (key string, ok bool) {
	if end := g.nodes[n].end; end > 0 {
		return g.keys[end-1], true
	}
	return "", false
}

// tree builds the nodes at the first use.
func (t *Trie) tree() *graph {
	t.once.Do(func() {
		g, _ := builders.Get().(*builder)
		defer builders.Put(g)
		g.reset()
		for _, e := range t.from.entries() {
			for alternative := range alternatives(e.text) {
				g.add(alternative, e.key)
			}
		}
		t.graph = g.build()
	})
	return &t.graph
}

// Keys returns the keys of the table, in its order; one that is there more than once comes as often.
func (t *Trie) Keys() []string {
	entries := t.from.entries()
	keys := make([]string, len(entries))
	for k, e := range entries {
		keys[k] = e.key
	}
	return keys
}

// Match returns the key of the longest phrase that begins at token i, and its length in tokens: 0 when there is none.
func (t *Trie) Match(toks Tokens, i int) (key string, n int) {
	g := t.tree()
	at := root
	for k := i; k < len(toks); k++ {
		if toks[k].Kind == Quote || toks[k].Kind == Mark {
			break
		}
		at = g.after(at, toks[k].Word)
		if at == nowhere {
			break
		}
		if v, ok := g.ends(at); ok {
			key, n = v, k+1-i
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
func (t *Trie) Begins(w string) bool { return t.tree().after(root, w) != nowhere }

// Loose is Match that may step over words for which skip answers true, once a first word has matched.
func (t *Trie) Loose(toks Tokens, i int, skip func(*Token) bool) (key string, n int) {
	g := t.tree()
	if i >= len(toks) || g.after(root, toks[i].Word) == nowhere {
		return "", 0
	}
	return g.loosely(root, toks, i, i, skip)
}

// loosely returns the longest match below a node for the tokens from k on; the phrase began at i.
func (g *graph) loosely(at int32, toks Tokens, i, k int, skip func(*Token) bool) (key string, n int) {
	if v, ok := g.ends(at); ok {
		key, n = v, k-i
	}
	if k >= len(toks) || toks[k].Kind == Quote || toks[k].Kind == Mark {
		return key, n
	}
	if c := g.after(at, toks[k].Word); c != nowhere {
		if v, m := g.loosely(c, toks, i, k+1, skip); m > n {
			key, n = v, m
		}
	}
	for m := k; m > i && m < len(toks) && skip(&toks[m]); m++ {
		if m+1 < len(toks) && toks[m+1].Kind == Word {
			if c := g.after(at, toks[m+1].Word); c != nowhere {
				if v, x := g.loosely(c, toks, i, m+2, skip); x > n {
					key, n = v, x
				}
			}
		}
	}
	return key, n
}
