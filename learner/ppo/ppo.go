// Package ppo is proximal policy optimisation (Schulman et al. 2017) with what makes it work in practice: generalised
// advantage estimation, clipping of ratios and values, an entropy bonus, normalised observations, rewards and advantages,
// minibatches, clipped gradients and a learning rate that falls.
package ppo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/nn"
	"github.com/reachyd/reachyd/learner/policy"
)

// Config are the settings of a run.
type Config struct {
	Seed     uint64
	Total    int // environment steps, or with Episodes episodes, of the whole run; the learning rate falls until then
	Envs     int
	Steps    int // of each environment between two updates
	Episodes int // instead of Steps: whole episodes of one environment between two updates

	Epochs, Batch  int
	Gamma, Lambda  float64
	Rate, EndRate  float64
	Clip           float64
	Entropy        float64 // weight of the entropy
	Value          float64 // weight of the value's loss
	MaxGrad        float64
	TargetKL       float64 // an update ends early beyond 1.5 of it; 0: never
	NormObs        bool
	NormReward     bool
	Hidden         int
	LogStd         float64 // with which a Gaussian begins
	EpisodesBefore int     // rollouts that only feed the normalisers
}

// Defaults returns the settings that work for most tasks.
func Defaults() Config {
	return Config{
		Total: 100_000, Envs: 8, Steps: 256, Epochs: 10, Batch: 64, Gamma: 0.99, Lambda: 0.95, Rate: 3e-4, Clip: 0.2, Value: 0.5,
		MaxGrad: 0.5, NormObs: true, NormReward: true, Hidden: 64,
	}
}

// Trainer is a run. It belongs to one goroutine.
type Trainer struct {
	// Human, if not nil, is what a person thinks of an episode that has just ended, already weighted. Only with Config.Episodes.
	Human func(env.Finished) float64

	cfg   Config
	spec  env.Spec
	envs  []*env.Episode
	pcg   *rand.PCG
	rng   *rand.Rand
	actor *policy.Policy
	value *nn.MLP
	adam  *nn.Adam
	dStd  []float32

	returns  *nn.Normalizer // of discounted returns, by which rewards are scaled
	running  []float64      // discounted return of each environment
	obs      [][]float32    // present observation of each environment
	episodes uint64         // begun so far; their seeds
	steps    int

	buf     rollout
	scratch scratch
}

// Stats tell of an update.
type Stats struct {
	Steps    int // environment steps since the beginning
	Finished []env.Finished
	Policy   float64 // losses, means over the last epoch
	Value    float64
	Entropy  float64
	KL       float64
	Clipped  float64 // part of the ratios
	Rate     float64
}

// New returns a run over environments that make makes.
func New(cfg Config, fresh func() env.Env) *Trainer {
	t := &Trainer{cfg: cfg, pcg: rand.NewPCG(cfg.Seed, 0x5851f42d4c957f2d)}
	t.rng = rand.New(t.pcg)
	if cfg.Episodes > 0 {
		t.cfg.Envs = 1
	}
	for range t.cfg.Envs {
		t.envs = append(t.envs, &env.Episode{Env: fresh()})
	}
	t.spec = t.envs[0].Spec()
	kind := policy.Gaussian
	if t.spec.Action.N > 0 {
		kind = policy.Choice
	}
	t.actor = policy.New(t.rng, t.spec, kind, nn.Tanh, cfg.Hidden)
	for i := range t.actor.LogStd {
		t.actor.LogStd[i] = float32(cfg.LogStd)
	}
	t.dStd = make([]float32, len(t.actor.LogStd))
	if cfg.NormObs {
		t.actor.Norm = nn.NewNormalizer(t.spec.Observation.Dim(), 10)
	}
	t.value = nn.NewMLP(t.rng, nn.Tanh, 1, t.spec.Observation.Dim(), cfg.Hidden, cfg.Hidden, 1)
	t.adam = nn.NewAdam(cfg.Rate, 1e-5, t.params()...)
	t.returns = nn.NewNormalizer(1, 10)
	t.running = make([]float64, len(t.envs))
	for i := range t.envs {
		t.obs = append(t.obs, make([]float32, t.spec.Observation.Dim()))
		t.begin(i)
	}
	return t
}

func (t *Trainer) params() [][]float32 {
	return [][]float32{t.actor.Net.Params(), t.actor.LogStd, t.value.Params()}
}

func (t *Trainer) grads() [][]float32 {
	return [][]float32{t.actor.Net.Grads(), t.dStd, t.value.Grads()}
}

// Policy is what has been learned so far; it changes with the next update.
func (t *Trainer) Policy() *policy.Policy { return t.actor }

// Steps are the environment steps so far.
func (t *Trainer) Steps() int { return t.steps }

// Begin takes over what another policy knows, for example one that was cloned from demonstrations.
func (t *Trainer) Begin(from *policy.Policy) error {
	if err := t.actor.Net.SetParams(from.Net.Params()); err != nil {
		return fmt.Errorf("ppo: begin with another policy: %w", err)
	}
	if from.Norm != nil {
		n := *from.Save("").Norm
		n.Frozen = true
		t.actor.Norm = &n
	}
	return nil
}

// begin starts the next episode of environment i. Seeds of training are even, those of evaluation odd.
func (t *Trainer) begin(i int) {
	t.envs[i].Reset(t.cfg.Seed<<32|t.episodes<<1, t.obs[i])
	t.episodes++
	t.running[i] = 0
	if t.actor.Norm != nil {
		t.actor.Norm.Add(t.obs[i])
	}
}

// Iterate lives through one rollout and learns from it. Before each step it calls pause, which may wait; an error of it
// ends the iteration, and the trainer must then be restored from a checkpoint.
func (t *Trainer) Iterate(pause func() error) (Stats, error) {
	s := Stats{}
	if err := t.collect(&s, pause); err != nil {
		return s, err
	}
	t.advantages()
	t.learn(&s)
	s.Steps = t.steps
	return s, nil
}

// rollout is what was lived through since the last update, step by step, in each step environment by environment.
type rollout struct {
	obs, act                      []float32 // as the network takes and gives them
	logp, reward, value, adv, ret []float64
	done                          []bool
	last                          []float64 // values of the observations after the last step
	n                             int
	obsWidth, actWidth            int
}

func (b *rollout) clear() {
	b.obs, b.act = b.obs[:0], b.act[:0]
	b.logp, b.reward, b.value, b.done = b.logp[:0], b.reward[:0], b.value[:0], b.done[:0]
	b.n = 0
}

func (t *Trainer) collect(s *Stats, pause func() error) error {
	b := &t.buf
	b.clear()
	width, n := t.spec.Observation.Dim(), len(t.envs)
	b.obsWidth, b.actWidth = width, t.spec.Action.Dim()
	batch, action := make([]float32, n*width), make([]float32, b.actWidth)
	unsafe := make([]int, n)
	halted := false // of the robot itself: it is learned from what there is
	for step := 0; !halted; step++ {
		if t.cfg.Episodes > 0 && len(s.Finished) >= t.cfg.Episodes || t.cfg.Episodes == 0 && step >= t.cfg.Steps {
			break
		}
		if pause != nil {
			if err := pause(); err != nil {
				return err
			}
		}
		for i := range t.envs {
			copy(batch[i*width:], t.actor.Observe(t.obs[i]))
		}
		out := t.actor.Net.Forward(batch, n)
		values := t.value.Forward(batch, n)
		b.obs = append(b.obs, batch...)
		for i, e := range t.envs {
			b.logp = append(b.logp, t.sample(out[i*len(out)/n:(i+1)*len(out)/n], action))
			b.value = append(b.value, float64(values[i]))
			o := e.Step(action, t.obs[i])
			unsafe[i] += o.Unsafe
			t.steps++
			b.n++
			t.take(i, o)
			if o.Done() {
				f := env.Finished{Return: e.Return, Steps: e.Steps, Outcome: o, Unsafe: unsafe[i]}
				s.Finished = append(s.Finished, f)
				unsafe[i] = 0
				if t.Human != nil {
					t.Credit(t.Human(f), creditDecay)
				}
				t.begin(i)
			}
			halted = halted || o.Halted
		}
	}
	for i := range t.envs {
		copy(batch[i*width:], t.actor.Observe(t.obs[i]))
	}
	b.last = b.last[:0]
	for _, v := range t.value.Forward(batch, n) {
		b.last = append(b.last, float64(v))
	}
	return nil
}

// sample draws an action from the network's output, keeps it in the rollout and writes it as the environment takes it.
func (t *Trainer) sample(out, action []float32) float64 {
	b := &t.buf
	if t.actor.Kind == policy.Choice {
		p := t.scratch.floats(len(out))
		norm := nn.Softmax(out, p)
		u, choice := t.rng.Float64(), len(p)-1
		for i, v := range p {
			if u -= float64(v); u < 0 {
				choice = i
				break
			}
		}
		action[0] = float32(choice)
		b.act = append(b.act, float32(choice))
		return float64(out[choice]) - norm
	}
	x := t.scratch.floats(len(out))
	for i, m := range out {
		x[i] = m + float32(math.Exp(float64(t.actor.LogStd[i]))*t.rng.NormFloat64())
	}
	t.actor.Scale(x, action)
	b.act = append(b.act, x...)
	return nn.GaussianLogProb(x, out, t.actor.LogStd)
}

// take keeps the outcome of the last step of environment i.
func (t *Trainer) take(i int, o env.Outcome) {
	b := &t.buf
	r := o.Reward
	if t.cfg.NormReward {
		t.running[i] = t.running[i]*t.cfg.Gamma + r
		t.returns.Add([]float32{float32(t.running[i])})
		r = max(-10, min(10, r/t.returns.Std(0)))
	}
	if t.actor.Norm != nil {
		t.actor.Norm.Add(t.obs[i])
	}
	if o.Truncated && !o.Terminated { // what would have come counts
		r += t.cfg.Gamma * float64(t.value.Forward(t.actor.Observe(t.obs[i]), 1)[0])
	}
	b.reward, b.done = append(b.reward, r), append(b.done, o.Done())
}

// creditDecay is how much less than a step the one before it has to do with what a person says.
const creditDecay = 0.8

// Credit adds a person's reward, already weighted, to the latest steps of the rollout: the last gets most, each before it
// decay times as much.
func (t *Trainer) Credit(reward, decay float64) {
	for i := len(t.buf.reward) - 1; i >= 0 && math.Abs(reward) > 1e-3; i-- {
		t.buf.reward[i] += reward * (1 - decay)
		reward *= decay
	}
}

// advantages estimates how much better each action was than expected.
func (t *Trainer) advantages() {
	b, n := &t.buf, len(t.envs)
	b.adv, b.ret = resize(b.adv, b.n), resize(b.ret, b.n)
	for i := range n {
		next, sum := b.last[i], 0.0
		for k := b.n - n + i; k >= 0; k -= n {
			keep := t.cfg.Gamma
			if b.done[k] {
				keep = 0
			}
			delta := b.reward[k] + keep*next - b.value[k]
			sum = delta + keep*t.cfg.Lambda*sum
			b.adv[k], b.ret[k] = sum, sum+b.value[k]
			next = b.value[k]
		}
	}
}

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// CartPole are settings that balance the pole of CartPole-v1.
func CartPole(seed uint64) Config {
	c := Defaults()
	c.Seed, c.Total, c.Envs, c.Steps, c.Epochs, c.Batch = seed, 100_000, 8, 64, 10, 128
	c.Gamma, c.Lambda, c.Rate = 0.98, 0.9, 1e-3
	c.NormReward = false
	return c
}

// Acrobot are settings that swing up the chain of Acrobot-v1.
func Acrobot(seed uint64) Config {
	c := Defaults()
	c.Seed, c.Envs, c.Steps, c.Epochs, c.Batch = seed, 16, 128, 4, 128
	c.Lambda, c.Rate = 0.94, 1e-3
	return c
}
