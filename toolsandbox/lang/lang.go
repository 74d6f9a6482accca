// Package lang says what a language must be able to do for tools to be written in it. Each of its folders is one; package
// all lists them.
package lang

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// Language is one in which tools are written.
type Language interface {
	// Check says what is known of the source of the tool called name, without calling it; an empty name stands for the first
	// public function. The error says that nobody could look, never that the source is bad.
	Check(ctx context.Context, name, source string, o Options) (*Report, error)
	// Call calls r.Function of r.Source.
	Call(ctx context.Context, r *guest.Request) (guest.Result, error)
	// Try calls it with one input after the other, until a call ends in another way than by returning or raising.
	Try(ctx context.Context, r *guest.Request, t Trial) (Outcomes, guest.Result, error)
}

// Sandbox runs the guests of all languages. *guest.Sandbox is one.
type Sandbox interface {
	Call(ctx context.Context, r *guest.Request) (guest.Result, error)
}

var _ Sandbox = (*guest.Sandbox)(nil)

// ErrSource says that a source cannot be run at all.
var ErrSource = errors.New("not a source that can be run")

// Trial is what a function is tried with.
type Trial struct {
	Inputs    []json.RawMessage // JSON objects of arguments
	Predicate string            // a Python expression, see tester.Case; ErrPredicate where there is no Python
}

// ErrPredicate says that a language cannot evaluate predicates.
var ErrPredicate = errors.New("predicate: it is Python; the cases of a tool in another language have expected, error or no_crash")

// Outcomes are what came of a trial.
type Outcomes struct {
	Outcomes []Outcome `json:"outcomes"`
	Lines    []int     `json:"lines"` // that could run, from 1; none where lines are not counted
	Hit      []int     `json:"hit"`   // that did
}

// Outcome is what came of one input.
type Outcome struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error *guest.Error    `json:"error,omitempty"`
	Holds *bool           `json:"holds,omitempty"` // the predicate; nil: there is none
	Why   string          `json:"why,omitempty"`   // it does not hold
}

// Mode says how strict to be.
type Mode string

// The modes: in lenient mode findings of style (documentation, complexity) are warnings.
const (
	Strict  Mode = "strict"
	Lenient Mode = "lenient"
)

// Options say what is known beside the source.
type Options struct {
	Mode  Mode     // empty: Strict
	Calls []string // host calls that there are
}

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

// NewReport begins the report of a language that measures nothing but the length of a source.
func NewReport(source string) *Report {
	return &Report{Findings: []Finding{}, Imports: []string{}, Calls: []string{}, Metrics: Metrics{
		Characters: len([]rune(source)), Lines: strings.Count(source, "\n") + 1, Functions: 1, Complexity: 1,
	}}
}

// Fault adds a finding that keeps the tool out. Lines that are not known are the first.
func (r *Report) Fault(code string, line int, fix, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{Code: code, Severity: Error, Line: max(line, 1), Column: 1, Message: fmt.Sprintf(format, args...), Fix: fix})
}

// Judge sets OK from the findings.
func (r *Report) Judge() {
	r.OK = true
	for _, f := range r.Findings {
		r.OK = r.OK && f.Severity != Error
	}
}

// Failure says in a sentence how a call that did not end well ended.
func Failure(name string, res guest.Result) string {
	e := res.Error
	switch {
	case e == nil:
		return fmt.Sprintf("%s was ended: %s.", name, res.Reason)
	case res.Reason == guest.ReasonError && e.Line > 0:
		return fmt.Sprintf("%s failed in line %d: %s: %s", name, e.Line, e.Type, e.Message)
	case res.Reason == guest.ReasonError:
		return fmt.Sprintf("%s failed: %s: %s", name, e.Type, e.Message)
	}
	return fmt.Sprintf("%s was ended (%s): %s", name, res.Reason, e.Message)
}
