package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// clause parses one clause, with or without a verb, and appends its frames.
func (ps *parser) clause(j joint) bool {
	if j.lead {
		return ps.leadClause(j)
	}
	if k := len(ps.frames) - 1; k >= 0 && ps.frames[k].class == motion && j.join <= joinAnd && axisNames[ps.word(ps.i)] {
		mark := len(ps.frames)
		if ps.fragment(j) { // "pitch 10, yaw -20"
			return true
		}
		ps.frames = ps.frames[:mark]
	}
	if ps.lastsClause() || ps.verbedClause() {
		return true
	}
	return ps.fragment(j)
}

var axisNames = language.Words("axis-names")

// leadClause parses "before B, A" and "after B, A".
func (ps *parser) leadClause(j joint) bool {
	mark := len(ps.frames)
	if !ps.verbedClause() {
		return false
	}
	mid := len(ps.frames)
	ps.frames[mark].join = joinThen
	next := ps.joints()
	if ps.done() || !ps.clause(joint{}) || len(ps.frames) == mid {
		return false
	}
	ps.frames[mid].join = max(next.join, joinThen)
	if j.before {
		b := append([]frame(nil), ps.frames[mark:mid]...)
		a := append([]frame(nil), ps.frames[mid:]...)
		ps.frames = append(append(ps.frames[:mark], a...), b...)
	}
	return true
}

// verbedClause parses a clause that has a verb of its own, after any lead-in.
func (ps *parser) verbedClause() bool {
	save, mark := ps.i, len(ps.frames)
	pre := frame{}
	asked := ps.polite
	ability := false
	for !ps.done() {
		if ps.headed() {
			if len(ps.frames) > mark {
				f := &ps.frames[mark]
				if ability && f.class == fault {
					break // "are you able to fly" asks for words
				}
				f.verbed = true
				applyPre(f, &pre)
			}
			return true
		}
		if v, n := leadIns.Match(ps.toks, ps.i); n > 0 && n >= paces.Len(ps.toks, ps.i) {
			ability = ability || ps.word(ps.i) == "are" && ps.word(ps.i+2) == "able"
			switch ps.word(ps.i) {
			case "could", "can", "would", "will", "do", "is", "are", "may", "might", "i":
				ps.polite = true
			}
			if v == "gerund" {
				ps.gerunds = true
			}
			ps.i += n
			for ps.isMark(ps.i) && (ps.toks[ps.i].Word == "," || ps.toks[ps.i].Word == ":" || ps.toks[ps.i].Word == "!" || ps.toks[ps.i].Word == "." && ps.i == n ||
				ps.toks[ps.i].Word == "-") {
				ps.i++
			}
			continue
		}
		if ps.leadingModifier(&pre) {
			for ps.isMark(ps.i) && (ps.toks[ps.i].Word == "," || ps.toks[ps.i].Word == ":") {
				ps.i++
			}
			continue
		}
		if ps.manner(ps.i) {
			ps.i++
			continue
		}
		break
	}
	ps.frames = ps.frames[:mark]
	if ps.preamble() {
		if len(ps.frames) > mark {
			ps.frames[mark].verbed = true
			applyPre(&ps.frames[mark], &pre)
		}
		return true
	}
	if ps.i = save; ps.preamble() {
		if len(ps.frames) > mark {
			ps.frames[mark].verbed = true
		}
		return true
	}
	ps.i, ps.frames, ps.polite = save, ps.frames[:mark], asked
	return false
}

// applyPre gives a clause the modifiers that stood before its verb.
func applyPre(f, pre *frame) {
	if pre.pace.set && !f.pace.set {
		f.pace, f.early = pre.pace, true
	}
	if pre.over.set && !f.over.set {
		f.over = pre.over
	}
	if pre.hold.set && !f.hold.set {
		f.hold = pre.hold
	}
	if pre.delay.set {
		f.delay = pre.delay
	}
	if pre.said && !f.said {
		f.times, f.said, f.early = pre.times, true, true
	}
	if pre.every.set && !f.every.set {
		f.early = true
		f.every = pre.every
	}
	if len(pre.bare) > 0 && f.class == motion {
		for k := range f.headings {
			if f.headings[k].amt.kind == 0 {
				f.headings[k].amt = pre.bare[0]
			}
		}
	}
}

// leadingModifier reads "slowly", "three times", "in five seconds", "every two seconds", "slightly" before the verb.
func (ps *parser) leadingModifier(pre *frame) bool {
	if ps.word(ps.i) == "in" || ps.word(ps.i) == "after" {
		k := ps.i + 1
		if q, n := ps.quantity(k); n > 0 && q.Dim == language.Time {
			ps.i = k + n
			if ps.word(ps.i) == "from" && ps.word(ps.i+1) == "now" {
				ps.i += 2
			}
			pre.delay = seconds{true, q.Value}
			return true
		}
	}
	if w := ps.word(ps.i); w == "take" || w == "taking" || w == "use" || w == "spend" {
		if q, n := ps.quantity(ps.i + 1); n > 0 && q.Dim == language.Time && (ps.word(ps.i+1+n) == "to" || w == "spend") {
			pre.over = seconds{true, q.Value}
			ps.i += n + 2
			return true
		}
	}
	if v, n := amounts.Match(ps.toks, ps.i); n > 0 && ps.verbAt(ps.i+n) {
		pre.bare = append(pre.bare, amountOf(v))
		ps.i += n
		return true
	}
	return ps.modifier(pre)
}

// manner reports whether an adverb of manner stands at k: "gently", "enthusiastically".
func (ps *parser) manner(k int) bool {
	w := ps.word(k)
	return len(w) > 4 && strings.HasSuffix(w, "ly") && !notManner[w]
}

var notManner = language.Words("not-manner")

// headed tries every reading of a clause whose verb stands at the current position.
func (ps *parser) headed() bool {
	save := ps.i
	if w := ps.word(ps.i); w != "" && !language.IsVerb(w) {
		if in := language.InflectionOf(w); in.Form == 'g' && ps.gerunds || in.Form == 'p' && ps.pasts {
			t := ps.toks[ps.i]
			ps.toks[ps.i].Word = in.Base
			if ps.heads() {
				return true
			}
			ps.toks[save] = t
			ps.i = save
			return false
		}
	}
	return ps.heads()
}

func (ps *parser) heads() bool {
	mark, save := len(ps.frames), ps.i
	try := func(f func() bool) bool {
		if f() {
			return true
		}
		ps.i, ps.frames = save, ps.frames[:mark]
		return false
	}
	if ps.tok(ps.i).Kind == language.Quote {
		return false
	}
	return try(ps.forbiddenClause) ||
		try(ps.knownTool) ||
		try(ps.negation) ||
		try(ps.speechClause) ||
		try(ps.repetition) ||
		try(ps.volumeClause) ||
		try(ps.searchClause) ||
		try(ps.emotionClause) ||
		try(ps.visionClause) ||
		try(ps.waitClause) ||
		try(ps.actionClause) ||
		try(ps.negationLast) ||
		try(ps.moveClause) ||
		try(ps.motionClause) ||
		try(ps.toolClause) ||
		try(ps.impossibleClause) ||
		try(ps.unknownMotion)
}

// put appends a frame.
func (ps *parser) put(f frame) {
	ps.frames = append(ps.frames, f)
}

// quantity reads a number and its unit at k.
func (ps *parser) quantity(k int) (language.Quantity, int) { return language.QuantityAt(ps.toks, k) }

// finishReader reads the end of a clause.
type finishReader struct {
	*parser
	f     *frame
	loose bool // reasons and places may follow, which are dropped
	whole bool // the clause has ended
}

// finish reads modifiers and small talk up to the end of the clause; ok is false when something is left over.
func (ps *parser) finish(f *frame, loose bool) (ok bool) {
	r := finishReader{parser: ps, f: f, loose: loose}
	for first(ps.p.rules.finish, &r) == taken {
	}
	return r.whole
}

// finishRules are what may follow the slots of a clause.
func finishRules() []rule[*finishReader] {
	return []rule[*finishReader]{
		{"finish end", "look left.", func(r *finishReader) step { return r.endsIf(r.boundary(r.i) || r.exclusion(r.i)) }},
		{"finish modifier", "look at the duck slowly", func(r *finishReader) step { return when(r.modifier(r.f)) }},
		{"finish tail", "look left for me", (*finishReader).tail},
		{"finish manner", "dance happily", (*finishReader).adverb},
		{"finish next command", "look left nod", (*finishReader).nextCommand},
		{"finish mended count", "nod three, no, four times", (*finishReader).mendedCount},
		{"finish until", "wait until it is dark", func(r *finishReader) step { // for how long is not known
			return stopIf(r.f.class == pausing && r.word(r.i) == "until")
		}},
		{"finish adjunct", "look left because I say so", (*finishReader).adjunct},
		{"finish part", "left antenna up right antenna down", func(r *finishReader) step { return r.endsIf(r.partAhead(r.f)) }},
		{"finish slip", "take a nap a", func(r *finishReader) step { return when(r.slip()) }},
	}
}

// endsIf ends the clause when yes.
func (r *finishReader) endsIf(yes bool) step {
	r.whole = yes
	return stopIf(yes)
}

// tail reads a courtesy or an emphasis; in a motion only when no slot follows that the words could belong to.
func (r *finishReader) tail() step {
	n := tails.Len(r.toks, r.i)
	k := r.i + n
	if n == 0 || r.f.class == motion && !r.afterTail(k) {
		return pass
	}
	r.i, r.f.courteous = k, true
	return taken
}

// afterTail reports whether the words at k can follow the tail of a motion.
func (ps *parser) afterTail(k int) bool {
	if w := ps.word(k); w == "for" || w == "in" {
		return true
	}
	for _, t := range []*language.Trie{tails, leadIns, paces, adjuncts, counts} {
		if t.Has(ps.toks, k) {
			return true
		}
	}
	return ps.boundary(k) || ps.verbAt(k) || ps.manner(k) || ps.tok(k).Kind == language.Number
}

func (r *finishReader) adverb() step {
	if !r.manner(r.i) {
		return pass
	}
	r.i++
	return taken
}

// nextCommand ends a clause before a command that runs on without a connective.
func (r *finishReader) nextCommand() step {
	if r.trial >= 2 || r.i == 0 {
		return pass
	}
	begins := r.verbAt(r.i) || leadIns.Has(r.toks, r.i) || actions.Has(r.toks, r.i)
	return r.endsIf(begins && r.couldBegin(r.i))
}

// mendedCount reads a number that is corrected at once: "nod three, no, four times".
func (r *finishReader) mendedCount() step {
	t := r.tok(r.i)
	if t.Kind != language.Number || r.f.class != action || !r.boundary(r.i+1) || r.correctionAt(r.afterMarks(r.i+1)) == 0 {
		return pass
	}
	r.f.times, r.f.said = t.Num, true
	r.i++
	return taken
}

// adjunct drops a reason, and a place where the clause is loose.
func (r *finishReader) adjunct() step {
	if !adjuncts.Has(r.toks, r.i) && (!r.loose || !looseAdjuncts.Has(r.toks, r.i) || r.placeAhead()) {
		return pass
	}
	if r.secret() {
		return stop
	}
	r.dropAdjunct()
	return taken
}

// afterMarks returns the first position from k on that is no mark.
func (ps *parser) afterMarks(k int) int {
	for ps.isMark(k) {
		k++
	}
	return k
}

// placeAhead reports whether a preposition is followed by a number or a direction, which are never an adjunct.
func (ps *parser) placeAhead() bool {
	k := ps.i
	if directions.Has(ps.toks, k) {
		return true
	}
	k++
	return ps.tok(k).Kind == language.Number || directions.Has(ps.toks, k)
}

// exclusion reports whether "without moving …" or "instead of left" begins at k.
func (ps *parser) exclusion(k int) bool {
	switch ps.word(k) {
	case "without", "instead", "rather":
		n := negations.Len(ps.toks, k)
		return n > 0 && (language.InflectionOf(ps.word(k+n)).Form == 'g' || n > 1 && (directions.Has(ps.toks, k+n) || parts.Has(ps.toks, k+n+1)))
	}
	return false
}

// dropAdjunct steps over a reason or manner, up to the next command.
func (ps *parser) dropAdjunct() {
	ps.i++
	for !ps.done() {
		if ps.isMark(ps.i) {
			if ps.toks[ps.i].Word != "," || ps.couldBegin(ps.afterJoint(ps.i)) || ps.i+1 >= len(ps.toks) {
				return
			}
			ps.i++
			continue
		}
		if v, n := connectives.Match(ps.toks, ps.i); n > 0 {
			if v == "then" || ps.couldBegin(ps.i+n) {
				return
			}
		}
		if ps.correctionAt(ps.i) > 0 && ps.isMark(ps.i-1) {
			return
		}
		var scratch frame
		save := ps.i
		if ps.word(ps.i) != "in" && ps.word(ps.i) != "with" && ps.modifier(&scratch) {
			ps.i = save
			return
		}
		ps.i = save + 1
	}
}

// afterJoint returns the first position after the marks and connectives at k.
func (ps *parser) afterJoint(k int) int {
	for k < len(ps.toks) {
		if ps.isMark(k) {
			k++
			continue
		}
		if _, n := connectives.Match(ps.toks, k); n > 0 {
			k += n
			continue
		}
		break
	}
	return k
}

// negations forbid what follows; the value tells the form of its verb.
var negations = language.Phrases("negations")

// negation parses a prohibition: it is understood, and it is nothing to run.
func (ps *parser) negation() bool {
	v, n := negations.Match(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	if _, m := actions.Loose(ps.toks, ps.i, ps.skippable); m > 0 && ps.word(ps.i) != "not" {
		return false // "do not move" is a command of its own; negated again when it does not fit
	}
	return ps.negated(v, n)
}

// negationLast parses a prohibition that begins like a closed command: "do not move your head".
func (ps *parser) negationLast() bool {
	v, n := negations.Match(ps.toks, ps.i)
	return n > 0 && ps.negated(v, n)
}

func (ps *parser) negated(v string, n int) bool {
	if n == 1 && ps.word(ps.i) == "no" && language.InflectionOf(ps.word(ps.i+1)).Form != 'g' {
		return false
	}
	ps.i += n
	if ps.done() {
		return false
	}
	g := ps.gerunds
	ps.gerunds = ps.gerunds || v == "gerund"
	mark := len(ps.frames)
	ok := ps.headed()
	ps.gerunds = g
	if !ok {
		ps.frames = ps.frames[:mark]
		if f := (frame{class: motion, negated: true, verbed: true}); (n > 1 || ps.isMark(ps.i+1) && ps.couldBegin(ps.afterMarks(ps.i+1))) && ps.slots(&f) &&
			!f.empty() && ps.finish(&f, false) {
			ps.put(f) // "instead of left"
			return true
		}
		if !ps.verbAt(ps.i) && language.InflectionOf(ps.word(ps.i)).Form == 0 && !leadIns.Has(ps.toks, ps.i) {
			return false
		}
		ps.put(frame{class: nothing})
		for !ps.done() && !ps.isMark(ps.i) && !endsProhibition[ps.word(ps.i)] {
			if ps.word(ps.i) == "and" && ps.couldBegin(ps.i+1) {
				break
			}
			ps.i++
		}
	}
	for k := mark; k < len(ps.frames); k++ {
		ps.frames[k].negated, ps.frames[k].verbed = true, true
	}
	if len(ps.frames) == mark {
		ps.put(frame{class: nothing, negated: true, verbed: true})
	}
	return true
}

var endsProhibition = language.Words("ends-prohibition")

// skippable words may stand anywhere inside a closed command.
func (ps *parser) skippable(t *language.Token) bool {
	return t.Kind == language.Word && (fillers[t.Word] || len(t.Word) > 4 && strings.HasSuffix(t.Word, "ly") && !notManner[t.Word])
}

var fillers = language.Words("fillers")
