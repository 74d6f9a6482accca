package preference

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// Observation is a piece of feedback, and what the robot had chosen.
type Observation struct {
	ID      string         // of the feedback
	Person  string         // who said it; a session
	Choices map[string]int // the options that were in force, by parameter
	Reward  float64        // −1 … 1
	Meant   []string       // of reward.Meanings
	Weight  float64        // 0 … 1: how surely it is about these choices
}

// most is how many samples are thought over; older ones are forgotten.
const most = 100

// mostAlike is how many observations of the same choices are thought over.
const mostAlike = 8

// Thompson sampling draws from a narrower belief than there is: people notice changes for the sake of trying.
const (
	curiosity   = 0.3
	leastWeight = 0.05
)

// Learner knows what people like. Its methods may be called by many goroutines at once.
type Learner struct {
	// Random gives numbers in [0, 1) and normal ones; nil is the host's.
	random *rand.Rand

	mu    sync.Mutex
	fixed map[string]int
	seen  []Observation
	since int  // in seen, from which on tastes are as they are now
	fresh bool // belief is of what was seen
	all   *process
	known []bool          // parameters of which something was said
	whims map[string]bool // people whose feedback does not depend on what the robot does
}

// New returns a learner that has seen nothing. Options in fixed are the owner's and are never changed. seed is of its trials.
func New(fixed map[string]int, seed uint64) *Learner {
	return &Learner{fixed: fixed, random: rand.New(rand.NewPCG(seed, seed))} //nolint:gosec // a trial is no secret
}

// Fix replaces the options that are the owner's; fixed is not changed afterwards.
func (l *Learner) Fix(fixed map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fixed = fixed
}

// Learn takes one more piece of feedback.
func (l *Learner) Learn(o Observation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(o)
}

// take adds an observation, and looks whether it shows a new taste. l.mu is held.
func (l *Learner) take(o Observation) {
	l.seen, l.fresh = append(l.seen, o), false
	if n := len(l.seen) - l.since; n > window && n%lookEvery == 0 && l.changed() {
		l.since = len(l.seen) - window
	}
}

// changed says whether the last observations are better understood by themselves than with what came before. l.mu is held.
func (l *Learner) changed() bool {
	var before, lately []sample
	for i := max(l.since, len(l.seen)-most); i < len(l.seen); i++ {
		if s := direct(samplesOf(&l.seen[i])); i < len(l.seen)-window {
			before = append(before, s...)
		} else {
			lately = append(lately, s...)
		}
	}
	together := believe(slices.Concat(before, lately), true).logML
	return believe(before, true).logML+believe(lately, true).logML-together > surprised
}

// direct are the samples that were said themselves.
func direct(all []sample) []sample {
	return slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return s.implied })
}

const (
	window    = 14  // observations that may show that a taste has changed
	lookEvery = 3   // observations
	surprised = 7.0 // log evidence for a change
)

// Relearn forgets everything and takes these, oldest first.
func (l *Learner) Relearn(all []Observation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen, l.since, l.fresh = nil, 0, false
	for _, o := range all {
		l.take(o)
	}
}

// samplesOf are what an observation says.
func samplesOf(o *Observation) (out []sample) {
	if o.Weight < leastWeight {
		return nil
	}
	blamed := map[int]int{} // parameters that were named, and where they should have gone
	for i := range parameters {
		p := &parameters[i]
		if _, there := o.Choices[p.Name]; !there {
			continue
		}
		for _, m := range o.Meant {
			if slices.Contains(p.TooMuch, m) {
				blamed[i] = -1
			}
			if slices.Contains(p.TooLittle, m) {
				blamed[i] = 1
			}
		}
	}
	reward := sample{person: o.Person, mood: 1, y: o.Reward, noise: noisePlain / o.Weight}
	for i := range parameters {
		option, there := o.Choices[parameters[i].Name]
		way, named := blamed[i]
		if !there || option < 0 || option >= len(parameters[i].Options) {
			continue
		}
		if len(blamed) == 0 || named {
			reward.terms = append(reward.terms, term{i, option, 1})
		}
		if better := option + way; named && better >= 0 && better < len(parameters[i].Options) {
			out = append(out, sample{
				person: o.Person, terms: []term{{i, better, 1}, {i, option, -1}}, y: hintWorth, noise: noiseHint / o.Weight,
			})
		}
		// Who finds it too fast would find a still faster one worse.
		if worse := option - way; named && worse >= 0 && worse < len(parameters[i].Options) {
			out = append(out, sample{
				person: o.Person, terms: []term{{i, option, 1}, {i, worse, -1}}, y: hintWorth, noise: noiseHint / o.Weight,
				implied: true,
			})
		}
	}
	if len(reward.terms) > 0 {
		out = append(out, reward)
	}
	return out
}

// think brings the belief up to what was seen. l.mu is held.
func (l *Learner) think() {
	if l.fresh {
		return
	}
	l.known, l.whims = make([]bool, len(parameters)), map[string]bool{}
	of := map[string][]sample{}
	alike := map[string]int{}
	count := make([]int, len(parameters))
	n := 0
	for i := len(l.seen) - 1; i >= l.since && n < most; i-- {
		// What is chosen again and again must not crowd out why the other options were left.
		key := fmt.Sprint(l.seen[i].Person, l.seen[i].Choices)
		if alike[key]++; alike[key] > mostAlike {
			continue
		}
		touched := map[int]bool{}
		for _, s := range samplesOf(&l.seen[i]) {
			age := 0
			for _, t := range s.terms {
				touched[t.parameter] = true
				age = max(age, count[t.parameter])
			}
			s.noise /= math.Pow(forgetAfter, float64(age))
			of[s.person] = append(of[s.person], s)
			n++
		}
		for p := range touched {
			count[p]++
		}
	}
	var samples []sample
	for _, person := range slices.Sorted(maps.Keys(of)) {
		said := direct(of[person])
		if believe(said, true).logML < believe(said, false).logML-benefit {
			l.whims[person] = true
			continue
		}
		for _, s := range of[person] {
			for _, t := range s.terms {
				l.known[t.parameter] = true
			}
		}
		samples = append(samples, of[person]...)
	}
	l.all = believe(samples, true)
	l.fresh = true
}

// benefit is the log evidence to which somebody is believed to have a taste who seems to have none.
const benefit = 2.5

// Choose returns the option to take for a person: as a rule the one that is believed best, now and then another one that might
// be. Before anything was said about a parameter it is the usual one.
func (l *Learner) Choose(person, parameter string) int {
	p, option, known := l.settled(parameter)
	if known {
		return option
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.think()
	if !l.known[p] || l.whims[person] {
		return parameters[p].Usual
	}
	mean, spread := l.all.worth(person, p)
	best, most := parameters[p].Usual, math.Inf(-1)
	normal := make([]float64, len(mean))
	for i := range normal {
		normal[i] = curiosity * l.random.NormFloat64()
	}
	for o, v := range mean {
		for i, s := range spread[o] {
			v += s * normal[i]
		}
		if v > most {
			best, most = o, v
		}
	}
	return best
}

// Best returns the option that is believed best for a person, and whether that was learned.
func (l *Learner) Best(person, parameter string) (option int, learned bool) {
	p, option, known := l.settled(parameter)
	if known {
		return option, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.think()
	if !l.known[p] || l.whims[person] {
		return parameters[p].Usual, false
	}
	mean, _ := l.all.worth(person, p)
	best := parameters[p].Usual
	for o, v := range mean {
		if v > mean[best] {
			best = o
		}
	}
	return best, true
}

// settled returns the option of a parameter that cannot be learned: one that the owner has fixed, or none that there is.
func (l *Learner) settled(parameter string) (p, option int, known bool) {
	if p = index(parameter); p < 0 {
		return p, 0, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	option, known = l.fixed[parameter]
	return p, option, known
}
