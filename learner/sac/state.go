package sac

import (
	"fmt"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/nn"
	"github.com/reachyd/reachyd/learner/policy"
)

// State is all of a run between two steps. A run that takes it over goes on as the one that gave it.
type State struct {
	Policy            policy.Saved
	Critics, Targets  [2][]float32
	Actor, Critic, By nn.Adam // By is the optimiser of the temperature
	LogAlpha          float32

	Obs, Act, Next, Reward, End []float32 // what is remembered
	At, N                       int
	Episodes                    uint64
	Steps, Unsafe               int
	Random                      []byte
	Env                         env.Past
}

// State returns a copy of the run's state.
func (t *Trainer) State() (State, error) {
	random, err := t.pcg.MarshalBinary()
	if err != nil {
		return State{}, fmt.Errorf("sac: %w", err)
	}
	m, in, act := &t.memory, t.spec.Observation.Dim(), t.spec.Action.Dim()
	s := State{
		Policy: t.actor.Save(t.spec.ID), Actor: t.actorAdam.Copy(), Critic: t.criticAdam.Copy(), By: t.alphaAdam.Copy(), LogAlpha: t.logAlpha[0],
		Obs: some(m.Obs, m.N*in), Act: some(m.Act, m.N*act), Next: some(m.Next, m.N*in), Reward: some(m.Reward, m.N), End: some(m.End, m.N),
		At: m.At, N: m.N, Episodes: t.episodes, Steps: t.steps, Unsafe: t.unsafe, Random: random, Env: t.env.Past(),
	}
	for i := range t.critics {
		s.Critics[i] = some(t.critics[i].Params(), len(t.critics[i].Params()))
		s.Targets[i] = some(t.targets[i].Params(), len(t.targets[i].Params()))
	}
	return s, nil
}

func some(v []float32, n int) []float32 { return append([]float32(nil), v[:n]...) }

// Settle brings the environment back to where it was after others have used the robot in it.
func (t *Trainer) Settle() error { return t.env.Relive(t.env.Past(), t.obs) }

// Restore takes a state over. After an error the trainer cannot be used.
func (t *Trainer) Restore(s State) error {
	m, in, act := &t.memory, t.spec.Observation.Dim(), t.spec.Action.Dim()
	switch {
	case s.Policy.Task != t.spec.ID:
		return fmt.Errorf("sac: the state is of %q, this run of %q", s.Policy.Task, t.spec.ID)
	case s.N < 0 || s.N > len(m.Reward) || s.At < 0 || s.At >= len(m.Reward) || s.N < len(m.Reward) && s.At != s.N:
		return fmt.Errorf("sac: %d steps, the next at %d, do not fit into a memory of %d", s.N, s.At, len(m.Reward))
	case len(s.Obs) != s.N*in || len(s.Next) != s.N*in || len(s.Act) != s.N*act || len(s.Reward) != s.N || len(s.End) != s.N:
		return fmt.Errorf("sac: what is remembered is not of %d steps", s.N)
	}
	p, err := s.Policy.Load()
	if err != nil {
		return err
	}
	if p.Kind != t.actor.Kind || p.Net.In() != in || p.Net.Out() != 2*act {
		return fmt.Errorf("sac: a policy of kind %q, %v, does not fit %s", p.Kind, p.Net.Sizes, t.spec.ID)
	}
	t.actor = p
	for i := range t.critics {
		if err := t.critics[i].SetParams(s.Critics[i]); err != nil {
			return err
		}
		if err := t.targets[i].SetParams(s.Targets[i]); err != nil {
			return err
		}
	}
	a, c, by := s.Actor.Copy(), s.Critic.Copy(), s.By.Copy()
	t.actorAdam, t.criticAdam, t.alphaAdam = &a, &c, &by
	t.logAlpha[0] = s.LogAlpha
	if err := a.Fits(t.actor.Net.Params()); err != nil {
		return err
	}
	if err := c.Fits(t.critics[0].Params(), t.critics[1].Params()); err != nil {
		return err
	}
	if err := by.Fits(t.logAlpha); err != nil {
		return err
	}
	copy(m.Obs, s.Obs)
	copy(m.Next, s.Next)
	copy(m.Act, s.Act)
	copy(m.Reward, s.Reward)
	copy(m.End, s.End)
	m.At, m.N = s.At, s.N
	if err := t.pcg.UnmarshalBinary(s.Random); err != nil {
		return fmt.Errorf("sac: random numbers: %w", err)
	}
	t.episodes, t.steps, t.unsafe = s.Episodes, s.Steps, s.Unsafe
	return t.env.Relive(s.Env, t.obs)
}
