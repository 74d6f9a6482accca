// Package validate looks at the source of a tool, inside the sandbox and without running it, and tells its author what
// to change; it is a courtesy, the sandbox is the wall.
package validate

import (
	"context"
	_ "embed" // the validator
	"encoding/json"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// ModuleName and Module are the Python that does the work. The image of the sandbox must be made with it
// (guest.ImageConfig.Modules).
const ModuleName = "reachyd_validator"

// Module is the source of the Python module.
//
//go:embed validator.py
var Module string

// Mode says how strict to be.
type Mode string

// The modes: in lenient mode findings of style (documentation, complexity) are warnings.
const (
	Strict  Mode = "strict"
	Lenient Mode = "lenient"
)

// Severity of a finding. Only errors keep a tool from being registered.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Finding is one thing that the author should change.
type Finding struct {
	Code     string   `json:"code"` // such as T001; does not change between versions
	Severity Severity `json:"severity"`
	Line     int      `json:"line"`   // from 1
	Column   int      `json:"column"` // from 1
	Message  string   `json:"message"`
	Fix      string   `json:"fix"` // how to mend it
}

func (f Finding) String() string {
	return fmt.Sprintf("%d:%d: %s %s: %s %s", f.Line, f.Column, f.Severity, f.Code, f.Message, f.Fix)
}

// Report is what is known of a source.
type Report struct {
	OK       bool            `json:"ok"` // no finding is an error
	Findings []Finding       `json:"findings"`
	Function string          `json:"function"` // the tool's function, empty when there is none
	Async    bool            `json:"async"`
	Schema   json.RawMessage `json:"schema,omitempty"`  // JSON schema of the parameters
	Returns  json.RawMessage `json:"returns,omitempty"` // JSON schema of the result
	Summary  string          `json:"summary"`           // first line of the docstring
	Imports  []string        `json:"imports"`
	Calls    []string        `json:"calls"` // host calls that the source makes, as far as can be seen
	Metrics  Metrics         `json:"metrics"`
	Took     time.Duration   `json:"took"`
}

// Metrics measure a source.
type Metrics struct {
	Characters int     `json:"characters"`
	Lines      int     `json:"lines"`
	Functions  int     `json:"functions"`
	Complexity int     `json:"complexity"` // of the most complex function
	Documented float64 `json:"documented"` // 0 to 1: summary and parameters that are described
}

// Options say what is known beside the source.
type Options struct {
	Mode    Mode     // empty: Strict
	Imports []string // modules that are allowed beside the usual ones
	Calls   []string // host calls that there are
}

// Sandbox runs Python. *guest.Sandbox is one.
type Sandbox interface {
	Call(ctx context.Context, r *guest.Request) (guest.Result, error)
}

var _ Sandbox = (*guest.Sandbox)(nil)

// maxSource is what is looked at, in bytes; the validator itself finds less to be too much.
const maxSource = 256 << 10

// Check validates the source of the tool called name; an empty name stands for the first public function. The error
// says that there was no sandbox, never that the source is bad.
func Check(ctx context.Context, s Sandbox, name, source string, o Options) (*Report, error) {
	if o.Mode == "" {
		o.Mode = Strict
	}
	if o.Mode != Strict && o.Mode != Lenient {
		return nil, fmt.Errorf("mode %q, allowed %s and %s", o.Mode, Strict, Lenient)
	}
	if len(source) > maxSource {
		return refused("C002", fmt.Sprintf("%d bytes of source, allowed 10000 characters.", len(source)), "Split the tool into several that call each other."), nil
	}
	args, err := json.Marshal(map[string]any{"source": source, "name": name, "mode": o.Mode, "imports": notNil(o.Imports), "calls": notNil(o.Calls)})
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	res, err := s.Call(ctx, &guest.Request{
		Module: ModuleName, Function: "check", Args: args,
		Limits: guest.Limits{Wall: 20 * time.Second, CPU: 5 * time.Second, Output: 4 << 20, Args: 4 << 20, Memory: 128 << 20},
		Clock:  guest.Clock{Virtual: true},
	})
	if err != nil {
		return nil, fmt.Errorf("validating %s: %w", name, err)
	}
	if res.Reason != guest.ReasonOK {
		return refused("S002", fmt.Sprintf("This could not be examined: %s, %s.", res.Reason, res.Error.Message), "Simplify the source."), nil
	}
	r := &Report{}
	if err := json.Unmarshal(res.Value, r); err != nil {
		return nil, fmt.Errorf("validating %s: report: %w", name, err)
	}
	r.Took = res.Usage.Wall
	r.OK = true
	for _, f := range r.Findings {
		r.OK = r.OK && f.Severity != Error
	}
	return r, nil
}

func refused(code, message, fix string) *Report {
	return &Report{Findings: []Finding{{Code: code, Severity: Error, Line: 1, Column: 1, Message: message, Fix: fix}}}
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
