package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/template"
	"github.com/reachyd/reachyd/toolsandbox/tester"
	"github.com/reachyd/reachyd/toolsandbox/validate"
)

// codeRefused is the code of a tool that was not good enough; the result has the findings.
const codeRefused = "refused"

// arguments are those of all actions; package command has checked which of them there are.
type arguments struct {
	Name    string          `json:"name"`
	Source  string          `json:"source"`
	Cases   json.RawMessage `json:"cases"`
	Args    json.RawMessage `json:"args"`
	Mode    validate.Mode   `json:"mode"`
	Grants  *[]string       `json:"grants"` // nil: of the robot's own tools those that the source visibly calls
	Names   []string        `json:"names"`
	File    string          `json:"file"`
	Version int             `json:"version"`
	Author  string          `json:"author"`

	SkipChecks     bool `json:"skip_checks"`
	AllowDuplicate bool `json:"allow_duplicate"`
	Inactive       bool `json:"inactive"`
}

var actions = map[string]func(t *Toolbox, ctx context.Context, a arguments) (any, error){
	"new": (*Toolbox).doNew, "check": (*Toolbox).doCheck, "test": (*Toolbox).doTest, "add": (*Toolbox).doAdd, "run": (*Toolbox).doRun,
	"show": (*Toolbox).doShow, "activate": (*Toolbox).doActivate, "deactivate": (*Toolbox).doDeactivate, "rollback": (*Toolbox).doRollback,
	"export": (*Toolbox).doExport, "import": (*Toolbox).doImport,
}

// Do carries out one of the commands cmd/tools/<action>. The error is a *command.Error.
func (t *Toolbox) Do(ctx context.Context, action string, args json.RawMessage) (any, error) {
	do, known := actions[action]
	if !known {
		return nil, &command.Error{Code: command.CodeUnknownVerb, Message: "cmd/tools/" + action + " is not a command"}
	}
	var a arguments
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, &command.Error{Code: command.CodeInvalid, Message: err.Error()}
	}
	result, err := do(t, ctx, a)
	return result, said(ctx, err)
}

// said makes of an error one that tells a caller what to do.
func said(ctx context.Context, err error) error {
	var refusal *registry.Refusal
	var input *inputError
	var e *command.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.As(err, &refusal):
		return &command.Error{Code: codeRefused, Message: err.Error()}
	case errors.As(err, &input), errors.Is(err, registry.ErrBadBundle):
		return &command.Error{Code: command.CodeInvalid, Message: err.Error()}
	case errors.Is(err, guest.ErrUnavailable):
		return &command.Error{Code: command.CodeNotAvailable, Message: missingPython(err)}
	case errors.Is(err, registry.ErrNotFound):
		return &command.Error{Code: command.CodeUnknownTool, Message: err.Error()}
	case ctx.Err() != nil, errors.Is(err, guest.ErrClosed), errors.Is(err, registry.ErrClosed):
		return &command.Error{Code: command.CodeInterrupted, Message: err.Error()}
	}
	return &command.Error{Code: command.CodeInternal, Message: err.Error()}
}

func (t *Toolbox) doNew(_ context.Context, a arguments) (any, error) {
	if err := registry.CheckName(a.Name, t.reserved...); err != nil {
		return nil, &inputError{err}
	}
	source, cases, err := template.New(a.Name)
	if err != nil {
		return nil, &inputError{err}
	}
	return map[string]any{"name": a.Name, "source": source, "cases": json.RawMessage(cases)}, nil
}

func (t *Toolbox) doCheck(ctx context.Context, a arguments) (any, error) {
	r, err := t.check(ctx, a.Name, a.Source, a.Mode)
	if err != nil {
		return nil, err
	}
	if r.Findings == nil {
		r.Findings = []validate.Finding{}
	}
	return r, nil
}

// function is the name of the function that a source defines, or a refusal with what is wrong with it.
func (t *Toolbox) function(ctx context.Context, a arguments) (*validate.Report, error) {
	r, err := t.check(ctx, a.Name, a.Source, validate.Strict)
	if err != nil || r.OK {
		return r, err
	}
	refusal := &registry.Refusal{Name: a.Name}
	if refusal.Name == "" {
		refusal.Name = r.Function
	}
	for _, f := range r.Findings {
		if f.Severity != validate.Info {
			refusal.Findings = append(refusal.Findings, registry.Finding{
				Code: f.Code, Severity: registry.Severity(f.Severity), Message: f.Message, Line: f.Line, Column: f.Column, Fix: f.Fix,
			})
		}
	}
	return r, refusal
}

func (t *Toolbox) doTest(ctx context.Context, a arguments) (any, error) {
	r, err := t.function(ctx, a)
	if err != nil {
		return findings(err), err
	}
	cases, err := t.cases(ctx, r.Function, a.Source, a.Cases)
	if err != nil {
		return nil, err
	}
	uses, _ := t.wants(r, nil)
	report, err := t.test(ctx, a.Source, r.Function, cases, t.pinned(uses))
	if err != nil && ctx.Err() == nil && !errors.Is(err, guest.ErrUnavailable) {
		return nil, &inputError{err} // of a case
	}
	return report, err
}

// pinned completes uses with the versions that are active now; who is not there is left out, and fails when called.
func (t *Toolbox) pinned(uses []registry.Use) []registry.Use {
	var all []registry.Use
	for _, u := range uses {
		if v, err := t.version(u.Name, 0); err == nil {
			all = append(all, registry.Use{Name: u.Name, Version: v.Number})
		}
	}
	return all
}

// wants says which self-made tools a source calls and which of the robot's own ones it may call: those that the owner
// granted, or else those that it visibly calls.
func (t *Toolbox) wants(r *validate.Report, granted *[]string) (uses []registry.Use, grants []string) {
	var own []string
	for _, name := range r.Calls {
		if h := t.head(name); h != nil {
			uses = append(uses, registry.Use{Name: name})
		} else {
			own = append(own, name)
		}
	}
	grants = host.Grants(r.Imports, own)
	for _, u := range t.pinned(uses) { // nobody gains a right by calling somebody who has it
		if v, err := t.version(u.Name, u.Version); err == nil {
			grants = append(grants, v.Grants...)
		}
	}
	if granted != nil {
		grants = *granted
	}
	grants = slices.Clone(grants)
	slices.Sort(grants)
	return uses, slices.Compact(grants)
}

// head is what can change of a self-made tool, nil when there is none of that name.
func (t *Toolbox) head(name string) *registry.Head {
	r := t.kept()
	if r == nil || slices.Contains(t.reserved, name) {
		return nil
	}
	h, err := r.Head(name)
	if err != nil {
		return nil
	}
	return &h
}

// added is the result of a registration.
type added struct {
	Name    string             `json:"name"`
	Version int                `json:"version"`
	Active  bool               `json:"active"`
	Digest  string             `json:"digest"`
	Grants  []string           `json:"grants"`
	Uses    []registry.Use     `json:"uses,omitempty"`
	Score   registry.Score     `json:"score"`
	Notes   []registry.Finding `json:"findings,omitempty"` // warnings
	Report  *registry.Report   `json:"report,omitempty"`
}

func (t *Toolbox) describe(v *registry.Version) added {
	active := false
	if r := t.kept(); r != nil {
		if h, err := r.Head(v.Name); err == nil {
			active = h.Active == v.Number
		}
	}
	grants := v.Grants
	if grants == nil {
		grants = []string{}
	}
	return added{v.Name, v.Number, active, v.Digest, grants, v.Uses, v.Score, v.Findings, v.Report}
}

func (t *Toolbox) doAdd(ctx context.Context, a arguments) (any, error) {
	report, err := t.function(ctx, a)
	if err != nil {
		return findings(err), err
	}
	uses, grants := t.wants(report, a.Grants)
	draft := registry.Draft{
		Name: report.Function, Source: a.Source, Cases: a.Cases, Grants: grants, Uses: uses, Author: a.Author,
		AllowDuplicate: a.AllowDuplicate, Inactive: a.Inactive,
	}
	// Registering takes as long as the tests take; only what comes after it must be alone.
	var r *registry.Registry
	if err := t.change(func(opened *registry.Registry) ([]string, error) { r = opened; return nil, nil }); err != nil {
		return nil, err
	}
	v, err := r.Register(ctx, draft)
	if err != nil {
		return findings(err), err
	}
	if err := t.change(func(*registry.Registry) ([]string, error) { return []string{v.Name}, nil }); err != nil {
		return nil, err
	}
	d := t.describe(v)
	t.announce(ctx, v, d.Active)
	return d, nil
}

// findings is what a caller sees of a refusal beside its error.
func findings(err error) any {
	var refusal *registry.Refusal
	if !errors.As(err, &refusal) {
		return nil
	}
	return map[string]any{"name": refusal.Name, "findings": refusal.Findings, "report": refusal.Report}
}

// doRun runs a source once, registered or not.
func (t *Toolbox) doRun(ctx context.Context, a arguments) (any, error) {
	grants := []string{}
	if a.Grants != nil {
		grants = *a.Grants
	}
	name := a.Name
	if !a.SkipChecks {
		r, err := t.function(ctx, a)
		if err != nil {
			return findings(err), err
		}
		name = r.Function
	}
	if name == "" {
		return nil, &inputError{errors.New("name: must be given when the checks are skipped: the function that is to run")}
	}
	req := python(a.Source, name, a.Args, grants, t.answers())
	return t.sandbox.Call(ctx, req)
}

// shown is one version of a tool, with what there is of others.
type shown struct {
	*registry.Version
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Active      int             `json:"active"`
	Latest      int             `json:"latest"`
	Used        registry.Usage  `json:"usage"`
}

func (t *Toolbox) doShow(_ context.Context, a arguments) (any, error) {
	v, err := t.version(a.Name, a.Version)
	if err != nil {
		return nil, err
	}
	r := t.kept()
	h, err := r.Head(a.Name)
	if err != nil {
		return nil, err
	}
	s := shown{v, v.Doc.Summary, v.Schema, h.Active, h.Latest, r.Usage(a.Name, v.Number)}
	return s, nil
}

func (t *Toolbox) doActivate(ctx context.Context, a arguments) (any, error) {
	return t.switched(a.Name, func(r *registry.Registry) error {
		number := a.Version
		if number == 0 {
			h, err := r.Head(a.Name)
			if err != nil {
				return err
			}
			number = h.Latest
		}
		return r.Activate(ctx, a.Name, number, a.Author)
	})
}

func (t *Toolbox) doDeactivate(ctx context.Context, a arguments) (any, error) {
	return t.switched(a.Name, func(r *registry.Registry) error { return r.Deactivate(ctx, a.Name, a.Author) })
}

func (t *Toolbox) doRollback(ctx context.Context, a arguments) (any, error) {
	return t.switched(a.Name, func(r *registry.Registry) error {
		_, err := r.RollBack(ctx, a.Name, a.Version, a.Author)
		return err
	})
}

// switched changes which version of a tool is active and says which one is.
func (t *Toolbox) switched(name string, fn func(*registry.Registry) error) (any, error) {
	if t.kept() == nil {
		return nil, fmt.Errorf("tool %s: %w", name, registry.ErrNotFound)
	}
	var head registry.Head
	err := t.change(func(r *registry.Registry) ([]string, error) {
		if err := fn(r); err != nil {
			return nil, err
		}
		var err error
		head, err = r.Head(name)
		return []string{name}, err
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": name, "active": head.Active, "latest": head.Latest}, nil
}

// maxFile is how many bytes of exported tools one message takes with ease.
const maxFile = 768 << 10

func (t *Toolbox) doExport(_ context.Context, a arguments) (any, error) {
	r := t.kept()
	if r == nil {
		return nil, fmt.Errorf("there are no self-made tools: %w", registry.ErrNotFound)
	}
	file, err := r.Export(a.Names...)
	if err != nil {
		return nil, err
	}
	if len(file) > maxFile {
		return nil, &inputError{fmt.Errorf("names: the tools have %d bytes together, allowed are %d in one file; export fewer at a time", len(file), maxFile)}
	}
	return map[string]any{"file": string(file)}, nil
}

func (t *Toolbox) doImport(ctx context.Context, a arguments) (any, error) {
	allowed := slices.Concat(t.reserved, host.Capabilities)
	if a.Grants != nil {
		allowed = slices.Clone(*a.Grants)
	}
	for _, name := range tester.RobotCalls() { // what this robot does not have can do no harm
		if !slices.Contains(t.reserved, name) {
			allowed = append(allowed, name)
		}
	}
	var r *registry.Registry
	if err := t.change(func(opened *registry.Registry) ([]string, error) { r = opened; return nil, nil }); err != nil {
		return nil, err
	}
	versions, err := r.Import(ctx, []byte(a.File), registry.ImportOptions{Grants: allowed, AllowDuplicates: a.AllowDuplicate, Inactive: a.Inactive})
	if err != nil {
		return findings(err), err
	}
	names := make([]string, 0, len(versions))
	for _, v := range versions {
		names = append(names, v.Name)
	}
	if err := t.change(func(*registry.Registry) ([]string, error) { return names, nil }); err != nil {
		return nil, err
	}
	all := make([]added, 0, len(versions))
	for _, v := range versions {
		d := t.describe(v)
		d.Report = nil
		all = append(all, d)
		t.announce(ctx, v, d.Active)
	}
	return map[string]any{"tools": all}, nil
}
