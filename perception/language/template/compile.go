package template

import (
	"cmp"
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
	opCall              // go on in blocks[x], whose states begin at y of those of this block
	opReturn            // go on behind the call
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
	words []int32   // sorted
	of    []int32   // the way of each word
	ways  [][]int32 // instructions, the first alternative first; the first way is that of any other token
}

// block is the code of a rule, or of a list, which is written once however often it is used.
type block struct {
	code  []instruction
	size  int32 // states: instructions, with those of each call, which the search tells apart by where it came from
	saves bool  // it has slots, whose marks are those of one rule
}

// program is all templates of a set.
type program struct {
	ids     map[string]int32 // of words
	blocks  []*block         // of lists
	sets    [][]int32
	affixes []affix
	choices []choice
}

// list is what stands under "<list>".
type list struct {
	*part
	at int32 // of its block or set; −1 before it is written
}

// compiler writes a program.
type compiler struct {
	*program
	lists map[string]*list
	code  []instruction // of the block at work
	size  int           // of all blocks
	slots []string      // of the template at work
	inner []string      // lists that are being written, against circles
}

// maxCode is the most instructions of one set, and the most states of one rule.
const maxCode = 1 << 16

var errTooLarge = fmt.Errorf("the templates need more than %d instructions", maxCode)

// block writes alternatives, and last, as a block.
func (c *compiler) block(alts [][]*part, last ...instruction) (*block, error) {
	outer := c.code
	c.code = nil
	err := c.alternatives(alts)
	b := &block{code: slices.Concat(c.code, last)}
	c.code = outer
	if c.size += len(b.code); err != nil || c.size > maxCode {
		return nil, cmp.Or(err, errTooLarge)
	}
	b.size = int32(len(b.code))
	for k := range b.code {
		switch i := &b.code[k]; i.op {
		case opSave:
			b.saves = true
		case opCall:
			of := c.blocks[i.x]
			i.y, b.size, b.saves = b.size, b.size+of.size, b.saves || of.saves
			if b.size > maxCode {
				return nil, errTooLarge
			}
		}
	}
	return b, nil
}

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
		return errTooLarge
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
	var rest []int32    // alternatives that may begin with any token
	var begins []uint64 // word and alternative
	for i, alt := range alts {
		f, err := c.firstOf(alt)
		if err != nil {
			return choice{}, err
		}
		if f.any || f.empty {
			rest = append(rest, int32(i))
			continue
		}
		for _, w := range f.words {
			begins = append(begins, uint64(w)<<32|uint64(i))
		}
	}
	slices.Sort(begins)
	made := choice{ways: [][]int32{addresses(rest, starts)}}
	var words, of, way []int32
	for i := 0; i < len(begins); {
		word := begins[i] >> 32
		way = append(way[:0], rest...)
		for ; i < len(begins) && begins[i]>>32 == word; i++ {
			way = append(way, int32(uint32(begins[i])))
		}
		slices.Sort(way)
		words, of = append(words, int32(word)), append(of, made.way(addresses(way, starts)))
	}
	made.words, made.of = slices.Clone(words), slices.Clone(of)
	return made, nil
}

// way is the index of a way, which is kept once.
func (c *choice) way(to []int32) int32 {
	at := slices.IndexFunc(c.ways, func(w []int32) bool { return slices.Equal(w, to) })
	if at < 0 {
		at = len(c.ways)
		c.ways = append(c.ways, to)
	}
	return int32(at)
}

// addresses are where some alternatives start.
func addresses(alts, starts []int32) []int32 {
	to := make([]int32, len(alts))
	for i, alt := range alts {
		to[i] = starts[alt]
	}
	return to
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
		return c.call(p.text)
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

// call writes the use of a list.
func (c *compiler) call(name string) error {
	l, err := c.list(name)
	if err != nil {
		return err
	}
	use := instruction{op: opCall}
	if l.set != nil {
		use.op = opSet
	}
	if l.at < 0 && l.set != nil {
		c.sets = append(c.sets, l.set)
		l.at = int32(len(c.sets) - 1)
	}
	if l.at < 0 {
		c.inner = append(c.inner, name)
		b, err := c.block(l.alts, instruction{op: opReturn})
		if err != nil {
			return err
		}
		c.inner = c.inner[:len(c.inner)-1]
		c.blocks = append(c.blocks, b)
		l.at = int32(len(c.blocks) - 1)
	}
	use.x = l.at
	c.emit(use)
	return nil
}

// forget makes lists with slots be written anew for the next rule, whose slots are others.
func (c *compiler) forget() {
	c.slots = nil
	for _, l := range c.lists {
		if l.at >= 0 && l.set == nil && c.blocks[l.at].saves {
			l.at = -1
		}
	}
}

func (c *compiler) list(name string) (*list, error) {
	l, ok := c.lists[name]
	if !ok {
		return nil, fmt.Errorf("there is no list <%s>", name)
	}
	if slices.Contains(c.inner, name) {
		return nil, fmt.Errorf("the list <%s> has itself in it", name)
	}
	return l, nil
}
