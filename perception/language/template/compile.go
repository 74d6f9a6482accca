package template

import (
	"errors"
	"fmt"
	"slices"
)

// op is what an instruction does.
type op uint8

const (
	opWord    op = iota // the token is word x
	opSet               // the token is one of sets[x]
	opAffix             // the token has affixes[x]
	opAny               // any token
	opStart             // any token but a mark
	opGlued             // such a token without a blank before it
	opNumber            // a number
	opTime              // an hour, with minutes or without: 7, 10:30
	opMinutes           // two digits, 00 to 59
	opSplit             // x is tried first, then y
	opChoose            // one of choices[x], by the next token
	opJump              // go on at x
	opSave              // keep the place as mark x
	opBegin             // the beginning of the sentence
	opEnd               // its end
	opFound             // the template is found
)

type instruction struct {
	op   op
	x, y int32
}

// affix is the beginning or the end of a word.
type affix struct {
	text string
	ends bool
}

// choice says which alternatives can begin with a token.
type choice struct {
	by   map[int32][]int32 // token to instructions, the first alternative first
	rest []int32           // for any other token
}

// program is all templates of a set.
type program struct {
	ids     map[string]int32 // of words
	code    []instruction
	sets    [][]int32
	affixes []affix
	choices []choice
}

// compiler writes a program.
type compiler struct {
	*program
	lists map[string][][]*part
	slots []string // of the template at work
	inner []string // lists that are being written, against circles
}

// maxCode is the most instructions of one set.
const maxCode = 1 << 16

func (c *compiler) emit(i instruction) int32 {
	c.code = append(c.code, i)
	return int32(len(c.code) - 1)
}

func (c *compiler) id(word string) int32 {
	id, ok := c.ids[word]
	if !ok {
		id = int32(len(c.ids))
		c.ids[word] = id
	}
	return id
}

// alternatives writes one of several.
func (c *compiler) alternatives(alts [][]*part) error {
	if len(c.code) > maxCode {
		return fmt.Errorf("the templates need more than %d instructions", maxCode)
	}
	if len(alts) == 1 {
		return c.sequence(alts[0])
	}
	at := int32(len(c.choices))
	c.choices = append(c.choices, choice{})
	c.emit(instruction{op: opChoose, x: at})
	starts, jumps := make([]int32, len(alts)), make([]int32, len(alts))
	for i, alt := range alts {
		starts[i] = int32(len(c.code))
		if err := c.sequence(alt); err != nil {
			return err
		}
		jumps[i] = c.emit(instruction{op: opJump})
	}
	for _, j := range jumps {
		c.code[j].x = int32(len(c.code))
	}
	var err error
	c.choices[at], err = c.choose(alts, starts)
	return err
}

// choose says which alternative can begin with which token.
func (c *compiler) choose(alts [][]*part, starts []int32) (choice, error) {
	made := choice{by: map[int32][]int32{}}
	for i, alt := range alts {
		f, err := c.firstOf(alt)
		if err != nil {
			return made, err
		}
		if f.any || f.empty {
			for w := range made.by {
				made.by[w] = append(made.by[w], starts[i])
			}
			made.rest = append(made.rest, starts[i])
		}
		for _, w := range f.words {
			if _, seen := made.by[w]; !seen { // it begins what any token may begin, too
				made.by[w] = slices.Clone(made.rest)
			}
			if to := made.by[w]; len(to) == 0 || to[len(to)-1] != starts[i] {
				made.by[w] = append(to, starts[i])
			}
		}
	}
	return made, nil
}

func (c *compiler) sequence(seq []*part) error {
	for _, p := range seq {
		if err := c.part(p); err != nil {
			return err
		}
	}
	return nil
}

// part writes a part as often as it may stand there.
func (c *compiler) part(p *part) error {
	mark := int32(-1)
	if p.name != "" {
		mark = c.slot(p.name)
		c.emit(instruction{op: opSave, x: 2 * mark})
	}
	for range p.min {
		if err := c.once(p); err != nil {
			return err
		}
	}
	var splits []int32
	for more := p.max - p.min; more != 0 && p.max != p.min; more-- {
		if p.max < 0 {
			if f, err := c.partFirst(&part{kind: p.kind, text: p.text, alts: p.alts, set: p.set, min: 1}); err != nil || f.empty {
				return errors.Join(errors.New("what is repeated must not be nothing"), err)
			}
		}
		split := c.emit(instruction{op: opSplit})
		c.code[split].x = split + 1
		if err := c.once(p); err != nil {
			return err
		}
		splits = append(splits, split)
		if p.max < 0 {
			c.emit(instruction{op: opJump, x: split})
			break
		}
	}
	for _, s := range splits {
		c.code[s].y = int32(len(c.code))
	}
	if mark >= 0 {
		c.emit(instruction{op: opSave, x: 2*mark + 1})
	}
	return nil
}

func (c *compiler) slot(name string) int32 {
	if at := slices.Index(c.slots, name); at >= 0 {
		return int32(at)
	}
	c.slots = append(c.slots, name)
	return int32(len(c.slots) - 1)
}

func (c *compiler) once(p *part) error {
	switch p.kind {
	case literal:
		if p.affix.text == "" {
			c.emit(instruction{op: opWord, x: p.word})
			return nil
		}
		c.affixes = append(c.affixes, p.affix)
		c.emit(instruction{op: opAffix, x: int32(len(c.affixes) - 1)})
	case group:
		if p.set == nil {
			return c.alternatives(p.alts)
		}
		c.sets = append(c.sets, p.set)
		c.emit(instruction{op: opSet, x: int32(len(c.sets) - 1)})
	case begin:
		c.emit(instruction{op: opBegin})
	case end:
		c.emit(instruction{op: opEnd})
	case ref:
		alts, err := c.list(p.text)
		if err != nil {
			return err
		}
		c.inner = append(c.inner, p.text)
		err = c.alternatives(alts)
		c.inner = c.inner[:len(c.inner)-1]
		return err
	case slot:
		c.open(p.text)
	}
	return nil
}

// open writes a slot.
func (c *compiler) open(kind string) {
	switch kind {
	case "number":
		c.emit(instruction{op: opNumber})
	case "time":
		c.emit(instruction{op: opTime})
	case "minutes":
		c.emit(instruction{op: opMinutes})
	case "word": // with what touches it
		c.emit(instruction{op: opStart})
		at := int32(len(c.code))
		c.emit(instruction{op: opSplit, x: at + 1, y: at + 3})
		c.emit(instruction{op: opGlued})
		c.emit(instruction{op: opJump, x: at})
	case "text": // as few as will do
		c.emit(instruction{op: opStart})
		at := int32(len(c.code))
		c.emit(instruction{op: opSplit, x: at + 3, y: at + 1})
		c.emit(instruction{op: opAny})
		c.emit(instruction{op: opJump, x: at})
	}
}

func (c *compiler) list(name string) ([][]*part, error) {
	alts, ok := c.lists[name]
	if !ok {
		return nil, fmt.Errorf("there is no list <%s>", name)
	}
	if slices.Contains(c.inner, name) {
		return nil, fmt.Errorf("the list <%s> has itself in it", name)
	}
	return alts, nil
}
