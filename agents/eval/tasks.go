package eval

import (
	_ "embed" // the tasks
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// Task is a tool to be written, with hidden tests: the writer is told Name, Does and Signature, and nothing of the rest.
type Task struct {
	Name      string `yaml:"name"`
	Does      string `yaml:"does"`      // what it must do, edge cases included
	Signature string `yaml:"signature"` // of the Python function, from "(" on
	// Body is a solution, which shows that the tests can be passed.
	Body string `yaml:"body"`
	// Cases are pairs of arguments and what must come of them, both JSON; "!Type" for an error of that type, "?" for a
	// Python expression over result, input and calls that must be true.
	Cases [][2]string `yaml:"cases"`
}

//go:embed tasks.yaml
var tasksYAML string

// Tasks returns the fixed tools to be written.
func Tasks() ([]Task, error) {
	var all []Task
	if err := yaml.NewDecoder(strings.NewReader(tasksYAML), yaml.Strict()).Decode(&all); err != nil {
		return nil, fmt.Errorf("tasks.yaml: %w", err)
	}
	return all, nil
}
