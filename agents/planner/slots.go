package planner

import (
	"slices"

	"github.com/reachyd/reachyd/perception/language"
)

// slotReader fills the slots of a motion.
type slotReader struct {
	*parser
	f       *frame
	waiting amount // stands before its direction
	got     bool   // something was said
}

// slots fills the slots of a motion in whatever order they come, up to a mark, a connective or an unknown word.
func (ps *parser) slots(f *frame) bool {
	s := slotReader{parser: ps, f: f}
	from := ps.i
	for !ps.done() && first(ps.p.rules.slots, &s) == taken {
	}
	s.close()
	f.more = f.more || slices.ContainsFunc(ps.toks[from:ps.i], func(t language.Token) bool { return moreWords[t.Word] })
	return s.got
}

var (
	// moreWords say that a movement goes on from where the robot is.
	moreWords = language.Words("more-words")
	// angleFillers may stand between "to" or "by" and a number.
	angleFillers = language.Words("angle-fillers")
	// goalWords before a number say that it is an angle to go to.
	goalWords = language.Words("goal-words")
)

// angle is a number of degrees at k, with what the word before it says of it.
func (ps *parser) angle(k int, deg float64) amount {
	for k--; angleFillers[ps.word(k)]; {
		k--
	}
	w := ps.tok(k).Word
	return amount{kind: 'n', deg: deg, to: goalWords[w], by: w == "by"}
}

// attach gives an amount to the direction before it, or keeps it for the one that follows.
func (s *slotReader) attach(a amount) {
	f := s.f
	if k := len(f.headings) - 1; k >= 0 && f.headings[k].amt.kind == 0 && s.waiting.kind == 0 {
		f.headings[k].amt = a
		return
	}
	if s.waiting.kind != 0 && len(f.headings) == 0 {
		f.bare = append(f.bare, s.waiting)
	}
	s.waiting = a
}

// head adds a direction with the amount that waits for one.
func (s *slotReader) head(h heading) {
	if s.waiting.kind != 0 {
		h.amt, s.waiting = s.waiting, amount{}
	}
	s.got = true
	if k := len(s.f.headings) - 1; k >= 0 && s.f.headings[k].dir == h.dir && s.f.headings[k].amt.kind == 'f' && h.amt.kind == 0 {
		return // "all the way up to the sky"
	}
	s.f.headings = append(s.f.headings, h)
}

// close settles what still waits when nothing more is read.
func (s *slotReader) close() {
	f := s.f
	if s.waiting.kind != 0 {
		if k := len(f.headings) - 1; k >= 0 && f.headings[k].amt.kind == 0 {
			f.headings[k].amt = s.waiting
		} else {
			f.bare = append(f.bare, s.waiting)
		}
	}
	unset := !f.axisSet[pitch] && !f.axisSet[yaw] && !f.axisSet[roll]
	if isAxis(f.word) && unset && len(f.bare) == 1 && f.bare[0].kind == 'n' && len(f.headings) == 0 {
		f.setAxis(f.word, f.bare[0].deg, !f.bare[0].to)
		f.bare = nil
	}
	if f.word == "roll" && len(f.headings) > 0 && f.verb == "look" {
		f.verb = "roll"
	}
}

func isAxis(w string) bool { return w == "pitch" || w == "yaw" || w == "roll" }

// isNow reports whether "right" before w only says when: "right now", "right away".
func isNow(w string) bool { return w == "now" || w == "away" || w == "there" }

// slotRules are the slots of a motion.
func slotRules() []rule[*slotReader] {
	return []rule[*slotReader]{
		{"slot mark", "look left!", (*slotReader).mark},
		{"slot quotation", `look left "now"`, func(s *slotReader) step { return stopIf(s.tok(s.i).Kind == language.Quote) }},
		{"slot correction", "look left no right", func(s *slotReader) step {
			return stopIf(s.correctionAt(s.i) > 0 && s.tok(s.i).Word != "make")
		}},
		{"slot second antenna's number", "set both antennas to 30 and -30", (*slotReader).secondNumber},
		{"slot second part", "turn your head and body left", (*slotReader).secondPart},
		{"slot as you can", "look as far left as you can", func(s *slotReader) step { return s.over(asCan.Len(s.toks, s.i)) }},
		{"slot connective", "look left then right", func(s *slotReader) step { return stopIf(connectives.Has(s.toks, s.i)) }},
		{"slot other antenna", "left antenna up right antenna down", func(s *slotReader) step {
			v, n := parts.Match(s.toks, s.i)
			return stopIf(n > 1 && (!s.f.empty() || s.waiting.kind != 0) && singleAntenna(s.f.part) && singleAntenna(v))
		}},
		{"slot part", "turn your head left", (*slotReader).part},
		{"slot both", "raise both your antennas", func(s *slotReader) step {
			next := s.word(s.i + 1)
			both := s.tok(s.i).Word == "both" && (next == "your" || next == "the" || next == "of" || parts.Has(s.toks, s.i+1))
			return s.over(oneIf(both))
		}},
		{"slot pronoun", "turn it left", (*slotReader).pronoun},
		{"slot axis", "set the pitch to 20", (*slotReader).axisName},
		{"slot modifier", "turn left slowly", func(s *slotReader) step { return when(s.modifier(s.f)) }},
		{"slot as far as", "look as far left as you can", (*slotReader).asFar},
		{"slot not a direction", "look left not right", func(s *slotReader) step {
			n := 0
			if s.tok(s.i).Word == "not" && s.i+1 < len(s.toks) {
				n = directions.Len(s.toks, s.i+1)
			}
			return s.over(n + oneIf(n > 0))
		}},
		{"slot antenna after antenna", "left antenna down right antenna up", (*slotReader).runOn},
		{"slot in the left", "turn in the left", func(s *slotReader) step {
			w := s.word(s.i + 1)
			in := s.tok(s.i).Word == "in" && (w == "the" || w == "your") && sideWords[s.word(s.i+2)] && directions.Len(s.toks, s.i) <= 1
			return s.over(2 * oneIf(in))
		}},
		{"slot back up", "look back up", func(s *slotReader) step {
			return s.over(oneIf(s.tok(s.i).Word == "back" && sideWords[s.word(s.i+1)]))
		}},
		{"slot direction", "look left", (*slotReader).heading},
		{"slot amount", "turn a little to the left", (*slotReader).howFar},
		{"slot number", "turn left 20 degrees", (*slotReader).number},
		{"slot filler", "turn your head to the left", func(s *slotReader) step { return s.over(oneIf(s.facing() || s.slotFiller())) }},
		{"slot all the way", "turn all left", func(s *slotReader) step {
			w := s.tok(s.i).Word
			return s.over(oneIf((w == "way" || w == "all") && directions.Has(s.toks, s.i+1)))
		}},
		{"slot slip", "turn your head like an owl to the left", func(s *slotReader) step { return when(s.slip()) }},
		{"slot manner", "turn gracefully to the left", func(s *slotReader) step {
			return s.over(oneIf(s.manner(s.i) && !adjuncts.Has(s.toks, s.i)))
		}},
	}
}

// over steps over n tokens.
func (s *slotReader) over(n int) step {
	s.i += n
	return when(n > 0)
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// mark reads on behind a mark inside a slot: "pitch: 20", "antennas at 30, -30". Another one ends the slots.
func (s *slotReader) mark() step {
	t := s.tok(s.i)
	if t.Kind != language.Mark {
		return pass
	}
	next := s.tok(s.i + 1)
	if t.Word == "," && s.f.part == "antennas" && s.waiting.kind == 'n' && next.Kind == language.Number {
		return s.over(1)
	}
	if (t.Word == ":" || t.Word == "-") && (next.Kind == language.Number || t.Word == ":" && axisNames[s.word(s.i+1)]) {
		return s.over(1)
	}
	return stop
}

// secondNumber reads the right antenna's number after the left one's: "both antennas to 30 and -30".
func (s *slotReader) secondNumber() step {
	if s.tok(s.i).Word != "and" || s.f.part != "antennas" || s.waiting.kind != 'n' {
		return pass
	}
	k := s.i + 1
	q, n := s.quantity(k)
	if n == 0 || q.Dim != language.Angle && q.Dim != language.NoUnit || directions.Has(s.toks, k+n) || parts.Has(s.toks, k+n) {
		return pass
	}
	s.f.bare = append(s.f.bare, s.waiting)
	s.waiting = amount{kind: 'n', deg: q.Value}
	s.i = k + n
	return taken
}

// secondPart reads a further part that does the same: "turn your head and body left".
func (s *slotReader) secondPart() step {
	f := s.f
	if s.tok(s.i).Word != "and" || f.part == "" || len(f.headings) > 0 || len(f.bare) > 0 || s.waiting.kind != 0 || f.verb == "" {
		return pass
	}
	k := s.i + 1
	if s.word(k) == "your" || s.word(k) == "the" {
		k++
	}
	v, n := parts.Match(s.toks, k)
	if n == 0 {
		return pass
	}
	goesOn := v != f.part && !s.boundary(k+n)
	alone := (f.verb == "raise" || f.verb == "lower" || f.verb == "tilt") && s.boundary(k+n)
	if !goesOn && !alone {
		return pass
	}
	f.parts = append(f.parts, v)
	s.i = k + n
	return taken
}

func (s *slotReader) part() step {
	f := s.f
	v, n := parts.Match(s.toks, s.i)
	if n == 0 || f.part != "" || n == 1 && s.tok(s.i).Word == "face" && f.verb == "look" || s.facing() || directions.Len(s.toks, s.i) > n {
		return pass
	}
	f.part = v
	s.i += n
	s.got = true
	if isAntenna(v) {
		s.acceptWord("up!")
	}
	return taken
}

// pronouns stand for the part that was named before.
var pronouns = map[string]string{"it": "it", "them": "them", "both": "them"}

func (s *slotReader) pronoun() step {
	part := pronouns[s.tok(s.i).Word]
	if part == "" || s.f.part != "" || s.f.verb == "" {
		return pass
	}
	s.f.part = part
	s.got = true
	return s.over(1)
}

// axisName reads "pitch to 20", "10 degrees of pitch", and remembers an axis whose number comes later.
func (s *slotReader) axisName() step {
	w := s.tok(s.i).Word
	switch {
	case !isAxis(w):
		return pass
	case s.axis(s.f, w):
		s.got = true
		return taken
	case s.waiting.kind == 'n':
		s.f.setAxis(w, s.waiting.deg, !s.waiting.to)
		s.waiting = amount{}
		s.got = true
	default:
		s.f.word = w
	}
	return s.over(1)
}

// asFar reads the beginning of "as far left as you can".
func (s *slotReader) asFar() step {
	if s.tok(s.i).Word != "as" || s.waiting.kind != 0 {
		return pass
	}
	k := s.i + 1
	if w := s.word(k); w == "far" || w == "much" {
		k++
	}
	if !directions.Has(s.toks, k) {
		return pass
	}
	s.attach(amount{kind: 'f'})
	s.i = k
	return taken
}

// runOn keeps "left antenna down right antenna up" from being read as a corner: down and right.
func (s *slotReader) runOn() step {
	w := s.tok(s.i).Word
	v, n := parts.Match(s.toks, s.i+1)
	if n <= 1 || !sideWords[w] || !singleAntenna(v) || !directions.Has(s.toks, s.i+1+n) {
		return pass
	}
	s.head(heading{dir: w})
	return s.over(1)
}

// heading reads a direction; "right now" and "by around 15 degrees" are none.
func (s *slotReader) heading() step {
	f, w := s.f, s.tok(s.i).Word
	v, n := directions.Match(s.toks, s.i)
	if n == 0 {
		return pass
	}
	if v == "right" && n == 1 && isNow(s.word(s.i+1)) && (f.verb != "" || len(f.headings) > 0) {
		return s.over(2)
	}
	afterBy := len(f.headings) > 0 || s.word(s.i-1) == "by" || s.word(s.i-1) == "to"
	if v == "around" && n == 1 && s.tok(s.i+1).Kind == language.Number && w != "around!" && afterBy {
		return s.over(1)
	}
	if amounts.Len(s.toks, s.i) > n {
		return pass
	}
	if n == 2 && s.word(s.i+1) == "right" && isNow(s.word(s.i+2)) && (w == "up" || w == "down") {
		s.head(heading{dir: w}) // "look up right now"
		return s.over(3)
	}
	if len(f.headings) == 0 && f.pace.set {
		f.early = true
	}
	for _, h := range s.direction() {
		s.head(h)
	}
	s.got = true
	return taken
}

func (s *slotReader) howFar() step {
	v, n := amounts.Match(s.toks, s.i)
	if n == 0 {
		return pass
	}
	a := amountOf(v)
	s.i += n
	s.got = true
	if q, m := s.quantity(s.i); a.kind != 'l' || m == 0 || q.Dim != language.Angle { // else "just a little 5 degrees"
		s.attach(a)
	}
	return taken
}

// number reads degrees, turns or the time that the motion takes. A number of anything else ends the slots.
func (s *slotReader) number() step {
	q, n := s.quantity(s.i)
	if n == 0 {
		return pass
	}
	switch q.Dim {
	case language.Angle, language.NoUnit, language.Turns:
		amt := s.angle(s.i, q.Value)
		s.i += n
		if s.word(s.i) == "angle" || s.word(s.i) == "turn" {
			s.i++
		}
		if w := s.word(s.i + 1); s.word(s.i) == "of" && (isAxis(w) || w == "rotation") {
			s.i++
		}
		s.attach(amt)
		s.got = true
		return taken
	case language.Time:
		s.f.over = seconds{true, q.Value}
		return s.over(n)
	}
	return stop
}

func singleAntenna(part string) bool { return part == "leftAntenna" || part == "rightAntenna" }
