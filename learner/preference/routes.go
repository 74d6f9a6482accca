package preference

import (
	"math"
	"strings"
	"sync"
)

// Routed is what was thought of a way to answer a sentence.
type Routed struct {
	Person string
	Asked  string // the sentence
	Way    string // who answered it, or that it was asked about
	Usual  string // what the rules would have done
	Reward float64
	Weight float64 // 0 … 1: how surely it is about this
}

// What is believed of ways to answer before anybody has said anything.
const (
	wayVariance  = 0.25
	wayUsual     = 0.2 // by which what the rules guess is thought better
	wayNoise     = 0.2 // variance of a reward
	wayMost      = 200 // that are thought over
	shortWord    = 4   // letters; shorter words say little of what a sentence is about
	shortCounts  = 0.3
	disappointed = 0.6 // standard deviations that the rules' guess must be below another way
)

// When somebody is gone by: the log evidence that they mean what they say, and what is believed of those who do not.
const (
	wayTaste  = 0.3  // variance of what a way to answer a sentence is worth to somebody who means it
	wayDrift  = 0.04 // variance of the mood of somebody who does not
	driftOver = 10.0 // verdicts, after which that mood is e times less the same
	meant     = 0.8
	meantMore = 0.45 // for each time that another way than the rules' was judged
	mostLeft  = 10   // such times that count
)

// wayWhims are variances of the rewards of somebody who means nothing by them.
var wayWhims = []float64{0.15, 0.3}

// Routes is a contextual bandit over ways to answer a sentence of which no rule is sure. Sentences are alike as far as they share
// words. It leaves what the rules guess only where people were disappointed by that with sentences like this one. Its methods may
// be called by many goroutines at once.
type Routes struct {
	mu   sync.Mutex
	seen []routed
	sure map[string]bool // whether people mean what they say, of whom it was asked since the last verdict
}

type routed struct {
	Routed
	bag map[string]float64 // of length 1
}

// bagOf are the words of a sentence as a vector of length 1.
func bagOf(text string) map[string]float64 {
	bag := map[string]float64{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r <= 127 && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		bag[w] = 1
		if len(w) < shortWord {
			bag[w] = shortCounts
		}
	}
	sum := 0.0
	for _, v := range bag {
		sum += v * v
	}
	for w := range bag {
		bag[w] /= math.Sqrt(sum)
	}
	return bag
}

// alike is the cosine of two sentences.
func alike(a, b map[string]float64) float64 {
	cos := 0.0
	for w, v := range a {
		cos += v * b[w]
	}
	return cos
}

// Learn takes one more.
func (r *Routes) Learn(o Routed) {
	if o.Weight < leastWeight {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.sure = append(r.seen[max(0, len(r.seen)-wayMost+1):], routed{o, bagOf(o.Asked)}), map[string]bool{}
}

// Relearn forgets everything and takes these, oldest first.
func (r *Routes) Relearn(all []Routed) {
	r.mu.Lock()
	r.seen, r.sure = nil, map[string]bool{}
	r.mu.Unlock()
	for _, o := range all {
		r.Learn(o)
	}
}

// think factors what those who mean it said about a way: the covariance, and its factor's inverse times what was not expected. r.mu is held.
func (r *Routes) think(way string) (of []*routed, lower [][]float64, left []float64) {
	for i := range r.seen {
		if s := &r.seen[i]; s.Way == way && r.means(s.Person) {
			of = append(of, s)
		}
	}
	lower, left = make([][]float64, len(of)), make([]float64, len(of))
	for i, s := range of {
		lower[i] = make([]float64, i+1)
		for j := range i + 1 {
			lower[i][j] = kin(s.Person, of[j].Person) * alike(s.bag, of[j].bag)
		}
		lower[i][i] += wayNoise / s.Weight
		left[i] = s.Reward - before(s.Way, s.Usual)
	}
	cholesky(lower)
	forward(lower, left)
	return of, lower, left
}

// kin is the covariance of what two people think of a way to answer the same sentence.
func kin(a, b string) float64 {
	if a == b {
		return wayVariance
	}
	return wayVariance * kinship
}

// worth is what a way is believed to be worth for a sentence, and the standard deviation of that. r.mu is held.
func (r *Routes) worth(person string, bag map[string]float64, way, usual string) (mean, spread float64) {
	of, lower, left := r.think(way)
	reach := make([]float64, len(of))
	for i, s := range of {
		reach[i] = kin(person, s.Person) * alike(bag, s.bag)
	}
	forward(lower, reach)
	mean, variance := before(way, usual), wayVariance
	for i := range reach {
		mean += reach[i] * left[i]
		variance -= reach[i] * reach[i]
	}
	return mean, math.Sqrt(max(0, variance))
}

// means reports whether what a person says is to be gone by: it must be better understood as depending on the sentence and on who
// answers than as whims and moods, by the more the more often another way was taken already. r.mu is held.
func (r *Routes) means(person string) bool {
	if means, known := r.sure[person]; known {
		return means
	}
	var said []*routed
	left := 0
	for i := range r.seen {
		if s := &r.seen[i]; s.Person == person {
			said = append(said, s)
			if s.Way != s.Usual {
				left++
			}
		}
	}
	byWay := evidence(said, wayNoise, func(i, j int) float64 {
		if said[i].Way != said[j].Way {
			return 0
		}
		return wayTaste * alike(said[i].bag, said[j].bag)
	})
	byMood := math.Inf(-1)
	for _, noise := range wayWhims {
		byMood = max(byMood, evidence(said, noise, func(i, j int) float64 {
			return wayDrift * math.Exp(float64(j-i)/driftOver)
		}))
	}
	r.sure[person] = byWay-byMood > meant+meantMore*float64(min(left, mostLeft))
	return r.sure[person]
}

// evidence is the log evidence of what somebody said, for its covariance and the noise in it, of which a constant is left out.
func evidence(said []*routed, noise float64, covariance func(i, j int) float64) (sum float64) {
	lower, left := make([][]float64, len(said)), make([]float64, len(said))
	for i, s := range said {
		lower[i] = make([]float64, i+1)
		for j := range i + 1 {
			lower[i][j] = covariance(i, j)
		}
		lower[i][i] += noise / s.Weight
		left[i] = s.Reward
	}
	cholesky(lower)
	forward(lower, left)
	for i, v := range left {
		sum -= v*v/2 + math.Log(lower[i][i])
	}
	return sum
}

// before is what a way is thought to be worth at first.
func before(way, usual string) float64 {
	if way == usual {
		return wayUsual
	}
	return 0
}

// Choose returns the way to answer a sentence for a person, of those there are, and whether that was learned: else it is what the
// rules guess, which is usual.
func (r *Routes) Choose(person, text, usual string, ways []string) (way string, learned bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) == 0 || !r.means(person) {
		return usual, false
	}
	bag := bagOf(text)
	mean, spread := r.worth(person, bag, usual, usual)
	best := mean + disappointed*spread
	way = usual
	for _, w := range ways {
		if m, _ := r.worth(person, bag, w, usual); w != usual && m > best {
			way, best, learned = w, m, true
		}
	}
	return way, learned
}
