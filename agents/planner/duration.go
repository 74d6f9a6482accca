package planner

// lasts begin a clause that only says how long the move before is to take: "and make it last four seconds".
var lasts = newTrie(`
x = (make|let|have) (it|that|this|the move|the movement|the motion|the turn) (take|last|be) | (it|that|this|which|the move|the movement|the motion|the turn|the whole thing) (should|must|has to|needs to|shall|can|is to|may|ought to) (take|last|be done in|be done within|be over in|be finished in) | (taking|lasting) | (do|perform|execute|make|complete|finish) (it|that|this|the move|the movement|the motion|the turn) (in|over|within|during|lasting|last) | (with|at|using) (a|the|) (duration|time|speed) of | (the|) duration (is|should be|of|must be|being|) | for a duration of | you (have|get) | i (give|want to give) you
need = take | spend | use | spending | using | needing
`)

// overWhat may follow such a time: "take four seconds for it".
var overWhat = newTrie(`
x = (for|doing|over|on|with|about|to do|to complete|to perform|to finish|to make) (it|that|this|so|the move|the movement|the motion|the turn|that move|this move|the whole thing) | to do so | to get there | to complete | in total | altogether | overall
`)

// lastsClause parses such a clause. It needs a motion before it.
func (ps *parser) lastsClause() bool {
	if k := len(ps.frames) - 1; k < 0 || ps.frames[k].class != motion && ps.frames[k].class != looking {
		return false
	}
	from := ps.i
	v, n := lasts.match(ps.toks, from)
	if n == 0 {
		return false
	}
	m := ps.skip(from+n, approximately)
	q, qn := ps.quantity(m)
	if qn == 0 || q.dim != span {
		return false
	}
	ps.i = m + qn
	for ps.acceptWord("long", "or", "so") {
		continue
	}
	f := frame{class: pending, over: seconds{true, q.v}}
	if !ps.accept(overWhat) && v == "need" || !ps.finish(&f, false) {
		ps.i = from
		return false
	}
	ps.put(f)
	return true
}
