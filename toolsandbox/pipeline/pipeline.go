// Package pipeline takes what somebody wrote for the robot from its source to a tool that is called: it checks, tests,
// scores, registers and activates it, runs it with what it was granted, and reports every step.
//
// It serves whoever makes tools: people by way of the daemon, and agents that write code. The latter need no more than
//
//	type Maker interface {
//		Search(ctx context.Context, query string, limit int) ([]registry.Found, error) // reuse before create
//		Check(ctx context.Context, d registry.Draft) (*validate.Report, error)         // findings with lines and how to mend them
//		Test(ctx context.Context, d registry.Draft) (*tester.Report, error)            // outcomes with tracebacks, coverage
//		Register(ctx context.Context, d registry.Draft) (*Report, error)               // all of it, and kept
//	}
//
// which *Pipeline is, and Call to use what they made. An attempt that ends in a refusal is no error of the pipeline:
// Register returns the report with the findings beside a *registry.Refusal, and Options.Done is told of it as of a
// success, so that failures are recorded, too.
//
// A draft whose Grants are nil is granted what its source visibly calls and imports, one whose Grants are empty nothing;
// Uses are found in the source. Without Cases they are made from the parameters, so that at least nothing breaks at the
// edges. Provenance (Author, Model, Prompt, Parents) is kept with the version as it was given.
//
// Where the owner reviews tools first, a registered version is pending: nobody can call it before it was approved.
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Sandbox runs Python. *guest.Sandbox is one.
type Sandbox interface {
	Call(ctx context.Context, r *guest.Request) (guest.Result, error)
}

// Shelf is where the tools are kept.
type Shelf interface {
	// Open returns the registry and makes it if need be.
	Open() (*registry.Registry, error)
	// Kept returns the registry, or nil when no tool was ever registered.
	Kept() *registry.Registry
}

// Schemas are the schemas by which the robot describes its tools to planners and models.
type Schemas interface {
	// Verify says why parameters, a JSON schema as the validator derives it, cannot be described.
	Verify(parameters json.RawMessage) error
	// Arguments checks arguments and fills in defaults.
	Arguments(parameters, args json.RawMessage) (json.RawMessage, error)
	// Result says why a value is not what the schema of a result promises.
	Result(returns, value json.RawMessage) error
}

// Reader reads files that come with a call. *files.Worker is one.
type Reader interface {
	Describe(ctx context.Context, f *files.File) (*files.Info, error)
	Read(ctx context.Context, f *files.File, q files.Query) (json.RawMessage, error)
}

// Options are what a Pipeline is made of. Sandbox, Shelf, Schemas and Own must be there.
type Options struct {
	Sandbox Sandbox
	Shelf   Shelf
	Schemas Schemas
	// Own are the names of the robot's own tools: a source may call them, and may not have their names.
	Own []string
	// Robot makes the robot that a case of a test meets; nil: tools are tested without one.
	Robot func(c tester.Conditions) tester.Robot
	// Reader reads the files that come with a call; nil: a call cannot carry files.
	Reader Reader
	// Limits of a call that is not a test, and of each test; zero fields are those of guest.DefaultLimits.
	Limits guest.Limits
	// Call calls a tool as everybody on this robot does, in its turn and stopped by a stop; for Pipeline.Call.
	Call func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error)
	// Done is told of every registration that was tried, before Register returns: err is nil or why there is no new
	// version. An error of Done (the tool cannot be offered) becomes Register's.
	Done func(ctx context.Context, r *Report, err error) error
	// Languages are those beside Python, by name.
	Languages map[string]Language
}

// Language checks and runs tools that are not written in Python.
type Language interface {
	Sandbox
	// Check returns what is known of a source. The error says that it could not look, never that the source is bad.
	Check(ctx context.Context, name, source string) (*Facts, error)
}

// Python is the language of tools that name none.
const Python = "python"

// Pipeline makes and runs tools. Its methods may be called by many goroutines.
type Pipeline struct{ o Options }

// New returns a pipeline.
func New(o Options) *Pipeline { return &Pipeline{o} }

// Errors that callers branch on.
var (
	ErrInput = errors.New("the request cannot be carried out") // a mistake of the caller
	ErrFiles = errors.New("files cannot be read here")
)

// inputError is a mistake of the caller; it is an ErrInput and says no more than what was wrong.
type inputError struct{ error }

// Unwrap returns what was wrong.
func (e inputError) Unwrap() []error { return []error{ErrInput, e.error} }

func inputf(format string, args ...any) error { return inputError{fmt.Errorf(format, args...)} }

// Search returns the active tools that have to do with a query, best first, at most limit.
func (p *Pipeline) Search(ctx context.Context, query string, limit int) ([]registry.Found, error) {
	r := p.o.Shelf.Kept()
	if r == nil {
		return nil, nil
	}
	return r.Search(ctx, query, limit)
}

// Call calls a tool by name, as everybody on this robot does. The value is what it returned. A version that waits for
// review is an error that wraps registry.ErrNotApproved.
func (p *Pipeline) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if err := p.Waits(name); err != nil {
		return nil, err
	}
	if p.o.Call == nil {
		return nil, fmt.Errorf("call tool %.80q: nobody calls tools here", name)
	}
	return p.o.Call(ctx, name, args)
}

// Score says how good a version is and what became of its calls; number 0 is the active or else the latest one.
func (p *Pipeline) Score(name string, number int) (registry.Score, registry.Usage, error) {
	v, err := p.Version(name, number)
	if err != nil {
		return registry.Score{}, registry.Usage{}, err
	}
	return v.Score, p.o.Shelf.Kept().Usage(name, v.Number), nil
}

// Waits says why a tool that is there cannot be called: none of its versions was approved. The error wraps
// registry.ErrNotApproved or registry.ErrRejected.
func (p *Pipeline) Waits(name string) error {
	r := p.o.Shelf.Kept()
	if r == nil {
		return nil
	}
	h, err := r.Head(name)
	if err != nil || h.Active != 0 {
		return nil //nolint:nilerr // who is not there waits for nothing
	}
	switch h.ReviewOf(h.Latest) {
	case registry.ReviewPending:
		return fmt.Errorf("tool %s v%d: %w", name, h.Latest, registry.ErrNotApproved)
	case registry.ReviewRejected:
		return fmt.Errorf("tool %s v%d: %w: %s", name, h.Latest, registry.ErrRejected, h.Verdicts[h.Latest].Reason)
	}
	return nil
}

// Version returns a version of a tool; number 0 is the active or else the latest one.
func (p *Pipeline) Version(name string, number int) (*registry.Version, error) {
	r := p.o.Shelf.Kept()
	if r == nil {
		return nil, fmt.Errorf("tool %.80q: %w", name, registry.ErrNotFound)
	}
	return r.Version(name, number)
}

// Calls are the names of the host calls that a source may make: the robot's own tools, those self-made ones that are
// there, and what every tool may ask.
func (p *Pipeline) Calls() []string {
	names := slices.Concat(shorthands, fileCalls, p.o.Own)
	if r := p.o.Shelf.Kept(); r != nil {
		for _, h := range r.List() {
			if h.Active != 0 {
				names = append(names, h.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shorthands are functions of the module reachy that stand for other host calls.
var shorthands = []string{"frame", "detections", "state"}

// request is one for a function of a source.
func (p *Pipeline) request(source, function string, args json.RawMessage, grants []string, host guest.HostFunc) *guest.Request {
	return &guest.Request{Source: source, Function: function, Args: args, Grants: grants, Host: host, Limits: p.o.Limits}
}

// sandbox is where a language runs.
func (p *Pipeline) sandbox(language string) (Sandbox, error) {
	if language == Python || language == "" {
		return p.o.Sandbox, nil
	}
	if l := p.o.Languages[language]; l != nil {
		return l, nil
	}
	return nil, inputf("language: %.40q, allowed are %v", language, p.languages())
}

func (p *Pipeline) languages() []string {
	names := make([]string, 0, 1+len(p.o.Languages))
	names = append(names, Python)
	for name := range p.o.Languages {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// timed adds the time that something takes to d.
func timed(d *time.Duration) func() {
	began := time.Now()
	return func() { *d += time.Since(began) }
}
