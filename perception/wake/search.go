package wake

import (
	"fmt"
	"math"
	"strings"
)

// Limits of a phrase in time, in outputs of the network.
const (
	longest = 1600 * Rate / 1000 / StepSize // from its first sound to its last
	quiet   = 500 * Rate / 1000 / StepSize  // after a phrase, in which no other ends
	patient = 150 * Rate / 1000 / StepSize  // while its last sound is held, before it is told
)

// Found is a phrase that was heard. Samples count from the beginning of the sound.
type Found struct {
	Begin, End int     // samples: of the first sound, behind the last
	Confidence float64 // 0…1: the mean over the sounds of how likely each was against what was most likely there
	Worst      float64 // 0…1: the same of the least likely sound, where it is likeliest
}

// Search looks for a phrase in what the network tells, in every way in which it is said.
type Search struct {
	lines     []line
	worst     float32
	step      int     // outputs so far
	best      Found   // that was not told yet: its end may still move
	mean      float32 // logarithm of best.Confidence
	waits     int     // steps since there is one; 0: there is none
	notBefore int     // the next phrase ends
}

// line is one way to say the phrase. A path through it gives each output to a sound or, between two of them, to the blank, and costs the
// logarithm of how much likelier another symbol was. There is one for each output at which it can begin: the best of all would hide a later
// one that is short enough.
type line struct {
	states []state
	sounds int
	floor  float32 // of a path; one below can be no phrase any more
	paths  [longest]path
}

// state is a sound of the phrase, or the blank between two.
type state struct {
	symbol int
	sound  bool
	skips  bool // the blank before it may be missing
}

// path is the best one through the states that begins at a step.
type path struct {
	begin int
	alive bool
	cells [2*maxSounds - 1]cell
}

// cell is a path as far as a state: logarithms of all of it, of its worst sound, and of the best step of the sound that it is in.
type cell struct{ all, worst, own float32 }

var never = float32(math.Inf(-1))

// NewSearch returns a search for the phrase that is said in these ways, at least so likely.
func (n *Network) NewSearch(phrase string, ways Ways, threshold, worst float64) (*Search, error) {
	numbered, err := n.numbers(phrase, ways)
	if err != nil {
		return nil, err
	}
	s := &Search{worst: logOf(worst), lines: make([]line, len(ways))}
	for i, symbols := range numbered {
		l := &s.lines[i]
		l.sounds, l.floor = len(symbols), float32(len(symbols))*logOf(threshold)
		for i, symbol := range symbols {
			if i > 0 {
				l.states = append(l.states, state{})
			}
			l.states = append(l.states, state{symbol, true, i > 0 && symbols[i-1] != symbol})
		}
	}
	return s, nil
}

// logOf is the logarithm of a likelihood; of none it is so low that all are above.
func logOf(likely float64) float32 { return float32(max(math.Log(likely), -1e6)) }

// Reset begins another sound.
func (s *Search) Reset() {
	s.step, s.waits, s.notBefore = 0, 0, 0
	s.forget()
}

func (s *Search) forget() {
	for i := range s.lines {
		for k := range s.lines[i].paths {
			s.lines[i].paths[k].alive = false
		}
	}
}

// Step takes an output of the network, and reports a phrase when it has become no better: its last sound is over.
func (s *Search) Step(logs []float32) (Found, bool) {
	top := logs[0]
	for _, v := range logs {
		top = max(top, v)
	}
	better := false
	for i := range s.lines {
		l := &s.lines[i]
		s.begin(l, logs[l.states[0].symbol]-top)
		for k := range l.paths {
			p := &l.paths[k]
			if !p.alive {
				continue
			}
			if p.begin < s.step {
				s.follow(l, p, logs, top)
			}
			better = s.ends(l, p) || better
		}
	}
	s.step++
	if s.waits > 0 {
		s.waits++
	}
	if better && s.waits <= patient {
		return Found{}, false
	}
	return s.Flush()
}

// Flush reports the phrase that waits for a better end, as at the end of a sound.
func (s *Search) Flush() (Found, bool) {
	if s.waits == 0 {
		return Found{}, false
	}
	s.waits, s.notBefore = 0, s.step+quiet
	s.forget()
	return s.best, true
}

// begin begins a path here, with the first sound.
func (s *Search) begin(l *line, cost float32) {
	p := &l.paths[s.step%longest]
	p.begin, p.alive = s.step, cost >= l.floor
	for i := range l.states {
		p.cells[i] = cell{all: never}
	}
	p.cells[0] = cell{all: cost, own: cost}
}

// follow takes a path a step on.
func (s *Search) follow(l *line, p *path, logs []float32, top float32) {
	p.alive = false
	for i := len(l.states) - 1; i >= 0; i-- { // from the last: those before it are still those of the step before
		st, c := &l.states[i], &p.cells[i]
		cost := logs[st.symbol] - top
		next := *c
		next.own = max(next.own, cost)
		if i > 0 {
			if before := p.cells[i-1]; before.all > next.all {
				next = entered(before, cost, !st.sound)
			}
		}
		if st.skips {
			if before := p.cells[i-2]; before.all > next.all {
				next = entered(before, cost, true)
			}
		}
		next.all += cost
		if !(next.all >= l.floor) || next.worst < s.worst {
			next.all = never
		}
		*c = next
		p.alive = p.alive || next.all > never
	}
}

// entered is a path that enters a state; the sound that it was in, if it was in one, is over.
func entered(before cell, cost float32, leaves bool) cell {
	if leaves {
		before.worst = min(before.worst, before.own)
	}
	before.own = cost
	return before
}

// ends takes a path whose end is as good as the best so far, and reports whether it is. Of two as good that of the later beginning is taken.
func (s *Search) ends(l *line, p *path) bool {
	last, end := &p.cells[len(l.states)-1], s.step*StepSize+stepReach
	mean := last.all / float32(l.sounds)
	switch {
	case last.all == never, last.own < s.worst, s.step < s.notBefore, s.waits > 0 && mean < s.mean:
		return false
	case s.waits > 0 && mean == s.mean && s.best.End == end && p.begin*StepSize < s.best.Begin:
		return true
	}
	s.mean, s.waits = mean, max(1, s.waits)
	s.best = Found{
		Begin: p.begin * StepSize, End: end,
		Confidence: math.Exp(float64(mean)), Worst: math.Exp(float64(min(last.worst, last.own))),
	}
	return true
}

// Spotter finds a phrase in a sound, as it comes.
type Spotter struct {
	stream *Stream
	search *Search
	found  Found
	is     bool
	tell   func([]float32)
}

// NewSpotter returns one that listens for a phrase; the ways to say it are those of Network.Sounds.
func (n *Network) NewSpotter(phrase string, ways Ways) (*Spotter, error) {
	if n.Threshold == 0 {
		return nil, fmt.Errorf("%w: it has no threshold yet: all sound would be the phrase", ErrFile)
	}
	search, err := n.NewSearch(phrase, ways, n.ThresholdOf(phrase), n.Worst)
	if err != nil {
		return nil, err
	}
	s := &Spotter{stream: n.NewStream(), search: search}
	s.tell = func(logs []float32) {
		if f, ok := s.search.Step(logs); ok {
			s.found, s.is = f, true
		}
	}
	return s, nil
}

// Hear takes any number of samples, and reports behind which sample of the sound a phrase ends that it has found in them, the newest.
func (s *Spotter) Hear(samples []float32) (end int, found bool) {
	s.is = false
	s.stream.Hear(samples, s.tell)
	return s.found.End, s.is
}

// Flush reports a phrase with which the sound has ended, and begins another sound.
func (s *Spotter) Flush() (end int, found bool) {
	s.is = false
	s.stream.Flush(s.tell)
	if f, ok := s.search.Flush(); ok {
		s.found, s.is = f, true
	}
	s.search.Reset()
	return s.found.End, s.is
}

// Found is the newest phrase that was found, in this sound or one before.
func (s *Spotter) Found() Found { return s.found }

// Reset begins another sound.
func (s *Spotter) Reset() {
	s.stream.Reset()
	s.search.Reset()
}

func join(sounds []string) string { return strings.Join(sounds, " ") }
