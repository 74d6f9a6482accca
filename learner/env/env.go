// Package env has what the learner acts in: environments with gymnasium's conventions, the classic ones from their published
// equations, and tasks of the robot.
//
// All randomness of an episode comes from the seed of its Reset, so that an episode can be lived through again.
package env

import (
	"fmt"
	"io"
)

// Space is the set of observations or actions: a box of numbers, or N choices.
type Space struct {
	N         int       // choices; 0: a box
	Low, High []float32 // of the box, ends included
}

// Box returns the space of n numbers from low to high.
func Box(n int, low, high float32) Space {
	s := Space{Low: make([]float32, n), High: make([]float32, n)}
	for i := range n {
		s.Low[i], s.High[i] = low, high
	}
	return s
}

// Dim is how many numbers a member of the space has; a choice is one number.
func (s Space) Dim() int {
	if s.N > 0 {
		return 1
	}
	return len(s.Low)
}

// Spec says what an environment is.
type Spec struct {
	ID          string
	Observation Space
	Action      Space
	MaxSteps    int // after which an episode is truncated
}

// Outcome is what a step led to.
type Outcome struct {
	Reward     float64
	Terminated bool // the episode has ended by itself
	Truncated  bool // the episode was cut off: what would have come counts

	// Of tasks of the robot.
	Success bool    // the task is done, in the last step of an episode
	Unsafe  int     // actions of this step that the body clamped or rejected
	Limited int     // actions of this step that ended where the robot's reach does, before the body was asked
	Stopped bool    // a person stopped the robot in this step
	Halted  bool    // the robot itself does not go on: there is no next episode
	Task    float64 // the parts of the reward, unweighted
	Human   float64
	Safety  float64
	Merit   float64 // how good it was: seconds until it was done, or mean degrees off; less is better
}

// Done reports whether the episode is over.
func (o Outcome) Done() bool { return o.Terminated || o.Truncated }

// Finished tells of an episode that is over.
type Finished struct {
	Return  float64
	Steps   int
	Outcome Outcome // of the last step
	Unsafe  int     // in all its steps
}

// Env is an environment. It belongs to one goroutine.
type Env interface {
	Spec() Spec
	// Reset begins the episode of a seed and writes the first observation.
	Reset(seed uint64, obs []float32)
	// Step acts and writes the next observation. A choice is action[0]. Numbers beyond the action space are brought into it.
	Step(action, obs []float32) Outcome
}

// Episode is an environment that remembers how the present episode came about: its seed and actions. With them another
// process brings an equal environment to the same state.
type Episode struct {
	Env

	Seed    uint64
	Actions []float32
	Steps   int
	Return  float64
}

// Reset implements Env.
func (e *Episode) Reset(seed uint64, obs []float32) {
	e.Seed, e.Actions, e.Steps, e.Return = seed, e.Actions[:0], 0, 0
	e.Env.Reset(seed, obs)
}

// Step implements Env.
func (e *Episode) Step(action, obs []float32) Outcome {
	e.Actions = append(e.Actions, action...)
	o := e.Env.Step(action, obs)
	e.Steps++
	e.Return += o.Reward
	return o
}

// Past is what a checkpoint keeps of an episode under way.
type Past struct {
	Seed    uint64
	Actions []float32
}

// Past returns how the present state came about.
func (e *Episode) Past() Past { return Past{e.Seed, append([]float32(nil), e.Actions...)} }

// Relive brings the environment to the state that past led to and writes its observation. The error says what does not fit.
func (e *Episode) Relive(past Past, obs []float32) error {
	n := e.Spec().Action.Dim()
	if len(past.Actions)%n != 0 {
		return fmt.Errorf("env: %d numbers are no actions of %d each", len(past.Actions), n)
	}
	e.Reset(past.Seed, obs)
	for i := 0; i < len(past.Actions); i += n {
		if o := e.Step(past.Actions[i:i+n], obs); o.Done() {
			return fmt.Errorf("env: the episode of seed %d was over after %d of %d actions", past.Seed, i/n+1, len(past.Actions)/n)
		}
	}
	return nil
}

// Close frees what an environment holds outside Go's memory.
func Close(e Env) {
	if c, ok := e.(io.Closer); ok {
		_ = c.Close() // it is gone anyway
	}
}

func clamp(x, low, high float64) float64 { return max(low, min(high, x)) }

var _ Env = (*Episode)(nil)
