package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	repeaters  = language.Phrases("repeaters") // mean what stands before, or what follows
	aheadWords = language.Words("ahead-words") // "do the following steps"
)

// repetition parses "repeat that three times" and "do the following three times: …".
func (ps *parser) repetition() bool {
	w := ps.word(ps.i)
	if w == "repeat" && language.InflectionOf(ps.word(ps.i+1)).Form == 'g' { // "repeat nodding five times"
		ps.i++
		ps.gerunds = true
		return ps.headed()
	}
	if len(ps.frames) == 0 {
		return (w == "repeat" || w == "do" || w == "perform") && ps.repeatsAhead()
	}
	n := repeaters.Len(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	ps.i += n
	f := frame{class: again, verbed: true}
	counted := func() bool { return f.said || f.every.set }
	switch {
	case !ps.finish(&f, false), !counted() && !f.hold.set && w != "repeat" && w != "do":
		return false
	case !counted():
		f.times, f.said, f.word = 2, true, "more"
		if w == "do" || w == "repeat" {
			f.times = 1 // once more
		}
	}
	ps.put(f)
	return true
}

// repeatsAhead parses "repeat the following three times:", which repeats what follows.
func (ps *parser) repeatsAhead() bool {
	w := ps.word(ps.i)
	ps.i = ps.skip(ps.i+1, aheadWords)
	f := frame{class: ahead, verbed: true}
	for ps.modifier(&f) {
		continue
	}
	if !f.said {
		return false
	}
	if mark := ps.tok(ps.i).Word; ps.isMark(ps.i) && (mark == ":" || mark == "," || mark == "-") {
		if !ps.couldBegin(ps.afterJoint(ps.i)) && (w != "repeat" || !ps.couldBegin(ps.i)) {
			return false
		}
	} else if w != "repeat" || !ps.couldBegin(ps.i) {
		return false
	}
	ps.put(f)
	return true
}
