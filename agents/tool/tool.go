// Package tool defines what acts: a Tool is called by name with JSON arguments that were checked against its schema.
//
// The planner, a language model, MQTT, HTTP, the command line and generated tools all act through a Registry and
// nothing else, so that guardrails, traces, limits and history are written once.
package tool

import (
	"context"
	"encoding/json"
)

// Tool is something the robot can do.
type Tool interface {
	// Spec describes the tool; it does not change over the tool's life.
	Spec() Spec
	// Call runs the tool. args satisfy Spec().Parameters and have its defaults filled in. It returns when the work
	// is done, or soon after ctx ends. What goes wrong is told in the Result.
	Call(ctx context.Context, args json.RawMessage) Result
}

// Spec describes a tool to people, planners and language models.
type Spec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  Schema `json:"parameters"`
	// Moves says that the tool can move the robot. Such tools run one at a time and are refused while the emergency stop is latched.
	Moves bool `json:"moves,omitempty"`
	// Unavailable says why the tool cannot work now ("no camera"); empty when it can.
	Unavailable string `json:"unavailable,omitempty"`
}

// The two values of Result.Status.
const (
	StatusSuccess = "success"
	StatusError   = "error"
)

// Result is what every tool call answers.
type Result struct {
	Status  string `json:"status"`
	Data    any    `json:"data,omitempty"`
	Message string `json:"message"` // one sentence for a person
	Code    string `json:"code,omitempty"`
}
