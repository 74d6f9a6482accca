package planner

import "github.com/reachyd/reachyd/perception/language"

var (
	waiters      = language.Phrases("waiters") // begin a pause
	longer       = language.Phrases("longer")  // short unmeasured times
	givesPause   = language.Words("gives-pause")
	pauseFillers = language.Words("pause-fillers")
)

// waitClause parses "wait two seconds", "hold that for a second", "take a two second pause".
func (ps *parser) waitClause() bool {
	f := frame{class: pausing, tool: "wait"}
	k := ps.i
	if givesPause[ps.word(k)] {
		k = ps.skip(k+1, pauseFillers)
	} else if ps.word(k) == "a" {
		k++
	}
	if q, m := ps.quantity(k); m > 0 && q.Dim == language.Time && pauseNouns[ps.word(k+m)] {
		ps.i = k + m + 1
		return ps.pauseFrame(f, q.Value)
	}
	n := waiters.Len(ps.toks, ps.i)
	if n == 0 {
		return false
	}
	k = ps.skip(ps.i+n, approximately)
	q, m := ps.quantity(k)
	if m == 0 || q.Dim != language.Time && q.Dim != language.NoUnit {
		m = longer.Len(ps.toks, k)
		if m == 0 {
			return false
		}
		q = language.Quantity{Value: 1, Dim: language.Time}
	}
	if q.Dim == language.NoUnit && counts.Len(ps.toks, k) > 0 {
		return false
	}
	if givesPause[ps.word(ps.i)] && (q.Dim != language.Time || ps.word(k+m) == "to") { // "take three seconds to look left"
		return false
	}
	ps.i = k + m
	ps.acceptWord("more", "longer")
	return ps.pauseFrame(f, q.Value)
}

func (ps *parser) pauseFrame(f frame, s float64) bool {
	f.hold = seconds{true, s}
	if !ps.finish(&f, false) {
		return false
	}
	ps.put(f)
	return true
}
