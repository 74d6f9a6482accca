package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// part is a node whose words are tokens: nothing touches anything any more.
type part struct {
	kind     kind
	min, max int8
	word     uint16   // of a literal
	set      []uint16 // of a group of single words, sorted
	affix    *affix   // of a literal that is not a whole word
	text     string   // of a slot or list
	name     string
	alts     [][]*part

	first *first // what it can begin with, once it is known
}

func one(k kind) *part { return &part{kind: k, min: 1, max: 1} }

// lower turns alternatives into parts.
func (c *compiler) lower(alts [][]node) ([][]*part, error) {
	all := make([][]*part, 0, len(alts))
	for _, alt := range alts {
		var seq []*part
		for chunk := range chunks(alt) {
			more, err := c.lowerChunk(chunk)
			if err != nil {
				return nil, err
			}
			seq = append(seq, more...)
		}
		if len(seq) == 0 {
			return nil, errors.New("an alternative is empty")
		}
		all = append(all, seq)
	}
	return all, nil
}

// lowerChunk turns nodes that touch each other into parts.
func (c *compiler) lowerChunk(nodes []node) ([]*part, error) {
	if n := nodes[0]; n.kind == begin && len(nodes) > 1 {
		rest, err := c.lowerChunk(nodes[1:])
		return append([]*part{one(begin)}, rest...), err
	}
	if last := len(nodes) - 1; last > 0 && nodes[last].kind == end {
		before, err := c.lowerChunk(nodes[:last])
		return append(before, one(end)), err
	}
	if len(nodes) == 1 && nodes[0].kind != literal {
		p, err := c.lowerNode(nodes[0])
		return []*part{p}, err
	}
	if len(nodes) == 1 {
		return c.literal(nodes[0].text)
	}
	spellings, err := spell(nodes)
	if err != nil {
		return nil, err
	}
	if len(spellings) == 1 {
		return c.literal(spellings[0])
	}
	p := one(group)
	for _, s := range spellings {
		if strings.TrimSpace(s) == "" {
			return nil, errors.New("a word with brackets must not be empty")
		}
		seq, err := c.literal(s)
		if err != nil {
			return nil, err
		}
		p.alts = append(p.alts, seq)
	}
	p.simplify()
	return []*part{p}, nil
}

func (c *compiler) lowerNode(n node) (*part, error) {
	p := &part{kind: n.kind, text: n.text, name: n.name, min: n.min, max: n.max}
	if n.kind == group {
		var err error
		if p.alts, err = c.lower(n.alts); err != nil {
			return nil, err
		}
		p.simplify()
	}
	return p, nil
}

// literal turns a text into its tokens.
func (c *compiler) literal(text string) ([]*part, error) {
	var seq []*part
	for word := range strings.FieldsSeq(text) {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" { // most are
			p := one(literal)
			p.word = c.id(word)
			seq = append(seq, p)
			continue
		}
		if word != "*" && strings.Contains(word, "*") {
			p, err := affixed(word)
			if err != nil {
				return nil, err
			}
			seq = append(seq, p)
			continue
		}
		if strings.HasPrefix(word, "'") && len(word) > 1 { // what follows an apostrophe: "'s"
			p := one(literal)
			p.word = c.id(word)
			seq = append(seq, p)
			continue
		}
		for _, t := range Split(word).tokens {
			if t.word != word[t.start:t.end] {
				return nil, fmt.Errorf("%q has capitals; sentences are compared in lower case", text)
			}
			p := one(literal)
			p.word = c.id(t.word)
			seq = append(seq, p)
		}
	}
	return seq, nil
}

// affixed reads "undress*" or "*berry".
func affixed(word string) (*part, error) {
	a := affix{text: strings.Trim(word, "*"), ends: word[0] == '*'}
	if s := Split(a.text); strings.Count(word, "*") != 1 || len(s.tokens) != 1 || a.ends != (word != a.text+"*") {
		return nil, fmt.Errorf("%q is not the beginning or the end of one word", word)
	}
	p := one(literal)
	p.affix = &a
	return p, nil
}

// simplify makes a set of alternatives that are one word each.
func (p *part) simplify() {
	var set []uint16
	for _, alt := range p.alts {
		switch {
		case len(alt) != 1 || alt[0].min != 1 || alt[0].max != 1 || alt[0].name != "":
			return
		case alt[0].kind == group && alt[0].set != nil:
			set = append(set, alt[0].set...)
		case alt[0].kind == literal && alt[0].affix == nil:
			set = append(set, alt[0].word)
		default:
			return
		}
	}
	slices.Sort(set)
	p.set, p.alts = slices.Compact(set), nil
}

// first is what a part can begin with.
type first struct {
	words []uint16 // sorted
	any   bool     // any token
	empty bool     // the part may be nothing
}

func (f *first) add(o *first) {
	f.words = append(f.words, o.words...)
	f.any = f.any || o.any
}

func (f *first) tidy() *first {
	slices.Sort(f.words)
	f.words = slices.Compact(f.words)
	return f
}

// firstOf finds out with which tokens a sequence can begin.
func (c *compiler) firstOf(seq []*part) (*first, error) {
	f := &first{}
	for _, p := range seq {
		one, err := c.partFirst(p)
		if err != nil {
			return nil, err
		}
		f.add(one)
		if !one.empty {
			return f.tidy(), nil
		}
	}
	f.empty = true
	return f.tidy(), nil
}

func (c *compiler) partFirst(p *part) (*first, error) {
	if p.first != nil {
		return p.first, nil
	}
	f := &first{empty: p.min == 0}
	switch p.kind {
	case literal:
		f.any = p.affix != nil
		if !f.any {
			f.words = []uint16{p.word}
		}
	case slot:
		f.any = true
	case begin:
		f.empty = true
	case end:
		f.any, f.empty = true, true
	case group:
		f.words = append(f.words, p.set...)
	case ref:
		l, err := c.list(p.text)
		if err != nil {
			return nil, err
		}
		c.inner = append(c.inner, p.text)
		defer func() { c.inner = c.inner[:len(c.inner)-1] }()
		of, err := c.partFirst(l.part)
		if err != nil {
			return nil, err
		}
		p.first = &first{words: of.words, any: of.any, empty: of.empty || p.min == 0}
		return p.first, nil
	}
	for _, alt := range p.alts {
		one, err := c.firstOf(alt)
		if err != nil {
			return nil, err
		}
		f.add(one)
		f.empty = f.empty || one.empty
	}
	p.first = f.tidy()
	return f, nil
}
