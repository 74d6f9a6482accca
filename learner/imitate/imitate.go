// Package imitate learns from demonstrations: by cloning them, by asking the demonstrator again where the clone has gone
// (DAgger, Ross et al. 2011), and by becoming indistinguishable from them (GAIL, Ho and Ermon 2016).
package imitate

import (
	"math"
	"math/rand/v2"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/nn"
	"github.com/reachyd/reachyd/learner/policy"
	"github.com/reachyd/reachyd/learner/ppo"
)

// Set are observations, and what the demonstrator did. Actions are as the environment takes them.
type Set struct {
	Obs, Act [][]float32
	Episodes int
}

func (s *Set) add(obs, act []float32) {
	s.Obs = append(s.Obs, append([]float32(nil), obs...))
	s.Act = append(s.Act, append([]float32(nil), act...))
}

// Record lets a demonstrator act in episodes of seeds from first on, two apart.
func Record(e env.Env, who env.Controller, first uint64, episodes int) *Set {
	s := &Set{}
	s.live(e, first, episodes, who, who)
	return s
}

// live adds episodes in which one acts, and what the demonstrator would have done.
func (s *Set) live(e env.Env, first uint64, episodes int, acts, shows env.Controller) {
	obs := make([]float32, e.Spec().Observation.Dim())
	act, shown := make([]float32, e.Spec().Action.Dim()), make([]float32, e.Spec().Action.Dim())
	for i := range episodes {
		e.Reset(first+2*uint64(i), obs)
		acts.Begin()
		shows.Begin()
		for {
			shows.Act(obs, shown)
			s.add(obs, shown)
			copy(act, shown)
			if acts != shows {
				acts.Act(obs, act)
			}
			if e.Step(act, obs).Done() {
				break
			}
		}
	}
	s.Episodes += episodes
}

// actor is a policy as a controller.
type actor struct{ *policy.Policy }

// Begin implements env.Controller.
func (actor) Begin() {}

const (
	batch = 64
	rate  = 1e-3
)

// Clone fits a policy to a set: the mean of a Gaussian by least squares.
func Clone(spec env.Spec, s *Set, seed uint64, epochs int) *policy.Policy {
	rng := rand.New(rand.NewPCG(seed, 0xc10e))
	p := policy.New(rng, spec, policy.Gaussian, nn.Tanh, 64)
	p.Norm = nn.NewNormalizer(spec.Observation.Dim(), 10)
	for _, o := range s.Obs {
		p.Norm.Add(o)
	}
	for i := range p.LogStd {
		p.LogStd[i] = -1.5
	}
	fit(p, s, rng, epochs)
	return p
}

func fit(p *policy.Policy, s *Set, rng *rand.Rand, epochs int) {
	in, out := p.Net.In(), p.Net.Out()
	x, want := make([]float32, 0, batch*in), make([]float32, 0, batch*out)
	unit, d := make([]float32, out), make([]float32, batch*out)
	adam := nn.NewAdam(rate, 1e-8, p.Net.Params())
	order := rng.Perm(len(s.Obs))
	for epoch := range epochs {
		adam.Rate = rate * (1 - float64(epoch)/float64(epochs))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at < len(order); at += batch {
			idx := order[at:min(at+batch, len(order))]
			x, want = x[:0], want[:0]
			for _, i := range idx {
				x = append(x, p.Observe(s.Obs[i])...)
				p.Unit(s.Act[i], unit)
				want = append(want, unit...)
			}
			y := p.Net.Forward(x, len(idx))
			for i := range y {
				d[i] = (y[i] - want[i]) / float32(len(idx))
			}
			p.Net.ZeroGrads()
			p.Net.Backward(d[:len(y)])
			nn.ClipNorm(1, p.Net.Grads())
			adam.Update([][]float32{p.Net.Params()}, [][]float32{p.Net.Grads()})
		}
	}
}

// DAgger clones, lets the clone act, asks the demonstrator what would have been right there, and clones again.
func DAgger(e env.Env, who env.Controller, s *Set, seed uint64, rounds, episodes, epochs int) *policy.Policy {
	all := &Set{Obs: append([][]float32(nil), s.Obs...), Act: append([][]float32(nil), s.Act...), Episodes: s.Episodes}
	p := Clone(e.Spec(), all, seed, epochs)
	for i := range rounds {
		all.live(e, seed<<32|uint64(1000*(i+1))<<1, episodes, actor{p}, who)
		p = Clone(e.Spec(), all, seed, epochs)
	}
	return p
}

// judged is an environment whose reward is how much an action is like the demonstrator's.
type judged struct {
	env.Env

	judge *judge
	obs   []float32
}

// Reset implements env.Env.
func (j *judged) Reset(seed uint64, obs []float32) {
	j.Env.Reset(seed, obs)
	j.obs = append(j.obs[:0], obs...)
}

// Step implements env.Env.
func (j *judged) Step(action, obs []float32) env.Outcome {
	reward := j.judge.reward(j.obs, action)
	j.judge.seen.add(j.obs, action)
	o := j.Env.Step(action, obs)
	o.Reward = reward
	j.obs = append(j.obs[:0], obs...)
	return o
}

// judge tells the demonstrator's steps from the policy's.
type judge struct {
	net  *nn.MLP
	norm *nn.Normalizer
	adam *nn.Adam
	rng  *rand.Rand
	real *Set
	seen Set
	x    []float32
}

func newJudge(spec env.Spec, s *Set, norm *nn.Normalizer, seed uint64) *judge {
	rng := rand.New(rand.NewPCG(seed, 0xd15c))
	j := &judge{rng: rng, real: s, norm: norm}
	j.net = nn.NewMLP(rng, nn.Tanh, 1, spec.Observation.Dim()+spec.Action.Dim(), 64, 64, 1)
	j.adam = nn.NewAdam(rate, 1e-8, j.net.Params())
	return j
}

func (j *judge) pair(obs, act []float32) []float32 {
	n := len(obs)
	if len(j.x) != n+len(act) {
		j.x = make([]float32, n+len(act))
	}
	j.norm.Apply(obs, j.x[:n])
	copy(j.x[n:], act)
	return j.x
}

// reward is log D − log(1 − D) of a step, within ±3. It has both signs, unlike the two alone, so that neither putting off the
// end of an episode nor hurrying to it pays by itself.
func (j *judge) reward(obs, act []float32) float64 {
	const most = 3
	return max(-most, min(most, float64(j.net.Forward(j.pair(obs, act), 1)[0])))
}

// learn goes over what the policy did since the last time, against as many steps of the demonstrator.
func (j *judge) learn() {
	const passes = 4
	for range passes {
		j.pass()
	}
	j.seen = Set{}
}

func (j *judge) pass() {
	for at := 0; at+batch <= len(j.seen.Obs); at += batch {
		x := make([]float32, 0, 2*batch*j.net.In())
		for i := range batch {
			x = append(x, j.pair(j.seen.Obs[at+i], j.seen.Act[at+i])...)
		}
		for range batch {
			k := j.rng.IntN(len(j.real.Obs))
			x = append(x, j.pair(j.real.Obs[k], j.real.Act[k])...)
		}
		y := j.net.Forward(x, 2*batch)
		d := make([]float32, 2*batch)
		for i, logit := range y {
			real := 0.0
			if i >= batch {
				real = 1
			}
			d[i] = float32((1/(1+math.Exp(-float64(logit))) - real) / (2 * batch))
		}
		j.net.ZeroGrads()
		j.net.Backward(d)
		j.adam.Update([][]float32{j.net.Params()}, [][]float32{j.net.Grads()})
	}
}

// GAIL begins with a clone and rewards it for what a judge takes for the demonstrator's, for so many updates of ten episodes.
func GAIL(e env.Env, s *Set, seed uint64, updates, epochs int) (*policy.Policy, error) {
	clone := Clone(e.Spec(), s, seed, epochs)
	j := newJudge(e.Spec(), s, clone.Norm, seed)
	const episodes = 10
	cfg := ppo.Defaults()
	cfg.Seed, cfg.Episodes, cfg.Total = seed, episodes, updates*episodes
	cfg.LogStd, cfg.Rate, cfg.Gamma, cfg.Lambda, cfg.TargetKL = -2.3, 1e-4, 0.95, 0.9, 0.01
	cfg.Epochs = 4
	t := ppo.New(cfg, func() env.Env { return &judged{Env: e, judge: j} })
	if err := t.Begin(clone); err != nil {
		return nil, err
	}
	for range updates {
		if _, err := t.Iterate(nil); err != nil {
			return nil, err
		}
		j.learn()
	}
	return t.Policy(), nil
}

var _ env.Controller = actor{}
