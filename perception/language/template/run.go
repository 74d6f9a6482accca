package template

import (
	"math"
	"slices"
	"strings"
)

// run is one sentence that is looked at.
type run struct {
	set     *Set
	in      *Sentence
	ids     []uint16 // of the tokens
	words   words    // among them
	visited []uint64 // state × place, of the rule at work
	stack   []todo
	frames  []frame
	marks   []int
}

// unknown is the id of words that stand in no template: no set has so many.
const unknown = math.MaxUint16

// frame is a block that is being followed.
type frame struct {
	code   int32 // where it begins
	base   int32 // its first state
	caller int32 // index of a frame
	back   int32 // where the caller goes on
}

// todo is a place where the search goes on, or a mark that is taken back.
type todo struct {
	pc    int32 // −1−i: mark i is at again
	at    int32
	frame int32
	mark  int
}

func (s *Set) begin(in *Sentence) *run {
	t := pool.Get().(*run) //nolint:forcetypeassert // nothing else is put there
	t.set, t.in, t.ids = s, in, t.ids[:0]
	clear(t.words)
	for i := range in.tokens {
		id := uint16(unknown)
		if at, known := s.prog.words.Find(in.tokens[i].word); known {
			id = uint16(at)
			t.words = t.words.with(id)
		}
		t.ids = append(t.ids, id)
	}
	return t
}

// rule finds a rule, unless something excuses it.
func (t *run) rule(r *Rule) *Match {
	m := t.alone(r)
	if m != nil && r.unless != nil && t.alone(r.unless) != nil {
		return nil
	}
	return m
}

// alone finds a rule, whatever else is in the sentence.
func (t *run) alone(r *Rule) *Match {
	if r.re != nil {
		at := r.re.FindStringIndex(t.in.Text)
		if at == nil {
			return nil
		}
		return &Match{Rule: r, sentence: t.in, text: t.in.Text[at[0]:at[1]]}
	}
	return t.from(r, 0)
}

// from finds a rule at a place or behind it.
func (t *run) from(r *Rule, from int) *Match {
	if !t.meet(r) {
		return nil
	}
	cleared := false
	for at := from; at < max(len(t.ids), 1); at++ {
		if !t.may(r, at) {
			if r.whole {
				return nil
			}
			continue
		}
		if !cleared { // what has failed from one place fails from the next, too
			t.clear(r)
			cleared = true
		}
		if to, ok := t.at(r, at); ok {
			m := &Match{Rule: r, sentence: t.in, from: at, to: to}
			if len(t.marks) > 0 {
				m.marks = slices.Clone(t.marks)
			}
			return m
		}
		if r.whole {
			return nil
		}
	}
	return nil
}

// may says whether a rule can begin with a token.
func (t *run) may(r *Rule, at int) bool {
	if r.any {
		return true
	}
	_, ok := slices.BinarySearch(t.set.prog.row(r.firsts), t.id(at))
	return ok
}

func (t *run) clear(r *Rule) {
	need := (int(r.states)*(len(t.ids)+1) + 63) / 64
	if cap(t.visited) < need {
		t.visited = make([]uint64, need)
		return
	}
	t.visited = t.visited[:need]
	clear(t.visited)
}

// at looks whether a rule stands at a place, and returns where it ends.
func (t *run) at(r *Rule, start int) (end int, ok bool) {
	t.marks = t.marks[:0]
	for range 2 * len(r.slots()) {
		t.marks = append(t.marks, -1)
	}
	t.stack = append(t.stack[:0], todo{at: int32(start)})
	t.frames = append(t.frames[:0], frame{code: int32(r.code)})
	for len(t.stack) > 0 {
		next := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		if next.pc < 0 {
			t.marks[-1-next.pc] = next.mark
			continue
		}
		if end, ok := t.follow(next.frame, next.pc, int(next.at)); ok {
			return end, true
		}
	}
	return 0, false
}

// follow goes on from an instruction until it fails or the rule is found; what else could be tried is put on the stack.
func (t *run) follow(in, pc int32, at int) (end int, ok bool) {
	p, f := t.set.prog, t.frames[in]
	for {
		bit := uint(f.base+pc)*uint(len(t.ids)+1) + uint(at) // without a sign: to divide is to shift
		if t.visited[bit/64]&(1<<(bit%64)) != 0 {
			return 0, false
		}
		t.visited[bit/64] |= 1 << (bit % 64)
		i := p.code[f.code+pc]
		switch i.op {
		case opFound:
			return at, true
		case opJump:
			pc = i.x()
			continue
		case opSplit:
			t.stack = append(t.stack, todo{pc: i.x(), at: int32(at), frame: in})
			pc++
			continue
		case opSkip:
			t.stack = append(t.stack, todo{pc: pc + 1, at: int32(at), frame: in})
			pc = i.x()
			continue
		case opChoose:
			to := p.way(i.x(), t.id(at))
			for k := len(to) - 1; k > 0; k-- {
				t.stack = append(t.stack, todo{pc: int32(to[k]), at: int32(at), frame: in})
			}
			if len(to) == 0 {
				return 0, false
			}
			pc = int32(to[0])
			continue
		case opSave:
			t.stack = append(t.stack, todo{pc: -1 - i.x(), mark: t.marks[i.x()]})
			t.marks[i.x()] = at
			pc++
			continue
		case opCall:
			use := &p.calls[i.x()]
			f = frame{code: int32(use.code), base: f.base + int32(use.base), caller: in, back: pc + 1}
			t.frames = append(t.frames, f)
			in, pc = int32(len(t.frames)-1), 0
			continue
		case opReturn:
			in, pc = f.caller, f.back
			f = t.frames[in]
			continue
		}
		step, fits := t.fits(i, at)
		if !fits {
			return 0, false
		}
		at += step
		pc++
	}
}

// way returns where a choice goes on at a token.
func (p *program) way(choice int32, id uint16) []uint16 {
	c := &p.choices[choice]
	at := c.rest
	if k, ok := slices.BinarySearch(p.row(c.words), id); ok {
		at = p.row(c.ways)[k]
	}
	return p.row(c.first + at)
}

// id is that of the token at a place, or behind the last one.
func (t *run) id(at int) uint16 {
	if at < len(t.ids) {
		return t.ids[at]
	}
	return unknown
}

// fits says whether an instruction that looks at a token fits, and how many tokens it takes.
func (t *run) fits(i instruction, at int) (step int, ok bool) {
	switch i.op {
	case opBegin:
		return 0, at == 0
	case opEnd:
		return 0, at == len(t.ids)
	}
	if at >= len(t.ids) {
		return 0, false
	}
	p, tok := t.set.prog, &t.in.tokens[at]
	switch i.op {
	case opWord:
		ok = int32(t.ids[at]) == i.x()
	case opSet:
		_, ok = slices.BinarySearch(p.row(uint16(i.x())), t.ids[at])
	case opAffix:
		if a := p.affixes[i.x()]; a.ends {
			ok = strings.HasSuffix(tok.word, a.text)
		} else {
			ok = strings.HasPrefix(tok.word, a.text)
		}
	case opAny:
		ok = true
	case opStart:
		ok = !tok.mark
	case opGlued:
		ok = tok.glued && !tok.mark
	case opNumber:
		ok = tok.number && plain(tok.word)
	case opTime:
		ok = tok.number && clock(tok.word)
	case opMinutes:
		ok = tok.number && minutes(tok.word)
	}
	return 1, ok
}
