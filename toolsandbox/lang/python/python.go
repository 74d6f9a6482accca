// Package python makes tools of Python modules. A validator and a tester, in Python themselves, look at the source inside
// the sandbox; the validator is a courtesy, the sandbox is the wall.
package python

import (
	"context"
	_ "embed" // the validator and the tester
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
)

// Name is the language's.
const Name = "python"

// The modules that do the work inside the sandbox.
const (
	validator = "reachyd_validator"
	tester    = "reachyd_tester"
	robot     = "reachyd_robot"
)

//go:embed validator.py
var validatorSource string

//go:embed tester.py
var testerSource string

// Function is a tool of the robot as a function of the Python module reachy.
type Function struct {
	Name       string
	Parameters []string // in order
}

// Modules are what the image of the sandbox must be made with (guest.ImageConfig.Modules): a tool is checked and tested by
// the interpreter that will run it. The functions are added to the module reachy; others can be called with keywords only.
func Modules(functions ...Function) map[string]string {
	all := map[string]string{validator: validatorSource, tester: testerSource}
	if len(functions) > 0 {
		all[robot] = robotSource(functions)
	}
	return all
}

func robotSource(functions []Function) string {
	var b strings.Builder
	b.WriteString("import reachy\n\nreachy.define({\n")
	for _, f := range functions {
		fmt.Fprintf(&b, "    %q: (", f.Name)
		for _, p := range f.Parameters {
			fmt.Fprintf(&b, "%q, ", p)
		}
		b.WriteString("),\n")
	}
	b.WriteString("})\n")
	return b.String()
}

// Language is Python.
type Language struct {
	Box     lang.Sandbox
	Imports []string // modules that tools may import beside the usual ones
}

var _ lang.Language = Language{}

// maxSource is what is looked at, in bytes; the validator itself finds less to be too much.
const maxSource = 256 << 10

// Check implements lang.Language.
func (l Language) Check(ctx context.Context, name, source string, o lang.Options) (*lang.Report, error) {
	if o.Mode == "" {
		o.Mode = lang.Strict
	}
	if o.Mode != lang.Strict && o.Mode != lang.Lenient {
		return nil, fmt.Errorf("mode %q, allowed %s and %s", o.Mode, lang.Strict, lang.Lenient)
	}
	if len(source) > maxSource {
		return refused("C002", fmt.Sprintf("%d bytes of source, allowed 10000 characters.", len(source)), "Split the tool into several that call each other."), nil
	}
	args, err := json.Marshal(map[string]any{"source": source, "name": name, "mode": o.Mode, "imports": notNil(l.Imports), "calls": notNil(o.Calls)})
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	res, err := l.Box.Call(ctx, &guest.Request{
		Module: validator, Function: "check", Args: args,
		Limits: guest.Limits{Wall: 20 * time.Second, CPU: 5 * time.Second, Output: 4 << 20, Args: 4 << 20, Memory: 128 << 20},
		Clock:  guest.Clock{Virtual: true},
	})
	if err != nil {
		return nil, fmt.Errorf("validating %s: %w", name, err)
	}
	if res.Reason != guest.ReasonOK {
		return refused("S002", fmt.Sprintf("This could not be examined: %s, %s.", res.Reason, res.Error.Message), "Simplify the source."), nil
	}
	r := &lang.Report{}
	if err := json.Unmarshal(res.Value, r); err != nil {
		return nil, fmt.Errorf("validating %s: report: %w", name, err)
	}
	r.Took = res.Usage.Wall
	r.Judge()
	return r, nil
}

func refused(code, message, fix string) *lang.Report {
	r := &lang.Report{}
	r.Fault(code, 1, fix, "%s", message)
	return r
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Call implements lang.Language.
func (l Language) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	return l.Box.Call(ctx, r)
}

// Try implements lang.Language. All inputs are tried in one call of the sandbox.
func (l Language) Try(ctx context.Context, r *guest.Request, t lang.Trial) (out lang.Outcomes, res guest.Result, err error) {
	all := *r
	all.Module, all.For, all.Source, all.Function = tester, r.Source, "", "run"
	all.Args, err = json.Marshal(map[string]any{"source": r.Source, "function": r.Function, "inputs": t.Inputs, "predicate": t.Predicate, "grants": r.Grants})
	if err != nil {
		return out, res, err
	}
	if res, err = l.Box.Call(ctx, &all); err != nil || res.Reason != guest.ReasonOK {
		return out, res, err
	}
	if err := json.Unmarshal(res.Value, &out); err != nil || len(out.Outcomes) == 0 {
		res.Reason, res.Error = guest.ReasonProtocol, &guest.Error{Message: "the tool interfered with its test"}
	}
	return out, res, nil
}
