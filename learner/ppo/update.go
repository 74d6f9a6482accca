package ppo

import (
	"math"

	"github.com/reachyd/reachyd/learner/nn"
	"github.com/reachyd/reachyd/learner/policy"
)

// scratch are buffers that an update uses again and again.
type scratch struct {
	one, obs, dOut, dValue []float32
	adv                    []float64
	order                  []int
}

func (s *scratch) floats(n int) []float32 {
	if len(s.one) != n {
		s.one = make([]float32, n)
	}
	return s.one
}

func (t *Trainer) learn(stats *Stats) {
	done := float64(t.steps) / float64(max(1, t.cfg.Total))
	if t.cfg.Episodes > 0 {
		done = float64(t.episodes) / float64(max(1, t.cfg.Total))
	}
	t.adam.Rate = t.cfg.EndRate + (t.cfg.Rate-t.cfg.EndRate)*max(0, 1-done)
	stats.Rate = t.adam.Rate
	s := &t.scratch
	s.order = s.order[:0]
	for i := range t.buf.n {
		s.order = append(s.order, i)
	}
	for range t.cfg.Epochs {
		t.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
		var sum losses
		for at := 0; at < len(s.order); at += t.cfg.Batch {
			idx := s.order[at:min(at+t.cfg.Batch, len(s.order))]
			if len(idx) < 2 {
				continue
			}
			l := t.minibatch(idx)
			nn.ClipNorm(t.cfg.MaxGrad, t.grads()...)
			t.adam.Update(t.params(), t.grads())
			sum.add(l, float64(len(idx))/float64(len(s.order)))
		}
		stats.Policy, stats.Value, stats.Entropy, stats.KL, stats.Clipped = sum.policy, sum.value, sum.entropy, sum.kl, sum.clipped
		if t.cfg.TargetKL > 0 && sum.kl > 1.5*t.cfg.TargetKL {
			break
		}
	}
}

type losses struct{ total, policy, value, entropy, kl, clipped float64 }

func (l *losses) add(m losses, weight float64) {
	l.total += weight * m.total
	l.policy += weight * m.policy
	l.value += weight * m.value
	l.entropy += weight * m.entropy
	l.kl += weight * m.kl
	l.clipped += weight * m.clipped
}

// minibatch computes the loss of some steps of the rollout, and its gradients anew.
func (t *Trainer) minibatch(idx []int) losses {
	b, s := &t.buf, &t.scratch
	n, w := len(idx), b.obsWidth
	s.obs = s.obs[:0]
	s.adv = s.adv[:0]
	mean, square := 0.0, 0.0
	for _, i := range idx {
		s.obs = append(s.obs, b.obs[i*w:(i+1)*w]...)
		s.adv = append(s.adv, b.adv[i])
		mean += b.adv[i] / float64(n)
		square += b.adv[i] * b.adv[i] / float64(n)
	}
	std := math.Sqrt(max(0, square-mean*mean)) + 1e-8
	for k := range s.adv {
		s.adv[k] = (s.adv[k] - mean) / std
	}
	t.actor.Net.ZeroGrads()
	t.value.ZeroGrads()
	clear(t.dStd)
	l := t.policyLoss(idx)
	t.valueLoss(idx, &l)
	l.total = l.policy + t.cfg.Value*l.value - t.cfg.Entropy*l.entropy
	return l
}

func (t *Trainer) policyLoss(idx []int) (l losses) {
	b, s := &t.buf, &t.scratch
	n := len(idx)
	out := t.actor.Net.Forward(s.obs, n)
	width := len(out) / n
	s.dOut = append(s.dOut[:0], make([]float32, len(out))...)
	inv := 1 / float64(n)
	for k, i := range idx {
		row, d := out[k*width:(k+1)*width], s.dOut[k*width:(k+1)*width]
		act := b.act[i*b.actWidth : (i+1)*b.actWidth]
		var logp, entropy float64
		if t.actor.Kind == policy.Choice {
			logp, entropy = nn.CategoricalLoss(row, int(act[0]), 0, -t.cfg.Entropy*inv, d, s.floats(width))
		} else {
			logp, entropy = nn.GaussianLogProb(act, row, t.actor.LogStd), nn.GaussianEntropy(t.actor.LogStd)
			for j := range t.dStd {
				t.dStd[j] -= float32(t.cfg.Entropy * inv)
			}
		}
		ratio, a := math.Exp(logp-b.logp[i]), s.adv[k]
		plain, clipped := ratio*a, max(1-t.cfg.Clip, min(1+t.cfg.Clip, ratio))*a
		l.policy -= min(plain, clipped) * inv
		l.entropy += entropy * inv
		l.kl += (ratio - 1 - (logp - b.logp[i])) * inv
		if math.Abs(ratio-1) > t.cfg.Clip {
			l.clipped += inv
		}
		if plain > clipped { // the clipped ratio rules: no gradient
			continue
		}
		g := -a * ratio * inv
		if t.actor.Kind == policy.Choice {
			nn.CategoricalLoss(row, int(act[0]), g, 0, d, s.floats(width))
		} else {
			nn.GaussianGrad(act, row, t.actor.LogStd, g, d, t.dStd)
		}
	}
	t.actor.Net.Backward(s.dOut)
	return l
}

// valueLoss is ½·max((v−R)², (v clipped around what it was −R)²).
func (t *Trainer) valueLoss(idx []int, l *losses) {
	b, s := &t.buf, &t.scratch
	inv := 1 / float64(len(idx))
	values := t.value.Forward(s.obs, len(idx))
	s.dValue = s.dValue[:0]
	for k, i := range idx {
		v, old, ret := float64(values[k]), b.value[i], b.ret[i]
		near := old + max(-t.cfg.Clip, min(t.cfg.Clip, v-old))
		free, bound := (v-ret)*(v-ret), (near-ret)*(near-ret)
		d := 0.0
		if free >= bound {
			d = v - ret
		} else if near == v {
			d = near - ret
		}
		l.value += max(free, bound) / 2 * inv
		s.dValue = append(s.dValue, float32(t.cfg.Value*d*inv))
	}
	t.value.Backward(s.dValue)
}
