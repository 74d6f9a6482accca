package planner

import (
	"strings"

	"github.com/reachyd/reachyd/perception/language"
)

// skip returns the first position from k on whose word is not in s.
func (ps *parser) skip(k int, s map[string]bool) int {
	for s[ps.word(k)] {
		k++
	}
	return k
}

var (
	approximately = language.Words("approximately")
	fillsBetween  = language.Words("fills-between")
	pauseNouns    = language.Words("pause-nouns")
	intervalOpen  = language.Words("interval-open")
	valueWords    = language.Words("value-words")
	shortTimes    = language.Words("short-times")
	shortKinds    = language.Words("short-kinds")
	timesNouns    = language.Words("times-nouns")
	timesFillers  = language.Words("times-fillers")
)

// modifier reads one modifier of time, pace or repetition into f.
func (ps *parser) modifier(f *frame) bool {
	if v, n := paces.Match(ps.toks, ps.i); n > 0 {
		f.pace = seconds{true, map[string]float64{"slow": 2, "fast": 0.5}[v]}
		ps.i += n
		return true
	}
	if v, n := counts.Match(ps.toks, ps.i); n > 0 {
		return ps.count(f, atof(v), ps.i+n)
	}
	if ps.tok(ps.i).Kind == language.Number {
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
		if n == 0 || q.Dim != language.Time && q.Dim != language.NoUnit {
			return false
		}
		f.over = seconds{true, q.Value}
		ps.i = m + n
		return true
	case "after":
		q, n := ps.quantity(ps.i + 1)
		if n == 0 || q.Dim != language.Time {
			return false
		}
		f.delay = seconds{true, q.Value}
		ps.i += 1 + n
		return true
	case "every", "each", "once", "at":
		return ps.periodic(f, w)
	case "a", "another":
		return ps.total(f, w)
	case "times", "x":
		if ps.tok(ps.i+1).Kind == language.Number {
			return ps.count(f, ps.tok(ps.i+1).Num, ps.i+2)
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
		times := ps.tok(ps.i).Num
		m++
		if ps.word(m) == "over" || ps.word(m) == "around" {
			m++
		}
		return ps.count(f, times, m)
	}
	if q, n := ps.quantity(ps.i); q.Dim == language.Time {
		if w := ps.word(ps.i + n); w == "apart" || strings.HasPrefix(w, "interval") {
			f.every = seconds{true, q.Value}
			ps.i += n + 1
			return true
		}
	}
	return false
}

// holding reads "for two seconds", "for a while", "for three times".
func (ps *parser) holding(f *frame) bool {
	m := ps.skip(ps.i+1, approximately)
	if v, n := counts.Match(ps.toks, m); n > 0 {
		return ps.count(f, atof(v), m+n)
	}
	if q, n := ps.quantity(m); n > 0 {
		if q.Dim == language.Time {
			f.hold = seconds{true, q.Value}
			ps.i = m + n
			return true
		}
		if q.Dim == language.NoUnit && timesNouns[ps.word(m+n)] {
			return ps.count(f, q.Value, m+n+1)
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
	m, duration := ps.durationWords(ps.skip(ps.i+1, approximately), w)
	if w == "with" && (ps.word(m) == "a" || ps.word(m) == "an") && pauseNouns[ps.word(m+1)] && ps.word(m+2) == "of" {
		q, n := ps.quantity(m + 3)
		if n == 0 || q.Dim != language.Time {
			return false
		}
		f.every = seconds{true, q.Value}
		ps.i = ps.skip(m+3+n, fillsBetween)
		return true
	}
	q, n := ps.quantity(m)
	if n == 0 || q.Dim != language.Time {
		return false
	}
	m += n
	next := ps.word(m)
	switch {
	case w == "with" && fillsBetween[next]:
		f.every = seconds{true, q.Value}
		m = ps.skip(m, fillsBetween)
	case w == "with" && !duration:
		return false
	case next == "from" && ps.word(m+1) == "now":
		f.delay = seconds{true, q.Value}
		m += 2
	case w == "in" && q.Value > 10: // nobody wants a move that slow
		f.delay = seconds{true, q.Value}
	default:
		if next == "duration" {
			m++
		}
		f.over = seconds{true, q.Value}
	}
	ps.i = m
	return true
}

// durationNouns say that a time is how long something takes.
var durationNouns = language.Words("duration-nouns")

// durationWords steps over "a duration of" at m, behind the preposition w, and says whether it was there.
func (ps *parser) durationWords(m int, w string) (next int, found bool) {
	for {
		switch {
		case ps.word(m) == "a" && (durationNouns[ps.word(m+1)] || w == "with" && ps.tok(m+1).Kind == language.Number):
		case durationNouns[ps.word(m)], found && ps.word(m) == "of":
			found = true
		default:
			return m, found
		}
		m++
	}
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
		if n == 0 || q.Dim != language.Time || m == from && !interval {
			return false
		}
		if interval {
			n++
		}
		f.every = seconds{true, q.Value}
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
	if u := language.UnitOf(ps.word(m)); u.Dim == language.Time {
		f.every = seconds{true, scale * u.Scale}
		ps.i = m + 1
		return true
	}
	if q, n := ps.quantity(m); n > 0 && q.Dim == language.Time {
		f.every = seconds{true, q.Value}
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
	if t := ps.tok(from + 1); w == "another" && t.Kind == language.Number && ps.word(from+2) == "times" {
		return ps.count(f, t.Num, from+3)
	}
	return false
}
