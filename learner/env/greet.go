package env

import (
	"math"
	"math/rand/v2"
)

const (
	greetPeople = 4
	greetObs    = greetPeople + 3
	greetActs   = 3
)

// Greeting is the task of greeting a person as that person likes it: how large the gesture is, how fast, and how much the
// antennas take part. Simulated people judge it; each has a taste that depends on the hour and on the noise around.
type Greeting struct {
	opts    Options
	rng     *rand.Rand
	context [greetObs]float64
	liked   [greetActs]float64
}

// NewGreet returns the task.
func NewGreet(opts Options) *Greeting {
	if opts.Weights == (Weights{}) {
		opts.Weights = DefaultWeights
	}
	return &Greeting{opts: opts}
}

// tastes are size, speed and antennas that each person likes at noon in a quiet room, and the change by evening and noise.
// People of the second half of the table are only met in evaluations of what training has not shown.
var tastes = [2 * greetPeople][3][greetActs]float64{
	{{0.6, 0.5, 0.2}, {-0.4, -0.3, 0}, {0.3, 0, 0.2}},
	{{-0.5, -0.4, -0.6}, {-0.2, 0, 0}, {0.2, 0.1, 0}},
	{{0.1, -0.6, 0.7}, {0, 0.3, -0.3}, {0.1, -0.1, 0.1}},
	{{0.8, 0.1, -0.2}, {-0.6, 0, 0.3}, {0, 0.2, 0}},
	{{0.5, 0.4, 0.3}, {-0.4, -0.2, 0}, {0.2, 0, 0.2}},
	{{-0.4, -0.5, -0.5}, {-0.2, 0, 0}, {0.2, 0.1, 0}},
	{{0.2, -0.5, 0.6}, {0, 0.2, -0.3}, {0.1, -0.1, 0.1}},
	{{0.7, 0.2, -0.1}, {-0.5, 0, 0.3}, {0, 0.2, 0}},
}

// Spec implements Env.
func (g *Greeting) Spec() Spec {
	return Spec{ID: Greet, Observation: Box(greetObs, -3, 3), Action: Box(greetActs, -1, 1), MaxSteps: 1}
}

// Reset implements Env.
func (g *Greeting) Reset(seed uint64, obs []float32) {
	g.rng = seeded(seed)
	who := g.rng.IntN(greetPeople)
	taste := tastes[who]
	if g.opts.HeldOut {
		taste = tastes[greetPeople+who]
	}
	evening, noise := g.rng.Float64(), g.rng.Float64()
	g.context = [greetObs]float64{}
	g.context[who] = 1
	g.context[greetPeople], g.context[greetPeople+1] = evening, noise
	g.context[greetPeople+2] = g.rng.NormFloat64() // means nothing
	for i := range g.liked {
		g.liked[i] = taste[0][i] + taste[1][i]*evening + taste[2][i]*noise
	}
	write(obs, g.context[:]...)
}

// Step implements Env. The action is size, speed and antennas.
func (g *Greeting) Step(action, obs []float32) Outcome {
	off := 0.0
	for i, want := range g.liked {
		d := clamp(float64(action[i]), -1, 1) - want
		off += d * d
	}
	off = math.Sqrt(off)
	o := Outcome{Terminated: true, Human: clamp(1-off/0.6+g.opts.Random*0.2*g.rng.NormFloat64(), -1, 1), Success: off < 0.35, Merit: off}
	o.Reward = g.opts.Weights.Human * o.Human
	write(obs, g.context[:]...)
	return o
}

// ClassicGreet greets everybody alike, as the robot does today.
type ClassicGreet struct{}

// Begin implements Controller.
func (ClassicGreet) Begin() {}

// Act implements Controller.
func (ClassicGreet) Act(_, action []float32) { clear(action) }

var (
	_ Env        = (*Greeting)(nil)
	_ Controller = ClassicGreet{}
)
