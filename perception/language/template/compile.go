package template

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/reachyd/reachyd/perception/weights"
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
	opSplit             // the next instruction is tried first, then that at x
	opSkip              // that at x is tried first, then the next
	opChoose            // one of choices[x], by the next token
	opJump              // go on at x
	opSave              // keep the place as mark x
	opCall              // go on in the block of calls[x]
	opReturn            // go on behind the call
	opBegin             // the beginning of the sentence
	opEnd               // its end
	opFound             // the template is found
)

// instruction is an op, in the lowest 8 bits, and its x.
type instruction uint32

func do(o op, x int32) instruction { return instruction(x)<<8 | instruction(o) }

func (i instruction) op() op   { return op(i) }
func (i instruction) x() int32 { return int32(i >> 8) }

// affix is the beginning or the end of a word.
type affix struct {
	text string
	ends bool
}

// choice says which alternatives can begin with a token: begins[from:to], sorted, for the words there, and rest for any other. Its ways
// are counted from first.
type choice struct{ from, to, first, rest int32 }

// start says which way of a choice a word begins.
type start struct{ word, way uint16 }

// call is one use of a list.
type call struct {
	block *block
	base  int32 // of its states, among those of the caller
}

// block is the code of a rule, or of a list, which is written once however often it is used.
type block struct {
	code  []instruction
	size  int32 // states: instructions, with those of each call, which the search tells apart by where it came from
	saves bool  // it has slots, whose marks are those of one rule
}

// program is all templates of a set.
type program struct {
	words   *weights.Words // by their ids
	calls   []call
	sets    [][]int32
	affixes []affix
	choices []choice
	begins  []start
	ways    []int32 // a number, and as many instructions, the first alternative first
}

// list is what stands under "<list>".
type list struct {
	*part
	block *block // once it is written
	at    int32  // of its set; −1 before it is kept
	// needs are its needs, once they are needed.
	needs  []need
	needed bool
}

// compiler writes a program.
type compiler struct {
	*program
	ids   map[string]int32 // of words
	words []string         // by their ids
	lists map[string]*list
	code  []instruction // of the block at work
	size  int           // of all blocks
	made  [][]block     // all blocks, some at a time
	slots []string      // of the template at work
	inner []string      // lists that are being written, against circles
}

// maxCode is the most instructions of one set, and the most states of one rule.
const maxCode = 1 << 16

var errTooLarge = fmt.Errorf("the templates need more than %d instructions", maxCode)

// newBlock returns a block, of which many are made at once.
func (c *compiler) newBlock() *block {
	last := len(c.made) - 1
	if last < 0 || len(c.made[last]) == cap(c.made[last]) {
		c.made = append(c.made, make([]block, 0, 64))
		last++
	}
	c.made[last] = append(c.made[last], block{})
	return &c.made[last][len(c.made[last])-1]
}

// block writes alternatives, and last, as a block.
func (c *compiler) block(alts [][]*part, last ...instruction) (*block, error) {
	outer := c.code
	c.code = outer[len(outer):]
	err := c.alternatives(alts)
	b := c.newBlock()
	b.code = slices.Concat(c.code, last)
	c.code = outer
	if c.size += len(b.code); err != nil || c.size > maxCode {
		return nil, cmp.Or(err, errTooLarge)
	}
	b.size = int32(len(b.code))
	for _, i := range b.code {
		switch i.op() {
		case opSave:
			b.saves = true
		case opCall:
			of := &c.calls[i.x()]
			of.base, b.size, b.saves = b.size, b.size+of.block.size, b.saves || of.block.saves
			if b.size > maxCode {
				return nil, errTooLarge
			}
		}
	}
	return b, nil
}

// trim keeps what the program needs, and gives back what its tables have grown too far.
func (c *compiler) trim(rules iter.Seq[*Rule]) {
	p := c.program
	p.words = weights.WordsOf(c.words)
	p.calls, p.sets, p.affixes = slices.Clone(p.calls), slices.Clone(p.sets), slices.Clone(p.affixes)
	p.choices, p.ways = slices.Clone(p.choices), slices.Clone(p.ways)
	p.shareBegins()
	var code []*[]instruction
	for _, some := range c.made {
		for i := range some {
			code = append(code, &some[i].code)
		}
	}
	packOnce(code)
	var words []*[]int32
	var needs []*[]need
	for i := range p.sets {
		words = append(words, &p.sets[i])
	}
	for r := range rules {
		words, needs = append(words, &r.firsts), append(needs, &r.needs)
	}
	pack(needs)
	for r := range rules {
		for i := range r.needs {
			words = append(words, (*[]int32)(&r.needs[i]))
		}
	}
	packOnce(words)
}

// shareBegins keeps the beginnings of alternatives once that several choices have.
func (p *program) shareBegins() {
	seen := map[uint64][]int32{} // choices
	var kept []start
	for i := range p.choices {
		c := &p.choices[i]
		of := p.begins[c.from:c.to]
		sum := uint64(len(of))
		for _, b := range of {
			sum = (sum ^ uint64(b.word)<<16 ^ uint64(b.way)) * hashPrime
		}
		same := slices.IndexFunc(seen[sum], func(k int32) bool { o := &p.choices[k]; return slices.Equal(kept[o.from:o.to], of) })
		if same >= 0 {
			o := &p.choices[seen[sum][same]]
			c.from, c.to = o.from, o.to
			continue
		}
		seen[sum] = append(seen[sum], int32(i))
		from := int32(len(kept))
		kept = append(kept, of...)
		c.from, c.to = from, int32(len(kept))
	}
	p.begins = slices.Clone(kept)
}

// hashPrime is that of the FNV hash.
const hashPrime = 1099511628211

// packOnce is pack for lists of which many are equal: these lie in one place, too.
func packOnce[T ~int32 | ~uint32](lists []*[]T) {
	seen := map[uint64][]*[]T{}
	for _, l := range lists {
		sum := uint64(len(*l))
		for _, x := range *l {
			sum = (sum ^ uint64(uint32(x))) * hashPrime
		}
		same := slices.IndexFunc(seen[sum], func(o *[]T) bool { return slices.Equal(*o, *l) })
		if same < 0 {
			seen[sum] = append(seen[sum], l)
			continue
		}
		*l = *seen[sum][same]
	}
	pack(lists)
}

// pack moves lists into one piece of memory, each as long as it is, and once those that several have. Small ones lie between what
// reading the templates has left, and would keep the memory around them.
func pack[T any](lists []*[]T) {
	type list struct {
		first *T
		len   int
	}
	at, n := map[list]int{}, 0
	for _, l := range lists {
		if len(*l) == 0 {
			*l = nil
			continue
		}
		key := list{&(*l)[0], len(*l)}
		if _, known := at[key]; !known {
			at[key] = n
			n += len(*l)
		}
	}
	all := make([]T, n)
	for _, l := range lists {
		if len(*l) > 0 {
			from := at[list{&(*l)[0], len(*l)}]
			*l = slices.Clip(all[from:][:copy(all[from:], *l)])
		}
	}
}

func (c *compiler) emit(i instruction) int32 {
	c.code = append(c.code, i)
	return int32(len(c.code) - 1)
}

func (c *compiler) id(word string) int32 {
	id, ok := c.ids[word]
	if !ok {
		id = int32(len(c.ids))
		c.ids[word], c.words = id, append(c.words, word)
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
	at := len(c.choices)
	c.choices = append(c.choices, choice{})
	c.emit(do(opChoose, int32(at)))
	starts, jumps := make([]int32, len(alts)), make([]int32, len(alts))
	for i, alt := range alts {
		starts[i] = int32(len(c.code))
		if err := c.sequence(alt); err != nil {
			return err
		}
		jumps[i] = c.emit(do(opJump, 0))
	}
	for _, j := range jumps {
		c.code[j] = do(opJump, int32(len(c.code)))
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
	first := int32(len(c.ways))
	made := choice{from: int32(len(c.begins)), first: first, rest: c.way(first, rest, starts)}
	var way []int32
	for i := 0; i < len(begins); {
		word := begins[i] >> 32
		way = append(way[:0], rest...)
		for ; i < len(begins) && begins[i]>>32 == word; i++ {
			way = append(way, int32(uint32(begins[i])))
		}
		slices.Sort(way)
		at := c.way(first, way, starts)
		if word > math.MaxUint16 || at > math.MaxUint16 {
			return choice{}, errTooLarge
		}
		c.begins = append(c.begins, start{uint16(word), uint16(at)})
	}
	made.to = int32(len(c.begins))
	return made, nil
}

// way keeps a way of some alternatives, once for each choice, whose ways begin at first. It returns where it stands behind that.
func (c *compiler) way(first int32, alts, starts []int32) int32 {
	for at := first; int(at) < len(c.ways); at += c.ways[at] + 1 {
		if slices.EqualFunc(c.ways[at+1:at+1+c.ways[at]], alts, func(to, alt int32) bool { return to == starts[alt] }) {
			return at - first
		}
	}
	at := int32(len(c.ways)) - first
	c.ways = append(c.ways, int32(len(alts)))
	for _, alt := range alts {
		c.ways = append(c.ways, starts[alt])
	}
	return at
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
		c.code[s] = do(opSplit, int32(len(c.code)))
	}
	if mark >= 0 {
		c.emit(do(opSave, 2*mark+1))
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
		if p.affix == nil {
			c.emit(do(opWord, p.word))
			return nil
		}
		c.affixes = append(c.affixes, *p.affix)
		c.emit(do(opAffix, int32(len(c.affixes)-1)))
	case group:
		if p.set == nil {
			return c.alternatives(p.alts)
		}
		c.sets = append(c.sets, p.set)
		c.emit(do(opSet, int32(len(c.sets)-1)))
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
		at := int32(len(c.code))
		c.emit(do(opSplit, at+3))
		c.emit(do(opGlued, 0))
		c.emit(do(opJump, at))
	case "text": // as few as will do
		c.emit(do(opStart, 0))
		at := int32(len(c.code))
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
		if l.at < 0 {
			c.sets = append(c.sets, l.set)
			l.at = int32(len(c.sets) - 1)
		}
		c.emit(do(opSet, l.at))
		return nil
	}
	if l.block == nil {
		c.inner = append(c.inner, name)
		if l.block, err = c.block(l.alts, do(opReturn, 0)); err != nil {
			return err
		}
		c.inner = c.inner[:len(c.inner)-1]
	}
	c.calls = append(c.calls, call{block: l.block})
	c.emit(do(opCall, int32(len(c.calls)-1)))
	return nil
}

// forget makes lists with slots be written anew for the next rule, whose slots are others.
func (c *compiler) forget() {
	c.slots = nil
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
