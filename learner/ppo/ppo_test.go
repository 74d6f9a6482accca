package ppo

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/reachyd/reachyd/learner/env"
)

func classic(id string) func() env.Env {
	return func() env.Env {
		e, err := env.Classic(id)
		if err != nil {
			panic(err)
		}
		return e
	}
}

// TestGradientOfTheWholeLoss perturbs every kind of parameter; some ratios and values are beyond the clip.
func TestGradientOfTheWholeLoss(t *testing.T) {
	for _, id := range []string{env.CartPoleID, env.PendulumID} {
		t.Run(id, func(t *testing.T) {
			cfg := Defaults()
			cfg.Envs, cfg.Steps, cfg.Hidden, cfg.Entropy, cfg.Seed = 2, 12, 6, 0.05, 3
			tr := New(cfg, classic(id))
			var s Stats
			if err := tr.collect(&s, nil); err != nil {
				t.Fatal(err)
			}
			tr.advantages()
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range tr.buf.logp { // as after some steps of learning
				tr.buf.logp[i] += 0.3 * rng.NormFloat64()
				tr.buf.value[i] += 0.3 * rng.NormFloat64()
			}
			idx := make([]int, tr.buf.n)
			for i := range idx {
				idx[i] = i
			}
			l := tr.minibatch(idx)
			if l.clipped == 0 || l.clipped == 1 {
				t.Fatalf("%.2f of the ratios are clipped: the test does not see both cases", l.clipped)
			}
			for g, params := range tr.params() {
				grads := append([]float32(nil), tr.grads()[g]...)
				scale, worst := 0.0, 0.0
				for _, v := range grads {
					scale = max(scale, math.Abs(float64(v)))
				}
				for i := range params {
					const h = 1e-3
					was := params[i]
					params[i] = was + h
					up := tr.minibatch(idx).total
					params[i] = was - h
					down := tr.minibatch(idx).total
					params[i] = was
					worst = max(worst, math.Abs((up-down)/(2*h)-float64(grads[i])))
				}
				if len(params) > 0 && worst > 0.01*scale {
					t.Errorf("group %d: off by %.2g of at most %.2g", g, worst, scale)
				}
			}
		})
	}
}

func TestAdvantages(t *testing.T) {
	tr := &Trainer{cfg: Config{Gamma: 0.5, Lambda: 0.5}, envs: make([]*env.Episode, 1)}
	tr.buf = rollout{n: 3, reward: []float64{1, 2, 3}, value: []float64{0.5, 1, 2}, done: []bool{false, true, false}, last: []float64{4}}
	tr.advantages()
	// δ2 = 3+0.5·4−2 = 3; δ1 = 2−1 = 1 (the episode ended); δ0 = 1+0.5·1−0.5 = 1, plus 0.25·1.
	for i, want := range []float64{1.25, 1, 3} {
		if math.Abs(tr.buf.adv[i]-want) > 1e-12 || math.Abs(tr.buf.ret[i]-want-tr.buf.value[i]) > 1e-12 {
			t.Errorf("advantage %d is %g, want %g", i, tr.buf.adv[i], want)
		}
	}
}

func small(id string) *Trainer {
	cfg := Defaults()
	cfg.Envs, cfg.Steps, cfg.Total, cfg.Seed, cfg.Hidden = 2, 64, 2000, 11, 16
	return New(cfg, classic(id))
}

func iterate(t *testing.T, tr *Trainer, n int) (all []Stats) {
	t.Helper()
	for range n {
		s, err := tr.Iterate(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func TestSameSeedSameRunAndResumes(t *testing.T) {
	for _, id := range []string{env.CartPoleID, env.PendulumID} {
		a, b := small(id), small(id)
		iterate(t, a, 2)
		iterate(t, b, 2)
		state, err := a.State()
		if err != nil {
			t.Fatal(err)
		}
		c := small(id)
		iterate(t, c, 1) // another state, that must not shine through
		if err := c.Restore(state); err != nil {
			t.Fatal(err)
		}
		want := iterate(t, a, 3)
		if got := iterate(t, b, 3); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the same seed gave another run", id)
		}
		if got := iterate(t, c, 3); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the resumed run goes another way: %+v, want %+v", id, got[0], want[0])
		}
		if !reflect.DeepEqual(a.params(), c.params()) {
			t.Errorf("%s: the resumed run ends with other parameters", id)
		}
	}
}

func TestRestoreRefusesWhatDoesNotFit(t *testing.T) {
	state, err := small(env.CartPoleID).State()
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(s *State){
		"task":    func(s *State) { s.Policy.Task = "other" },
		"envs":    func(s *State) { s.Envs = s.Envs[:1] },
		"params":  func(s *State) { s.Policy.Params = s.Policy.Params[1:] },
		"value":   func(s *State) { s.Value = nil },
		"adam":    func(s *State) { s.Adam.M = nil },
		"random":  func(s *State) { s.Random = s.Random[1:] },
		"actions": func(s *State) { s.Envs = []env.Past{{Actions: make([]float32, 9999)}, {}} },
	} {
		bad := state
		spoil(&bad)
		if small(env.CartPoleID).Restore(bad) == nil {
			t.Errorf("%s: a state that does not fit was taken over", name)
		}
	}
}

func TestCreditGoesToTheLatestSteps(t *testing.T) {
	tr := &Trainer{}
	tr.buf.reward = make([]float64, 50)
	tr.Credit(1, 0.8)
	sum := 0.0
	for _, r := range tr.buf.reward {
		sum += r
	}
	if math.Abs(sum-1) > 0.01 || tr.buf.reward[49] < tr.buf.reward[48] || tr.buf.reward[0] > 1e-6 {
		t.Errorf("credited %v, together %g", tr.buf.reward, sum)
	}
}

// TestLearnsCartPole is the short version of make eval-learning: a third of the way to a balanced pole, from 20.
func TestLearnsCartPole(t *testing.T) {
	cfg := CartPole(1)
	tr := New(cfg, classic(env.CartPoleID))
	best := 0.0
	for tr.Steps() < 30_000 && best < 150 {
		s := iterate(t, tr, 1)[0]
		sum := 0.0
		for _, f := range s.Finished {
			sum += f.Return
		}
		if len(s.Finished) > 0 {
			best = max(best, sum/float64(len(s.Finished)))
		}
	}
	if best < 150 {
		t.Errorf("the best mean return of a rollout is %.0f after %d steps", best, tr.Steps())
	}
	t.Logf("mean return %.0f after %d steps", best, tr.Steps())
}
