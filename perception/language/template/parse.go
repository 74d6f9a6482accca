package template

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// kind is what sort of part a node is.
type kind uint8

const (
	literal kind = iota // text without a blank
	group               // alternatives
	slot                // {word}, {text}, {number}
	ref                 // <list>
	begin               // ^
	end                 // $
)

// node is a part of a template.
type node struct {
	kind     kind
	text     string // of a literal, a slot's or a list's name
	name     string // under which what it found can be asked for
	alts     [][]node
	min, max int8 // how often; max −1: any number
	glued    bool // no blank stands before it
}

// Limits of one template.
const (
	maxDepth     = 20
	maxSpellings = 400 // of one word with brackets in it
	maxRange     = 20
)

// parser reads the notation.
type parser struct {
	text  string
	at    int
	depth int
	open  []node // of sequences that are being read
}

// parse reads the alternatives of a template.
func parse(text string) ([][]node, error) {
	p := &parser{text: text}
	alts, err := p.alternatives()
	if err == nil && p.at < len(text) {
		err = fmt.Errorf("%q closes nothing", text[p.at:p.at+1])
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %q", err, text[max(0, p.at-20):min(len(text), p.at+10)])
	}
	return alts, nil
}

func (p *parser) alternatives() ([][]node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	var all [][]node
	for {
		seq, err := p.sequence()
		if err != nil {
			return nil, err
		}
		if len(seq) == 0 {
			return nil, errors.New("an alternative is empty; what may be left out stands in [ ]")
		}
		all = append(all, seq)
		if p.at >= len(p.text) || p.text[p.at] != '|' {
			return all, nil
		}
		p.at++
	}
}

// sequence reads parts up to a bar, a closing bracket or the end.
func (p *parser) sequence() ([]node, error) {
	from, glued := len(p.open), false
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c == ' ' {
			p.at++
			glued = false
			continue
		}
		if c == '|' || c == ')' || c == ']' {
			break
		}
		n, err := p.part(c)
		if err != nil {
			return nil, err
		}
		n.glued = glued && len(p.open) > from
		p.open = append(p.open, n)
		glued = true
	}
	seq := slices.Clone(p.open[from:])
	p.open = p.open[:from]
	return seq, nil
}

func (p *parser) part(c byte) (node, error) {
	switch c {
	case '(', '[':
		return p.group(c)
	case '{', '<':
		return p.named(c)
	case '^', '$':
		p.at++
		if c == '^' {
			return node{kind: begin, min: 1, max: 1}, nil
		}
		return node{kind: end, min: 1, max: 1}, nil
	}
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(" |()[]{}<>^$", p.text[p.at]) < 0 {
		if p.text[p.at] == '\\' && p.at+1 < len(p.text) {
			p.at++
		}
		p.at++
	}
	if p.at == from {
		return node{}, fmt.Errorf("%q stands at the wrong place", c)
	}
	return node{kind: literal, text: strings.ReplaceAll(p.text[from:p.at], `\`, ""), min: 1, max: 1}, nil
}

func (p *parser) group(open byte) (node, error) {
	if strings.HasPrefix(p.text[p.at:], "[ ]") { // within a word: "wi[ ]fi"
		p.at += 3
		return node{kind: group, alts: [][]node{{{kind: literal, text: " ", min: 1, max: 1}}}, max: 1}, nil
	}
	p.at++
	alts, err := p.alternatives()
	if err != nil {
		return node{}, err
	}
	shut := byte(')')
	n := node{kind: group, alts: alts, min: 1, max: 1}
	if open == '[' {
		shut, n.min = ']', 0
	}
	if p.at >= len(p.text) || p.text[p.at] != shut {
		return node{}, fmt.Errorf("%q is missing", shut)
	}
	p.at++
	if p.at < len(p.text) {
		switch p.text[p.at] {
		case '*':
			p.at++
			n.min, n.max = 0, -1
		case '+':
			p.at++
			n.max = -1
		}
	}
	if p.at < len(p.text) && p.text[p.at] == ':' {
		p.at++
		from := p.at
		for p.at < len(p.text) && p.text[p.at] >= 'a' && p.text[p.at] <= 'z' {
			p.at++
		}
		if n.name = p.text[from:p.at]; n.name == "" {
			return node{}, errors.New("the name of a slot is missing; allowed are letters")
		}
	}
	return n, nil
}

// named reads {kind}, {kind 0-3}, {kind:name} and <list>.
func (p *parser) named(open byte) (node, error) {
	shut := map[byte]string{'{': "}", '<': ">"}[open]
	inside, _, ok := strings.Cut(p.text[p.at+1:], shut)
	if !ok {
		return node{}, fmt.Errorf("%q is missing", shut)
	}
	p.at += len(inside) + 2
	n := node{kind: ref, text: inside, min: 1, max: 1}
	if open == '<' {
		return n, nil
	}
	n.kind = slot
	n.text, n.name, _ = strings.Cut(inside, ":")
	var span string
	if n.text, span, ok = strings.Cut(n.text, " "); ok {
		low, high, _ := strings.Cut(span, "-")
		least, err := strconv.Atoi(low)
		most, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || least < 0 || most < max(1, least) || most > maxRange {
			return node{}, fmt.Errorf("{%s}: allowed is a range such as 0-3, at most %d", inside, maxRange)
		}
		n.min, n.max = int8(least), int8(most)
	}
	switch n.text {
	case "word", "text", "number", "time", "minutes":
		return n, nil
	}
	return node{}, fmt.Errorf("{%s}: allowed are {word}, {text}, {number}, {time} and {minutes}", inside)
}

// spell writes out parts that touch each other: "colo[u]r" is colour and color.
func spell(parts []node) ([]string, error) {
	all := []string{""}
	for _, p := range parts {
		var next []string
		switch {
		case p.kind == literal:
			next = []string{p.text}
		case p.kind == group && p.max == 1 && p.name == "":
			for _, alt := range p.alts {
				words, err := spellSequence(alt)
				if err != nil {
					return nil, err
				}
				next = append(next, words...)
			}
			if p.min == 0 {
				next = append(next, "")
			}
		default:
			return nil, errors.New("only letters and brackets may touch each other")
		}
		var longer []string
		for _, a := range all {
			for _, b := range next {
				longer = append(longer, a+b)
			}
		}
		if all = longer; len(all) > maxSpellings {
			return nil, fmt.Errorf("one word has more than %d spellings", maxSpellings)
		}
	}
	return all, nil
}

func spellSequence(seq []node) ([]string, error) {
	all, first := []string{""}, true
	for chunk := range chunks(seq) {
		words, err := spell(chunk)
		if err != nil {
			return nil, err
		}
		var longer []string
		for _, a := range all {
			for _, w := range words {
				if !first {
					w = " " + w
				}
				longer = append(longer, a+w)
			}
		}
		all, first = longer, false
	}
	return all, nil
}

// chunks cuts a sequence at its blanks.
func chunks(seq []node) iter.Seq[[]node] {
	return func(yield func([]node) bool) {
		from := 0
		for i := range seq {
			if i > 0 && !seq[i].glued {
				if !yield(seq[from:i]) {
					return
				}
				from = i
			}
		}
		if len(seq) > 0 {
			yield(seq[from:])
		}
	}
}
