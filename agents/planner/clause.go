package planner

import "strings"

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

var axisNames = set("pitch yaw roll")

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
		if v, n := leadIns.match(ps.toks, ps.i); n > 0 && n >= matchLen(paces, ps.toks, ps.i) {
			ability = ability || ps.word(ps.i) == "are" && ps.word(ps.i+2) == "able"
			switch ps.word(ps.i) {
			case "could", "can", "would", "will", "do", "is", "are", "may", "might", "i":
				ps.polite = true
			}
			if v == "gerund" {
				ps.gerunds = true
			}
			ps.i += n
			for ps.isMark(ps.i) && (ps.toks[ps.i].w == "," || ps.toks[ps.i].w == ":" || ps.toks[ps.i].w == "!" || ps.toks[ps.i].w == "." && ps.i == n || ps.toks[ps.i].w == "-") {
				ps.i++
			}
			continue
		}
		if ps.leadingModifier(&pre) {
			for ps.isMark(ps.i) && (ps.toks[ps.i].w == "," || ps.toks[ps.i].w == ":") {
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
		if q, n := ps.quantity(k); n > 0 && q.dim == span {
			ps.i = k + n
			if ps.word(ps.i) == "from" && ps.word(ps.i+1) == "now" {
				ps.i += 2
			}
			pre.delay = seconds{true, q.v}
			return true
		}
	}
	if w := ps.word(ps.i); w == "take" || w == "taking" || w == "use" || w == "spend" {
		if q, n := ps.quantity(ps.i + 1); n > 0 && q.dim == span && (ps.word(ps.i+1+n) == "to" || w == "spend") {
			pre.over = seconds{true, q.v}
			ps.i += n + 2
			return true
		}
	}
	if v, n := amounts.match(ps.toks, ps.i); n > 0 && ps.verbAt(ps.i+n) {
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

var notManner = set("family early reply apply july italy supply rely imply assembly bully belly jelly butterfly only really likely unlikely friendly lonely ugly silly holy folly lily rally tally early daily weekly monthly yearly hourly secretly covertly stealthily surreptitiously sneakily nearly hardly supposedly reportedly usually recently previously formerly")

// headed tries every reading of a clause whose verb stands at the current position.
func (ps *parser) headed() bool {
	save := ps.i
	if w := ps.word(ps.i); w != "" && !isVerb[w] {
		if in, ok := inflections[w]; ok && (in.form == 'g' && ps.gerunds || in.form == 'p' && ps.pasts) {
			t := ps.toks[ps.i]
			ps.toks[ps.i].w = in.base
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
	if ps.tok(ps.i).kind == quote {
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

// quantity is a number with its unit; angles in degrees, times in seconds, lengths in metres.
type quantity struct {
	v   float64
	dim dimension
}

// quantity reads a number and unit at k: "20 degrees", "a second", "one and a half seconds", "two minutes and ten seconds".
func (ps *parser) quantity(k int) (quantity, int) {
	t := ps.tok(k)
	from := k
	v := 1.0
	switch {
	case t.kind == number:
		v = t.num
		k++
	case (ps.word(k) == "a" || ps.word(k) == "an" || ps.word(k) == "another") && units[ps.word(k+1)].dim == span:
		k++
	case (ps.word(k) == "a" || ps.word(k) == "one") && (units[ps.word(k+1)].dim == turns || ps.word(k+1) == "full" || ps.word(k+1) == "complete" || ps.word(k+1) == "whole") && turnUnit(ps, k+1) > 0:
		k++
	case (ps.word(k) == "full" || ps.word(k) == "complete" || ps.word(k) == "whole") && turnUnit(ps, k) > 0:
	default:
		return quantity{}, 0
	}
	if n := turnUnit(ps, k); n > 0 {
		return quantity{tidy(v * 360), turns}, k + n - from
	}
	w := ps.word(k)
	if w == "per" && ps.word(k+1) == "cent" {
		return quantity{v, percent}, k + 2 - from
	}
	if w == "of" || w == "more" || w == "whole" || w == "full" || w == "entire" || w == "long" || w == "additional" || w == "extra" {
		if _, ok := units[ps.word(k+1)]; ok {
			k++
			w = ps.word(k)
		}
	}
	u, ok := units[w]
	if !ok || w == "turn" || w == "turns" {
		return quantity{v, noUnit}, k - from
	}
	k++
	if u.dim == span {
		if ps.word(k) == "and" && (ps.word(k+1) == "a" && ps.word(k+2) == "half") {
			v += 0.5
			k += 3
		} else if ps.word(k) == "and" && ps.tok(k+1).kind == number && ps.tok(k+1).num == 0.5 && ps.word(k+2) == "" && (k+2 >= len(ps.toks) || ps.isMark(k+2)) {
			v += 0.5
			k += 2
		} else {
			m := k
			if ps.word(m) == "and" {
				m++
			}
			if ps.tok(m).kind == number {
				if u2, ok := units[ps.word(m+1)]; ok && u2.dim == span && u2.scale < u.scale {
					return quantity{tidy(v*u.scale + ps.tok(m).num*u2.scale), span}, m + 2 - from
				}
			}
		}
	}
	return quantity{tidy(v * u.scale), u.dim}, k - from
}

// turnUnit reads "turn", "full circle", "complete revolution" at k.
func turnUnit(ps *parser, k int) int {
	n := 0
	for ps.word(k+n) == "full" || ps.word(k+n) == "complete" || ps.word(k+n) == "whole" || ps.word(k+n) == "of" || n > 0 && ps.word(k+n) == "a" {
		n++
	}
	if u, ok := units[ps.word(k+n)]; ok && u.dim == turns {
		return n + 1
	}
	return 0
}

// finish reads modifiers and small talk up to the end of the clause; ok is false when something is left over.
func (ps *parser) finish(f *frame, loose bool) (ok bool) {
	for {
		if ps.boundary(ps.i) || ps.exclusion(ps.i) {
			return true
		}
		if ps.modifier(f) {
			continue
		}
		if _, n := tails.match(ps.toks, ps.i); n > 0 {
			if ps.boundary(ps.i+n) || tails.has(ps.toks, ps.i+n) || leadIns.has(ps.toks, ps.i+n) || ps.verbAt(ps.i+n) || f.class != motion || ps.manner(ps.i+n) || paces.has(ps.toks, ps.i+n) || adjuncts.has(ps.toks, ps.i+n) || ps.tok(ps.i+n).kind == number || counts.has(ps.toks, ps.i+n) || ps.word(ps.i+n) == "for" || ps.word(ps.i+n) == "in" {
				ps.i += n
				continue
			}
		}
		if ps.manner(ps.i) {
			ps.i++
			continue
		}
		if ps.trial < 2 && ps.i > 0 && (ps.verbAt(ps.i) || leadIns.has(ps.toks, ps.i) || actions.has(ps.toks, ps.i)) && ps.couldBegin(ps.i) {
			return true // run together without a connective
		}
		if t := ps.tok(ps.i); t.kind == number && f.class == action && ps.boundary(ps.i+1) && ps.correctionAt(ps.afterMarks(ps.i+1)) > 0 {
			f.times, f.said = t.num, true // "nod three, no, four times"
			ps.i++
			continue
		}
		if f.class == pausing && ps.word(ps.i) == "until" {
			return false // for how long is not known
		}
		if adjuncts.has(ps.toks, ps.i) || loose && looseAdjuncts.has(ps.toks, ps.i) && !ps.placeAhead() {
			if ps.secret() {
				return false
			}
			ps.dropAdjunct()
			continue
		}
		if ps.partAhead(f) {
			return true
		}
		if ps.slip() {
			continue
		}
		return false
	}
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
	if directions.has(ps.toks, k) {
		return true
	}
	k++
	return ps.tok(k).kind == number || directions.has(ps.toks, k)
}

// exclusion reports whether "without moving …" or "instead of left" begins at k.
func (ps *parser) exclusion(k int) bool {
	switch ps.word(k) {
	case "without", "instead", "rather":
		n := matchLen(negations, ps.toks, k)
		return n > 0 && (inflections[ps.word(k+n)].form == 'g' || n > 1 && (directions.has(ps.toks, k+n) || parts.has(ps.toks, k+n+1)))
	}
	return false
}

// dropAdjunct steps over a reason or manner, up to the next command.
func (ps *parser) dropAdjunct() {
	ps.i++
	for !ps.done() {
		if ps.isMark(ps.i) {
			if ps.toks[ps.i].w != "," || ps.couldBegin(ps.afterJoint(ps.i)) || ps.i+1 >= len(ps.toks) {
				return
			}
			ps.i++
			continue
		}
		if v, n := connectives.match(ps.toks, ps.i); n > 0 {
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
		if _, n := connectives.match(ps.toks, k); n > 0 {
			k += n
			continue
		}
		break
	}
	return k
}

// negations forbid what follows; the value tells the form of its verb.
var negations = newTrie(`
base = do not (you|) (dare|) (to|ever|even think about|please|) | never (ever|) | not | please do not | you (should|must|may|can|need|do|will|shall|are) not (to|have to|need to|) | (there is|) no need to | you do not (have|need) to | (i|we) do not (want|need|would like|like) you to | (i|we) (would|) (rather|prefer) you (did|do) not | you better not | you had better not | under no circumstances | refrain to | it is not necessary to | i would not | would you not | could you (please|) not | can you (please|) not | can you stop
gerund = avoid | refrain from | without | instead of | rather than | no | do not (even think about|start|keep|go|bother|try|continue) | never start | no more | in place of | hold off on | abstain from
`)

// negation parses a prohibition: it is understood, and it is nothing to run.
func (ps *parser) negation() bool {
	v, n := negations.match(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	if _, m := actions.loose(ps.toks, ps.i, ps.skippable); m > 0 && ps.word(ps.i) != "not" {
		return false // "do not move" is a command of its own; negated again when it does not fit
	}
	return ps.negated(v, n)
}

// negationLast parses a prohibition that begins like a closed command: "do not move your head".
func (ps *parser) negationLast() bool {
	v, n := negations.match(ps.toks, ps.i)
	return n > 0 && ps.negated(v, n)
}

func (ps *parser) negated(v any, n int) bool {
	if n == 1 && ps.word(ps.i) == "no" && inflections[ps.word(ps.i+1)].form != 'g' {
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
		if f := (frame{class: motion, negated: true, verbed: true}); (n > 1 || ps.isMark(ps.i+1) && ps.couldBegin(ps.afterMarks(ps.i+1))) && ps.slots(&f) && !f.empty() && ps.finish(&f, false) {
			ps.put(f) // "instead of left"
			return true
		}
		if !ps.verbAt(ps.i) && inflections[ps.word(ps.i)].form == 0 && !leadIns.has(ps.toks, ps.i) {
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

var endsProhibition = set("but just instead then only")

// skippable words may stand anywhere inside a closed command.
func (ps *parser) skippable(t *token) bool {
	return t.kind == word && (fillers[t.w] || len(t.w) > 4 && strings.HasSuffix(t.w, "ly") && !notManner[t.w])
}

var fillers = set(`your the a an my our its this that these those some of me us just please both all little quick slow gentle nice cute small big good polite friendly very really another own proper robot happy clear tiny short
 couple wee lovely great beautiful simple single firm respectful deep low enthusiastic quick fancy crazy funny silly graceful elegant long bit so pretty right current new for more photo you yourself with to one now best favorite favourite cool fun then slowly quickly fast again
 there here nod's head's their his her everyone everybody entire whole surrounding surroundings high-quality hd group family team portrait hearty courteous formal casual subtle vigorous light strong wild sweet tender playful`)
