package wake

import (
	"cmp"
	"fmt"
	"slices"
)

// Costs of an output of the network in an alignment: logarithms against what was likeliest there.
const (
	around = -4  // at most, of a sound before or behind the sentence: something else may be said around it
	floor  = -12 // at most, of a sound of the sentence: one that is missing altogether does not outweigh all others
)

// maxSentence is how many sounds a sentence may have.
const maxSentence = 80

// Sentence is something that may be said: the sounds of each of its words.
type Sentence [][]string

// Aligner lays sentences along a sound and tells how well each fits. It may be used from any goroutine.
type Aligner struct {
	n         *Network
	sentences []spelled
}

// spelled is a sentence in symbols of the network.
type spelled struct {
	states []state // what is before it, its sounds with a blank between two, what is behind it
	ends   []int   // of each word, in sounds
}

func (s *spelled) sounds() int { return len(s.states) / 2 }

// Fit is how a sentence lies along a sound. All are 0 where each of its sounds was the likeliest at its time and nothing else was said.
type Fit struct {
	Sentence int     // its number
	Mean     float64 // logarithm of the likelihood of its sounds against the likeliest, by sound
	Worst    float64 // the same of the word that fits least
	Beside   float64 // logarithm of the likelihood that nothing was said before and behind it, against what was likeliest there
	Ahead    float64 // by how much the logarithm of the whole is above that of the best other sentence
	Sounds   int     // how many it has
}

// NewAligner returns one for sentences that have words and sounds of the network.
func (n *Network) NewAligner(sentences []Sentence) (*Aligner, error) {
	a := &Aligner{n: n, sentences: make([]spelled, len(sentences))}
	for i, words := range sentences {
		var symbols, ends []int
		for _, word := range words {
			for _, sound := range word {
				symbol := slices.Index(n.Symbols, sound)
				if symbol < 1 {
					return nil, fmt.Errorf("sentence %d has the sound %q; allowed are %s", i, sound, join(n.Symbols[1:]))
				}
				symbols = append(symbols, symbol)
			}
			if len(word) == 0 {
				return nil, fmt.Errorf("sentence %d has a word without sounds", i)
			}
			ends = append(ends, len(symbols))
		}
		if len(symbols) == 0 || len(symbols) > maxSentence {
			return nil, fmt.Errorf("sentence %d has %d sounds; allowed are 1…%d", i, len(symbols), maxSentence)
		}
		a.sentences[i] = spelled{n.line(symbols), ends}
	}
	return a, nil
}

// line are the states of a sentence.
func (n *Network) line(symbols []int) []state {
	beside := state{symbol: len(n.Symbols)}
	states := []state{beside}
	for i, symbol := range symbols {
		if i > 0 {
			states = append(states, state{})
		}
		states = append(states, state{symbol, true, i > 0 && symbols[i-1] != symbol})
	}
	return append(states, beside)
}

// Fits returns the sentences that fit a sound best, the best first, and behind them those that are asked for.
func (a *Aligner) Fits(samples []float32, best int, asked ...int) []Fit {
	costs := a.n.costs(samples)
	if len(costs) == 0 || len(a.sentences) == 0 {
		return nil
	}
	totals := make([]float32, len(a.sentences))
	order := make([]int, len(a.sentences))
	for i := range a.sentences {
		order[i], totals[i] = i, a.sentences[i].total(costs)
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(totals[k], totals[i]) })
	if totals[order[0]] == never { // it is shorter than any
		return nil
	}
	fits := make([]Fit, 0, best+len(asked))
	for _, i := range append(slices.Clone(order[:min(best, len(order))]), asked...) {
		if slices.ContainsFunc(fits, func(f Fit) bool { return f.Sentence == i }) {
			continue
		}
		s := &a.sentences[i]
		f := Fit{Sentence: i, Mean: float64(totals[i]) / float64(s.sounds()), Sounds: s.sounds()}
		f.Worst, f.Beside = s.parts(costs)
		if other := order[min(1, len(order)-1)]; i == order[0] {
			f.Ahead = float64(totals[i] - totals[other])
		} else {
			f.Ahead = float64(totals[i] - totals[order[0]])
		}
		fits = append(fits, f)
	}
	return fits
}

// costs are the logarithms of each symbol against the likeliest, by output. Behind the last symbol stands the cost of what is said beside
// a sentence.
func (n *Network) costs(samples []float32) (costs [][]float32) {
	s := n.NewStream()
	tell := func(logs []float32) {
		row := make([]float32, len(logs)+1)
		top := slices.Max(logs)
		for i, v := range logs {
			row[i] = max(v-top, floor)
		}
		row[len(logs)] = max(row[0], around)
		costs = append(costs, row)
	}
	s.Hear(samples, tell)
	s.Flush(tell)
	return costs
}

// total is the logarithm of the best way along the sound.
func (s *spelled) total(costs [][]float32) float32 {
	way := s.begin(costs[0])
	for _, row := range costs[1:] {
		for i := len(way) - 1; i >= 0; i-- { // from the last: those before it are still those of the step before
			v, _ := s.into(way, i)
			way[i] = v + row[s.states[i].symbol]
		}
	}
	return max(way[len(way)-1], way[len(way)-2])
}

// begin is the way after the first output.
func (s *spelled) begin(row []float32) []float32 {
	way := make([]float32, len(s.states))
	for i := range way {
		way[i] = never
	}
	way[0], way[1] = row[s.states[0].symbol], row[s.states[1].symbol]
	return way
}

// into is the best way into a state, and from how many states before it that comes.
func (s *spelled) into(way []float32, i int) (v float32, from int) {
	v = way[i]
	if i > 0 && way[i-1] > v {
		v, from = way[i-1], 1
	}
	if s.states[i].skips && way[i-2] > v {
		v, from = way[i-2], 2
	}
	return v, from
}

// parts are the mean cost of a sound of the word that fits least, and the cost of what is beside the sentence, on the best way along the sound.
func (s *spelled) parts(costs [][]float32) (worst, beside float64) {
	way, from := s.begin(costs[0]), make([][]int, len(costs))
	for t, row := range costs {
		from[t] = make([]int, len(way))
		for i := len(way) - 1; i >= 0 && t > 0; i-- {
			var v float32
			v, from[t][i] = s.into(way, i)
			way[i] = v + row[s.states[i].symbol]
		}
	}
	at := len(way) - 1
	if way[at-1] > way[at] {
		at--
	}
	sounds := make([]float64, s.sounds())
	for t := len(costs) - 1; t >= 0; t-- {
		cost := float64(costs[t][s.states[at].symbol])
		switch {
		case s.states[at].sound:
			sounds[at/2] += cost
		case at > 0 && at < len(way)-1: // the blank is of both
			sounds[at/2-1] += cost / 2
			sounds[at/2] += cost / 2
		default:
			beside += cost
		}
		at -= from[t][at]
	}
	begin := 0
	for _, end := range s.ends {
		sum := 0.0
		for _, v := range sounds[begin:end] {
			sum += v
		}
		worst = min(worst, sum/float64(end-begin))
		begin = end
	}
	return worst, beside
}
