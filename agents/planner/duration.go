package planner

import "github.com/reachyd/reachyd/perception/language"

// lasts begin a clause that only says how long the move before is to take: "and make it last four seconds".
var lasts = language.Phrases("lasts")

// overWhat may follow such a time: "take four seconds for it".
var overWhat = language.Phrases("over-what")

// lastsClause parses such a clause. It needs a motion before it.
func (ps *parser) lastsClause() bool {
	if k := len(ps.frames) - 1; k < 0 || ps.frames[k].class != motion && ps.frames[k].class != looking {
		return false
	}
	from := ps.i
	v, n := lasts.Match(ps.toks, from)
	if n == 0 {
		return false
	}
	m := ps.skip(from+n, approximately)
	q, qn := ps.quantity(m)
	if qn == 0 || q.Dim != language.Time {
		return false
	}
	ps.i = m + qn
	for ps.acceptWord("long", "or", "so") {
		continue
	}
	f := frame{class: pending, over: seconds{true, q.Value}}
	if !ps.accept(overWhat) && v == "need" || !ps.finish(&f, false) {
		ps.i = from
		return false
	}
	ps.put(f)
	return true
}
