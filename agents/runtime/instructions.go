package runtime

import (
	_ "embed" // the instructions are a file that people read and replace
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed instructions.yaml
var builtIn []byte

// Instructions are what the agents are told. They are read from one annotated file; DefaultInstructions are built in.
type Instructions struct {
	Coordinator Agent  `yaml:"coordinator"`
	Robot       Agent  `yaml:"robot"`
	Vision      Agent  `yaml:"vision"`
	Web         Agent  `yaml:"web"`
	Code        Agent  `yaml:"code"`
	Plan        string `yaml:"plan"`
	Route       string `yaml:"route"`
	Summary     string `yaml:"summary"`
}

// Agent is one of the agents: what it is told, and what it may do.
type Agent struct {
	Instructions string   `yaml:"instructions"`
	Tools        []string `yaml:"tools"`
	SelfMade     bool     `yaml:"self_made"`
	HandOff      []string `yaml:"hand_off"`
	MaxSteps     int      `yaml:"max_steps"`
}

// The agents by name.
const (
	Coordinator = "coordinator"
	Robot       = "robot"
	Vision      = "vision"
	Web         = "web"
	Code        = "code"
)

// agent returns the agent of that name.
func (i *Instructions) agent(name string) (*Agent, bool) {
	switch name {
	case Coordinator:
		return &i.Coordinator, true
	case Robot:
		return &i.Robot, true
	case Vision:
		return &i.Vision, true
	case Web:
		return &i.Web, true
	case Code:
		return &i.Code, true
	}
	return nil, false
}

// Limits of a file of instructions.
const (
	maxInstructionsFile = 256 << 10 // bytes
	maxSteps            = 20
)

// DefaultInstructions are those that reachyd brings.
func DefaultInstructions() Instructions {
	i, err := ParseInstructions(builtIn)
	if err != nil {
		panic("mind: built-in instructions: " + err.Error()) // a test reads them
	}
	return i
}

// LoadInstructions reads a file in the place of the built-in ones.
func LoadInstructions(path string) (Instructions, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxInstructionsFile {
		err = fmt.Errorf("%d bytes; at most %d are allowed", info.Size(), maxInstructionsFile)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return Instructions{}, fmt.Errorf("instructions %s: %w", path, err)
	}
	i, err := ParseInstructions(data)
	if err != nil {
		return i, fmt.Errorf("instructions %s: %w", path, err)
	}
	return i, nil
}

// ParseInstructions reads instructions and checks that they hang together.
func ParseInstructions(data []byte) (Instructions, error) {
	var i Instructions
	if err := yaml.UnmarshalWithOptions(data, &i, yaml.DisallowUnknownField()); err != nil {
		return i, errors.New(yaml.FormatError(err, false, true))
	}
	for _, name := range []string{Coordinator, Robot, Vision, Web, Code} {
		a, _ := i.agent(name)
		switch {
		case strings.TrimSpace(a.Instructions) == "":
			return i, fmt.Errorf("%s.instructions: empty", name)
		case a.MaxSteps < 1 || a.MaxSteps > maxSteps:
			return i, fmt.Errorf("%s.max_steps: %d, allowed are 1 to %d", name, a.MaxSteps, maxSteps)
		}
		for _, to := range a.HandOff {
			if _, known := i.agent(to); !known || to == name || to == Coordinator {
				return i, fmt.Errorf("%s.hand_off: %q, allowed are the other specialists: robot, vision, web, code", name, to)
			}
		}
	}
	for _, t := range []struct{ name, text string }{{"plan", i.Plan}, {"route", i.Route}, {"summary", i.Summary}} {
		if strings.TrimSpace(t.text) == "" {
			return i, fmt.Errorf("%s: empty", t.name)
		}
	}
	return i, nil
}

// secrets are the texts that no reply may repeat.
func (i *Instructions) secrets() []string {
	return []string{i.Coordinator.Instructions, i.Robot.Instructions, i.Vision.Instructions, i.Web.Instructions, i.Code.Instructions, i.Plan, i.Route}
}
