// Package tester runs a tool on cases inside the sandbox, with a fake robot and time that does not pass,
// and reports what failed, which lines were reached and how long it took.
package tester

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
)

// Case is one thing that a tool must do. At least one of Expected, Error, Predicate and NoCrash says what.
type Case struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"` // a JSON object of arguments
	// Expected is the result; numbers may differ by Tolerance, absolutely or relatively to the larger one.
	Expected  json.RawMessage `json:"expected,omitempty"`
	Tolerance float64         `json:"tolerance,omitempty"`
	// Error is what the tool must raise, or how its call must end: a piece of "Type: message" or a guest.Reason.
	Error string `json:"error,omitempty"`
	// Predicate is a Python expression that must be true: over result, error (the type's name), input, calls
	// ([{"name", "args", "at"}]) and seconds (of the tool's clock).
	Predicate string `json:"predicate,omitempty"`
	// NoCrash accepts any result, and errors with which a tool refuses its input.
	NoCrash bool `json:"no_crash,omitempty"`
	// ForAll draws Runs inputs (0: 20) from ranges; Predicate must hold for all. Parameters not named are from Input.
	ForAll map[string]Range `json:"for_all,omitempty"`
	Runs   int              `json:"runs,omitempty"`
	Robot  Conditions       `json:"robot,omitzero"`
	// Timeout of a run is on the tool's clock, which only sleeping and moves make pass. 0: 10 minutes.
	Timeout time.Duration `json:"timeout,omitempty"`
	Seed    uint64        `json:"seed,omitempty"`
}

// Outcome is what came of a case.
type Outcome struct {
	Name    string          `json:"name"`
	Passed  bool            `json:"passed"`
	Message string          `json:"message,omitempty"` // why it did not pass
	Reason  guest.Reason    `json:"reason"`            // how the call ended
	Value   json.RawMessage `json:"value,omitempty"`
	Error   *guest.Error    `json:"error,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"` // of the run that failed
	Log     string          `json:"log,omitempty"`
	Calls   []string        `json:"calls,omitempty"` // of the robot, in order
	Clock   time.Duration   `json:"clock"`           // that passed for the tool
	Took    time.Duration   `json:"took"`            // that really passed
	CPU     time.Duration   `json:"cpu"`             // processor time, which a busy machine hardly changes
	Memory  int64           `json:"memory"`          // bytes, interpreter included
}

// Report is what came of all cases.
type Report struct {
	OK       bool          `json:"ok"` // there was a case, and all passed
	Passed   int           `json:"passed"`
	Outcomes []Outcome     `json:"outcomes"`
	Coverage float64       `json:"coverage"` // 0 to 1: of the lines, which were reached by any case
	Missed   []int         `json:"missed,omitempty"`
	Slowest  time.Duration `json:"slowest"` // processor time of the case that needed most
	Memory   int64         `json:"memory"`  // the most that a case used
	Took     time.Duration `json:"took"`
}

// Options say how to test.
type Options struct {
	// NewHost makes what answers the host calls of one case, such as Host of a Robot in these conditions; nil: there is no
	// robot.
	NewHost func(c Conditions) guest.HostFunc
	// Grants are the host calls that the tool may make.
	Grants []string
	Limits guest.Limits // per case; zero: guest.DefaultLimits
}

// Runner runs a function with one input after the other. Every lang.Language is one.
type Runner interface {
	Try(ctx context.Context, r *guest.Request, t lang.Trial) (lang.Outcomes, guest.Result, error)
}

var _ Runner = lang.Language(nil)

const (
	defaultRuns    = 20
	maxRuns        = 1000
	defaultTimeout = 10 * time.Minute
	maxCases       = 500
	sideBySide     = 2 // cases at a time: more would stand in line before the calls of tools that are in use, and be refused as busy
)

// Run tests the function of a source, some cases side by side. The error says that there
// was no sandbox or that a case is malformed, never that a case failed.
func Run(ctx context.Context, l Runner, source, function string, cases []Case, o Options) (*Report, error) {
	if len(cases) > maxCases {
		return nil, fmt.Errorf("%d cases, allowed %d", len(cases), maxCases)
	}
	began := time.Now()
	runs := make([]run, len(cases))
	for i := range cases {
		if err := runs[i].prepare(&cases[i]); err != nil {
			return nil, fmt.Errorf("case %d %q: %w", i+1, cases[i].Name, err)
		}
	}
	var wg sync.WaitGroup
	next := make(chan *run)
	for range sideBySide {
		wg.Go(func() {
			for r := range next {
				r.do(ctx, l, source, function, o)
			}
		})
	}
	for i := range runs {
		next <- &runs[i]
	}
	close(next)
	wg.Wait()
	r := &Report{OK: len(cases) > 0, Outcomes: make([]Outcome, 0, len(cases))}
	lines, hit := map[int]bool{}, map[int]bool{}
	for i := range runs {
		if runs[i].err != nil {
			return nil, fmt.Errorf("case %q: %w", cases[i].Name, runs[i].err)
		}
		out := runs[i].out
		r.Outcomes = append(r.Outcomes, out)
		r.OK = r.OK && out.Passed
		if out.Passed {
			r.Passed++
		}
		r.Slowest, r.Memory = max(r.Slowest, out.CPU), max(r.Memory, out.Memory)
		for _, l := range runs[i].answer.Lines {
			lines[l] = true
		}
		for _, l := range runs[i].answer.Hit {
			hit[l] = true
		}
	}
	for l := range lines {
		if !hit[l] {
			r.Missed = append(r.Missed, l)
		}
	}
	slices.Sort(r.Missed)
	if len(lines) > 0 {
		r.Coverage = float64(len(hit)) / float64(len(lines))
	}
	r.Took = time.Since(began)
	return r, nil
}

// run is a case on its way.
type run struct {
	c      *Case
	inputs []json.RawMessage
	out    Outcome
	answer lang.Outcomes
	err    error
}

func (r *run) prepare(c *Case) (err error) {
	r.c = c
	if len(c.Expected) == 0 && c.Error == "" && c.Predicate == "" && !c.NoCrash {
		return errors.New("says nothing of what must come out: expected, error, predicate or no_crash")
	}
	if c.Runs < 0 || c.Runs > maxRuns {
		return fmt.Errorf("runs %d, allowed 0 to %d", c.Runs, maxRuns)
	}
	if len(c.ForAll) > 0 && c.Predicate == "" {
		return errors.New("for_all without a predicate")
	}
	if len(bytes.TrimSpace(c.Input)) == 0 {
		c.Input = []byte("{}")
	}
	r.inputs, err = c.inputs()
	return err
}

// files are those of Files as a guest gets them.
func (c Conditions) files() map[string][]byte {
	if len(c.Files) == 0 {
		return nil
	}
	files := make(map[string][]byte, len(c.Files))
	for name, text := range c.Files {
		files[name] = []byte(text)
	}
	return files
}

func (r *run) do(ctx context.Context, l Runner, source, function string, o Options) {
	c := r.c
	r.out.Name = c.Name
	var made calls
	newHost := o.NewHost
	if newHost == nil {
		newHost = func(Conditions) guest.HostFunc { return Host(nil) }
	}
	answers := made.watch(newHost(c.Robot))
	timeout := c.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	answer, res, err := l.Try(ctx, &guest.Request{
		Source: source, Function: function, Grants: append([]string{}, o.Grants...), Host: answers,
		Limits: o.Limits, Clock: guest.Clock{Virtual: true, Seed: c.Seed, Max: timeout * time.Duration(len(r.inputs))}, Files: c.Robot.files(),
	}, lang.Trial{Inputs: r.inputs, Predicate: c.Predicate})
	if err != nil {
		r.err = err
		return
	}
	r.answer = answer
	r.out.Reason, r.out.Error, r.out.Log, r.out.Calls = res.Reason, res.Error, res.Log, made.names
	r.out.Clock, r.out.Took, r.out.CPU, r.out.Memory = res.Usage.Clock, res.Usage.Wall, res.Usage.CPU, res.Usage.Memory
	r.out.Message = r.judge()
	r.out.Passed = r.out.Message == ""
}

// judge says why the case did not pass; empty when it did.
func (r *run) judge() string {
	if r.out.Reason != guest.ReasonOK {
		if r.c.Error != "" && (r.c.Error == string(r.out.Reason) || strings.Contains(r.out.Error.Message, r.c.Error)) {
			return ""
		}
		return fmt.Sprintf("ended by %s: %s", r.out.Reason, r.out.Error.Message)
	}
	last := r.answer.Outcomes[len(r.answer.Outcomes)-1]
	r.out.Value, r.out.Error = last.Value, last.Error
	if n := len(r.answer.Outcomes); n <= len(r.inputs) {
		r.out.Input = r.inputs[n-1]
	}
	raised := ""
	if last.Error != nil {
		r.out.Reason = guest.ReasonError
		raised = last.Error.Type + ": " + last.Error.Message
	}
	c := r.c
	switch {
	case c.Error != "" && last.Error == nil:
		return fmt.Sprintf("returned %.200s, must raise %s", last.Value, c.Error)
	case c.Error != "" && !strings.Contains(raised, c.Error):
		return fmt.Sprintf("raised %s (line %d), must raise %s", raised, last.Error.Line, c.Error)
	case c.NoCrash && last.Error != nil && !slices.Contains(refusals, last.Error.Type):
		return fmt.Sprintf("raised %s (line %d), which is no way to refuse %.200s", raised, last.Error.Line, r.out.Input)
	case last.Holds != nil && !*last.Holds:
		because := last.Why
		if because == "" {
			because = fmt.Sprintf("result %.200s", last.Value)
		}
		if raised != "" {
			because = "raised " + raised
		}
		return fmt.Sprintf("%s is false for %.200s: %s", c.Predicate, r.out.Input, because)
	case len(c.Expected) > 0 && last.Error != nil:
		return fmt.Sprintf("raised %s (line %d), must return %.200s", raised, last.Error.Line, c.Expected)
	case len(c.Expected) > 0:
		return difference(last.Value, c.Expected, c.Tolerance)
	}
	return ""
}

// refusals are the exceptions with which a tool says that it does not want its input.
var refusals = []string{"ValueError", "TypeError", "HostError", "Denied", "PermissionError", "FileNotFoundError"}
