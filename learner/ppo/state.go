package ppo

import (
	"fmt"

	"github.com/reachyd/reachyd/learner/env"
	"github.com/reachyd/reachyd/learner/nn"
	"github.com/reachyd/reachyd/learner/policy"
)

// State is all of a run between two iterations. A run that takes it over goes on as the one that gave it.
type State struct {
	Policy   policy.Saved
	Value    []float32
	Adam     nn.Adam
	Returns  nn.Normalizer
	Running  []float64
	Episodes uint64
	Steps    int
	Random   []byte
	Envs     []env.Past
}

// State returns a copy of the run's state.
func (t *Trainer) State() (State, error) {
	random, err := t.pcg.MarshalBinary()
	if err != nil {
		return State{}, fmt.Errorf("ppo: %w", err)
	}
	s := State{
		Policy: t.actor.Save(t.spec.ID), Value: append([]float32(nil), t.value.Params()...), Adam: t.adam.Copy(), Returns: *t.returns,
		Running: append([]float64(nil), t.running...), Episodes: t.episodes, Steps: t.steps, Random: random,
	}
	s.Returns.Mean, s.Returns.M2 = append([]float64(nil), t.returns.Mean...), append([]float64(nil), t.returns.M2...)
	for _, e := range t.envs {
		s.Envs = append(s.Envs, e.Past())
	}
	return s, nil
}

// Settle brings the environments back to where they were after others have used the robot in them.
func (t *Trainer) Settle() error {
	for i, e := range t.envs {
		if err := e.Relive(e.Past(), t.obs[i]); err != nil {
			return err
		}
	}
	return nil
}

// Restore takes a state over. After an error the trainer cannot be used.
func (t *Trainer) Restore(s State) error {
	if s.Policy.Task != t.spec.ID {
		return fmt.Errorf("ppo: the state is of %q, this run of %q", s.Policy.Task, t.spec.ID)
	}
	if len(s.Envs) != len(t.envs) || len(s.Running) != len(t.envs) {
		return fmt.Errorf("ppo: the state is of %d environments, this run has %d", len(s.Envs), len(t.envs))
	}
	p, err := s.Policy.Load()
	if err != nil {
		return err
	}
	if p.Kind != t.actor.Kind || len(p.LogStd) != len(t.actor.LogStd) || p.Net.In() != t.actor.Net.In() || p.Net.Out() != t.actor.Net.Out() {
		return fmt.Errorf("ppo: a policy of kind %q, %v, where %q, %v is needed", p.Kind, p.Net.Sizes, t.actor.Kind, t.actor.Net.Sizes)
	}
	t.actor = p
	if err := t.value.SetParams(s.Value); err != nil {
		return err
	}
	adam := s.Adam.Copy()
	if err := adam.Fits(t.params()...); err != nil {
		return err
	}
	if err := t.pcg.UnmarshalBinary(s.Random); err != nil {
		return fmt.Errorf("ppo: random numbers: %w", err)
	}
	t.adam = &adam
	returns := s.Returns
	t.returns = &returns
	copy(t.running, s.Running)
	t.episodes, t.steps = s.Episodes, s.Steps
	for i, e := range t.envs {
		if err := e.Relive(s.Envs[i], t.obs[i]); err != nil {
			return err
		}
	}
	return nil
}
