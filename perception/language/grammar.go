package language

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// grammar turns phrases with alternatives into nodes without writing the alternatives out: ten places with five
// alternatives each are fifty pieces of text, not ten million phrases.
type grammar struct {
	pieces []piece
	starts []place
	ends   int // phrases so far; an earlier one goes before a later one
	keys   []string
}

// piece is a text after which the phrase goes on with any of to. A piece with an end finishes a phrase.
type piece struct {
	text string
	to   []int32
	end  int // 1 + the number of the phrase; 0 when the phrase goes on
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
		return g.piece(p, then)
	}
	tail := g.compile(p[shut+1:], then)
	var to []int32
	for _, alternative := range splitTop(p[open+1 : shut]) {
		to = append(to, g.compile(alternative, tail))
	}
	if p[open] == '[' {
		to = append(to, tail)
	}
	return g.piece(p[:open], to...)
}

func (g *grammar) piece(text string, to ...int32) int32 {
	g.pieces = append(g.pieces, piece{text: text, to: to})
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

// splitTop splits at the bars that stand outside brackets.
func splitTop(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			depth++
		case ')', ']':
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
	for _, alternative := range splitTop(p) {
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

// build makes one node of every set of places that phrases can have reached together.
func (g *grammar) build() *node {
	nodes := map[string]*node{}
	var nodeOf func(set []place) *node
	nodeOf = func(set []place) *node {
		set, key := inOrder(set)
		if n := nodes[key]; n != nil {
			return n
		}
		n := &node{}
		nodes[key] = n
		var reached []step
		end := 0
		for _, at := range set {
			g.word(at, func(w string, after place) { reached = append(reached, step{w, after}) }, func(e int) {
				if end == 0 || e < end {
					end = e
				}
			})
		}
		if end > 0 {
			n.ends, n.key = true, g.keys[end-1]
		}
		slices.SortFunc(reached, func(a, b step) int { return strings.Compare(a.word, b.word) })
		for from := 0; from < len(reached); {
			w := reached[from].word
			var places []place
			for ; from < len(reached) && reached[from].word == w; from++ {
				places = append(places, reached[from].after)
			}
			n.next = append(n.next, edge{w, nodeOf(places)})
		}
		n.next = slices.Clip(n.next)
		return n
	}
	root := nodeOf(g.starts)
	root.ends = false // nothing is no phrase
	return root
}

// word finds every word that can come next at a place, with the place behind it. ended is called when the phrase can end here.
func (g *grammar) word(at place, found func(string, place), ended func(int)) {
	p := &g.pieces[at.piece]
	rest := strings.TrimLeft(p.text[at.offset:], " ")
	if rest != "" {
		w, _, _ := strings.Cut(rest, " ")
		found(w, place{at.piece, int32(len(p.text) - len(rest) + len(w))})
		return
	}
	if p.end > 0 {
		ended(p.end)
	}
	for _, to := range p.to {
		g.word(place{piece: to}, found, ended)
	}
}

// inOrder puts the places in order, drops those that are there twice, and names the set.
func inOrder(set []place) (ordered []place, key string) {
	slices.SortFunc(set, func(a, b place) int {
		if a.piece != b.piece {
			return int(a.piece) - int(b.piece)
		}
		return int(a.offset) - int(b.offset)
	})
	set = slices.Compact(set) // what it cuts off is zeroed: the longer slice must not be used any more
	name := make([]byte, 0, 8*len(set))
	for _, p := range set {
		name = binary.LittleEndian.AppendUint32(name, uint32(p.piece))
		name = binary.LittleEndian.AppendUint32(name, uint32(p.offset))
	}
	return set, string(name)
}
