// Package train runs the learning of a task: it teaches, evaluates, keeps what is better, and goes on after a crash where it was.
package train

import (
	"fmt"

	"github.com/reachyd/reachyd/hal/virtual"
	"github.com/reachyd/reachyd/learner/env"
)

// The algorithms.
const (
	PPO = "ppo"
	SAC = "sac"
)

// Settings say what a run is. Two runs with equal settings have equal curves.
type Settings struct {
	Task             string      `json:"task"`
	Algorithm        string      `json:"algorithm"`
	Seed             uint64      `json:"seed"`
	Episodes         int         `json:"episodes"`
	UpdateEvery      int         `json:"update_every"`      // episodes between two updates
	EvaluateEvery    int         `json:"evaluate_every"`    // episodes between two evaluations
	EvaluateEpisodes int         `json:"evaluate_episodes"` // of each
	Random           float64     `json:"random"`            // 0…1, how much the simulation varies
	Curriculum       bool        `json:"curriculum"`        // the simulation varies little at first
	Weights          env.Weights `json:"weights"`
	Model            string      `json:"model"`  // of the robot: simple, mujoco
	Person           string      `json:"person"` // none, simulated: who judges episodes besides the people around
	// OnRobot is a run on the robot itself, which goes at its own pace and in few episodes.
	OnRobot bool `json:"on_robot,omitempty"`
	// Begin is a cloned policy to begin with, as bytes of a policy file.
	Begin []byte `json:"-"`
}

// Limits of settings.
const (
	MaxEpisodes = 1_000_000
	maxEvery    = 10_000
)

// The settings of a run that says nothing else.
const (
	DefaultEpisodes = 1000
	defaultUpdate   = 10
	defaultEvaluate = 50
	defaultTries    = 100
	// On the robot itself an episode takes seconds.
	robotEpisodes    = 100
	robotTries       = 10
	maxRobotEpisodes = 2000
)

// Complete fills in what was left out and checks all of it. The error names the field, its value and what is allowed.
func (s *Settings) Complete() error {
	if s.Task == "" {
		s.Task = env.LookAtThing
	}
	if _, err := env.TaskNamed(s.Task); err != nil {
		return err
	}
	if s.Algorithm == "" {
		s.Algorithm = PPO
	}
	if s.Algorithm != PPO && s.Algorithm != SAC {
		return fmt.Errorf("algorithm: %q is not one of %s, %s", s.Algorithm, PPO, SAC)
	}
	if s.Model == "" {
		s.Model = "simple"
	}
	if s.Person == "" {
		s.Person = "none"
	}
	if s.Person != "none" && s.Person != "simulated" {
		return fmt.Errorf("person: %q is not one of none, simulated", s.Person)
	}
	if s.Weights == (env.Weights{}) {
		s.Weights = env.DefaultWeights
	}
	for _, w := range []float64{s.Weights.Task, s.Weights.Human, s.Weights.Safety} {
		if !(w >= 0 && w <= 100) {
			return fmt.Errorf("weights: %g is not within 0…100", w)
		}
	}
	episodes, tries, most := DefaultEpisodes, defaultTries, MaxEpisodes
	if s.OnRobot {
		if t, err := env.TaskNamed(s.Task); err == nil && !t.OnRobot {
			return fmt.Errorf("task: %q cannot be practised on the robot itself; %s can", s.Task, env.ReachPose)
		}
		episodes, tries, most = robotEpisodes, robotTries, maxRobotEpisodes
	}
	for _, c := range []struct {
		name     string
		value    *int
		standard int
		most     int
	}{
		{"episodes", &s.Episodes, episodes, most},
		{"update_every", &s.UpdateEvery, defaultUpdate, maxEvery},
		{"evaluate_every", &s.EvaluateEvery, defaultEvaluate, maxEvery},
		{"evaluate_episodes", &s.EvaluateEpisodes, tries, maxEvery},
	} {
		if *c.value == 0 {
			*c.value = c.standard
		}
		if *c.value < 1 || *c.value > c.most {
			return fmt.Errorf("%s: %d is not within 1…%d", c.name, *c.value, c.most)
		}
	}
	if !(s.Random >= 0 && s.Random <= 1) {
		return fmt.Errorf("random: %g is not within 0…1", s.Random)
	}
	return nil
}

// Plants makes what the servos turn, by the name of a model.
type Plants func(model string) (func() virtual.Plant, error)

// SimplePlants knows the plain servo model only.
func SimplePlants(model string) (func() virtual.Plant, error) {
	if model != "simple" {
		return nil, fmt.Errorf("model: %q is not part of this program; simple is", model)
	}
	return func() virtual.Plant { return virtual.NewSimple(virtual.SleepJoints) }, nil
}
