// Package tool defines what acts: a Tool is called by name with JSON arguments that were checked against its schema.
//
// The planner, a language model, MQTT, HTTP, the command line and generated tools all act through a Registry and
// nothing else, so that guardrails, traces, limits and history are written once.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Tool is something the robot can do.
type Tool interface {
	// Spec describes the tool; it does not change over the tool's life.
	Spec() Spec
	// Call runs the tool. args satisfy Spec().Parameters and have its defaults filled in. It returns when the work
	// is done, or soon after ctx ends. What goes wrong is told in the Result.
	Call(ctx context.Context, args json.RawMessage) Result
}

// ValueTool is a Tool that takes its arguments as values; the Registry prefers that.
type ValueTool interface {
	Tool
	// CallValues is Call with arguments as Decode reads them.
	CallValues(ctx context.Context, args map[string]any) Result
}

// Spec describes a tool to people, planners and language models.
type Spec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  Schema `json:"parameters"`
	// Moves says that the tool can move the robot. Such tools run one at a time and are refused while the emergency stop is latched.
	Moves bool `json:"moves,omitempty"`
	// Also are other names under which language models call the tool.
	Also []string `json:"-"`
	// Unavailable says why the tool cannot work now ("no camera"); empty when it can.
	Unavailable string `json:"unavailable,omitempty"`
}

// The two values of Result.Status.
const (
	StatusSuccess = "success"
	StatusError   = "error"
)

// Codes of results that are errors. Besides these there are the rejection codes of package hal.
const (
	CodeInvalid     = "invalid"      // the arguments do not satisfy the schema
	CodeUnknownTool = "unknown_tool" // no tool of that name
	CodeUnavailable = "unavailable"  // the tool cannot work now
	CodeCancelled   = "cancelled"    // somebody else took over, or the caller gave up
	CodeTimeout     = "timeout"      // the time for the call was over
	CodeStopped     = "stopped"      // the emergency stop ended it
	CodeLimit       = "limit"        // a limit of the tool itself, not of one argument
	CodeFailed      = "failed"       // it was tried and did not work
	CodePanic       = "panic"        // the tool is broken
)

// Result is what every tool call answers.
type Result struct {
	Status  string `json:"status"`
	Data    any    `json:"data,omitempty"`
	Message string `json:"message"` // one sentence for a person
	Code    string `json:"code,omitempty"`
	Wrong   error  `json:"-"` // what is wrong with the arguments, for those who tell it field by field; nil when nothing is
}

// OK reports whether the call succeeded.
func (r Result) OK() bool { return r.Status == StatusSuccess }

// Success is the result of a call that worked.
func Success(message string, data any) Result {
	return Result{Status: StatusSuccess, Message: message, Data: data}
}

// Errorf is the result of a call that did not work.
func Errorf(code, format string, args ...any) Result {
	return Result{Status: StatusError, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Interrupted is the result of a call that ended because its context did. The context's cause is told, if it has one.
func Interrupted(ctx context.Context) Result {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Errorf(CodeTimeout, "That took too long, so I stopped.")
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return Errorf(CodeCancelled, "I was interrupted: %v.", cause)
	}
	return Errorf(CodeCancelled, "I was interrupted.")
}

type unattended struct{}

// Unattended returns the context of calls that nobody waits for, such as those of a schedule: they have less time.
func Unattended(ctx context.Context) context.Context {
	return context.WithValue(ctx, unattended{}, true)
}

// IsUnattended reports whether nobody waits for the call.
func IsUnattended(ctx context.Context) bool { return ctx.Value(unattended{}) != nil }

type spoken struct{}

// WithSpoken returns the context of calls that a person asked for in words: what they do a person may take back in words.
func WithSpoken(ctx context.Context) context.Context { return context.WithValue(ctx, spoken{}, true) }

type session struct{}

// WithSession returns the context of calls that belong to a conversation.
func WithSession(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, session{}, id)
}

// Session returns the conversation that ctx belongs to; empty when there is none.
func Session(ctx context.Context) string {
	id, _ := ctx.Value(session{}).(string)
	return id
}

// Spoken reports whether a person asked for the call in words.
func Spoken(ctx context.Context) bool { return ctx.Value(spoken{}) != nil }
