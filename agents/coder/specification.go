package coder

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// specification is what a tool must be, before anybody writes it.
type specification struct {
	Name       string      `json:"name"`
	Summary    string      `json:"summary"`
	Parameters []parameter `json:"parameters"`
	Returns    string      `json:"returns"`
	Behaviour  string      `json:"behaviour"`
	Robot      []string    `json:"robot_calls"`
	Examples   []example   `json:"examples"`
	// Call are the arguments for the request that waits; empty when there is nothing to be run now.
	Call json.RawMessage `json:"call,omitempty"`
}

type parameter struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Unit        string   `json:"unit,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
	Description string   `json:"description"`
}

type example struct {
	Input    json.RawMessage `json:"input"`
	Expected string          `json:"expected"`
}

// Limits of a specification and of its tests.
const (
	maxParameters = 8
	maxCases      = 12
	leastCases    = 2
)

var types = []string{"str", "int", "float", "bool", "list[str]", "list[int]", "list[float]", "dict[str, str]", "dict[str, int]", "dict[str, float]"}

func specSchema(calls []string) tool.Schema {
	anyObject := tool.Schema{Type: tool.TypeObject, Open: true}
	p := tool.Object(map[string]tool.Schema{
		"name": tool.Text("snake_case", 40), "type": tool.OneOf("", types...), "unit": tool.Text("such as seconds, or empty", 20),
		"minimum": {Type: tool.TypeNumber}, "maximum": {Type: tool.TypeNumber}, "description": tool.Text("", 200),
	}, "name", "type", "description")
	e := tool.Object(map[string]tool.Schema{"input": anyObject, "expected": tool.Text("the result as JSON", 500)}, "input", "expected")
	robot := tool.Schema{
		Type:        tool.TypeArray,
		Description: "tools of the robot that it must call; empty when it only computes",
		MaxItems:    10,
		Items:       &tool.Schema{Type: tool.TypeString, Enum: calls},
	}
	if len(calls) == 0 {
		robot.Items = &tool.Schema{Type: tool.TypeString, MaxLength: 48}
	}
	return tool.Object(map[string]tool.Schema{
		"name": tool.Text(
			"snake_case, what it does",
			48,
		),
		"summary":     tool.Text("one sentence", 200),
		"parameters":  {Type: tool.TypeArray, Items: &p, MaxItems: maxParameters},
		"returns":     tool.OneOf("type of the result", types...),
		"behaviour":   tool.Text("all rules, edge cases and errors", 1500),
		"robot_calls": robot,
		"examples":    {Type: tool.TypeArray, Items: &e, MaxItems: 5},
		"call":        anyObject,
	}, "name", "summary", "parameters", "returns", "behaviour", "examples")
}

var testsSchema = func() tool.Schema {
	c := tool.Object(map[string]tool.Schema{
		"name": tool.Text("", 60), "input": {Type: tool.TypeObject, Open: true}, "expected": tool.Text("the result as JSON; empty when an error must be raised", 500),
		"error": tool.Text("type of the error that must be raised, such as ValueError; empty for none", 40),
	}, "name", "input")
	return tool.Object(map[string]tool.Schema{"cases": {Type: tool.TypeArray, Items: &c, MaxItems: maxCases}}, "cases")
}()

// writtenCase is a test as a model writes it.
type writtenCase struct {
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	Expected string          `json:"expected"`
	Error    string          `json:"error"`
}

var notSnake = regexp.MustCompile(`[^a-z0-9]+`)

// tidy makes a specification usable, or says what is wrong with it.
func (s *specification) tidy(allowed []string) error {
	s.Name = strings.Trim(notSnake.ReplaceAllString(strings.ToLower(s.Name), "_"), "_")
	if len(s.Name) > 46 {
		s.Name = strings.Trim(s.Name[:46], "_")
	}
	if err := registry.CheckName(s.Name, catalog.ToolNames()...); err != nil {
		s.Name += "_tool"
		if err := registry.CheckName(s.Name, catalog.ToolNames()...); err != nil {
			return err
		}
	}
	if len(s.Parameters) > maxParameters {
		return fmt.Errorf("parameters: %d, allowed are %d", len(s.Parameters), maxParameters)
	}
	for i := range s.Parameters {
		p := &s.Parameters[i]
		p.Name = strings.Trim(notSnake.ReplaceAllString(strings.ToLower(p.Name), "_"), "_")
		if p.Name == "" || !slices.Contains(types, p.Type) {
			return fmt.Errorf("parameter %q of type %q: allowed are %s", p.Name, p.Type, strings.Join(types, ", "))
		}
	}
	for _, r := range s.Robot {
		if !slices.Contains(allowed, r) {
			return fmt.Errorf("robot_calls: %s is not allowed here, allowed are %s", r, strings.Join(allowed, ", "))
		}
	}
	return nil
}

// text is the specification as its author and its tester read it: without the request's own arguments.
func (s *specification) text() string {
	c := *s
	c.Call = nil
	out, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return s.Summary
	}
	return string(out)
}

// exampleCases are the examples as tests.
func (s *specification) exampleCases() []tester.Case {
	all := make([]writtenCase, 0, len(s.Examples))
	for i, e := range s.Examples {
		all = append(all, writtenCase{Name: fmt.Sprintf("example %d", i+1), Input: e.Input, Expected: e.Expected})
	}
	return usable(all)
}

// usable are the written tests that can be run; the others are left out.
func usable(all []writtenCase) []tester.Case {
	var out []tester.Case
	seen := map[string]bool{}
	for _, w := range all {
		c := tester.Case{Name: w.Name, Input: w.Input, Tolerance: 1e-6}
		if len(c.Input) == 0 {
			c.Input = json.RawMessage("{}")
		}
		if key := string(c.Input); seen[key] || !json.Valid(c.Input) {
			continue
		} else {
			seen[key] = true
		}
		expected := strings.TrimSpace(w.Expected)
		switch {
		case w.Error != "" && errorName.MatchString(w.Error):
			c.Error, c.Tolerance = errorName.FindString(w.Error), 0
		case expected == "":
			c.NoCrash = true
		case json.Valid([]byte(expected)):
			c.Expected = json.RawMessage(expected)
		default: // a text that was written without its quotes
			text, err := json.Marshal(expected)
			if err != nil {
				continue
			}
			c.Expected = text
		}
		out = append(out, c)
		if len(out) == maxCases {
			break
		}
	}
	return out
}

// distinguish gives those of more tests other names whose name is taken, and all that have none.
func distinguish(taken, more []tester.Case) {
	seen := map[string]bool{"": true}
	for _, c := range taken {
		seen[c.Name] = true
	}
	for i := range more {
		c := &more[i]
		for n := i + 1; seen[c.Name]; n++ {
			c.Name = fmt.Sprintf("test %d", n)
		}
		seen[c.Name] = true
	}
}

var errorName = regexp.MustCompile(`[A-Z]\w*(?:Error|Exception)`)

// split keeps every third test from the author of the code.
func split(all []tester.Case) (shown, hidden []tester.Case) {
	for i, c := range all {
		if i%3 == 2 {
			hidden = append(hidden, c)
		} else {
			shown = append(shown, c)
		}
	}
	return shown, hidden
}
