package planner

import (
	"strings"

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

// joint is what stands between two clauses.
type joint struct {
	join    join
	correct bool // what stood before is corrected
	wipe    bool // what stood before is taken back altogether
	after   bool // the clause that follows is to run before the one that came first
	first   bool // the clause that follows goes to the very front
	lead    bool // before/after/while at the beginning of a sentence
	before  bool // leading "before"
	or      bool
}

// joints reads all marks, connectives and corrections up to the next clause.
func (ps *parser) joints() joint {
	var j joint
	fresh := ps.i == 0 || ps.fresh
	ps.fresh = false
	for !ps.done() {
		t := ps.tok(ps.i)
		if t.Kind == language.Mark {
			switch t.Word {
			case ",", ":", "(", ")", "-":
				j.join = max(j.join, joinComma)
			default:
				if j.join < joinThen {
					j.join = joinStop
				}
				fresh = true
			}
			ps.i++
			continue
		}
		if n := ps.correctionAt(ps.i); n > 0 {
			j.correct = true
			if wipes.Has(ps.toks, ps.i) {
				j.wipe = true
			}
			ps.i += n
			continue
		}
		if v, n := connectives.Match(ps.toks, ps.i); n > 0 {
			w := ps.word(ps.i)
			nextNumber := ps.tok(ps.i+n).Kind == language.Number || isTimeWord(ps, ps.i+n)
			if v == "after" && nextNumber {
				break // "after three seconds" is a modifier
			}
			if w == "and" && n == 1 && ps.correctionAt(ps.i+1) == 0 && ps.tok(ps.i+1).Kind == language.Word && leadingWait(ps, ps.i+1) {
				j.join = max(j.join, joinAnd)
				ps.i++
				continue
			}
			if v == "then" && n > 2 && language.InflectionOf(ps.word(ps.i+n)).Form == 'g' && (w == "once" || w == "when") {
				v = "after" // "once you are finished nodding"
			}
			switch v {
			case "then":
				if (fresh || len(ps.frames) == 0) && w == "before" {
					j.lead, j.before = true, true
				}
				j.join = joinThen
				if n > 1 || w == "before" {
					ps.gerunds = ps.gerunds || w == "before" || ps.word(ps.i+n-1) == "by" || ps.word(ps.i+n-1) == "with"
				}
				if w == "before" && ps.word(ps.i+n) == "you" {
					n++
				}
			case "and":
				j.join = max(j.join, joinAnd)
				if j.join == joinStop {
					j.join = joinAnd
				}
				if w == "while" || w == "whilst" || strings.HasSuffix(ps.word(ps.i+n-1), "with") || w == "as" {
					ps.gerunds = true
					if ps.word(ps.i+n) == "you" {
						n++
						if ps.word(ps.i+n) == "are" {
							n++
						}
					}
				}
			case "after":
				if fresh || len(ps.frames) == 0 || j.join == joinThen || j.join == joinStop {
					j.lead = true
				} else {
					j.after = true
				}
				ps.gerunds, ps.pasts = true, true
				j.join = joinThen
				if ps.word(ps.i+n) == "you" {
					n++
				}
			case "first":
				j.first = true
				j.join = joinThen
				ps.gerunds = true
			}
			ps.i += n
			fresh = false
			continue
		}
		if ps.word(ps.i) == "or" {
			j.or = true
			ps.i++
			continue
		}
		break
	}
	return j
}

// leadingWait reports whether "wait" at k is a command ("and wait two seconds") rather than an interjection.
func leadingWait(ps *parser, k int) bool {
	return ps.word(k) == "wait" && !ps.isMark(k+1)
}

// isTimeWord reports whether a time such as "a second" or "a while" stands at k.
func isTimeWord(ps *parser, k int) bool {
	w := ps.word(k)
	if w != "a" && w != "an" {
		return false
	}
	return language.UnitOf(ps.word(k+1)).Dim == language.Time || ps.word(k+1) == "moment" || ps.word(k+1) == "while"
}

// correctionAt returns the length of a correction at k, 0 when there is none.
func (ps *parser) correctionAt(k int) int {
	_, n := corrections.Match(ps.toks, k)
	if n == 0 {
		return 0
	}
	switch ps.word(k) {
	case "no":
		if n == 1 { // "no need", "no more", "no thanks"
			if language.InflectionOf(ps.word(k+1)).Form == 'g' {
				return 0 // "no dancing"
			}
			switch ps.word(k + 1) {
			case "need", "more", "matter", "one", "problem", "face", "sound", "longer", "moving", "worries", "limits", "safety":
				return 0
			}
		}
	case "wait", "hang", "hold", "oh":
		if n <= 2 && (ps.word(k+n-1) == "wait" || ps.word(k+n-1) == "on") {
			if ps.word(k) == "oh" {
				return n
			}
			m := k + n
			comma := ps.isMark(m) && ps.toks[m].Word == ","
			if comma {
				m++
			}
			if k == 0 && comma && ps.word(m) != "then" && ps.word(m) != "and" {
				return n
			}
			if w := ps.word(m); k > 0 && comma && (w == "the" || w == "your") {
				if pn := parts.Len(ps.toks, m+1); pn > 0 && ps.boundary(m+1+pn) {
					return n // "raise the left antenna, wait, the right one"
				}
			}
			if corrections.Has(ps.toks, m) && ps.word(m) != "wait" || k > 0 && comma && (m == len(ps.toks)-1 && directions.Has(ps.toks, m) || ps.tok(m).Kind == language.Number && ps.boundary(m+1)) {
				return n
			}
			return 0
		}
	case "sorry", "excuse", "pardon":
		if w := ps.word(k + n); w == "than" || w == "to" || w == "for" || w == "about" {
			return 0
		}
	case "actually", "rather", "better":
		if ps.word(k+n) == "than" {
			return 0
		}
	case "make":
		if ps.word(k+1) == "it" || ps.word(k+1) == "that" {
			if k == 0 || !ps.correctable(k+n) {
				return 0
			}
		}
	case "never":
		if w := ps.word(k + n); n == 2 && (w == "the" || w == "about") {
			return 0
		}
		return n
	case "ignore", "forget", "cancel", "delete":
		if ps.word(k+n) != "" && !ps.verbAt(k+n) && !leadIns.Has(ps.toks, k+n) && !connectives.Has(ps.toks, k+n) {
			return 0
		}
		if k == 0 && ps.word(k) == "cancel" {
			return 0
		}
	case "let", "should", "i", "what", "come", "or", "change", "on":
	}
	return n
}

// correctable reports whether "make it" at k goes on as a correction: "make it 20 degrees", "make it right".
func (ps *parser) correctable(k int) bool {
	t := ps.tok(k)
	return t.Kind == language.Number || directions.Has(ps.toks, k) || counts.Has(ps.toks, k) || paces.Has(ps.toks, k) || amounts.Has(ps.toks, k) ||
		parts.Has(ps.toks, k) || ps.word(k) == "a" || ps.word(k) == "the" || emotionWords.Has(ps.toks, k) || ps.verbAt(k)
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
	if n > 0 && (v == "after" || ps.word(k) == "before" && n == 1) && ps.tok(k+n).Kind != language.Number && !isTimeWord(ps, k+n) {
		return k
	}
	return 0
}

// courtesy steps over words between two marks that ask for nothing: "…, please.", "thank you".
func (ps *parser) courtesy(j joint) bool {
	if j.correct && (ps.word(ps.i) == "right" || amounts.Has(ps.toks, ps.i) || paces.Has(ps.toks, ps.i) || counts.Has(ps.toks, ps.i)) {
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

// vocative reports whether an unknown word stands alone at the end: "nod, Bobby".
func (ps *parser) vocative(k int) bool {
	w := ps.word(k)
	return w != "" && !language.Known(w) && (k+1 >= len(ps.toks) || ps.endOfText(k+1) > 0) && ps.isMark(k-1) && ps.toks[k-1].Word == "," && ps.frames[len(ps.frames)-1].class != looking && ps.frames[len(ps.frames)-1].class != finding
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

// arrange puts the frames from mark on in their place: corrections replace, "after" and "but first" reorder.
func (ps *parser) arrange(j joint, mark int) {
	fresh := ps.frames[mark:]
	fresh[0].join = j.join
	if mark == 0 {
		return
	}
	if fresh[0].class == pending { // modifiers alone belong to the clause before
		if last := ps.frames[mark-1]; j.join == joinThen && !j.correct && last.said && fresh[0].said { // "twice, then three times"
			last.join, last.verbed, last.times = joinThen, true, fresh[0].times
			ps.frames[mark] = last
			return
		}
		ps.frames = mergeFragment(ps.frames[:mark], fresh)
		return
	}
	last := &ps.frames[mark-1]
	if j.or && last.negated {
		for k := range fresh {
			fresh[k].negated = true // "do not look left or right"
		}
	}
	if f := &fresh[0]; !f.verbed && !j.correct && j.join == joinComma && f.class == motion && f.part == "" && len(f.headings) == 1 && f.headings[0].amt.kind == 0 && last.class == motion && len(last.headings) == 0 && len(last.bare) == 1 {
		f.headings[0].amt, last.bare = last.bare[0], nil // "tilt your head 30 degrees, to the left"
		last.headings = f.headings
		ps.frames = ps.frames[:mark]
		return
	}
	if f := &fresh[0]; f.only() && !j.correct && j.join == joinComma && last.class == motion {
		if k := len(last.headings) - 1; k >= 0 && last.headings[k].amt.kind == 0 {
			last.headings[k].amt = f.bare[0] // "turn left, by 20 degrees"
			ps.frames = ps.frames[:mark]
			return
		}
	}
	switch {
	case j.correct && j.wipe:
		if fresh[0].verbed {
			ps.frames = append(ps.frames[:0], fresh...)
			return
		}
		ps.frames = mergeFragment(ps.frames[:mark], fresh)
	case j.correct && fresh[0].verbed:
		k := lastGroup(ps.frames[:mark])
		ps.frames = append(ps.frames[:k], fresh...)
		if k > 0 {
			ps.frames[k].join = joinThen
		}
	case j.correct:
		ps.frames = mergeFragment(ps.frames[:mark], fresh)
	case j.after && fresh[0].verbed:
		k := lastGroup(ps.frames[:mark])
		moved := append([]frame(nil), fresh...)
		copy(ps.frames[k+len(moved):], ps.frames[k:mark])
		copy(ps.frames[k:], moved)
	case j.first && fresh[0].verbed:
		moved := append([]frame(nil), fresh...)
		copy(ps.frames[len(moved):], ps.frames[:mark])
		copy(ps.frames, moved)
	}
}

// lastGroup returns the index of the last frame that has a verb.
func lastGroup(fs []frame) int {
	for k := len(fs) - 1; k > 0; k-- {
		if fs[k].verbed {
			return k
		}
	}
	return 0
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
