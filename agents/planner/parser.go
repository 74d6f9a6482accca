package planner

import (
	"github.com/reachyd/reachyd/perception/language"
)

// maxTrials bounds the time for one sentence.
const maxTrials = 400

// parser walks over the tokens of one sentence.
type parser struct {
	p        *Planner
	text     string
	toks     language.Tokens
	i        int
	gerunds  bool // "would you mind looking": clauses may begin with a gerund
	pasts    bool // "once you have looked"
	trial    int  // > 0 while looking whether a clause could begin here
	polite   bool // a request in the form of a question
	frames   []frame
	fuel     int        // trials left; bounds the time for hostile sentences
	begins   []beginsAt // results of trials, by position
	slack    int        // > 0 in a second reading: words without content that may still be stepped over
	fronting bool       // the slots of a motion stood before its verb
	fresh    bool       // a lead-in stood before "before" or "after", which so begins a sentence
}

// beginsAt remembers whether a command could begin at a position: one bit per kind of trial.
type beginsAt struct{ known, yes uint8 }

func (ps *parser) tok(k int) *language.Token { return ps.toks.At(k) }

func (ps *parser) word(k int) string { return ps.toks.Word(k) }

func (ps *parser) done() bool { return ps.i >= len(ps.toks) }

func (ps *parser) isMark(k int) bool { return ps.toks.IsMark(k) }

// accept steps over a phrase of t and reports whether there was one.
func (ps *parser) accept(t *language.Trie) bool {
	_, n := t.Match(ps.toks, ps.i)
	ps.i += n
	return n > 0
}

// acceptWord steps over one of the given words.
func (ps *parser) acceptWord(ws ...string) bool {
	w := ps.word(ps.i)
	for _, x := range ws {
		if w == x && w != "" {
			ps.i++
			return true
		}
	}
	return false
}

// sentence parses the whole text into frames; ok is false when some of it was not understood.
func (ps *parser) sentence() (ok bool) {
	ok = true
	for {
		before := ps.i
		j := ps.joints()
		if k := ps.leadBefore(); k > 0 {
			join := j.join
			ps.i, ps.fresh = k, true
			j = ps.joints()
			j.join = max(j.join, join)
		}
		if ps.done() {
			ps.cancelled(j, before)
			return ok
		}
		if j.or && (len(ps.frames) == 0 || !ps.frames[len(ps.frames)-1].negated) && !j.correct {
			return false
		}
		if ps.courtesy(j) || ps.idle() || ps.dismissed() {
			continue
		}
		if ps.word(ps.i) == "right" && ps.i+2 == len(ps.toks) && ps.toks[ps.i+1].Word == "?" && !j.correct && j.join == joinComma && ps.i > 0 && ps.isMark(ps.i-1) {
			ps.i++ // "…, right?"
			continue
		}
		start := ps.i
		mark := len(ps.frames)
		if ps.word(start) == "right" && len(ps.frames) == 0 && ps.isMark(start+1) && ps.couldBegin(ps.afterJoint(start+1)) {
			ps.i++ // "right, look left"
			continue
		}
		if !ps.clause(j) {
			ps.frames = ps.frames[:mark]
			if ps.withoutPause(start) {
				ps.i = start
				if ps.clause(j) {
					ps.arrange(j, mark)
					continue
				}
				ps.frames = ps.frames[:mark]
			}
			if k := ps.nextCorrection(start + 1); k > 0 {
				ps.i = k // "turn your, I mean, tilt your head": the unfinished part is dropped
				continue
			}
			if ps.smallTalk(start) {
				continue
			}
			ok = false
			ps.i = start
			ps.skipClause()
			if ps.i == start {
				ps.i++
			}
			continue
		}
		if len(ps.frames) == mark {
			if j.wipe {
				ps.frames = ps.frames[:0]
			}
			continue
		}
		ps.arrange(j, mark)
	}
}

// leadBefore returns the position of a "before", "after" or "once" that follows lead-ins: "please, after that nod, …".
func (ps *parser) leadBefore() int {
	k := ps.i
	for {
		n := leadIns.Len(ps.toks, k)
		if n == 0 {
			break
		}
		k += n
		for ps.isMark(k) && ps.toks[k].Word == "," {
			k++
		}
	}
	if k == ps.i {
		return 0
	}
	v, n := connectives.Match(ps.toks, k)
	if n > 0 && (v == "after" || ps.word(k) == "before" && n == 1) && ps.tok(k+n).Kind != language.Number && !ps.isTimeWord(k+n) {
		return k
	}
	return 0
}

// courtesy steps over words between two marks that ask for nothing: "…, please.", "thank you".
func (ps *parser) courtesy(j joint) bool {
	if j.correct && (ps.word(ps.i) == "right" || amounts.Has(ps.toks, ps.i) || paces.Has(ps.toks, ps.i) || counts.Has(ps.toks, ps.i)) {
		return false
	}
	if ps.paceAlone() {
		return false
	}
	k := ps.i
	for k < len(ps.toks) && !ps.isMark(k) {
		n := tails.Len(ps.toks, k)
		if m := leadIns.Len(ps.toks, k); m > n {
			n = m
		}
		if n == 0 {
			if k == ps.i && len(ps.frames) > 0 && ps.vocative(k) {
				ps.i++
				return true
			}
			return false
		}
		k += n
	}
	if _, n := actions.Loose(ps.toks, ps.i, ps.skippable); k == ps.i || n > 0 {
		return false
	}
	ps.i = k
	return true
}

// paceAlone reports whether a pace stands alone behind a movement that has none: "look left. quick".
func (ps *parser) paceAlone() bool {
	n := paces.Len(ps.toks, ps.i)
	if n == 0 || len(ps.frames) == 0 || ps.i+n < len(ps.toks) && !ps.isMark(ps.i+n) {
		return false
	}
	last := &ps.frames[len(ps.frames)-1]
	return last.class == motion && !last.pace.set
}

// vocative reports whether an unknown word stands alone at the end: "nod, Bobby".
func (ps *parser) vocative(k int) bool {
	w := ps.word(k)
	return w != "" && !language.Known(w) && (k+1 >= len(ps.toks) || ps.endOfText(k+1) > 0) && ps.isMark(k-1) && ps.toks[k-1].Word == "," &&
		ps.frames[len(ps.frames)-1].class != looking && ps.frames[len(ps.frames)-1].class != finding
}

// cancelled handles a sentence that ends with a correction: "look left, never mind".
func (ps *parser) cancelled(j joint, from int) {
	if !j.correct || len(ps.frames) == 0 {
		return
	}
	w := ""
	for k := from; k < len(ps.toks); k++ {
		if ps.toks[k].Kind == language.Word {
			w = ps.toks[k].Word
			break
		}
	}
	if j.wipe || w == "no" || w == "nope" || w == "cancel" {
		ps.frames = append(ps.frames[:0], frame{class: nothing})
	}
}

// withoutPause removes the first comma of the clause at start, which was only a pause: "look... left".
func (ps *parser) withoutPause(start int) bool {
	for k := start + 1; k < len(ps.toks) && k < start+8; k++ {
		if !ps.isMark(k) {
			continue
		}
		if ps.toks[k].Word != "," || k+1 >= len(ps.toks) || ps.isMark(k+1) || !ps.verbAt(start) && !leadIns.Has(ps.toks, start) {
			return false
		}
		drop := 1
		if ps.word(k-1) == ps.word(k+1) {
			drop = 2 // "turn, turn your body left"
		}
		ps.toks = append(ps.toks[:k], ps.toks[k+drop:]...)
		clear(ps.begins)
		return true
	}
	return false
}

// nextCorrection finds a correction after k that is followed by a command, 0 when there is none.
func (ps *parser) nextCorrection(k int) int {
	for ; k < len(ps.toks); k++ {
		if n := ps.correctionAt(k); n > 0 {
			m := k + n
			for ps.isMark(m) {
				m++
			}
			if n2 := ps.correctionAt(m); n2 > 0 {
				k = m - 1
				continue
			}
			if m < len(ps.toks) && (ps.verbAt(m) || leadIns.Has(ps.toks, m)) {
				return m
			}
		}
	}
	return 0
}

// smallTalk steps over a remark before a command: "it's sunny today, look at the window".
func (ps *parser) smallTalk(start int) bool {
	if start > 0 && !ps.isMark(start-1) {
		return false
	}
	switch ps.word(start) {
	case "i", "it", "that", "this", "there", "we", "my", "here", "you", "what", "today", "such", "how", "since", "because":
	case "the":
		is := false
		for k := start; k < len(ps.toks) && !ps.isMark(k); k++ {
			is = is || ps.word(k) == "is" || ps.word(k) == "are"
		}
		if !is {
			return false
		}
	default:
		return false
	}
	for k := start + 1; k < len(ps.toks); k++ {
		w := ps.tok(k).Word
		mark := ps.isMark(k) && (w == "." || w == "!" || w == "," || w == ";" || w == ":")
		if !mark && ps.word(k) != "so" {
			if w == "?" {
				return false
			}
			continue
		}
		save := ps.i
		m := k + 1
		ps.i = m
		if ps.couldBegin(m) {
			ps.i = m
			return true
		}
		ps.i = save
		if mark && w != "," {
			return false
		}
	}
	return false
}

// skipClause moves to the next mark or connective.
func (ps *parser) skipClause() {
	for !ps.done() {
		if ps.isMark(ps.i) {
			return
		}
		if ps.i > 0 && connectives.Has(ps.toks, ps.i) {
			return
		}
		ps.i++
	}
}

// couldBegin reports whether a complete command with a verb of its own begins at k.
func (ps *parser) couldBegin(k int) bool {
	if ps.trial > 1 || k >= len(ps.toks) || ps.fuel <= 0 {
		return false
	}
	memo := &ps.begins[k]
	bit := uint8(1) << (2*b2i(ps.trial > 0) + b2i(ps.gerunds))
	if memo.known&bit != 0 {
		return memo.yes&bit != 0
	}
	ps.fuel--
	save, frames, g, pp, pol := ps.i, ps.frames, ps.gerunds, ps.pasts, ps.polite
	ps.i = k
	ps.trial++
	ps.frames = nil
	ok := ps.verbedClause()
	if ok && len(ps.frames) > 0 && ps.frames[0].class == nothing && !ps.frames[0].negated {
		ok = false
	}
	ps.trial--
	ps.i, ps.frames, ps.gerunds, ps.pasts, ps.polite = save, frames, g, pp, pol
	memo.known |= bit
	if ok {
		memo.yes |= bit
	}
	return ok
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// verbAt reports cheaply whether a verb of the lexicon stands at k.
func (ps *parser) verbAt(k int) bool {
	t := ps.tok(k)
	if t.Kind != language.Word {
		return false
	}
	return language.IsVerb(t.Word)
}

// boundary reports whether a clause may end at k.
func (ps *parser) boundary(k int) bool {
	if k >= len(ps.toks) {
		return true
	}
	if ps.isMark(k) {
		return true
	}
	if connectives.Has(ps.toks, k) || ps.correctionAt(k) > 0 || ps.word(k) == "or" {
		return true
	}
	return false
}
