package preference

import "math"

// term is a part of what was observed: an option of a parameter, times a factor. A reward is the sum of those that were chosen;
// "too fast" is the difference of two.
type term struct {
	parameter, option int
	factor            float64
}

// sample is one number that is known of the unknown worth of options.
type sample struct {
	person string
	terms  []term
	mood   float64 // how much a person's general mood is in it: 1 in a reward, 0 in a comparison
	y      float64
	noise  float64 // variance
	// implied is what follows from what was said: it is no evidence that somebody means what they say.
	implied bool
}

// What is believed before anybody has said anything.
const (
	variance    = 0.35 // of the worth of an option
	moodSpread  = 0.15 // variance of a person's general mood
	kinship     = 0.5  // what a person's taste says of another's
	neighbours  = 1.2  // options over which what is said of one reaches
	unordered   = 0.1  // what an option says of another where they have no order
	usualBonus  = 0.15 // by which the usual option is thought better
	noisePlain  = 0.12 // variance of a reward
	noiseHint   = 0.10 // variance of a comparison
	whimsy      = 0.21 // variance of the rewards of somebody who means nothing by them, above noisePlain
	hintWorth   = 0.6  // by how much the next option is better, when it is said that this one is too much
	forgetAfter = 0.99 // what a sample of a parameter counts when one more has come
)

// like is the covariance of the worth of two options of a parameter for the same person.
func like(p *Parameter, a, b int) float64 {
	switch {
	case a == b:
		return variance
	case !p.Ordered:
		return variance * unordered
	}
	d := float64(a-b) / neighbours
	return variance * math.Exp(-d*d/2)
}

// covariance is that of two samples, without noise; without taste only that of moods.
func covariance(a, b *sample, taste bool) float64 {
	same := kinship
	if a.person == b.person {
		same = 1
	}
	sum := moodSpread * a.mood * b.mood
	if !taste {
		return same * sum
	}
	for _, s := range a.terms {
		for _, t := range b.terms {
			if s.parameter == t.parameter {
				sum += s.factor * t.factor * like(&parameters[s.parameter], s.option, t.option)
			}
		}
	}
	return same * sum
}

// prior is what a sample was expected to be.
func prior(s *sample) float64 {
	sum := 0.0
	for _, t := range s.terms {
		if t.option == parameters[t.parameter].Usual {
			sum += t.factor * usualBonus
		}
	}
	return sum
}

// process is what is believed after samples.
type process struct {
	samples []sample
	lower   [][]float64 // Cholesky factor of their covariance
	alpha   []float64   // its inverse times what was not expected
	logML   float64     // log evidence
}

// believe makes a process of samples. With taste false it believes that nothing that was said depends on what was chosen, and that
// people say the one thing or the other as it comes.
func believe(samples []sample, taste bool) *process {
	n := len(samples)
	p := &process{samples: samples, lower: make([][]float64, n), alpha: make([]float64, n)}
	for i := range samples {
		p.lower[i] = make([]float64, i+1)
		for j := range i + 1 {
			p.lower[i][j] = covariance(&samples[i], &samples[j], taste)
		}
		p.lower[i][i] += samples[i].noise
		p.alpha[i] = samples[i].y
		switch {
		case taste:
			p.alpha[i] -= prior(&samples[i])
		case samples[i].mood == 0:
			p.lower[i][i] += hintWorth * hintWorth
		default:
			p.lower[i][i] += whimsy
		}
	}
	p.logML = -float64(n) / 2 * math.Log(2*math.Pi)
	cholesky(p.lower)
	forward(p.lower, p.alpha)
	for i, v := range p.alpha {
		p.logML -= v*v/2 + math.Log(p.lower[i][i])
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			p.alpha[i] -= p.lower[j][i] * p.alpha[j]
		}
		p.alpha[i] /= p.lower[i][i]
	}
	return p
}

// cholesky factors a symmetric matrix, of which the lower half is given, in place.
func cholesky(a [][]float64) {
	for i := range a {
		for j := range i + 1 {
			s := a[i][j]
			for k := range j {
				s -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(math.Max(s, 1e-9))
			} else {
				a[i][j] = s / a[j][j]
			}
		}
	}
}

// forward solves with a lower triangle, in place.
func forward(lower [][]float64, v []float64) {
	for i := range v {
		for j := range i {
			v[i] -= lower[i][j] * v[j]
		}
		v[i] /= lower[i][i]
	}
}

// worth returns what the options of a parameter are believed to be worth for a person, and the Cholesky factor of how unsure
// that is.
func (p *process) worth(person string, parameter int) (mean []float64, spread [][]float64) {
	options := parameters[parameter].Options
	mean = make([]float64, len(options))
	spread = make([][]float64, len(options))
	reach := make([][]float64, len(options))
	asked := make([]sample, len(options))
	for o := range options {
		asked[o] = sample{person: person, terms: []term{{parameter, o, 1}}}
		mean[o] = prior(&asked[o])
		reach[o] = make([]float64, len(p.samples))
		for i := range p.samples {
			reach[o][i] = covariance(&asked[o], &p.samples[i], true)
			mean[o] += reach[o][i] * p.alpha[i]
		}
		forward(p.lower, reach[o])
		spread[o] = make([]float64, o+1)
		for q := range o + 1 {
			spread[o][q] = covariance(&asked[o], &asked[q], true)
			for i := range reach[o] {
				spread[o][q] -= reach[o][i] * reach[q][i]
			}
		}
		spread[o][o] += 1e-6
	}
	cholesky(spread)
	return mean, spread
}
