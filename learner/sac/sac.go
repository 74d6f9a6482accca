// Package sac is the soft actor-critic (Haarnoja et al. 2018): off policy, two critics, and a temperature that finds itself.
package sac

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
	Seed    uint64
	Start   int // steps that are random, before the first update
	Every   int // steps between two updates
	Updates int // that are then made
	Batch   int
	Memory  int // steps that are remembered
	Gamma   float64
	Tau     float64 // of the target critics, towards the critics, with each update
	Rate    float64
	Hidden  int
}

// Defaults returns the settings that work for most tasks.
func Defaults() Config {
	return Config{
		Start: 1000, Every: 1, Updates: 1, Batch: 64, Memory: 50_000, Gamma: 0.99, Tau: 0.005, Rate: 1e-3, Hidden: 64,
	}
}

// Log deviations of the actor are kept within these.
const minLogStd, maxLogStd = -5, 2

// Trainer is a run. It belongs to one goroutine.
type Trainer struct {
	// Human, if not nil, is what a person thinks of an episode that has just ended, already weighted.
	Human func(env.Finished) float64

	cfg   Config
	spec  env.Spec
	env   *env.Episode
	pcg   *rand.PCG
	rng   *rand.Rand
	actor *policy.Policy

	critics, targets [2]*nn.MLP
	actorAdam        *nn.Adam
	criticAdam       *nn.Adam
	alphaAdam        *nn.Adam
	logAlpha         []float32

	memory   memory
	obs      []float32
	episodes uint64
	steps    int
	unsafe   int

	b batch
}

// memory is a ring of steps.
type memory struct {
	Obs, Act, Next []float32
	Reward, End    []float32 // End is 1 where nothing comes after
	At, N          int
}

// Losses tell of an update.
type Losses struct{ Critic, Actor, Alpha, Entropy float64 }

// New returns a run over an environment with a box of actions.
func New(cfg Config, e env.Env) (*Trainer, error) {
	t := &Trainer{cfg: cfg, pcg: rand.NewPCG(cfg.Seed, 0x2545f4914f6cdd1d), env: &env.Episode{Env: e}, spec: e.Spec()}
	t.rng = rand.New(t.pcg)
	if t.spec.Action.N > 0 {
		return nil, fmt.Errorf("sac: the actions of %s are choices; SAC needs a box", t.spec.ID)
	}
	in, act := t.spec.Observation.Dim(), t.spec.Action.Dim()
	t.actor = policy.New(t.rng, t.spec, policy.Squashed, nn.ReLU, cfg.Hidden)
	for i := range t.critics {
		t.critics[i] = nn.NewMLP(t.rng, nn.ReLU, 1, in+act, cfg.Hidden, cfg.Hidden, 1)
		t.targets[i] = nn.NewMLP(t.rng, nn.ReLU, 1, in+act, cfg.Hidden, cfg.Hidden, 1)
		copy(t.targets[i].Params(), t.critics[i].Params())
	}
	t.logAlpha = []float32{0}
	t.actorAdam = nn.NewAdam(cfg.Rate, 1e-8, t.actor.Net.Params())
	t.criticAdam = nn.NewAdam(cfg.Rate, 1e-8, t.critics[0].Params(), t.critics[1].Params())
	t.alphaAdam = nn.NewAdam(cfg.Rate, 1e-8, t.logAlpha)
	m := &t.memory
	m.Obs, m.Next = make([]float32, cfg.Memory*in), make([]float32, cfg.Memory*in)
	m.Act = make([]float32, cfg.Memory*act)
	m.Reward, m.End = make([]float32, cfg.Memory), make([]float32, cfg.Memory)
	t.obs = make([]float32, in)
	t.begin()
	return t, nil
}

func (t *Trainer) begin() {
	t.env.Reset(t.cfg.Seed<<32|t.episodes<<1, t.obs)
	t.episodes++
	t.unsafe = 0
}

// Policy is what has been learned so far; it changes with the next update.
func (t *Trainer) Policy() *policy.Policy { return t.actor }

// Steps are the environment steps so far.
func (t *Trainer) Steps() int { return t.steps }

// Step takes one step in the environment and learns when it is time. It returns the episode that ended with it, if one did.
func (t *Trainer) Step() (*env.Finished, Losses) {
	unit, action := make([]float32, t.spec.Action.Dim()), make([]float32, t.spec.Action.Dim())
	if t.steps < t.cfg.Start {
		for i := range unit {
			unit[i] = float32(2*t.rng.Float64() - 1)
		}
	} else {
		out := t.actor.Net.Forward(t.actor.Observe(t.obs), 1)
		for i := range unit {
			std := math.Exp(clampLogStd(float64(out[len(unit)+i])))
			unit[i] = float32(math.Tanh(float64(out[i]) + std*t.rng.NormFloat64()))
		}
	}
	t.actor.Scale(unit, action)
	before := append([]float32(nil), t.obs...)
	o := t.env.Step(action, t.obs)
	t.memory.add(before, unit, t.obs, o)
	t.steps++
	t.unsafe += o.Unsafe
	var f *env.Finished
	if o.Done() {
		f = &env.Finished{Return: t.env.Return, Steps: t.env.Steps, Outcome: o, Unsafe: t.unsafe}
		if t.Human != nil {
			t.Credit(t.Human(*f), creditDecay)
		}
		t.begin()
	}
	var l Losses
	if t.steps >= t.cfg.Start && t.steps%t.cfg.Every == 0 {
		for range t.cfg.Updates {
			l = t.update()
		}
	}
	return f, l
}

func (m *memory) add(obs, act, next []float32, o env.Outcome) {
	i := m.At
	copy(m.Obs[i*len(obs):], obs)
	copy(m.Act[i*len(act):], act)
	copy(m.Next[i*len(next):], next)
	m.Reward[i], m.End[i] = float32(o.Reward), 0
	if o.Terminated {
		m.End[i] = 1
	}
	m.At = (m.At + 1) % len(m.Reward)
	m.N = min(m.N+1, len(m.Reward))
}

// creditDecay is how much less than a step the one before it has to do with what a person says.
const creditDecay = 0.8

// Credit adds a person's reward, already weighted, to the latest steps that are remembered.
func (t *Trainer) Credit(reward, decay float64) {
	m := &t.memory
	for k := 1; k <= m.N && math.Abs(reward) > 1e-3; k++ {
		m.Reward[(m.At-k+len(m.Reward))%len(m.Reward)] += float32(reward * (1 - decay))
		reward *= decay
	}
}

func clampLogStd(s float64) float64 { return max(minLogStd, min(maxLogStd, s)) }
