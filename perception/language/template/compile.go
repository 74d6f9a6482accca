package template

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/weights"
)

// op is what an instruction does.
type op uint8

const (
	opWord    op = iota // the token is word x
	opSet               // the token is one of the row at x
	opAffix             // the token has affixes[x]
	opAny               // any token
	opStart             // any token but a mark
	opGlued             // such a token without a blank before it
	opNumber            // a number
	opTime              // an hour, with minutes or without: 7, 10:30
	opMinutes           // two digits, 00 to 59
	opSplit             // the next instruction is tried first, then that at x
	opSkip              // that at x is tried first, then the next
	opChoose            // one of choices[x], by the next token
	opJump              // go on at x
	opSave              // keep the place as mark x
	opCall              // go on in the code of calls[x]
	opReturn            // go on behind the call
	opBegin             // the beginning of the sentence
	opEnd               // its end
	opFound             // the template is found
)

// instruction is an op and its x. It has three bytes, as two numbers would have four.
type instruction struct {
	op        op
	low, high uint8
}

func do(o op, x int32) instruction { return instruction{o, uint8(x), uint8(x >> 8)} }

func (i instruction) x() int32 { return int32(i.low) | int32(i.high)<<8 }

// affix is the beginning or the end of a word.
type affix struct {
	text string
	ends bool
}

// choice says which alternatives can begin with a token: a word of the row words goes on by the way that has its place in the row ways, any
// other by rest. A way is a row, too: of instructions, the first alternative first. It is counted from first, so that rows of ways are equal.
type choice struct{ words, ways, first, rest uint16 }

// call is one use of a list.
type call struct {
	code uint16 // where the code of its block begins
	base uint16 // of its states, among those of the caller
}

// block is the code of a rule, or of a list, which is written once however often it is used.
type block struct {
	code  uint16 // where it begins
	size  int32  // states: instructions, with those of each call, which the search tells apart by where it came from
	saves bool   // it has slots, whose marks are those of one rule
}

// program is all templates of a set. A robot has many for as long as it runs: all they have lies in a few tables, and two bytes say where.
type program struct {
	words   *weights.FewWords // by their ids
	code    []instruction     // of all blocks
	calls   []call
	affixes []affix
	choices []choice
	slots   []string // their names
	rows    []uint16 // a number, and as many words, instructions, ways or slots; at 0 none
}

// row returns the row at a place.
func (p *program) row(at uint16) []uint16 { return p.rows[int(at)+1:][:p.rows[at]] }

// list is what stands under "<list>".
type list struct {
	*part
	block *block // once it is written
	// needs are its needs, once they are needed.
	needs  []need
	needed bool
}

// compiler writes a program.
type compiler struct {
	*program
	ids    map[string]uint16 // of words
	words  []string          // by their ids
	text   int               // bytes of all words, each with one more
	lists  map[string]*list
	work   []instruction     // of the block at work
	called []*block          // of calls
	kept   map[string]uint16 // where rows lie
	key    []byte            // of a row, there
	marked []uint16          // slots of the template at work
	inner  []string          // lists that are being written, against circles
}

// maxCode is the most instructions of one set, and the most states of one rule.
const maxCode = 1 << 16

var errTooLarge = fmt.Errorf("the templates need more than %d instructions", maxCode)

// block writes alternatives, and last, as a block.
func (c *compiler) block(alts [][]*part, last ...instruction) (*block, error) {
	outer := c.work
	c.work = outer[len(outer):]
	err := c.alternatives(alts)
	from := len(c.code)
	c.code = append(append(c.code, c.work...), last...)
	c.work = outer
	if err != nil || len(c.code) > maxCode {
		return nil, cmp.Or(err, errTooLarge)
	}
	b := &block{code: uint16(from), size: int32(len(c.code) - from)}
	for _, i := range c.code[from:] {
		switch i.op {
		case opSave:
			b.saves = true
		case opCall:
			of := c.called[i.x()]
			c.calls[i.x()] = call{of.code, uint16(b.size)}
			b.size, b.saves = b.size+of.size, b.saves || of.saves
			if b.size > maxCode {
				return nil, errTooLarge
			}
		}
	}
	return b, nil
}

// trim keeps what the program needs, and gives back what its tables have grown too far.
func (c *compiler) trim() {
	p := c.program
	p.words = weights.FewWordsOf(c.words)
	p.code, p.calls, p.rows = slices.Clone(p.code), slices.Clone(p.calls), slices.Clone(p.rows)
	p.choices, p.affixes, p.slots = slices.Clone(p.choices), slices.Clone(p.affixes), slices.Clone(p.slots)
}

// keep returns where a row lies. Those that are equal are kept once.
func (c *compiler) keep(row []uint16) uint16 {
	c.key = c.key[:0]
	for _, x := range row {
		c.key = binary.LittleEndian.AppendUint16(c.key, x)
	}
	at, ok := c.kept[string(c.key)]
	if !ok {
		at = uint16(len(c.rows))
		c.kept[string(c.key)] = at
		c.rows = append(append(c.rows, uint16(len(row))), row...)
	}
	return at
}

// check reports what two bytes can't count.
func (c *compiler) check() error {
	switch {
	case c.text > math.MaxUint16:
		return fmt.Errorf("the words of the templates take more than %d bytes", math.MaxUint16)
	case len(c.rows) > math.MaxUint16:
		return fmt.Errorf("the templates need more than %d words and ways of choices", math.MaxUint16)
	}
	return nil
}

func (c *compiler) emit(i instruction) int32 {
	c.work = append(c.work, i)
	return int32(len(c.work) - 1)
}

func (c *compiler) id(word string) uint16 {
	id, ok := c.ids[word]
	if !ok {
		id = uint16(len(c.ids))
		c.ids[word], c.words = id, append(c.words, word)
		c.text += len(word) + 1
	}
	return id
}

// alternatives writes one of several.
func (c *compiler) alternatives(alts [][]*part) error {
	if len(c.work) > maxCode {
		return errTooLarge
	}
	if len(alts) == 1 {
		return c.sequence(alts[0])
	}
	at := len(c.choices)
	c.choices = append(c.choices, choice{})
	c.emit(do(opChoose, int32(at)))
	starts, jumps := make([]uint16, len(alts)), make([]int32, len(alts))
	for i, alt := range alts {
		starts[i] = uint16(len(c.work))
		if err := c.sequence(alt); err != nil {
			return err
		}
		jumps[i] = c.emit(do(opJump, 0))
	}
	for _, j := range jumps {
		c.work[j] = do(opJump, int32(len(c.work)))
	}
	var err error
	c.choices[at], err = c.choose(alts, starts)
	return err
}

// choose says which alternative can begin with which token.
func (c *compiler) choose(alts [][]*part, starts []uint16) (choice, error) {
	var rest []uint16   // alternatives that may begin with any token
	var begins []uint32 // word and alternative
	for i, alt := range alts {
		f, err := c.firstOf(alt)
		if err != nil {
			return choice{}, err
		}
		if f.any || f.empty {
			rest = append(rest, uint16(i))
			continue
		}
		for _, w := range f.words {
			begins = append(begins, uint32(w)<<16|uint32(uint16(i)))
		}
	}
	slices.Sort(begins)
	first := len(c.rows)
	made := choice{first: uint16(first), rest: c.way(first, rest, starts)}
	var words, ways, way []uint16
	for i := 0; i < len(begins); {
		word := begins[i] >> 16
		way = append(way[:0], rest...)
		for ; i < len(begins) && begins[i]>>16 == word; i++ {
			way = append(way, uint16(begins[i]))
		}
		slices.Sort(way)
		words, ways = append(words, uint16(word)), append(ways, c.way(first, way, starts))
		if err := c.check(); err != nil {
			return choice{}, err
		}
	}
	made.words, made.ways = c.keep(words), c.keep(ways)
	return made, nil
}

// way keeps a way of some alternatives, once for each choice, whose ways begin at first. It returns where it stands behind that.
func (c *compiler) way(first int, alts, starts []uint16) uint16 {
	at := first
	for ; at < len(c.rows); at += int(c.rows[at]) + 1 {
		if slices.EqualFunc(c.rows[at+1:][:c.rows[at]], alts, func(to, alt uint16) bool { return to == starts[alt] }) {
			return uint16(at - first)
		}
	}
	c.rows = append(c.rows, uint16(len(alts)))
	for _, alt := range alts {
		c.rows = append(c.rows, starts[alt])
	}
	return uint16(at - first)
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
		c.emit(do(opSave, 2*mark))
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
		split := c.emit(do(opSplit, 0))
		if err := c.once(p); err != nil {
			return err
		}
		splits = append(splits, split)
		if p.max < 0 {
			c.emit(do(opJump, split))
			break
		}
	}
	for _, s := range splits {
		c.work[s] = do(opSplit, int32(len(c.work)))
	}
	if mark >= 0 {
		c.emit(do(opSave, 2*mark+1))
	}
	return nil
}

// slot returns which slot of the template at work has a name.
func (c *compiler) slot(name string) int32 {
	at := slices.Index(c.slots, name)
	if at < 0 {
		at, c.slots = len(c.slots), append(c.slots, strings.Clone(name)) // not a piece of the template, which would stay for it
	}
	mark := slices.Index(c.marked, uint16(at))
	if mark < 0 {
		mark, c.marked = len(c.marked), append(c.marked, uint16(at))
	}
	return int32(mark)
}

func (c *compiler) once(p *part) error {
	switch p.kind {
	case literal:
		if p.affix == nil {
			c.emit(do(opWord, int32(p.word)))
			return nil
		}
		c.affixes = append(c.affixes, affix{strings.Clone(p.affix.text), p.affix.ends})
		c.emit(do(opAffix, int32(len(c.affixes)-1)))
	case group:
		if p.set == nil {
			return c.alternatives(p.alts)
		}
		c.emit(do(opSet, int32(c.keep(p.set))))
	case begin:
		c.emit(do(opBegin, 0))
	case end:
		c.emit(do(opEnd, 0))
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
		c.emit(do(opNumber, 0))
	case "time":
		c.emit(do(opTime, 0))
	case "minutes":
		c.emit(do(opMinutes, 0))
	case "word": // with what touches it
		c.emit(do(opStart, 0))
		at := int32(len(c.work))
		c.emit(do(opSplit, at+3))
		c.emit(do(opGlued, 0))
		c.emit(do(opJump, at))
	case "text": // as few as will do
		c.emit(do(opStart, 0))
		at := int32(len(c.work))
		c.emit(do(opSkip, at+3))
		c.emit(do(opAny, 0))
		c.emit(do(opJump, at))
	}
}

// call writes the use of a list.
func (c *compiler) call(name string) error {
	l, err := c.list(name)
	if err != nil {
		return err
	}
	if l.set != nil {
		c.emit(do(opSet, int32(c.keep(l.set))))
		return nil
	}
	if l.block == nil {
		c.inner = append(c.inner, name)
		if l.block, err = c.block(l.alts, do(opReturn, 0)); err != nil {
			return err
		}
		c.inner = c.inner[:len(c.inner)-1]
	}
	c.calls, c.called = append(c.calls, call{}), append(c.called, l.block)
	c.emit(do(opCall, int32(len(c.calls)-1)))
	return nil
}

// forget makes lists with slots be written anew for the next rule, whose slots are others.
func (c *compiler) forget() {
	c.marked = nil
	for _, l := range c.lists {
		if l.block != nil && l.block.saves {
			l.block = nil
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
