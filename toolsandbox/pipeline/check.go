package pipeline

import (
	"context"
	"slices"
	"sync"

	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/pylib"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/validate"
)

// Facts are what is known of a source that is not Python.
type Facts = validate.Report

// Check looks at the source of a draft without running it. An empty name stands for the first public function. What the
// robot's own schemas cannot carry is a finding, too.
func (p *Pipeline) Check(ctx context.Context, d registry.Draft) (*validate.Report, error) {
	return p.check(ctx, d.Language, d.Name, d.Source, validate.Strict)
}

// CheckLenient is Check, but missing documentation and complexity are warnings only.
func (p *Pipeline) CheckLenient(ctx context.Context, d registry.Draft) (*validate.Report, error) {
	return p.check(ctx, d.Language, d.Name, d.Source, validate.Lenient)
}

func (p *Pipeline) check(ctx context.Context, language, name, source string, mode validate.Mode) (*validate.Report, error) {
	if _, err := p.sandbox(language); err != nil {
		return nil, err
	}
	seen, _ := ctx.Value(memoKey{}).(*memo)
	if r := seen.find(language, name, source); r != nil && mode == validate.Strict {
		return r, nil
	}
	r, err := p.look(ctx, language, name, source, mode)
	if err != nil || !r.OK {
		return r, err
	}
	if err := p.o.Schemas.Verify(r.Schema); err != nil {
		r.OK = false
		r.Findings = append(r.Findings, validate.Finding{
			Code: "T010", Severity: validate.Error, Line: 1, Column: 1, Message: "The parameters cannot be described: " + err.Error() + ".",
			Fix: "Use str, int, float, bool, list or dict, or one of them and None.",
		})
	}
	if mode == validate.Strict {
		seen.keep(language, source, r)
	}
	return r, nil
}

func (p *Pipeline) look(ctx context.Context, language, name, source string, mode validate.Mode) (*validate.Report, error) {
	if l := p.o.Languages[language]; l != nil {
		return l.Check(ctx, name, source)
	}
	return validate.Check(ctx, p.o.Sandbox, name, source, validate.Options{Mode: mode, Imports: pylib.Imports(), Calls: p.Calls()})
}

// memo lets the steps of one registration look at its source once.
type memo struct {
	mu       sync.Mutex
	language string
	source   string
	report   *validate.Report
}

type memoKey struct{}

func (m *memo) find(language, name, source string) *validate.Report {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.report == nil || m.language != language || m.source != source || name != "" && m.report.Function != name {
		return nil
	}
	return m.report
}

func (m *memo) keep(language, source string, r *validate.Report) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.language, m.source, m.report = language, source, r
}

// named checks a source and names its function, or refuses it with what is wrong with it.
func (p *Pipeline) named(ctx context.Context, d registry.Draft) (*validate.Report, error) {
	r, err := p.Check(ctx, d)
	if err != nil || r.OK {
		return r, err
	}
	refusal := &registry.Refusal{Name: d.Name, Findings: findings(r)}
	if refusal.Name == "" {
		refusal.Name = r.Function
	}
	return r, refusal
}

// findings are those of a report that an author should read.
func findings(r *validate.Report) []registry.Finding {
	all := []registry.Finding{}
	for _, f := range r.Findings {
		if f.Severity != validate.Info {
			all = append(all, registry.Finding{
				Code: f.Code, Severity: registry.Severity(f.Severity), Message: f.Message, Line: f.Line, Column: f.Column, Fix: f.Fix,
			})
		}
	}
	return all
}

// wants says which self-made tools a source calls and which host calls it may make: those that were granted, or else
// those that it visibly makes.
func (p *Pipeline) wants(r *validate.Report, granted []string) (uses []registry.Use, grants []string) {
	var own []string
	for _, name := range r.Calls {
		if p.head(name) != nil {
			uses = append(uses, registry.Use{Name: name})
		} else {
			own = append(own, name)
		}
	}
	grants = host.Grants(r.Imports, own)
	for _, u := range p.pinned(uses) { // nobody gains a right by calling somebody who has it
		if v, err := p.Version(u.Name, u.Version); err == nil {
			grants = append(grants, v.Grants...)
		}
	}
	if granted != nil {
		grants = granted
	}
	grants = askable(grants)
	slices.Sort(grants)
	return uses, slices.Compact(grants)
}

// askable are those of the host calls for which somebody must be asked.
func askable(calls []string) []string {
	return slices.DeleteFunc(slices.Clone(calls), func(name string) bool { return slices.Contains(fileCalls, name) })
}

// pinned completes uses with the versions that are active now; who is not there is left out, and fails when called.
func (p *Pipeline) pinned(uses []registry.Use) []registry.Use {
	var all []registry.Use
	for _, u := range uses {
		if v, err := p.Version(u.Name, 0); err == nil {
			all = append(all, registry.Use{Name: u.Name, Version: v.Number})
		}
	}
	return all
}

// head is what can change of a self-made tool, nil when there is none of that name.
func (p *Pipeline) head(name string) *registry.Head {
	r := p.o.Shelf.Kept()
	if r == nil || slices.Contains(p.o.Own, name) {
		return nil
	}
	h, err := r.Head(name)
	if err != nil {
		return nil
	}
	return &h
}
