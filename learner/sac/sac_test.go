package sac

import (
	"math"
	"reflect"
	"testing"

	"github.com/reachyd/reachyd/learner/env"
)

func small(t *testing.T) *Trainer {
	t.Helper()
	cfg := Defaults()
	cfg.Seed, cfg.Start, cfg.Batch, cfg.Memory, cfg.Hidden = 5, 40, 16, 300, 8
	tr, err := New(cfg, &env.Pendulum{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// differ compares gradients with central differences of the loss.
func differ(t *testing.T, name string, params, grads []float32, loss func() float64) {
	t.Helper()
	grads = append([]float32(nil), grads...)
	scale, worst := 0.0, 0.0
	for i := range params {
		const h = 3e-4
		was := params[i]
		params[i] = was + h
		up := loss()
		params[i] = was - h
		down := loss()
		params[i] = was
		scale = max(scale, math.Abs(float64(grads[i])))
		worst = max(worst, math.Abs((up-down)/(2*h)-float64(grads[i])))
	}
	if scale == 0 || worst > 0.01*scale {
		t.Errorf("%s: off by %.2g of at most %.2g", name, worst, scale)
	}
}

func TestGradientsOfBothLosses(t *testing.T) {
	tr := small(t)
	for range 60 {
		tr.Step()
	}
	tr.draw()
	tr.aim()
	tr.criticLoss()
	for i, c := range tr.critics {
		differ(t, "critic", c.Params(), c.Grads(), tr.criticLoss)
		_ = i
	}
	tr.actorLoss()
	differ(t, "actor", tr.actor.Net.Params(), tr.actor.Net.Grads(), func() float64 { l, _ := tr.actorLoss(); return l })
}

func TestLogProbabilityIsANormalisedDensity(t *testing.T) {
	// Summed over actions the density of tanh(mean + std·noise) is 1.
	out := []float32{0.4, -0.7}
	sum, was := 0.0, math.NaN()
	for z := -8.0; z < 8; z += 1e-3 {
		unit := make([]float32, 1)
		logp := sample(out, []float64{z}, unit)
		a := math.Tanh(0.4 + math.Exp(-0.7)*z)
		if !math.IsNaN(was) {
			sum += math.Exp(logp) * (a - was)
		}
		was = a
	}
	if math.Abs(sum-1) > 1e-3 {
		t.Errorf("the density sums up to %g", sum)
	}
}

func TestSameSeedSameRunAndResumes(t *testing.T) {
	run := func(tr *Trainer, n int) (all []Losses) {
		for range n {
			_, l := tr.Step()
			all = append(all, l)
		}
		return all
	}
	a, b, c := small(t), small(t), small(t)
	run(a, 350) // the memory is full, and an episode is under way
	run(b, 350)
	run(c, 30)
	state, err := a.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Restore(state); err != nil {
		t.Fatal(err)
	}
	want := run(a, 100)
	if !reflect.DeepEqual(run(b, 100), want) {
		t.Error("the same seed gave another run")
	}
	if !reflect.DeepEqual(run(c, 100), want) || !reflect.DeepEqual(a.actor.Net.Params(), c.actor.Net.Params()) {
		t.Error("the resumed run goes another way")
	}
}

func TestRestoreRefusesWhatDoesNotFit(t *testing.T) {
	a := small(t)
	for range 50 {
		a.Step()
	}
	state, err := a.State()
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(s *State){
		"task":   func(s *State) { s.Policy.Task = "other" },
		"memory": func(s *State) { s.N = 9999 },
		"steps":  func(s *State) { s.Obs = s.Obs[1:] },
		"critic": func(s *State) { s.Critics[1] = nil },
		"target": func(s *State) { s.Targets[0] = nil },
		"adam":   func(s *State) { s.Critic.M = nil },
		"random": func(s *State) { s.Random = nil },
	} {
		bad := state
		spoil(&bad)
		if small(t).Restore(bad) == nil {
			t.Errorf("%s: a state that does not fit was taken over", name)
		}
	}
	if _, err := New(Defaults(), &env.CartPole{}); err == nil {
		t.Error("SAC took choices for a box")
	}
}

func TestTemperatureFollowsTheEntropy(t *testing.T) {
	tr := small(t)
	tr.cfg.Start = 20
	for range 400 {
		tr.Step()
	}
	if alpha := math.Exp(float64(tr.logAlpha[0])); alpha >= 1 || alpha <= 0 {
		t.Errorf("the temperature of a policy that is still random should have fallen from 1; it is %g", alpha)
	}
}
