// Package policy has what is learned: a network that says for an observation what to do, with all that it needs to be used
// again elsewhere.
package policy

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/nn"
)

// Kind says how the network's output becomes an action.
type Kind string

// The kinds of policies.
const (
	Choice   Kind = "choice"   // the greatest of the outputs
	Gaussian Kind = "gaussian" // outputs are the mean in [−1, 1], which the action space is scaled to
	Squashed Kind = "squashed" // outputs are mean and log deviation, brought into [−1, 1] by tanh
)

// Policy is a network with the scaling of its observations and actions. It belongs to one goroutine.
type Policy struct {
	Net    *nn.MLP
	Norm   *nn.Normalizer // nil: observations are taken as they are
	Kind   Kind
	LogStd []float32 // of a Gaussian
	Action env.Space

	scaled []float32
}

// New returns an untrained policy of two hidden layers for an environment.
func New(rng *rand.Rand, spec env.Spec, kind Kind, act nn.Activation, hidden int) *Policy {
	p := &Policy{Kind: kind, Action: spec.Action}
	out := spec.Action.Dim()
	switch kind {
	case Choice:
		out = spec.Action.N
	case Squashed:
		out *= 2
	case Gaussian:
		p.LogStd = make([]float32, out)
	}
	p.Net = nn.NewMLP(rng, act, 0.01, spec.Observation.Dim(), hidden, hidden, out)
	return p
}

// Observe returns the observation as the network takes it, valid until the next call.
func (p *Policy) Observe(obs []float32) []float32 {
	if p.Norm == nil {
		return obs
	}
	if len(p.scaled) != len(obs) {
		p.scaled = make([]float32, len(obs))
	}
	p.Norm.Apply(obs, p.scaled)
	return p.scaled
}

// Act writes the best action that the policy knows.
func (p *Policy) Act(obs, action []float32) {
	out := p.Net.Forward(p.Observe(obs), 1)
	switch p.Kind {
	case Choice:
		best := 0
		for i, v := range out {
			if v > out[best] {
				best = i
			}
		}
		action[0] = float32(best)
	case Gaussian:
		p.Scale(out, action)
	case Squashed:
		n := len(out) / 2
		for i, v := range out[:n] {
			action[i] = nn.Tanh32(v)
		}
		p.Scale(action[:n], action)
	}
}

// Scale brings numbers of [−1, 1] into the action space; what is beyond is cut off.
func (p *Policy) Scale(unit, action []float32) {
	for i, u := range unit {
		u = max(-1, min(1, u))
		action[i] = p.Action.Low[i] + (u+1)/2*(p.Action.High[i]-p.Action.Low[i])
	}
}

// Unit is the inverse of Scale.
func (p *Policy) Unit(action, unit []float32) {
	for i, a := range action {
		unit[i] = max(-1, min(1, 2*(a-p.Action.Low[i])/(p.Action.High[i]-p.Action.Low[i])-1))
	}
}

// Saved is a policy as it is kept in a file or a checkpoint.
type Saved struct {
	Task   string
	Sizes  []int
	Act    nn.Activation
	Params []float32
	Norm   *nn.Normalizer
	Kind   Kind
	LogStd []float32
	Action env.Space
}

// Save returns the policy as it is kept.
func (p *Policy) Save(task string) Saved {
	s := Saved{
		Task: task, Sizes: p.Net.Sizes, Act: p.Net.Act, Params: append([]float32(nil), p.Net.Params()...), Kind: p.Kind,
		LogStd: append([]float32(nil), p.LogStd...), Action: p.Action,
	}
	if p.Norm != nil {
		n := *p.Norm
		n.Mean, n.M2 = append([]float64(nil), n.Mean...), append([]float64(nil), n.M2...)
		s.Norm = &n
	}
	return s
}

const maxWidth = 4096

// Load makes a policy of what was kept. The error names what does not fit.
func (s Saved) Load() (*Policy, error) {
	if len(s.Sizes) < 2 {
		return nil, fmt.Errorf("policy: sizes %v: at least two are needed", s.Sizes)
	}
	for _, n := range s.Sizes {
		if n < 1 || n > maxWidth {
			return nil, fmt.Errorf("policy: sizes %v: each must be 1 to %d", s.Sizes, maxWidth)
		}
	}
	out := s.Sizes[len(s.Sizes)-1]
	want := map[Kind]int{Choice: s.Action.N, Gaussian: len(s.Action.Low), Squashed: 2 * len(s.Action.Low)}[s.Kind]
	if want != out || len(s.Action.Low) != len(s.Action.High) {
		return nil, fmt.Errorf("policy: %d outputs of kind %q for an action space that needs %d", out, s.Kind, want)
	}
	if s.Kind == Gaussian && len(s.LogStd) != out {
		return nil, fmt.Errorf("policy: %d deviations for %d outputs", len(s.LogStd), out)
	}
	if s.Norm != nil && (len(s.Norm.Mean) != s.Sizes[0] || len(s.Norm.M2) != s.Sizes[0]) {
		return nil, errors.New("policy: the normaliser is not as wide as the observation")
	}
	p := &Policy{Net: nn.NewMLP(rand.New(rand.NewPCG(1, 1)), s.Act, 1, s.Sizes...), Norm: s.Norm, Kind: s.Kind, LogStd: s.LogStd, Action: s.Action}
	return p, p.Net.SetParams(s.Params)
}
