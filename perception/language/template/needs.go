package template

import "slices"

// need is a set of words, of which a sentence must have one for a rule to be found in it. Most rules begin as many sentences do ("what
// is the …"), so that this is looked at before them.
type need []uint16

const (
	maxNeeds     = 4   // of a rule
	maxNeedWords = 100 // of a need
)

// needsOf are needs of a sequence, which it has all.
func (c *compiler) needsOf(seq []*part) (all []need, err error) {
	for _, p := range seq {
		more, err := c.partNeeds(p)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func (c *compiler) partNeeds(p *part) ([]need, error) {
	switch {
	case p.min == 0:
		return nil, nil
	case p.kind == literal && p.affix == nil:
		return []need{{p.word}}, nil
	case p.kind == group && p.set != nil:
		return []need{p.set}, nil
	case p.kind == group:
		return c.alternativesNeed(p.alts)
	case p.kind == ref:
		l, err := c.list(p.text)
		if err != nil {
			return nil, err
		}
		if !l.needed {
			c.inner = append(c.inner, p.text)
			l.needs, err = c.partNeeds(l.part)
			c.inner = c.inner[:len(c.inner)-1]
			l.needed = err == nil
		}
		return l.needs, err
	}
	return nil, nil
}

// alternativesNeed are the needs of alternatives: of several, one of the words by which each of them is told best.
func (c *compiler) alternativesNeed(alts [][]*part) ([]need, error) {
	if len(alts) == 1 {
		return c.needsOf(alts[0])
	}
	var told need
	for _, alt := range alts {
		needs, err := c.needsOf(alt)
		if err != nil || len(needs) == 0 {
			return nil, err
		}
		told = append(told, slices.MinFunc(needs, c.rarer)...)
	}
	slices.Sort(told)
	if told = slices.Compact(told); len(told) > maxNeedWords {
		return nil, nil
	}
	return []need{told}, nil
}

// rarer compares needs by how few sentences have them: long words are rarer than short ones, and the shortest of a need counts.
func (c *compiler) rarer(a, b need) int { return c.shortest(b) - c.shortest(a) }

func (c *compiler) shortest(n need) int {
	least := len(c.words[n[0]])
	for _, w := range n[1:] {
		least = min(least, len(c.words[w]))
	}
	return least
}

// needs keeps the needs of a rule that tell most.
func (c *compiler) needs(alts [][]*part) (kept [maxNeeds]uint16, err error) {
	all, err := c.alternativesNeed(alts)
	all = slices.DeleteFunc(all, func(n need) bool { return len(n) > maxNeedWords })
	slices.SortStableFunc(all, c.rarer)
	for i, n := range all[:min(len(all), maxNeeds)] {
		kept[i] = c.keep(n)
	}
	return kept, err
}

// words is which words a sentence has, a bit each.
type words []uint64

func (w words) with(id uint16) words {
	for len(w) <= int(id)/64 {
		w = append(w, 0)
	}
	w[id/64] |= 1 << (id % 64)
	return w
}

func (w words) has(id uint16) bool { return int(id)/64 < len(w) && w[id/64]&(1<<(id%64)) != 0 }

// meet reports whether the sentence has what a rule needs.
func (t *run) meet(r *Rule) bool {
	for _, at := range r.needs {
		if at != 0 && !slices.ContainsFunc(t.set.prog.row(at), t.words.has) {
			return false
		}
	}
	return true
}
