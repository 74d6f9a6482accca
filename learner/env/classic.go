package env

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Classic environments, by the equations that gymnasium publishes.
const (
	CartPoleID = "CartPole-v1"
	PendulumID = "Pendulum-v1"
	AcrobotID  = "Acrobot-v1"
)

// Classic returns a classic environment by its id.
func Classic(id string) (Env, error) {
	switch id {
	case CartPoleID:
		return &CartPole{}, nil
	case PendulumID:
		return &Pendulum{}, nil
	case AcrobotID:
		return &Acrobot{}, nil
	}
	return nil, fmt.Errorf("env: %q is not one of %s, %s, %s", id, CartPoleID, PendulumID, AcrobotID)
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

func uniform(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

func write(obs []float32, values ...float64) {
	for i, v := range values {
		obs[i] = float32(v)
	}
}

// CartPole is CartPole-v1 of Barto, Sutton and Anderson: balance a pole on a cart that is pushed left (0) or right (1).
type CartPole struct {
	State [4]float64 // x m, its speed, angle rad, its speed
	steps int
}

// Spec implements Env.
func (*CartPole) Spec() Spec {
	inf := float32(math.MaxFloat32)
	s := Box(4, -inf, inf)
	s.Low[0], s.High[0], s.Low[2], s.High[2] = -4.8, 4.8, -0.41887903, 0.41887903
	return Spec{ID: CartPoleID, Observation: s, Action: Space{N: 2}, MaxSteps: 500}
}

// Reset implements Env.
func (c *CartPole) Reset(seed uint64, obs []float32) {
	rng := seeded(seed)
	for i := range c.State {
		c.State[i] = uniform(rng, -0.05, 0.05)
	}
	c.steps = 0
	write(obs, c.State[:]...)
}

// Step implements Env.
func (c *CartPole) Step(action, obs []float32) Outcome {
	const (
		gravity, masspole, total, length = 9.8, 0.1, 1.1, 0.5
		polemass, push, tau              = masspole * length, 10.0, 0.02
		farX, farAngle                   = 2.4, 12 * 2 * math.Pi / 360
	)
	force := -push
	if action[0] >= 0.5 {
		force = push
	}
	x, v, a, w := c.State[0], c.State[1], c.State[2], c.State[3]
	sin, cos := math.Sincos(a)
	temp := (force + polemass*w*w*sin) / total
	angular := (gravity*sin - cos*temp) / (length * (4.0/3.0 - masspole*cos*cos/total))
	linear := temp - polemass*angular*cos/total
	c.State = [4]float64{x + tau*v, v + tau*linear, a + tau*w, w + tau*angular}
	c.steps++
	write(obs, c.State[:]...)
	over := math.Abs(c.State[0]) > farX || math.Abs(c.State[2]) > farAngle
	return Outcome{Reward: 1, Terminated: over, Truncated: c.steps >= 500}
}

// Pendulum is Pendulum-v1: swing a pendulum up with a weak motor and keep it there.
type Pendulum struct {
	State [2]float64 // angle from upright rad, its speed
	steps int
}

// Spec implements Env.
func (*Pendulum) Spec() Spec {
	s := Box(3, -1, 1)
	s.Low[2], s.High[2] = -8, 8
	return Spec{ID: PendulumID, Observation: s, Action: Box(1, -2, 2), MaxSteps: 200}
}

// Reset implements Env.
func (p *Pendulum) Reset(seed uint64, obs []float32) {
	rng := seeded(seed)
	p.State = [2]float64{uniform(rng, -math.Pi, math.Pi), uniform(rng, -1, 1)}
	p.steps = 0
	p.observe(obs)
}

func (p *Pendulum) observe(obs []float32) {
	s, c := math.Sincos(p.State[0])
	write(obs, c, s, p.State[1])
}

// Step implements Env.
func (p *Pendulum) Step(action, obs []float32) Outcome {
	const gravity, mass, length, dt, fastest = 10.0, 1.0, 1.0, 0.05, 8.0
	u := clamp(float64(action[0]), -2, 2)
	a, w := p.State[0], p.State[1]
	off := math.Mod(a+math.Pi, 2*math.Pi)
	if off < 0 {
		off += 2 * math.Pi
	}
	off -= math.Pi
	cost := off*off + 0.1*w*w + 0.001*u*u
	w = clamp(w+(3*gravity/(2*length)*math.Sin(a)+3/(mass*length*length)*u)*dt, -fastest, fastest)
	p.State = [2]float64{a + w*dt, w}
	p.steps++
	p.observe(obs)
	return Outcome{Reward: -cost, Truncated: p.steps >= 200}
}

// Acrobot is Acrobot-v1 of Sutton: swing a two-link chain up by torque −1, 0 or 1 (actions 0, 1, 2) on its middle joint.
type Acrobot struct {
	State [4]float64 // angles of the first link and of the second to it, rad, their speeds
	steps int
}

// Spec implements Env.
func (*Acrobot) Spec() Spec {
	s := Box(6, -1, 1)
	s.Low[4], s.High[4] = -4*math.Pi, 4*math.Pi
	s.Low[5], s.High[5] = -9*math.Pi, 9*math.Pi
	return Spec{ID: AcrobotID, Observation: s, Action: Space{N: 3}, MaxSteps: 500}
}

// Reset implements Env.
func (a *Acrobot) Reset(seed uint64, obs []float32) {
	rng := seeded(seed)
	for i := range a.State {
		a.State[i] = uniform(rng, -0.1, 0.1)
	}
	a.steps = 0
	a.observe(obs)
}

func (a *Acrobot) observe(obs []float32) {
	s1, c1 := math.Sincos(a.State[0])
	s2, c2 := math.Sincos(a.State[1])
	write(obs, c1, s1, c2, s2, a.State[2], a.State[3])
}

// Step implements Env.
func (a *Acrobot) Step(action, obs []float32) Outcome {
	const dt = 0.2
	torque := float64(action[0]) - 1
	add := func(s, k [4]float64, by float64) [4]float64 {
		for i := range s {
			s[i] += by * k[i]
		}
		return s
	}
	s := a.State
	k1 := acrobotRates(s, torque)
	k2 := acrobotRates(add(s, k1, dt/2), torque)
	k3 := acrobotRates(add(s, k2, dt/2), torque)
	k4 := acrobotRates(add(s, k3, dt), torque)
	for i := range s {
		s[i] += dt / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
	}
	s[0], s[1] = around(s[0]), around(s[1])
	s[2], s[3] = clamp(s[2], -4*math.Pi, 4*math.Pi), clamp(s[3], -9*math.Pi, 9*math.Pi)
	a.State = s
	a.steps++
	a.observe(obs)
	o := Outcome{Reward: -1, Terminated: -math.Cos(s[0])-math.Cos(s[1]+s[0]) > 1, Truncated: a.steps >= 500}
	if o.Terminated {
		o.Reward = 0
	}
	return o
}

// around brings an angle into [−π, π].
func around(a float64) float64 {
	for a > math.Pi {
		a -= 2 * math.Pi
	}
	for a < -math.Pi {
		a += 2 * math.Pi
	}
	return a
}

// acrobotRates are the derivatives of the state, as in the book of Sutton and Barto.
func acrobotRates(s [4]float64, torque float64) [4]float64 {
	const m1, m2, l1, lc1, lc2, i1, i2, g = 1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0, 9.8
	t1, t2, w1, w2 := s[0], s[1], s[2], s[3]
	sin2, cos2 := math.Sincos(t2)
	d1 := m1*lc1*lc1 + m2*(l1*l1+lc2*lc2+2*l1*lc2*cos2) + i1 + i2
	d2 := m2*(lc2*lc2+l1*lc2*cos2) + i2
	phi2 := m2 * lc2 * g * math.Cos(t1+t2-math.Pi/2)
	phi1 := -m2*l1*lc2*w2*w2*sin2 - 2*m2*l1*lc2*w2*w1*sin2 + (m1*lc1+m2*l1)*g*math.Cos(t1-math.Pi/2) + phi2
	a2 := (torque + d2/d1*phi1 - m2*l1*lc2*w1*w1*sin2 - phi2) / (m2*lc2*lc2 + i2 - d2*d2/d1)
	return [4]float64{w1, w2, -(d2*a2 + phi1) / d1, a2}
}

var (
	_ Env = (*CartPole)(nil)
	_ Env = (*Pendulum)(nil)
	_ Env = (*Acrobot)(nil)
)
