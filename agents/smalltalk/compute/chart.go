package compute

import (
	"container/heap"
	"math"
	"slices"
	"time"

	"github.com/reachyd/reachyd/perception/language"
)

// context is what actions may know beside their values.
type context struct {
	now time.Time
}

// edge is a symbol that was found in the tokens from i up to j.
type edge struct {
	sym  symbol
	i, j int
	v    *value
	cost float64
}

// state is a rule of which some symbols were found.
type state struct {
	rule *rule
	dot  int
	i, j int
	got  []*value
	cost float64
}

// work is what is still to be looked at, the cheapest first: an edge, or a state.
type work struct {
	cost float64
	edge *edge
	st   *state
}

type queue []work

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(work)) }
func (q *queue) Pop() any {
	old := *q
	w := old[len(old)-1]
	*q = old[:len(old)-1]
	return w
}

// Limits of a reading.
const (
	maxWork  = 14000 // edges and states
	maxCost  = 16    // of a reading that counts
	maxAlike = 3     // different meanings of a symbol at one place
)

// What it costs to leave a word over.
const (
	costMark   = 0.1
	costFiller = 0.2
	costSoft   = 1
	costNew    = 1.5
	costKnown  = 4
)

// maxStrange is how many words that no rule has may stand before a question at the usual cost.
const maxStrange = 4

var never = math.Inf(1)

type at struct {
	i   int
	sym symbol
}

// chart is a reading at work.
type chart struct {
	g       *grammar
	c       *context
	toks    []token
	inside  []float64       // what it costs to leave a token over between others
	before  []float64       // to leave over all tokens before one
	behind  []float64       // to leave over all from one on
	lang    language.Tokens // the tokens, behind one more
	amounts []bool          // which tokens measure something
	queue   queue
	edges   map[at][]*edge
	waiting map[at][]*state // by where they end, and what they wait for
	done    int
}

// read returns the cheapest meaning of all tokens; nil when there is none.
func (g *grammar) read(toks []token, c *context) *value {
	p := &chart{g: g, c: c, toks: toks, edges: map[at][]*edge{}, waiting: map[at][]*state{}}
	p.lang, p.amounts = forLanguage(toks), make([]bool, len(toks))
	for i := range toks {
		p.amounts[i] = p.measures(i)
	}
	p.price()
	for i := range toks {
		p.scan(i)
	}
	whole := g.symbol(symAnswer)
	best, bestCost := (*value)(nil), float64(maxCost)
	for len(p.queue) > 0 && p.done < maxWork {
		w := heap.Pop(&p.queue).(work)
		if w.cost >= bestCost {
			break
		}
		p.done++
		if w.st != nil {
			p.advance(w.st)
			continue
		}
		if w.edge.sym == whole {
			if cost := w.cost + p.before[w.edge.i] + p.behind[w.edge.j]; cost < bestCost {
				best, bestCost = w.edge.v, cost
			}
			continue
		}
		p.found(w.edge)
	}
	return best
}

// price says what it costs to leave tokens over.
func (p *chart) price() {
	n := len(p.toks)
	p.inside = make([]float64, n)
	alone := make([]float64, n) // in a clause of its own
	for k, t := range p.toks {
		in, out := never, never
		switch {
		case t.sort == aMark:
			in, out = costMark, costMark
			if t.word == "?" || t.word == "." || t.word == "!" {
				in = 3 * costMark
			}
		case t.sort == aWord && p.g.barred[t.word]:
			if t.word == "not" || t.word == "don't" {
				out = costSoft
			}
		case t.sort != aWord:
		case p.g.filler[t.word]:
			in, out = costFiller, costFiller
		case p.g.soft[t.word]:
			in, out = costSoft, costSoft
		case t.word == "one":
			out = costNew
		case p.amounts[k]:
		case p.g.known[t.word]:
			out = costKnown
		default:
			out = costNew
		}
		p.inside[k], alone[k] = in, out
	}
	p.before, p.behind = make([]float64, n+1), make([]float64, n+1)
	before, denied, strange := 0.0, false, 0
	for k, t := range p.toks {
		if strange++; t.sort == aMark || alone[k] < costNew {
			strange -= 1
		}
		if before += alone[k]; strange > maxStrange { // who says so much more asks for something else
			before += costKnown
		}
		denied = t.sort != aMark && (denied || t.word == "not" || t.word == "don't") // up to the end of its clause
		if p.before[k+1] = before; denied {
			p.before[k+1] = never
		}
	}
	// Behind, what is no clause of its own must begin with words that begin a remark: "for my run", "I keep forgetting".
	total := 0.0
	for k := n - 1; k >= 0; k-- {
		total += alone[k]
		p.behind[k] = total
		t := p.toks[k]
		if k > 0 && p.toks[k-1].sort != aMark && p.inside[k] == never && !p.g.remark[t.word] {
			p.behind[k] = never
		}
	}
}

// measures says that a word names what is computed with: a number, a unit, a day.
func (p *chart) measures(k int) bool {
	w := p.toks[k].word
	if _, n := language.CardinalAt(p.lang[:k+2], k+1); n > 0 {
		return true
	}
	if _, ok := weekdays[w]; ok {
		return true
	}
	_, ok := months[w]
	return ok && w != "may" || unitOf(w) != nil && len(w) > 2 || parts[w] > 0 && w != "second"
}

// push puts an edge of the lexer into the queue.
func (p *chart) push(name string, i, j int, v *value, cost float64) {
	s, ok := p.g.of[name]
	if ok {
		heap.Push(&p.queue, work{cost, &edge{s, i, j, v, cost}, nil})
	}
}

// scan finds what the lexer finds at a place.
func (p *chart) scan(i int) {
	t := p.toks[i]
	if i == 0 || p.toks[i-1].sort == aMark || p.before[i] < costSoft {
		p.push(symStart, i, i, nil, 0)
	}
	switch t.sort {
	case aMark:
		p.push(t.word, i, i+1, nil, 0)
	case aQuote:
		p.push(symPrinted, i, i+1, &value{kind: text, text: t.word}, 0)
	case aClock:
		p.push(symClock, i, i+1, &value{kind: clock, x: t.x, unsure: t.x > 0 && t.x < 13*60 && t.word[0] != '0'}, 0)
	case aPlace:
		p.push(symPlace, i, i+1, num(t.x), 0)
	case aMany:
		p.push(symMany, i, i+1, num(t.x), 0)
	}
	if v, n := language.CardinalAt(p.lang, i+1); n > 0 && t.word != "dozen" {
		if k := i + n - 1; n > 1 && p.toks[k].word == "dozen" {
			v, n = language.CardinalAt(p.lang[:k+1], i+1)
		}
		p.push(symNumber, i, i+n, num(v), 0)
		if k := ordinals[p.wordAt(i+n)]; k > 0 && k < 10 && v >= 20 && math.Mod(v, 10) == 0 { // twenty first
			p.push(symPlace, i, i+n+1, num(v+float64(k)), 0)
		}
	}
	if t.sort != aWord {
		return
	}
	p.push(t.word, i, i+1, nil, 0)
	p.push(symWord, i, i+1, &value{kind: text, text: t.word}, 0)
	p.words(i, t.word)
	p.rest(i)
	for n := 1; n <= 4 && i+n <= len(p.toks); n++ {
		if u := unitOf(joined(p.toks[i : i+n])); u != nil {
			p.push(symUnit, i, i+n, &value{kind: amount, x: 1, unit: u}, 0)
			if u.Name == "pound" {
				p.push(symUnit, i, i+n, &value{kind: amount, x: 1, unit: unitOf("quid")}, 0.3)
			}
		}
	}
	p.gaps(i)
}

func (p *chart) wordAt(i int) string {
	if i < len(p.toks) && p.toks[i].sort == aWord {
		return p.toks[i].word
	}
	return ""
}

// words finds what single words mean.
func (p *chart) words(i int, w string) {
	if n, ok := weekdays[w]; ok {
		p.push(symDay, i, i+1, &value{kind: weekday, x: float64(n)}, 0)
	}
	if n, ok := months[w]; ok {
		p.push(symMonth, i, i+1, &value{kind: month, x: float64(n)}, 0)
	}
	if n := parts[w]; n > 0 {
		p.push(symPart, i, i+1, &value{kind: amount, x: 1 / n, parts: true}, 0)
	}
	if n := ordinals[w]; n > 0 {
		p.push(symPlace, i, i+1, num(float64(n)), 0)
	}
	if n := plurals[w]; n > 0 {
		p.push(symMany, i, i+1, num(float64(n)), 0)
	}
	if p.fresh(i) {
		p.push(symNew, i, i+1, &value{kind: text, text: w}, 0.5)
	}
}

// fresh says that a word is in no rule, and measures nothing.
func (p *chart) fresh(i int) bool {
	w := p.toks[i].word
	return p.toks[i].sort == aWord && !p.g.known[w] && !p.g.soft[w] && !p.g.barred[w] && !p.g.filler[w] && !p.amounts[i]
}

// rest is all from a word on: what is to be counted.
func (p *chart) rest(i int) {
	if i < 2 || p.toks[i-1].word != ":" && p.toks[i-1].word != "in" || !slices.ContainsFunc(p.toks[:i], func(t token) bool { return t.word == "words" }) {
		return
	}
	if p.toks[i-1].word == "in" && slices.ContainsFunc(p.toks[i:], func(t token) bool { return t.word == ":" }) { // "in this sentence: …"
		return
	}
	end, s := i, ""
	for end < len(p.toks) && p.toks[end].sort != aMark {
		s += " " + p.toks[end].word
		end++
	}
	p.push(symRest, i, end, &value{kind: text, text: s}, 0)
}

// maxGap is how many words say nothing between others.
const maxGap = 6

func (p *chart) gaps(i int) {
	cost := 0.3
	for j := i; j < len(p.toks) && j-i < maxGap; j++ {
		switch {
		case p.fresh(j):
			cost += 0.7
		case p.inside[j] < never:
			cost += p.inside[j] / 2
		default:
			return
		}
		p.push(symGap, i, j+1, nil, cost)
	}
}

func joined(toks []token) string {
	s := ""
	for i, t := range toks {
		if t.sort != aWord {
			return ""
		}
		if i > 0 {
			s += " "
		}
		s += t.word
	}
	return s
}

// found goes on with all that waits for an edge, and begins the rules that begin with it.
func (p *chart) found(e *edge) {
	place := at{e.i, e.sym}
	alike := 0
	for _, o := range p.edges[place] {
		if o.j != e.j {
			continue
		}
		if alike++; alike >= maxAlike || o.v == nil && e.v == nil || o.v != nil && e.v != nil && o.v.key() == e.v.key() {
			return
		}
	}
	p.edges[place] = append(p.edges[place], e)
	for _, r := range p.g.begins[e.sym] {
		p.step(&state{rule: r, i: e.i, j: e.i, cost: r.cost}, e)
	}
	for _, s := range p.waiting[place] {
		p.step(s, e)
	}
}

// step is a state with one symbol more.
func (p *chart) step(s *state, e *edge) {
	n := &state{s.rule, s.dot + 1, s.i, e.j, s.got, s.cost + e.cost}
	if e.v != nil {
		n.got = append(slices.Clip(n.got), e.v)
	}
	if n.cost >= maxCost {
		return
	}
	if n.dot < len(n.rule.body) {
		heap.Push(&p.queue, work{n.cost, nil, n})
		return
	}
	if n.rule.body[n.dot-1] == p.g.of[symGap] && n.rule.head != p.g.of[symGap] && n.rule.act == nil {
		return
	}
	var v *value
	switch {
	case n.rule.act != nil:
		if v = n.rule.act(p.c, n.got); v == nil {
			return
		}
	case len(n.got) == 1:
		v = n.got[0]
	case len(n.got) > 1:
		return
	}
	heap.Push(&p.queue, work{n.cost, &edge{n.rule.head, n.i, n.j, v, n.cost}, nil})
}

// advance waits for the next symbol of a state, here and behind words that may be left over.
func (p *chart) advance(s *state) {
	want := s.rule.body[s.dot]
	cost := s.cost
	for j := s.j; ; j++ {
		here := s
		if j > s.j {
			here = &state{s.rule, s.dot, s.i, j, s.got, cost}
		}
		if p.g.names[want] == symEnd {
			if p.behind[min(j, len(p.toks))] < never {
				p.step(here, &edge{want, j, j, nil, 0})
			}
			return
		}
		place := at{j, want}
		p.waiting[place] = append(p.waiting[place], here)
		for _, e := range p.edges[place] {
			p.step(here, e)
		}
		if j >= len(p.toks) || p.inside[j] == never || cost >= maxCost {
			return
		}
		cost += p.inside[j]
	}
}
