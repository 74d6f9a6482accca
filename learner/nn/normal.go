package nn

import "math"

// Normalizer keeps the running mean and variance of vectors and scales vectors by them. Its exported fields are its state.
type Normalizer struct {
	Count    float64
	Mean, M2 []float64 // M2 is the sum of squared differences from the mean
	Clip     float64   // of what Apply returns, ± this
	Frozen   bool      // Add changes nothing: a policy that is begun with must go on seeing what it saw
}

// NewNormalizer returns one for vectors of n numbers.
func NewNormalizer(n int, clip float64) *Normalizer {
	return &Normalizer{Mean: make([]float64, n), M2: make([]float64, n), Clip: clip}
}

// Add takes a vector in.
func (s *Normalizer) Add(x []float32) {
	if s.Frozen {
		return
	}
	s.Count++
	for i, v := range x {
		d := float64(v) - s.Mean[i]
		s.Mean[i] += d / s.Count
		s.M2[i] += d * (float64(v) - s.Mean[i])
	}
}

// Std is the standard deviation of component i, 1 before two vectors were seen.
func (s *Normalizer) Std(i int) float64 {
	if s.Count < 2 {
		return 1
	}
	return math.Sqrt(s.M2[i]/s.Count + 1e-8)
}

// Apply writes the scaled x into out, which may be x.
func (s *Normalizer) Apply(x, out []float32) {
	for i, v := range x {
		z := (float64(v) - s.Mean[i]) / s.Std(i)
		out[i] = float32(max(-s.Clip, min(s.Clip, z)))
	}
}

// Distance is the largest number of standard deviations by which a component is off its mean: how foreign x is. A component
// that never varied counts as 1e-2 wide.
func (s *Normalizer) Distance(x []float32) float64 {
	far := 0.0
	for i, v := range x {
		far = max(far, math.Abs(float64(v)-s.Mean[i])/max(s.Std(i), 1e-2))
	}
	return far
}
