package toolmanager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/toolsandbox/files"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/lang/wasi"
	"github.com/reachyd/reachyd/toolsandbox/modules"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/template"
)

// codeRefused is the code of a tool that was not good enough; the result has the findings.
const codeRefused = api.CodeRefused

// codeReview is the code of a version that waits for review or was rejected.
const codeReview = api.CodeNotApproved

// arguments are those of all actions; package command has checked which of them there are.
type arguments struct {
	Name    string                `json:"name"`
	Source  string                `json:"source"`
	Cases   json.RawMessage       `json:"cases"`
	Args    json.RawMessage       `json:"args"`
	Mode    lang.Mode             `json:"mode"`
	Grants  *[]string             `json:"grants"` // nil: of the robot's own tools those that the source visibly calls
	Names   []string              `json:"names"`
	File    string                `json:"file"`
	Version int                   `json:"version"`
	From    int                   `json:"from"`
	To      int                   `json:"to"`
	Run     int                   `json:"run"`
	Author  string                `json:"author"`
	Licence string                `json:"licence"`
	Kind    string                `json:"kind"`
	Action  string                `json:"action"`
	Reason  string                `json:"reason"`
	Files   []pipeline.Attachment `json:"files"`

	Language string `json:"language"`

	SkipChecks     bool `json:"skip_checks"`
	AllowDuplicate bool `json:"allow_duplicate"`
	AllowUntested  bool `json:"allow_untested"`
	Inactive       bool `json:"inactive"`
	Large          bool `json:"large"`
}

var actions = map[string]func(t *Manager, ctx context.Context, a arguments) (any, error){
	"new": (*Manager).doNew, "check": (*Manager).doCheck, "test": (*Manager).doTest, "add": (*Manager).doAdd, "run": (*Manager).doRun,
	"show": (*Manager).doShow, "activate": (*Manager).doActivate, "deactivate": (*Manager).doDeactivate, "rollback": (*Manager).doRollback,
	"export": (*Manager).doExport, "import": (*Manager).doImport, "review": (*Manager).doReview, "diff": (*Manager).doDiff,
	"files": (*Manager).doFiles, "ps": (*Manager).doPs, "kill": (*Manager).doKill,
}

// Do carries out one of the commands cmd/tools/<action>. The error is a *command.Error.
func (t *Manager) Do(ctx context.Context, action string, args json.RawMessage) (any, error) {
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
	var bad *files.Error
	var request *guest.RequestError
	var e *command.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.As(err, &refusal):
		return &command.Error{Code: codeRefused, Message: err.Error()}
	case errors.As(err, &input), errors.As(err, &request), errors.As(err, &bad), errors.Is(err, pipeline.ErrInput),
		errors.Is(err, registry.ErrBadBundle), errors.Is(err, modules.ErrBad):
		return &command.Error{Code: command.CodeInvalid, Message: err.Error()}
	case errors.Is(err, guest.ErrUnavailable), errors.Is(err, registry.ErrUnavailable):
		return &command.Error{Code: command.CodeNotAvailable, Message: missingPython(err)}
	case errors.Is(err, registry.ErrNotApproved), errors.Is(err, registry.ErrRejected), errors.Is(err, registry.ErrUntested):
		return &command.Error{Code: codeReview, Message: err.Error()}
	case errors.Is(err, registry.ErrNotFound):
		return &command.Error{Code: command.CodeUnknownTool, Message: err.Error()}
	case ctx.Err() != nil, errors.Is(err, guest.ErrClosed), errors.Is(err, registry.ErrClosed):
		return &command.Error{Code: command.CodeInterrupted, Message: err.Error()}
	}
	return &command.Error{Code: command.CodeInternal, Message: err.Error()}
}

func (t *Manager) doNew(_ context.Context, a arguments) (any, error) {
	if err := registry.CheckName(a.Name, t.reserved...); err != nil {
		return nil, &inputError{err}
	}
	source, cases, err := template.New(a.Name)
	if err != nil {
		return nil, &inputError{err}
	}
	return map[string]any{"name": a.Name, "source": source, "cases": json.RawMessage(cases)}, nil
}

func (a arguments) draft() registry.Draft {
	d := registry.Draft{
		Name: a.Name, Language: a.Language, Source: a.Source, Cases: a.Cases, Author: a.Author, Licence: a.Licence, AllowDuplicate: a.AllowDuplicate,
		AllowUntested: a.AllowUntested, Inactive: a.Inactive,
	}
	if a.Grants != nil {
		d.Grants = append([]string{}, *a.Grants...)
	}
	return d
}

func (t *Manager) doCheck(ctx context.Context, a arguments) (any, error) {
	ctx, _, err := withModule(ctx, a)
	if err != nil {
		return nil, err
	}
	r, err := t.pipeline.Look(ctx, a.draft(), a.Mode)
	if err != nil {
		return nil, err
	}
	if r.Findings == nil {
		r.Findings = []lang.Finding{}
	}
	return r, nil
}

func (t *Manager) doTest(ctx context.Context, a arguments) (any, error) {
	ctx, _, err := withModule(ctx, a)
	if err != nil {
		return nil, err
	}
	checked, err := t.pipeline.Check(ctx, a.draft())
	if err != nil {
		return findings(err), err
	}
	tested, err := t.pipeline.Test(ctx, checked)
	if err != nil {
		return nil, err
	}
	return tested.Report, nil
}

func (t *Manager) doAdd(ctx context.Context, a arguments) (any, error) {
	ctx, sent, err := withModule(ctx, a)
	if err != nil {
		return nil, err
	}
	var report *pipeline.Report
	err = t.keeping(ctx, sent, func() (err error) {
		report, err = t.Maker().Register(ctx, a.draft())
		return err
	})
	if err != nil && report != nil && report.Findings != nil {
		return report, err
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}

// findings is what a caller sees of a refusal beside its error.
func findings(err error) any {
	var refusal *registry.Refusal
	if !errors.As(err, &refusal) {
		return nil
	}
	return map[string]any{"name": refusal.Name, "findings": refusal.Findings, "report": refusal.Report}
}

// doRun runs a source once, registered or not. If it may move the robot it waits for its turn.
func (t *Manager) doRun(ctx context.Context, a arguments) (any, error) {
	d, files := a.draft(), a.files(ctx)
	var module []byte
	if d.Language == string(guest.WASI) {
		if len(files) == 0 || !a.SkipChecks {
			return nil, &inputError{errors.New("language: a WebAssembly module is run with skip_checks, and is the first of the files")}
		}
		module, files, d.Language = files[0].Data, files[1:], wasi.Name
	}
	if !a.SkipChecks {
		checked, err := t.pipeline.Check(ctx, d)
		if err != nil {
			return findings(err), err
		}
		d.Name = checked.Name
	}
	if d.Name == "" {
		return nil, &inputError{errors.New("name: must be given when the checks are skipped: the function that is to run")}
	}
	var res guest.Result
	var err error
	run := func(ctx context.Context) tool.Result {
		ctx, end := t.running.begin(ctx, "a source that is tried", 0)
		defer end()
		if res, err = t.pipeline.Source(ctx, d, pipeline.Run{Args: a.Args, Files: files, Host: t.answers(), Wasm: module}); err != nil {
			if ctx.Err() != nil {
				return tool.Interrupted(ctx)
			}
			return tool.Errorf(tool.CodeFailed, "%v", err)
		}
		return tool.Success("", nil)
	}
	how := run
	if t.moves(d.Grants) {
		how = func(ctx context.Context) tool.Result { return t.o.Act(ctx, run) }
	}
	if r := how(ctx); !r.OK() && (err == nil || r.Code == tool.CodeCancelled || r.Code == tool.CodeTimeout) { // it was not its turn, or was ended
		return nil, &command.Error{Code: command.CodeInterrupted, Message: r.Message}
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// files are those that came with the command, in it or beside it.
func (a arguments) files(ctx context.Context) []pipeline.Attachment {
	return append(slices.Clone(a.Files), pipeline.FilesOf(ctx)...)
}

// doFiles says what is in files, for whoever writes a tool for them.
func (t *Manager) doFiles(ctx context.Context, a arguments) (any, error) {
	infos, err := t.pipeline.Files(ctx, a.files(ctx))
	if err != nil {
		return nil, err
	}
	return map[string]any{"files": append([]*files.Info{}, infos...)}, nil // none are a list, too
}

func (t *Manager) doDiff(_ context.Context, a arguments) (any, error) {
	r := t.library.Opened()
	if r == nil {
		return nil, fmt.Errorf("tool %s: %w", a.Name, registry.ErrNotFound)
	}
	return r.Diff(a.Name, a.From, a.To)
}

// shown is one version of a tool, with what there is of others.
type shown struct {
	*registry.Version
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Active      int             `json:"active"`
	Latest      int             `json:"latest"`
	Review      registry.Review `json:"review"`
	Reason      string          `json:"reason,omitempty"` // of a rejection
	Document    string          `json:"documentation"`    // Markdown
	Used        used            `json:"usage"`
}

// used is what became of the calls of a version.
type used struct {
	Calls       uint64        `json:"calls"`
	Successes   uint64        `json:"successes"`
	SuccessRate float64       `json:"success_rate"`
	Mean        time.Duration `json:"mean"`
	P50         time.Duration `json:"p50"` // at most twice the true one, as P99
	P99         time.Duration `json:"p99"`
	Max         time.Duration `json:"max"`
	Last        time.Time     `json:"last,omitzero"`
}

func usedOf(u registry.Usage) used {
	s := used{Calls: u.Calls, Successes: u.Successes, SuccessRate: u.SuccessRate(), P50: u.Quantile(0.5), P99: u.Quantile(0.99), Max: u.Max, Last: u.Last}
	if u.Calls > 0 {
		s.Mean = u.Total / time.Duration(u.Calls)
	}
	return s
}

func (t *Manager) doShow(_ context.Context, a arguments) (any, error) {
	v, err := t.library.Version(a.Name, a.Version)
	if err != nil {
		return nil, err
	}
	r := t.library.Opened()
	h, err := r.Head(a.Name)
	if err != nil {
		return nil, err
	}
	v = h.Annotated(v)
	return shown{
		v,
		v.Doc.Summary,
		v.Schema,
		h.Active,
		h.Latest,
		h.ReviewOf(v.Number),
		h.Verdicts[v.Number].Reason,
		v.Markdown(),
		usedOf(r.Usage(a.Name, v.Number)),
	}, nil
}

func (t *Manager) doActivate(ctx context.Context, a arguments) (any, error) {
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

func (t *Manager) doDeactivate(ctx context.Context, a arguments) (any, error) {
	return t.switched(a.Name, func(r *registry.Registry) error { return r.Deactivate(ctx, a.Name, a.Author) })
}

func (t *Manager) doRollback(ctx context.Context, a arguments) (any, error) {
	return t.switched(a.Name, func(r *registry.Registry) error {
		_, err := r.RollBack(ctx, a.Name, a.Version, a.Author)
		return err
	})
}

// switched changes which version of a tool is active and says which one is.
func (t *Manager) switched(name string, fn func(*registry.Registry) error) (any, error) {
	if t.library.Opened() == nil {
		return nil, fmt.Errorf("tool %s: %w", name, registry.ErrNotFound)
	}
	var head registry.Head
	err := t.change(name, func(r *registry.Registry) (err error) {
		if err = fn(r); err == nil {
			head, err = r.Head(name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": name, "active": head.Active, "latest": head.Latest}, nil
}

// inputError is a mistake of the caller.
type inputError struct{ error }

// Unwrap returns the mistake.
func (e *inputError) Unwrap() error { return e.error }

// maxMessage is how many bytes of exported tools one MQTT message takes with ease.
const maxMessage = 768 << 10

func (t *Manager) doExport(_ context.Context, a arguments) (any, error) {
	r := t.library.Opened()
	if r == nil {
		return nil, fmt.Errorf("there are no self-made tools: %w", registry.ErrNotFound)
	}
	file, err := r.Export(a.Names...)
	if err != nil {
		return nil, err
	}
	if len(file) > maxMessage && !a.Large {
		return nil, &inputError{
			fmt.Errorf("names: the tools have %d bytes together, allowed are %d in a message; export fewer at a time, or over HTTP with large", len(file), maxMessage),
		}
	}
	return map[string]any{"file": string(file)}, nil
}

func (t *Manager) doImport(ctx context.Context, a arguments) (any, error) {
	allowed := slices.Concat(t.reserved, host.Capabilities)
	if a.Grants != nil {
		allowed = slices.Clone(*a.Grants)
	}
	file := []byte(a.File)
	sent, rest, err := splitModules(a.files(ctx))
	if err != nil {
		return nil, err
	}
	for _, g := range rest { // larger ones come beside the command
		file = g.Data
	}
	if len(file) == 0 {
		return nil, &inputError{errors.New("file: must be given: what export wrote")}
	}
	for sum := range sent {
		if !bytes.Contains(file, []byte(sum)) {
			return nil, &inputError{fmt.Errorf("files: module sha256:%s, allowed are those that a tool of the file names", sum)}
		}
	}
	var all []*pipeline.Report
	err = t.keeping(ctx, sent, func() (err error) {
		all, err = t.pipeline.Import(ctx, file, registry.ImportOptions{Grants: allowed, AllowDuplicates: a.AllowDuplicate, Inactive: a.Inactive})
		return err
	})
	if err != nil {
		return findings(err), err
	}
	for _, report := range all {
		if err := t.publish(ctx, report, nil); err != nil {
			return nil, err
		}
		report.Tests = nil
	}
	return map[string]any{"tools": all}, nil
}
