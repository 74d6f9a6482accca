package template

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Entry is one entry of a table of templates.
type Entry struct {
	Name string // "<list>", "rule" or "rule unless"
	Text string // alternatives
	At   string // file:line, for errors
}

// Set is a table of templates, compiled into one matcher. It is safe for concurrent use.
type Set struct {
	prog  *program
	rules []*Rule
	names map[string]*Rule // while they are compiled
}

// pool has runs that are over, of any set.
var pool = sync.Pool{New: func() any { return &run{} }}

// Rule is one named template of a Set. There are a thousand, of 64 bytes each.
type Rule struct {
	Name   string
	set    *Set
	unless *Rule            // what makes it mean something else
	re     *regexp.Regexp   // instead of a template
	states int32            // of its block
	code   uint16           // where its block begins
	marked uint16           // a row of its slots
	firsts uint16           // a row of words that it can begin with, sorted
	needs  [maxNeeds]uint16 // rows that a sentence must meet; 0: none
	whole  bool             // it stands for the whole sentence
	any    bool             // it can begin with any token
}

// slots are the slots of a rule, by their place among the names of slots.
func (r *Rule) slots() []uint16 { return r.set.prog.row(r.marked) }

// slot is which slot of a rule has a name; −1 when none has.
func (r *Rule) slot(name string) int {
	return slices.IndexFunc(r.slots(), func(at uint16) bool { return r.set.prog.slots[at] == name })
}

// Compile makes a Set of entries. Templates stand for whole sentences when whole is set. Errors name the entry.
func Compile(entries []Entry, whole bool) (*Set, error) {
	c := &compiler{
		program: &program{}, ids: map[string]uint16{}, lists: map[string]*list{}, kept: map[string]uint16{}, work: make([]instruction, 0, 4096),
	}
	c.keep(nil) // at 0
	s := &Set{prog: c.program, names: map[string]*Rule{}}
	read := make([][][]*part, len(entries))
	for i, e := range entries {
		if strings.HasPrefix(e.Text, expression) {
			continue
		}
		alts, err := parse(e.Text)
		if err == nil {
			read[i], err = c.lower(alts)
		}
		if err = cmp.Or(err, c.check()); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", e.At, e.Name, err)
		}
		if strings.HasPrefix(e.Name, "<") {
			l := one(group)
			l.alts = read[i]
			l.simplify()
			c.lists[strings.Trim(e.Name, "<>")] = &list{part: l}
		}
	}
	for i, e := range entries {
		if strings.HasPrefix(e.Name, "<") {
			continue
		}
		if err := cmp.Or(s.add(c, e, read[i], whole), c.check()); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", e.At, e.Name, err)
		}
	}
	c.trim()
	s.rules, s.names = slices.Clip(s.rules), nil // a map would take more memory than a search takes time
	return s, nil
}

// add compiles one rule.
func (s *Set) add(c *compiler, e Entry, alts [][]*part, whole bool) error {
	if s.names[e.Name] != nil {
		return fmt.Errorf("a rule of this name is there already")
	}
	c.forget()
	name, isUnless := strings.CutSuffix(e.Name, " unless")
	r := &Rule{Name: e.Name, set: s, whole: whole && !isUnless}
	if alts == nil {
		var err error
		s.names[e.Name], s.rules = r, append(s.rules, r)
		r.re, err = expressions(e.Text)
		return err
	}
	last := []instruction{do(opEnd, 0), do(opFound, 0)}
	if !r.whole {
		last = last[1:]
	}
	b, err := c.block(alts, last...)
	if err != nil {
		return err
	}
	r.code, r.states, r.marked = b.code, b.size, c.keep(c.marked)
	s.names[e.Name] = r
	f, err := c.partFirst(&part{kind: group, alts: alts, min: 1, max: 1})
	if err != nil {
		return err
	}
	r.firsts, r.any = c.keep(f.words), f.any || f.empty
	if r.needs, err = c.needs(alts); err != nil {
		return err
	}
	if isUnless {
		of := s.names[name]
		if of == nil {
			return fmt.Errorf("there is no rule %q before it", name)
		}
		of.unless = r
		return nil
	}
	s.rules = append(s.rules, r)
	return nil
}

// expression begins a regular expression that stands in place of a template.
const expression = "re:"

// expressions compiles "re:x re:y" to x|y.
func expressions(text string) (*regexp.Regexp, error) {
	var all []string
	for part := range strings.SplitSeq(strings.TrimPrefix(text, expression), " "+expression) {
		all = append(all, "(?:"+strings.TrimSpace(part)+")")
	}
	return regexp.Compile(strings.Join(all, "|"))
}

// Rules are the rules in their order.
func (s *Set) Rules() []*Rule { return slices.Clone(s.rules) }

// Named reports whether there is a rule of a name, or one whose name begins with that word.
func (s *Set) Named(name string) bool {
	return slices.ContainsFunc(s.rules, func(r *Rule) bool {
		rest, ok := strings.CutPrefix(r.Name, name)
		return ok && (rest == "" || rest[0] == ' ')
	})
}

// Rule returns a rule by its name. It panics when there is none: names are written in programs.
func (s *Set) Rule(name string) *Rule {
	at := slices.IndexFunc(s.rules, func(r *Rule) bool { return r.Name == name })
	if at < 0 {
		panic(fmt.Sprintf("template: there is no rule %q", name))
	}
	return s.rules[at]
}

// Match is where a rule was found.
type Match struct {
	Rule     *Rule
	sentence *Sentence
	from, to int // tokens
	marks    []int
	text     string // instead of tokens
}

// Text is what was found, in the letters of the sentence.
func (m *Match) Text() string {
	if m.Rule.re != nil {
		return m.text
	}
	return m.sentence.text(m.from, m.to)
}

// Before and After are what stands before and behind what was found.
func (m *Match) Before() string { return m.sentence.text(0, m.from) }

// After is what stands behind what was found.
func (m *Match) After() string { return m.sentence.text(m.to, len(m.sentence.tokens)) }

// Slot is what stands in a slot, in the letters of the sentence; empty when nothing does.
func (m *Match) Slot(name string) string {
	at := m.Rule.slot(name)
	if at < 0 || 2*at+1 >= len(m.marks) || m.marks[2*at] < 0 || m.marks[2*at+1] < 0 {
		return ""
	}
	return m.sentence.text(m.marks[2*at], m.marks[2*at+1])
}

// From is what stands in a slot and behind it; empty when nothing stands there.
func (m *Match) From(name string) string {
	at := m.Rule.slot(name)
	if at < 0 || m.marks[2*at] < 0 {
		return ""
	}
	return m.sentence.text(m.marks[2*at], len(m.sentence.tokens))
}

// Number is the number in a slot; ok is false when there is none.
func (m *Match) Number(name string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(m.Slot(name), 64)
	return x, err == nil
}

func (s *Sentence) text(from, to int) string {
	if from >= to {
		return ""
	}
	return s.Text[s.tokens[from].start:s.tokens[to-1].end]
}

// Find returns the first rule that is found in a sentence; nil when none is.
func (s *Set) Find(in *Sentence) *Match { return s.FindIf(in, nil) }

// FindIf is Find among the rules for which may is true.
func (s *Set) FindIf(in *Sentence, may func(name string) bool) *Match {
	t := s.begin(in)
	defer pool.Put(t)
	for _, r := range s.rules {
		if may != nil && !may(r.Name) {
			continue
		}
		if m := t.rule(r); m != nil {
			return m
		}
	}
	return nil
}

// FindAnyIf reports whether one of the rules for which may is true is found, whatever excuses it.
func (s *Set) FindAnyIf(in *Sentence, may func(name string) bool) bool {
	t := s.begin(in)
	defer pool.Put(t)
	for _, r := range s.rules {
		if may(r.Name) && t.alone(r) != nil {
			return true
		}
	}
	return false
}

// Find returns where the rule is found first; nil when it is not.
func (r *Rule) Find(in *Sentence) *Match {
	t := r.set.begin(in)
	defer pool.Put(t)
	return t.rule(r)
}

// Count says how often the rule is found, in places that do not overlap.
func (r *Rule) Count(in *Sentence) (n int) {
	t := r.set.begin(in)
	defer pool.Put(t)
	for from := 0; from < len(in.tokens); n++ {
		m := t.from(r, from)
		if m == nil {
			break
		}
		from = max(m.to, m.from+1)
	}
	return n
}

// All returns the rules that are found in a sentence, in their order, each where it is found first.
func (s *Set) All(in *Sentence) []*Match {
	t := s.begin(in)
	defer pool.Put(t)
	var all []*Match
	for _, r := range s.rules {
		if m := t.rule(r); m != nil {
			all = append(all, m)
		}
	}
	return all
}

// Knows reports whether a word stands in the templates.
func (s *Set) Knows(word string) bool {
	_, ok := s.prog.words.Find(word)
	return ok
}

// Words returns every word of the templates, in the order in which they stand there first.
func (s *Set) Words() []string {
	all := make([]string, s.prog.words.Len())
	for i := range all {
		all[i] = s.prog.words.At(i)
	}
	return all
}
