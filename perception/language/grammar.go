package language

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
)

// grammar turns phrases with alternatives into nodes without writing the alternatives out: ten places with five
// alternatives each are fifty pieces of text, not ten million phrases.
type grammar struct {
	pieces []piece
	starts []place
	ends   int32 // phrases so far; an earlier one goes before a later one
	keys   []string
	to     []int32 // where pieces go on
}

// piece is a text after which the phrase goes on with any of to[from:from+n]. A piece with an end finishes a phrase.
type piece struct {
	text    string
	from, n int32
	end     int32 // 1 + the number of the phrase; 0 when the phrase goes on
}

// place is a place in the text of a piece.
type place struct {
	piece, offset int32
}

func (g *grammar) add(phrase, key string) {
	g.keys = append(g.keys, key)
	g.ends++
	g.pieces = append(g.pieces, piece{end: g.ends})
	g.starts = append(g.starts, place{piece: g.compile(phrase, int32(len(g.pieces)-1))})
}

// compile returns the piece that begins the text p, after which the piece then follows.
func (g *grammar) compile(p string, then int32) int32 {
	open, shut := group(p)
	if open < 0 {
		return g.piece(p, []int32{then})
	}
	tail := g.compile(p[shut+1:], then)
	var few [16]int32
	to := few[:0]
	for alternative := range alternatives(p[open+1 : shut]) {
		to = append(to, g.compile(alternative, tail))
	}
	if p[open] == '[' {
		to = append(to, tail)
	}
	return g.piece(p[:open], to)
}

func (g *grammar) piece(text string, to []int32) int32 {
	g.pieces = append(g.pieces, piece{text: text, from: int32(len(g.to)), n: int32(len(to))})
	g.to = append(g.to, to...)
	return int32(len(g.pieces) - 1)
}

// group returns where the first pair of brackets is; open is -1 when there is none.
func group(p string) (open, shut int) {
	open = strings.IndexAny(p, "([")
	depth := 0
	for i := max(open, 0); open >= 0 && i < len(p); i++ {
		switch p[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return open, i
			}
		}
	}
	return -1, -1
}

// alternatives are the parts of a text between the bars that stand outside brackets.
func alternatives(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		depth, from := 0, 0
		for i := range len(s) {
			switch s[i] {
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			case '|':
				if depth == 0 {
					if !yield(s[from:i]) {
						return
					}
					from = i + 1
				}
			}
		}
		yield(s[from:])
	}
}

// checkPattern reports what is wrong with the phrases of an entry.
func checkPattern(p string) error {
	var open []byte
	for i := range len(p) {
		switch c := p[i]; c {
		case '(', '[':
			if i > 0 && !strings.ContainsRune(" |([", rune(p[i-1])) {
				return fmt.Errorf("%q touches the word before it; alternatives are whole words", p[max(0, i-12):i+1])
			}
			open = append(open, c)
		case ')', ']':
			if len(open) == 0 || open[len(open)-1] != c-1 && open[len(open)-1] != c-2 {
				return fmt.Errorf("%q closes no bracket", p[max(0, i-12):i+1])
			}
			open = open[:len(open)-1]
			if i+1 < len(p) && !strings.ContainsRune(" |)]", rune(p[i+1])) {
				return fmt.Errorf("%q touches the word behind it; alternatives are whole words", p[i:min(len(p), i+12)])
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("a bracket %q is not closed", open[len(open)-1:])
	}
	return checkAlternatives(p)
}

func checkAlternatives(p string) error {
	for alternative := range alternatives(p) {
		if strings.TrimSpace(alternative) == "" {
			return fmt.Errorf("an alternative of %q is empty; what may be left out stands in [ ]", p[:min(len(p), 60)])
		}
		for rest := alternative; ; {
			open, shut := group(rest)
			if open < 0 {
				break
			}
			if err := checkAlternatives(rest[open+1 : shut]); err != nil {
				return err
			}
			rest = rest[shut+1:]
		}
	}
	return nil
}

// wordsOf calls f for every word of a pattern.
func wordsOf(p string, f func(string)) {
	for w := range strings.FieldsFuncSeq(p, func(r rune) bool { return strings.ContainsRune(" |()[]", r) }) {
		f(w)
	}
}

// step is a word that can come next, and the place behind it.
type step struct {
	word  string
	after place
}

// builder makes one node of every set of places that phrases can have reached together. Its stacks are used by all nodes that
// are being made, each above those of the node before it.
type builder struct {
	grammar
	graph
	single map[place]int32  // nodes of one place
	nodes  map[string]int32 // nodes of several, by the name of the set
	ids    map[string]int32 // of words
	keyOf  map[string]int32
	steps  []step
	places []place
	edges  []edge
	name   []byte
}

// builders are used again: all tables of phrases are built one after the other.
var builders = sync.Pool{New: func() any {
	return &builder{single: map[place]int32{}, nodes: map[string]int32{}, ids: map[string]int32{}, keyOf: map[string]int32{}}
}}

// reset makes room for the next table.
func (b *builder) reset() {
	b.grammar = grammar{pieces: b.pieces[:0], starts: b.starts[:0], keys: b.grammar.keys[:0], to: b.to[:0]}
	b.graph = graph{words: b.words[:0], keys: b.graph.keys[:0], edges: b.graph.edges[:0], nodes: b.graph.nodes[:0]}
	clear(b.single)
	clear(b.nodes)
	clear(b.ids)
	clear(b.keyOf)
}

// build returns the graph of the phrases that were added.
func (b *builder) build() graph {
	b.node(b.starts)
	b.graph.nodes[root].end = 0 // nothing is no phrase
	return graph{words: together(b.words), keys: slices.Clone(b.graph.keys), edges: slices.Clone(b.graph.edges), nodes: slices.Clone(b.graph.nodes)}
}

// together returns the words as pieces of one text, so that none keeps what it was cut from.
func together(words []string) []string {
	all, out := strings.Join(words, ""), make([]string, len(words))
	for i, w := range words {
		out[i], all = all[:len(w)], all[len(w):]
	}
	return out
}

// node returns the node of a set of places, which it may put in order.
func (b *builder) node(set []place) int32 {
	set = b.ordered(set)
	n, known := b.find(set)
	if known {
		return n
	}
	steps, edges := len(b.steps), len(b.edges)
	end := int32(0)
	for _, at := range set {
		if e := b.step(at); e > 0 && (end == 0 || e < end) {
			end = e
		}
	}
	last := len(b.steps)
	slices.SortFunc(b.steps[steps:last], func(x, y step) int { return strings.Compare(x.word, y.word) })
	for from := steps; from < last; {
		w, places := b.steps[from].word, len(b.places)
		for ; from < last && b.steps[from].word == w; from++ {
			b.places = append(b.places, b.steps[from].after)
		}
		to := b.node(b.places[places:])
		b.places = b.places[:places]
		b.edges = append(b.edges, edge{small(numberOf(w, b.ids, &b.words)), small(to)})
	}
	made := &b.graph.nodes[n]
	if made.first, made.edges = uint32(len(b.graph.edges)), small(int32(len(b.edges)-edges)); end > 0 {
		made.end = small(1 + numberOf(b.grammar.keys[end-1], b.keyOf, &b.graph.keys))
	}
	b.graph.edges = append(b.graph.edges, b.edges[edges:]...)
	b.steps, b.edges = b.steps[:steps], b.edges[:edges]
	return n
}

// small is a number of a graph: tables are not so large that theirs need more.
func small(n int32) uint16 {
	if n > math.MaxUint16 {
		panic(fmt.Sprintf("language: a table of phrases needs more than %d words or nodes", math.MaxUint16))
	}
	return uint16(n)
}

// numberOf returns the number of a text in all, where it is put when it is not there.
func numberOf(text string, numbers map[string]int32, all *[]string) int32 {
	n, known := numbers[text]
	if !known {
		n = int32(len(*all))
		numbers[text], *all = n, append(*all, text)
	}
	return n
}

// ordered puts the places in order and drops those that are there twice.
func (b *builder) ordered(set []place) []place {
	slices.SortFunc(set, func(x, y place) int {
		if x.piece != y.piece {
			return int(x.piece) - int(y.piece)
		}
		return int(x.offset) - int(y.offset)
	})
	return slices.Compact(set)
}

// find returns the node of a set of places in order; a new one when it is not known.
func (b *builder) find(set []place) (n int32, known bool) {
	next := int32(len(b.graph.nodes))
	if len(set) == 1 {
		if n, known = b.single[set[0]]; known {
			return n, true
		}
		b.single[set[0]] = next
	} else {
		b.name = b.name[:0]
		for _, p := range set {
			b.name = binary.LittleEndian.AppendUint32(b.name, uint32(p.piece))
			b.name = binary.LittleEndian.AppendUint32(b.name, uint32(p.offset))
		}
		if n, known = b.nodes[string(b.name)]; known {
			return n, true
		}
		b.nodes[string(b.name)] = next
	}
	b.graph.nodes = append(b.graph.nodes, node{})
	return next, false
}

// step puts every word that can come next at a place on the stack, with the place behind it. It returns 1 + the number of the
// first phrase that can end here, 0 when none can.
func (b *builder) step(at place) (end int32) {
	p := &b.pieces[at.piece]
	rest := strings.TrimLeft(p.text[at.offset:], " ")
	if rest != "" {
		w, _, _ := strings.Cut(rest, " ")
		b.steps = append(b.steps, step{w, place{at.piece, int32(len(p.text) - len(rest) + len(w))}})
		return 0
	}
	end = p.end
	for _, to := range b.to[p.from : p.from+p.n] {
		if e := b.step(place{piece: to}); e > 0 && (end == 0 || e < end) {
			end = e
		}
	}
	return end
}
