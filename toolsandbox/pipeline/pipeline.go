// Package pipeline takes what somebody wrote for the robot from its source to a version in the library, and runs it with
// what it was granted. Every step is called once, with the result of the step before:
//
//	registry.Draft → Check → *Checked → Test → *Tested → Put → *Report
//
// Register is the three of them. An attempt that ends in a refusal is no error of the pipeline: Register and Put return
// the report with the findings beside a *registry.Refusal.
//
// A draft whose Grants are nil is granted what its source visibly calls and imports, one whose Grants are empty nothing;
// Uses are found in the source. Without Cases they are made from the parameters, so that at least nothing breaks at the
// edges. Provenance (Author, Model, Prompt, Parents) is kept with the version as it was given.
//
// Where the owner reviews tools first, a registered version is pending: nobody can call it before it was approved.
package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

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

// Options are what a Pipeline is made of. Languages, Library, Schemas and Own must be there.
type Options struct {
	// Languages are those that tools can be written in, by name; see package lang/all.
	Languages map[string]lang.Language
	Library   *registry.Library
	Schemas   Schemas
	// Own are the names of the robot's own tools: a source may call them, and may not have their names.
	Own []string
	// Robot makes the robot that a case of a test meets; nil: tools are tested without one.
	Robot func(c tester.Conditions) tester.Robot
	// Reader reads the files that come with a call; nil: a call cannot carry files.
	Reader Reader
	// Limits of a call that is not a test, and of each test; zero fields are those of guest.DefaultLimits.
	Limits guest.Limits
}

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
	r := p.o.Library.Opened()
	if r == nil {
		return nil, nil
	}
	return r.Search(ctx, query, limit)
}

// Version returns a version of a tool; number 0 is the active or else the latest one.
func (p *Pipeline) Version(name string, number int) (*registry.Version, error) {
	return p.o.Library.Version(name, number)
}

// calls are the names of the host calls that a source may make: the robot's own tools, those self-made ones that are
// there, and what every tool may ask.
func (p *Pipeline) calls() []string {
	names := slices.Concat(shorthands, fileCalls, p.o.Own)
	if r := p.o.Library.Opened(); r != nil {
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

// language is the one of a name; empty is Python.
func (p *Pipeline) language(name string) (lang.Language, error) {
	if l := p.o.Languages[cmp.Or(name, python.Name)]; l != nil {
		return l, nil
	}
	return nil, inputf("language: %.40q, allowed are %v", name, slices.Sorted(maps.Keys(p.o.Languages)))
}
