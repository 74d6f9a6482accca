package planner

import (
	"encoding/binary"
	"slices"
	"strings"
)

// grammar turns phrases with alternatives into nodes without writing the alternatives out: ten places with five
// alternatives each are fifty pieces of text, not ten million phrases.
type grammar struct {
	pieces []piece
	starts []place
	ends   int // phrases so far; an earlier one goes before a later one
	values []any
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

func (g *grammar) add(phrase string, val any) {
	g.values = append(g.values, val)
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
	for _, alt := range splitTop(p[open+1 : shut]) {
		to = append(to, g.compile(alt, tail))
	}
	return g.piece(p[:open], to...)
}

func (g *grammar) piece(text string, to ...int32) int32 {
	g.pieces = append(g.pieces, piece{text: text, to: to})
	return int32(len(g.pieces) - 1)
}

// group returns where the first pair of parentheses is; open is -1 when there is none.
func group(p string) (open, shut int) {
	open = strings.IndexByte(p, '(')
	depth := 0
	for i := max(open, 0); open >= 0 && i < len(p); i++ {
		switch p[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return open, i
			}
		}
	}
	return -1, -1
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
		reached := map[string][]place{}
		end := 0
		for _, at := range set {
			g.word(at, "", func(w string, after place) { reached[w] = append(reached[w], after) }, func(e int) {
				if end == 0 || e < end {
					end = e
				}
			})
		}
		if end > 0 {
			n.val = g.values[end-1]
		}
		if len(reached) > 0 {
			n.next = map[string]*node{}
			for w, places := range reached {
				n.next[w] = nodeOf(places)
			}
		}
		return n
	}
	root := nodeOf(g.starts)
	root.val = nil // nothing is no phrase
	return root
}

// word finds every word that can come next at a place, with the place behind it. ended is called when the phrase can end here.
func (g *grammar) word(at place, partial string, found func(string, place), ended func(int)) {
	p := &g.pieces[at.piece]
	rest := p.text[at.offset:]
	if partial == "" {
		trimmed := strings.TrimLeft(rest, " ")
		at.offset += int32(len(rest) - len(trimmed))
		rest = trimmed
	}
	if i := strings.IndexByte(rest, ' '); i >= 0 {
		found(partial+rest[:i], place{at.piece, at.offset + int32(i)})
		return
	}
	partial += rest
	behind := place{at.piece, int32(len(p.text))}
	switch {
	case p.end > 0 && partial == "":
		ended(p.end)
	case p.end > 0:
		found(partial, behind)
	}
	for _, to := range p.to {
		g.word(place{piece: to}, partial, found, ended)
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
