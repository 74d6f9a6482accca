package planner

import "strings"

// skip returns the first position from k on whose word is not in s.
func (ps *parser) skip(k int, s map[string]bool) int {
	for s[ps.word(k)] {
		k++
	}
	return k
}

var (
	approximately = set("about around at least exactly roughly approximately the next only just maybe another for course of under")
	fillsBetween  = set("between apart pause pauses break breaks interval intervals gap gaps delay in each them of rest time one every nod repetition repetitions nods times")
	pauseNouns    = set("pause interval break gap delay rest wait")
	intervalOpen  = set("a an intervals interval of")
	valueWords    = set("of is = for")
	shortTimes    = set("moment bit while sec tick time")
	shortKinds    = set("little short brief long")
	timesNouns    = set("times time repetitions rounds reps")
	timesFillers  = set("more separate consecutive so full")
)

// modifier reads one modifier of time, pace or repetition into f.
func (ps *parser) modifier(f *frame) bool {
	if v, n := paces.match(ps.toks, ps.i); n > 0 {
		f.pace = seconds{true, map[any]float64{"slow": 2, "fast": 0.5}[v]}
		ps.i += n
		return true
	}
	if v, n := counts.match(ps.toks, ps.i); n > 0 {
		return ps.count(f, atof(v.(string)), ps.i+n)
	}
	if ps.tok(ps.i).kind == number {
		return ps.countedTimes(f)
	}
	switch w := ps.word(ps.i); w {
	case "for", "lasting", "during":
		return ps.holding(f)
	case "over", "within", "in", "taking", "take", "with", "using":
		return ps.lasting(f, w)
	case "duration", "lasts", "time":
		m := ps.skip(ps.i+1, valueWords)
		q, n := ps.quantity(m)
		if n == 0 || q.dim != span && q.dim != noUnit {
			return false
		}
		f.over = seconds{true, q.v}
		ps.i = m + n
		return true
	case "after":
		q, n := ps.quantity(ps.i + 1)
		if n == 0 || q.dim != span {
			return false
		}
		f.delay = seconds{true, q.v}
		ps.i += 1 + n
		return true
	case "every", "each", "once", "at":
		return ps.periodic(f, w)
	case "a", "another":
		return ps.total(f, w)
	case "times", "x":
		if ps.tok(ps.i+1).kind == number {
			return ps.count(f, ps.tok(ps.i+1).num, ps.i+2)
		}
	}
	return false
}

// count notes how often, and goes on at next.
func (ps *parser) count(f *frame, times float64, next int) bool {
	f.times, f.said = times, true
	ps.i = next
	return true
}

// countedTimes reads "three times", "two more times", "two seconds apart".
func (ps *parser) countedTimes(f *frame) bool {
	m := ps.skip(ps.i+1, timesFillers)
	if ps.word(m) == "or" && ps.word(m+1) == "so" {
		m += 2
	}
	if timesNouns[ps.word(m)] {
		times := ps.tok(ps.i).num
		m++
		if ps.word(m) == "over" || ps.word(m) == "around" {
			m++
		}
		return ps.count(f, times, m)
	}
	if q, n := ps.quantity(ps.i); q.dim == span {
		if w := ps.word(ps.i + n); w == "apart" || strings.HasPrefix(w, "interval") {
			f.every = seconds{true, q.v}
			ps.i += n + 1
			return true
		}
	}
	return false
}

// holding reads "for two seconds", "for a while", "for three times".
func (ps *parser) holding(f *frame) bool {
	m := ps.skip(ps.i+1, approximately)
	if v, n := counts.match(ps.toks, m); n > 0 {
		return ps.count(f, atof(v.(string)), m+n)
	}
	if q, n := ps.quantity(m); n > 0 {
		if q.dim == span {
			f.hold = seconds{true, q.v}
			ps.i = m + n
			return true
		}
		if q.dim == noUnit && timesNouns[ps.word(m+n)] {
			return ps.count(f, q.v, m+n+1)
		}
	}
	if ps.word(m) != "a" {
		return false
	}
	m++
	if shortKinds[ps.word(m)] {
		m++
	}
	if !shortTimes[ps.word(m)] {
		return false
	}
	f.hold = seconds{true, 1}
	ps.i = m + 1
	return true
}

// lasting reads "over two seconds", "in three seconds", "with a duration of 2 s", "with a pause of one second".
func (ps *parser) lasting(f *frame, w string) bool {
	m := ps.skip(ps.i+1, approximately)
	duration := false
	for {
		switch {
		case ps.word(m) == "a" && (ps.word(m+1) == "duration" || ps.word(m+1) == "period" || ps.word(m+1) == "time" || ps.word(m+1) == "span" || w == "with" && ps.tok(m+1).kind == number):
			m++
			continue
		case ps.word(m) == "duration" || ps.word(m) == "period" || ps.word(m) == "span" || ps.word(m) == "time" || duration && ps.word(m) == "of":
			duration = true
			m++
			continue
		}
		break
	}
	if w == "with" && (ps.word(m) == "a" || ps.word(m) == "an") && pauseNouns[ps.word(m+1)] && ps.word(m+2) == "of" {
		q, n := ps.quantity(m + 3)
		if n == 0 || q.dim != span {
			return false
		}
		f.every = seconds{true, q.v}
		ps.i = ps.skip(m+3+n, fillsBetween)
		return true
	}
	q, n := ps.quantity(m)
	if n == 0 || q.dim != span {
		return false
	}
	m += n
	next := ps.word(m)
	switch {
	case w == "with" && fillsBetween[next]:
		f.every = seconds{true, q.v}
		m = ps.skip(m, fillsBetween)
	case w == "with" && !duration:
		return false
	case next == "from" && ps.word(m+1) == "now":
		f.delay = seconds{true, q.v}
		m += 2
	case w == "in" && q.v > 10: // nobody wants a move that slow
		f.delay = seconds{true, q.v}
	default:
		if next == "duration" {
			m++
		}
		f.over = seconds{true, q.v}
	}
	ps.i = m
	return true
}

// periodic reads "every two seconds", "once a minute", "at five second intervals".
func (ps *parser) periodic(f *frame, w string) bool {
	m := ps.i + 1
	switch w {
	case "once":
		switch ps.word(m) {
		case "every", "a", "per", "each":
			m++
		default:
			return false
		}
	case "at":
		from := m
		m = ps.skip(m, intervalOpen)
		q, n := ps.quantity(m)
		interval := strings.HasPrefix(ps.word(m+n), "interval")
		if n == 0 || q.dim != span || m == from && !interval {
			return false
		}
		if interval {
			n++
		}
		f.every = seconds{true, q.v}
		ps.i = m + n
		return true
	}
	scale := 1.0
	switch ps.word(m) {
	case "other":
		scale = 2
		m++
	case "single":
		m++
	}
	if u, ok := units[ps.word(m)]; ok && u.dim == span {
		f.every = seconds{true, scale * u.scale}
		ps.i = m + 1
		return true
	}
	if q, n := ps.quantity(m); n > 0 && q.dim == span {
		f.every = seconds{true, q.v}
		ps.i = m + n
		return true
	}
	return false
}

// total reads "a total of five times" and "another three times".
func (ps *parser) total(f *frame, w string) bool {
	from := ps.i
	if ps.word(ps.i+1) == "total" && ps.word(ps.i+2) == "of" {
		ps.i += 3
		if ps.modifier(f) {
			return true
		}
		ps.i = from
	}
	if t := ps.tok(from + 1); w == "another" && t.kind == number && ps.word(from+2) == "times" {
		return ps.count(f, t.num, from+3)
	}
	return false
}
