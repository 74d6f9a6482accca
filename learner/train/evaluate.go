package train

import (
	"errors"
	"math"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/policy"
)

// Report is what an evaluation found.
type Report struct {
	Task        string  `json:"task"`
	Who         string  `json:"who"`      // what acted: "learned", "classical"
	On          string  `json:"on"`       // what it was tried on, in words
	Episodes    int     `json:"episodes"` //
	Success     float64 `json:"success"`  // part of the episodes
	SuccessLow  float64 `json:"success_low"`
	SuccessHigh float64 `json:"success_high"` // the 95 % confidence interval of Success
	Return      float64 `json:"return"`       // mean
	ReturnError float64 `json:"return_error"` // half of the 95 % confidence interval of Return
	Merit       float64 `json:"merit"`        // mean of the episodes that were a success: s until done, or degrees off
	Unsafe      float64 `json:"unsafe"`       // part of the actions that the envelope had to change
	Foreign     float64 `json:"foreign"`      // part of the actions that were the classical solution's, because the policy knew nothing of it
}

// Actor acts: a policy or a classical solution.
type Actor interface {
	Begin()
	Act(obs, action []float32)
}

// learned is a policy as an Actor.
type learned struct{ *policy.Policy }

func (learned) Begin() {}

// Learned is a policy as an Actor.
func Learned(p *policy.Policy) Actor { return learned{p} }

// foreignFrom is by how many standard deviations a number of an observation may be off what training has shown.
const foreignFrom = 6.0

// Guarded is a policy that lets the classical solution act where an observation is nothing like what training has shown.
type Guarded struct {
	Policy  *policy.Policy
	Classic Actor

	Asked, Foreign int // actions, and those that the classical solution took
}

// Begin implements Actor.
func (g *Guarded) Begin() { g.Classic.Begin() }

// Act implements Actor.
func (g *Guarded) Act(obs, action []float32) {
	g.Asked++
	g.Policy.Act(obs, action)
	if n := g.Policy.Norm; n != nil && n.Distance(obs) > foreignFrom {
		g.Foreign++
		g.Classic.Act(obs, action)
	}
}

// errHalted means that the robot itself does not go on.
var errHalted = errors.New("the robot does not go on")

// Evaluate lets who act in episodes of evaluation, which no training has seen. Pause, if not nil, is called before each
// episode; its error ends the evaluation.
func Evaluate(e env.Env, who Actor, episodes int, pause func() error) (Report, error) {
	spec := e.Spec()
	obs, action := make([]float32, spec.Observation.Dim()), make([]float32, spec.Action.Dim())
	r := Report{Task: spec.ID, Episodes: episodes}
	var done, actions, unsafe int
	var sum, square, merit float64
	for i := range episodes {
		if pause != nil {
			if err := pause(); err != nil {
				return r, err
			}
		}
		e.Reset(evaluationSeed(i), obs)
		who.Begin()
		total := 0.0
		for {
			who.Act(obs, action)
			o := e.Step(action, obs)
			total += o.Reward
			actions++
			unsafe += o.Unsafe
			if o.Halted {
				return r, errHalted
			}
			if o.Done() {
				if o.Success {
					done++
					merit += o.Merit
				}
				break
			}
		}
		sum += total
		square += total * total
	}
	n := float64(episodes)
	r.Success = float64(done) / n
	r.SuccessLow, r.SuccessHigh = wilson(done, episodes)
	r.Return = sum / n
	r.ReturnError = 1.96 * math.Sqrt(max(0, square/n-r.Return*r.Return)/n)
	if done > 0 {
		r.Merit = merit / float64(done)
	}
	r.Unsafe = float64(unsafe) / float64(max(1, actions))
	if g, ok := who.(*Guarded); ok {
		r.Foreign = float64(g.Foreign) / float64(max(1, g.Asked))
	}
	return r, nil
}

// evaluationSeed is odd; the seeds of training are even.
func evaluationSeed(i int) uint64 { return 0xe7a1<<40 | uint64(i)<<1 | 1 }

// wilson is the 95 % confidence interval of a probability, of which k in n were seen.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, middle-half), min(1, middle+half)
}
