package nn

import (
	"fmt"
	"math"
)

// Adam is the optimiser of Kingma and Ba over one or more flat parameter slices. Its exported fields are its state.
type Adam struct {
	Rate, Beta1, Beta2, Epsilon float64

	Step int
	M, V [][]float32
}

// NewAdam returns an optimiser with the usual betas.
func NewAdam(rate, epsilon float64, groups ...[]float32) *Adam {
	a := &Adam{Rate: rate, Beta1: 0.9, Beta2: 0.999, Epsilon: epsilon}
	for _, g := range groups {
		a.M, a.V = append(a.M, make([]float32, len(g))), append(a.V, make([]float32, len(g)))
	}
	return a
}

// Fits reports whether state that was read belongs to these parameters.
func (a *Adam) Fits(groups ...[]float32) error {
	if len(a.M) != len(groups) || len(a.V) != len(groups) {
		return fmt.Errorf("nn: an optimiser of %d groups for %d", len(a.M), len(groups))
	}
	for i, g := range groups {
		if len(a.M[i]) != len(g) || len(a.V[i]) != len(g) {
			return fmt.Errorf("nn: an optimiser of %d parameters for %d in group %d", len(a.M[i]), len(g), i)
		}
	}
	return nil
}

// Update takes one step down the gradients; params[i] and grads[i] are those of group i.
func (a *Adam) Update(params, grads [][]float32) {
	a.Step++
	c1, c2 := 1-math.Pow(a.Beta1, float64(a.Step)), 1-math.Pow(a.Beta2, float64(a.Step))
	rate := float32(a.Rate * math.Sqrt(c2) / c1)
	eps := float32(a.Epsilon * math.Sqrt(c2))
	b1, b2 := float32(a.Beta1), float32(a.Beta2)
	for g := range params {
		p, m, v := params[g], a.M[g], a.V[g]
		for i, d := range grads[g] {
			m[i] = b1*m[i] + (1-b1)*d
			v[i] = b2*v[i] + (1-b2)*d*d
			p[i] -= rate * m[i] / (float32(math.Sqrt(float64(v[i]))) + eps)
		}
	}
}

// ClipNorm scales gradients so that their common Euclidean norm is at most limit, and returns the norm they had.
func ClipNorm(limit float64, grads ...[]float32) float64 {
	sum := 0.0
	for _, g := range grads {
		for _, v := range g {
			sum += float64(v) * float64(v)
		}
	}
	norm := math.Sqrt(sum)
	if norm > limit {
		k := float32(limit / norm)
		for _, g := range grads {
			for i := range g {
				g[i] *= k
			}
		}
	}
	return norm
}

// Copy returns an optimiser of its own with the same state.
func (a *Adam) Copy() Adam {
	c := *a
	c.M, c.V = clone(a.M), clone(a.V)
	return c
}

func clone(groups [][]float32) [][]float32 {
	all := make([][]float32, len(groups))
	for i, g := range groups {
		all[i] = append([]float32{}, g...)
	}
	return all
}
