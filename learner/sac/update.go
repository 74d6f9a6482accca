package sac

import "math"

// batch are the steps that an update learns from, and its buffers.
type batch struct {
	obs, act, next, reward, end []float32
	noise, nextNoise            []float64
	pair                        []float32
	target, dOut                []float32
}

func (t *Trainer) draw() {
	b, m := &t.b, &t.memory
	in, act := t.spec.Observation.Dim(), t.spec.Action.Dim()
	b.obs, b.act, b.next, b.reward, b.end = b.obs[:0], b.act[:0], b.next[:0], b.reward[:0], b.end[:0]
	b.noise, b.nextNoise = b.noise[:0], b.nextNoise[:0]
	for range t.cfg.Batch {
		i := t.rng.IntN(m.N)
		b.obs = append(b.obs, m.Obs[i*in:(i+1)*in]...)
		b.next = append(b.next, m.Next[i*in:(i+1)*in]...)
		b.act = append(b.act, m.Act[i*act:(i+1)*act]...)
		b.reward, b.end = append(b.reward, m.Reward[i]), append(b.end, m.End[i])
	}
	for range t.cfg.Batch * act {
		b.noise, b.nextNoise = append(b.noise, t.rng.NormFloat64()), append(b.nextNoise, t.rng.NormFloat64())
	}
}

// sample is the actor's action for one row: a = tanh(mean + std·noise), and log π(a) with the change of variables of tanh.
func sample(out []float32, noise []float64, unit []float32) (logp float64) {
	n := len(unit)
	for i := range unit {
		s := clampLogStd(float64(out[n+i]))
		u := float64(out[i]) + math.Exp(s)*noise[i]
		unit[i] = float32(math.Tanh(u))
		logp -= noise[i]*noise[i]/2 + s + 0.9189385332046727 + logDerivative(u)
	}
	return logp
}

// logDerivative is log(1 − tanh²u), exactly also for large u.
func logDerivative(u float64) float64 {
	u = math.Abs(u)
	return 2 * (math.Ln2 - u - math.Log1p(math.Exp(-2*u)))
}

// pairs joins observations and actions row by row, as the critics take them.
func (t *Trainer) pairs(obs, act []float32) []float32 {
	in, n := t.spec.Observation.Dim(), t.spec.Action.Dim()
	t.b.pair = t.b.pair[:0]
	for i := range t.cfg.Batch {
		t.b.pair = append(append(t.b.pair, obs[i*in:(i+1)*in]...), act[i*n:(i+1)*n]...)
	}
	return t.b.pair
}

func (t *Trainer) update() Losses {
	t.draw()
	var l Losses
	t.aim()
	l.Critic = t.criticLoss()
	t.criticAdam.Update([][]float32{t.critics[0].Params(), t.critics[1].Params()}, [][]float32{t.critics[0].Grads(), t.critics[1].Grads()})
	var logp float64
	l.Actor, logp = t.actorLoss()
	l.Entropy = -logp
	t.actorAdam.Update([][]float32{t.actor.Net.Params()}, [][]float32{t.actor.Net.Grads()})
	// The temperature rises when the policy is surer than its target, one nat for each number of the action.
	t.alphaAdam.Update([][]float32{t.logAlpha}, [][]float32{{float32(-(logp - float64(t.spec.Action.Dim())))}})
	l.Alpha = math.Exp(float64(t.logAlpha[0]))
	tau := float32(t.cfg.Tau)
	for i, c := range t.critics {
		to := t.targets[i].Params()
		for k, v := range c.Params() {
			to[k] += tau * (v - to[k])
		}
	}
	return l
}

// aim computes what the critics should say: reward, and what the lesser target critic says of the next state.
func (t *Trainer) aim() {
	b, n, size := &t.b, t.spec.Action.Dim(), t.cfg.Batch
	out := t.actor.Net.Forward(b.next, size)
	act, logp := make([]float32, size*n), make([]float64, size)
	for i := range size {
		logp[i] = sample(out[2*n*i:2*n*(i+1)], b.nextNoise[n*i:n*(i+1)], act[n*i:n*(i+1)])
	}
	pair := t.pairs(b.next, act)
	q0, q1 := t.targets[0].Forward(pair, size), t.targets[1].Forward(pair, size)
	alpha := math.Exp(float64(t.logAlpha[0]))
	b.target = b.target[:0]
	for i := range size {
		soft := float64(min(q0[i], q1[i])) - alpha*logp[i]
		b.target = append(b.target, float32(float64(b.reward[i])+t.cfg.Gamma*float64(1-b.end[i])*soft))
	}
}

// criticLoss is the mean of ½(Q − target)² over both critics' sum; it computes their gradients.
func (t *Trainer) criticLoss() (loss float64) {
	b, size := &t.b, t.cfg.Batch
	pair := t.pairs(b.obs, b.act)
	for _, c := range t.critics {
		c.ZeroGrads()
		q := c.Forward(pair, size)
		b.dOut = b.dOut[:0]
		for i := range size {
			d := float64(q[i] - b.target[i])
			loss += d * d / 2 / float64(size)
			b.dOut = append(b.dOut, float32(d/float64(size)))
		}
		c.Backward(b.dOut)
	}
	return loss
}

// actorLoss is the mean of α·log π(a) − min Q(s, a) for actions that the actor draws; it computes the actor's gradients.
func (t *Trainer) actorLoss() (loss, meanLogp float64) {
	b, n, size := &t.b, t.spec.Action.Dim(), t.cfg.Batch
	in := t.spec.Observation.Dim()
	alpha, inv := math.Exp(float64(t.logAlpha[0])), 1/float64(t.cfg.Batch)
	out := t.actor.Net.Forward(b.obs, size)
	act := make([]float32, size*n)
	for i := range size {
		logp := sample(out[2*n*i:2*n*(i+1)], b.noise[n*i:n*(i+1)], act[n*i:n*(i+1)])
		loss += alpha * logp * inv
		meanLogp += logp * inv
	}
	pair := t.pairs(b.obs, act)
	q0, q1 := t.critics[0].Forward(pair, size), t.critics[1].Forward(pair, size)
	d0, d1 := make([]float32, size), make([]float32, size)
	for i := range size {
		if q0[i] <= q1[i] {
			d0[i] = float32(-inv)
			loss -= float64(q0[i]) * inv
		} else {
			d1[i] = float32(-inv)
			loss -= float64(q1[i]) * inv
		}
	}
	g0, g1 := t.critics[0].Backward(d0), t.critics[1].Backward(d1)
	b.dOut = append(b.dOut[:0], make([]float32, len(out))...)
	for i := range size {
		for j := range n {
			k, a := i*(in+n)+in+j, float64(act[i*n+j])
			dAct := float64(g0[k]+g1[k]) * (1 - a*a)
			// By u: −Q through the action, and α·d log π/du = 2α·tanh u.
			du := dAct + alpha*inv*2*a
			b.dOut[2*n*i+j] = float32(du)
			if s := float64(out[2*n*i+n+j]); s > minLogStd && s < maxLogStd {
				b.dOut[2*n*i+n+j] = float32(du*math.Exp(s)*b.noise[i*n+j] - alpha*inv)
			}
		}
	}
	t.actor.Net.ZeroGrads()
	t.actor.Net.Backward(b.dOut)
	return loss, meanLogp
}
