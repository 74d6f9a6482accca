package planner

import (
	"slices"
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// joint is what stands between two clauses.
type joint struct {
	join    join
	correct bool // what stood before is corrected
	wipe    bool // what stood before is taken back altogether
	after   bool // the clause that follows is to run before the one that came first
	first   bool // the clause that follows goes to the very front
	but     bool // "but" tied the clause: a number alone is how far the one before goes
	lead    bool // before/after/while at the beginning of a sentence
	before  bool // leading "before"
	or      bool
}

// jointReader reads what stands between two clauses.
type jointReader struct {
	*parser
	j     joint
	fresh bool // a sentence begins here
}

// joints reads all marks, connectives and corrections up to the next clause.
func (ps *parser) joints() joint {
	r := jointReader{parser: ps, fresh: ps.i == 0 || ps.fresh}
	ps.fresh = false
	for !ps.done() && first(ps.p.rules.joint, &r) == taken {
	}
	return r.j
}

// jointRules are what can stand between two clauses.
func jointRules() []rule[*jointReader] {
	return []rule[*jointReader]{
		{"joint mark", "nod, bow", (*jointReader).mark},
		{"joint correction", "look left, no, right", (*jointReader).correction},
		{"joint connective", "nod and then bow", (*jointReader).connective},
		{"joint or", "do not look left or right", func(r *jointReader) step {
			r.j.or = r.j.or || r.word(r.i) == "or"
			return when(r.acceptWord("or"))
		}},
	}
}

func (r *jointReader) mark() step {
	t := r.tok(r.i)
	if t.Kind != language.Mark {
		return pass
	}
	switch t.Word {
	case ",", ":", "(", ")", "-":
		r.j.join = max(r.j.join, joinComma)
	default:
		if r.j.join < joinThen {
			r.j.join = joinStop
		}
		r.fresh = true
	}
	r.i++
	return taken
}

func (r *jointReader) correction() step {
	n := r.correctionAt(r.i)
	if n == 0 {
		return pass
	}
	r.j.correct = true
	r.j.wipe = r.j.wipe || wipes.Has(r.toks, r.i)
	r.i += n
	return taken
}

// connective reads "and", "then", "before", "after", "but first" and their like.
func (r *jointReader) connective() step {
	v, n := connectives.Match(r.toks, r.i)
	w := r.word(r.i)
	switch {
	case n == 0, v == "after" && (r.tok(r.i+n).Kind == language.Number || r.isTimeWord(r.i+n)): // "after three seconds" is a modifier
		return pass
	case w == "and" && n == 1 && r.correctionAt(r.i+1) == 0 && r.leadingWait(r.i+1):
		r.j.join = max(r.j.join, joinAnd)
		r.i++
		return taken
	case v == "then" && n > 2 && (w == "once" || w == "when") && language.InflectionOf(r.word(r.i+n)).Form == 'g':
		v = "after" // "once you are finished nodding"
	}
	r.j.but = r.j.but || w == "but"
	you := r.orders(v, w, r.word(r.i+n-1), n)
	r.i += n
	if you && r.acceptWord("you") && v == "and" {
		r.acceptWord("are")
	}
	r.j.join = joined(r.j.join, v)
	r.fresh = false
	return taken
}

// orders notes what a connective v of n words, w … last, says of the order of its clauses and the form of their verbs. It
// reports whether "you" may stand before the verb.
func (r *jointReader) orders(v, w, last string, n int) (you bool) {
	begins := r.fresh || len(r.frames) == 0
	switch v {
	case "then":
		before := w == "before"
		if before && begins {
			r.j.lead, r.j.before = true, true
		}
		r.gerunds = r.gerunds || before || n > 1 && (last == "by" || last == "with")
		return before
	case "and":
		while := w == "while" || w == "whilst" || w == "as" || strings.HasSuffix(last, "with")
		r.gerunds = r.gerunds || while
		return while
	case "after":
		if begins || r.j.join == joinThen || r.j.join == joinStop {
			r.j.lead = true
		} else {
			r.j.after = true
		}
		r.gerunds, r.pasts = true, true
		return true
	case "first":
		r.j.first, r.gerunds = true, true
	}
	return false
}

// joined is how a clause is tied to the one before after a further connective.
func joined(before join, connective string) join {
	if connective != "and" {
		return joinThen
	}
	if before == joinStop {
		return joinAnd
	}
	return max(before, joinAnd)
}

// leadingWait reports whether "wait" at k is a command ("and wait two seconds") rather than an interjection.
func (ps *parser) leadingWait(k int) bool {
	return ps.word(k) == "wait" && !ps.isMark(k+1)
}

// isTimeWord reports whether a time such as "a second" or "a while" stands at k.
func (ps *parser) isTimeWord(k int) bool {
	w := ps.word(k)
	if w != "a" && w != "an" {
		return false
	}
	return language.UnitOf(ps.word(k+1)).Dim == language.Time || ps.word(k+1) == "moment" || ps.word(k+1) == "while"
}

var (
	// noBefore are words before which "no" corrects nothing: "no need".
	noBefore = language.Words("no-before")
	// sorryBefore are words before which "sorry" corrects nothing: "sorry to hear".
	sorryBefore = language.Words("sorry-before")
)

// correctionAt returns the length of a correction at k, 0 when there is none.
func (ps *parser) correctionAt(k int) int {
	n := corrections.Len(ps.toks, k)
	next := ps.word(k + n)
	none := false
	switch w := ps.word(k); {
	case n == 0:
	case w == "no":
		none = n == 1 && (noBefore[next] || language.InflectionOf(next).Form == 'g') // "no dancing"
	case w == "wait", w == "hang", w == "hold":
		last := ps.word(k + n - 1)
		none = n <= 2 && (last == "wait" || last == "on") && !ps.waitCorrects(k, k+n)
	case w == "sorry", w == "excuse", w == "pardon":
		none = sorryBefore[next]
	case w == "actually", w == "rather", w == "better":
		none = next == "than"
	case w == "make":
		none = (ps.word(k+1) == "it" || ps.word(k+1) == "that") && (k == 0 || !ps.correctable(k+n))
	case w == "never":
		none = n == 2 && (next == "the" || next == "about")
	case w == "ignore", w == "forget", w == "cancel", w == "delete":
		object := next != "" && !ps.verbAt(k+n) && !leadIns.Has(ps.toks, k+n) && !connectives.Has(ps.toks, k+n)
		none = object || k == 0 && w == "cancel"
	}
	if none {
		return 0
	}
	return n
}

// waitCorrects reports whether "wait" or "hang on", which stands from k to m, takes back what stood before it.
func (ps *parser) waitCorrects(k, m int) bool {
	comma := ps.isOneOf(m, ",")
	if comma {
		m++
	}
	w := ps.word(m)
	if k == 0 && comma && w != "then" && w != "and" || corrections.Has(ps.toks, m) && w != "wait" {
		return true
	}
	if k == 0 || !comma {
		return false
	}
	if n := parts.Len(ps.toks, m+1); n > 0 && (w == "the" || w == "your") && ps.boundary(m+1+n) {
		return true // "raise the left antenna, wait, the right one"
	}
	return m == len(ps.toks)-1 && directions.Has(ps.toks, m) || ps.tok(m).Kind == language.Number && ps.boundary(m+1)
}

// correctable reports whether "make it" at k goes on as a correction: "make it 20 degrees", "make it right".
func (ps *parser) correctable(k int) bool {
	for _, t := range []*language.Trie{directions, counts, paces, amounts, parts, emotionWords} {
		if t.Has(ps.toks, k) {
			return true
		}
	}
	return ps.tok(k).Kind == language.Number || ps.word(k) == "a" || ps.word(k) == "the" || ps.verbAt(k)
}

// arrange puts the frames from mark on in their place: corrections replace, "after" and "but first" reorder.
func (ps *parser) arrange(j joint, mark int) {
	fresh := ps.frames[mark:]
	fresh[0].join = j.join
	if mark == 0 || ps.continues(j, mark) {
		return
	}
	if last := &ps.frames[mark-1]; j.or && last.negated {
		for k := range fresh {
			fresh[k].negated = true // "do not look left or right"
		}
	}
	verbed := fresh[0].verbed
	switch {
	case j.correct && j.wipe && verbed:
		ps.frames = append(ps.frames[:0], fresh...)
	case j.correct && verbed:
		k := lastGroup(ps.frames[:mark])
		ps.frames = append(ps.frames[:k], fresh...)
		if k > 0 {
			ps.frames[k].join = joinThen
		}
	case j.correct:
		ps.frames = mergeFragment(ps.frames[:mark], fresh)
	case j.after && verbed:
		moveBefore(ps.frames, lastGroup(ps.frames[:mark]), mark)
	case j.first && verbed:
		moveBefore(ps.frames, 0, mark)
	}
}

// moveBefore puts the frames from mark on before the frame at k.
func moveBefore(frames []frame, k, mark int) {
	moved := slices.Clone(frames[mark:])
	copy(frames[k+len(moved):], frames[k:mark])
	copy(frames[k:], moved)
}

// continues gives what the frames from mark on say to the clause before them, where it belongs to that.
func (ps *parser) continues(j joint, mark int) bool {
	last, f := &ps.frames[mark-1], &ps.frames[mark]
	if f.class == pending { // modifiers alone
		if j.join == joinThen && !j.correct && last.said && f.said { // "twice, then three times"
			again := *last
			again.join, again.verbed, again.times = joinThen, true, f.times
			*f = again
			return true
		}
		ps.frames = mergeFragment(ps.frames[:mark], ps.frames[mark:])
		return true
	}
	if refines(j, last, f) {
		last.headings[len(last.headings)-1].amt = f.headings[0].amt
		copyModifiers(last, f)
		ps.frames = ps.frames[:mark]
		return true
	}
	if f.class == volume && last.tool == "set_volume" && !j.correct && (j.join == joinComma || j.join == joinStop) { // "hush, volume to ten"
		f.join, f.verbed = last.join, true
		ps.frames = append(ps.frames[:mark-1], ps.frames[mark:]...)
		return true
	}
	if echoes(j, last, f) {
		ps.frames = ps.frames[:mark]
		return true
	}
	if j.correct || f.class != motion || last.class != motion {
		return false
	}
	if measures(j, last, f) {
		last.headings[len(last.headings)-1].amt = f.bare[0]
		if f.part != "" {
			last.part = f.part
		}
		ps.frames = ps.frames[:mark]
		return true
	}
	if j.join != joinComma {
		return false
	}
	way := !f.verbed && f.part == "" && len(f.headings) == 1 && f.headings[0].amt.kind == 0
	switch k := len(last.headings) - 1; {
	case way && k < 0 && len(last.bare) == 1: // "tilt your head 30 degrees, to the left"
		f.headings[0].amt, last.bare = last.bare[0], nil
		last.headings = f.headings
	default:
		return false
	}
	ps.frames = ps.frames[:mark]
	return true
}

// measures reports whether f only says how far last goes, which did not say it: "turn left, by 20 degrees", "head left. Fifteen
// degrees with the head", "look right, but only a bit".
func measures(j joint, last, f *frame) bool {
	if j.join != joinComma && j.join != joinStop && !j.but || f.verbed || f.more || f.said || len(f.headings) > 0 || len(f.bare) != 1 {
		return false
	}
	k := len(last.headings) - 1
	if f.part != "" && last.part != "" && f.part != last.part || f.part == "" && f.bare[0].kind == 'f' {
		return false
	}
	return k >= 0 && last.headings[k].amt.kind == 0 && !last.headings[k].returns && last.headings[k].dir != "center"
}

// refines reports whether f only says how far last goes: "eyes down, far down".
func refines(j joint, last, f *frame) bool {
	if j.correct || j.join != joinComma && j.join != joinStop || f.class != motion || last.class != motion || f.verbed || f.more || f.said || f.part != "" {
		return false
	}
	k := len(last.headings) - 1
	return k >= 0 && len(f.headings) == 1 && f.headings[0].dir == last.headings[k].dir &&
		(f.headings[0].amt.kind == 'f' || f.headings[0].amt.kind == 'l' || f.headings[0].amt.kind == 'n' && last.headings[k].amt.kind == 0)
}

// echoes reports whether f calls again for the gesture that was asked for with a courtesy: "dance for me, dance!".
func echoes(j joint, last, f *frame) bool {
	return !j.correct && j.join == joinComma && last.courteous && last.tool == "gesture" && f.tool == "gesture" && f.args["name"] == last.args["name"] &&
		!f.courteous && !f.said && !last.said
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
