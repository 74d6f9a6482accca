package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Checked is a source that was looked at and is good enough to be tested. Its draft has a name, grants and uses.
type Checked struct {
	registry.Draft
	Facts *lang.Report // nil: there was no sandbox to look closer, and AllowUntested

	found registry.Validation
	in    versions // where Uses are found
}

// versions is where the versions of the tools are that a source calls: the library, or an import on its way into it.
type versions interface {
	Version(name string, number int) (*registry.Version, error)
}

var (
	_ versions = (*registry.Library)(nil)
	_ versions = (*registry.Import)(nil)
)

// Look looks at a source without running it, and says what its author should change. An empty name stands for the first
// public function. In lenient mode missing documentation and complexity are warnings only. What the robot's own schemas
// cannot carry is a finding, too.
func (p *Pipeline) Look(ctx context.Context, d registry.Draft, mode lang.Mode) (*lang.Report, error) {
	l, err := p.language(d.Language)
	if err != nil {
		return nil, err
	}
	calls := p.calls()
	for _, u := range d.Uses { // of an import, whose tools are not there yet
		calls = append(calls, u.Name)
	}
	r, err := l.Check(ctx, d.Name, d.Source, lang.Options{Mode: mode, Calls: calls})
	if err != nil || !r.OK {
		return r, err
	}
	if err := p.o.Schemas.Verify(r.Schema); err != nil {
		r.OK = false
		r.Findings = append(r.Findings, lang.Finding{
			Code: "T010", Severity: lang.Error, Line: 1, Column: 1, Message: "The parameters cannot be described: " + err.Error() + ".",
			Fix: "Use str, int, float, bool, list or dict, or one of them and None.",
		})
	}
	return r, nil
}

// Check looks at the source of a draft. One that is not good enough is a *registry.Refusal with what is wrong with it.
func (p *Pipeline) Check(ctx context.Context, d registry.Draft) (*Checked, error) {
	return p.check(ctx, p.o.Library, d)
}

func (p *Pipeline) check(ctx context.Context, in versions, d registry.Draft) (*Checked, error) {
	r, err := p.Look(ctx, d, lang.Strict)
	switch {
	case d.AllowUntested && errors.Is(err, guest.ErrUnavailable):
		return unseen(d)
	case err != nil:
		return nil, unavailable(err)
	case !r.OK:
		refusal := &registry.Refusal{Name: d.Name, Findings: findings(r)}
		if refusal.Name == "" {
			refusal.Name = r.Function
		}
		return nil, refusal
	}
	c := &Checked{Draft: d, Facts: r, in: in}
	c.Name = r.Function
	if len(c.Uses) == 0 {
		c.Uses = p.uses(r)
	}
	c.Grants = c.grants()
	c.found = registry.Validation{
		Findings: findings(r), Schema: r.Schema, Returns: r.Returns, Doc: registry.Doc{Summary: r.Summary},
		Needs: askable(host.Grants(nil, r.Calls)), Metrics: metrics(r),
	}
	return c, nil
}

// findings are those of a report that an author should read.
func findings(r *lang.Report) []registry.Finding {
	all := []registry.Finding{}
	for _, f := range r.Findings {
		if f.Severity != lang.Info {
			all = append(all, registry.Finding{
				Code: f.Code, Severity: registry.Severity(f.Severity), Message: f.Message, Line: f.Line, Column: f.Column, Fix: f.Fix,
			})
		}
	}
	return all
}

func metrics(r *lang.Report) registry.Metrics {
	var s parameters
	_ = json.Unmarshal(r.Schema, &s) // without one there are errors, and nobody asks for the metrics
	items := 1 + len(s.Properties)
	m := registry.Metrics{
		Lines: r.Metrics.Lines, Complexity: r.Metrics.Complexity, Documentable: items + 1,
		Documented: int(math.Round(r.Metrics.Documented * float64(items))),
	}
	if !slices.ContainsFunc(r.Findings, func(f lang.Finding) bool { return f.Code == "D004" }) {
		m.Documented++
	}
	return m
}

// uses are the self-made tools that a source calls, pinned to the versions that are active now.
func (p *Pipeline) uses(r *lang.Report) (uses []registry.Use) {
	for _, name := range r.Calls {
		if slices.Contains(p.o.Own, name) {
			continue
		}
		if h, err := p.o.Library.Head(name); err == nil {
			uses = append(uses, registry.Use{Name: name, Version: h.Active})
		}
	}
	return uses
}

// grants are the host calls that a source may make: those that were granted, or else those that it visibly makes.
func (c *Checked) grants() []string {
	grants := c.Grants
	if grants == nil {
		own := slices.DeleteFunc(slices.Clone(c.Facts.Calls), func(name string) bool {
			return slices.ContainsFunc(c.Uses, func(u registry.Use) bool { return u.Name == name })
		})
		grants = host.Grants(c.Facts.Imports, own)
		for _, u := range c.Uses { // nobody gains a right by calling somebody who has it
			if v, err := c.in.Version(u.Name, u.Version); err == nil {
				grants = append(grants, v.Grants...)
			}
		}
	}
	grants = askable(grants)
	slices.Sort(grants)
	return slices.Compact(grants)
}

// askable are those of the host calls for which somebody must be asked.
func askable(calls []string) []string {
	return slices.DeleteFunc(slices.Clone(calls), func(name string) bool { return slices.Contains(fileCalls, name) })
}

func unavailable(err error) error {
	if errors.Is(err, guest.ErrUnavailable) {
		return errors.Join(err, registry.ErrUnavailable)
	}
	return err
}
