package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/lang/python"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Stage is how far a registration came.
type Stage string

// The stages, in their order.
const (
	StageCheck    Stage = "check"    // of the source
	StageTest     Stage = "test"     // in the sandbox
	StageRegister Stage = "register" // kept on the disk
)

// State is what a registered version is.
type State string

// The states.
const (
	StateRefused  State = "refused"  // it was not registered
	StatePending  State = "pending"  // it waits for review
	StateInactive State = "inactive" // another version is called
	StateActive   State = "active"
)

// similarEnough is from where on a report names tools that are like the new one; nobody mistakes less.
const similarEnough = 0.6

// Report is what came of a registration.
type Report struct {
	Name     string             `json:"name"`
	Version  int                `json:"version,omitempty"` // 0: refused
	Active   bool               `json:"active"`
	State    State              `json:"state"`
	Stage    Stage              `json:"stage"` // the last one that was begun
	Language string             `json:"language"`
	Digest   string             `json:"digest,omitempty"`
	Grants   []string           `json:"grants"`
	Uses     []registry.Use     `json:"uses,omitempty"`
	Score    registry.Score     `json:"score"`
	Findings []registry.Finding `json:"findings,omitempty"` // of a version that was registered: warnings
	Tests    *registry.Report   `json:"report,omitempty"`
	Similar  []registry.Match   `json:"similar,omitempty"` // other tools that are much like it, the most similar first
	Author   string             `json:"author,omitempty"`
	Took     time.Duration      `json:"took"`
}

// Register takes a draft through all of it: checked, tested, scored, kept, activated. The report is there also when the
// error is a *registry.Refusal; with any other error it may be nil.
func (p *Pipeline) Register(ctx context.Context, d registry.Draft) (*Report, error) {
	began := time.Now()
	report := begin(d)
	v, err := p.register(ctx, d, report)
	err = p.end(report, v, err)
	report.Took = time.Since(began)
	return report, err
}

func (p *Pipeline) register(ctx context.Context, d registry.Draft, report *Report) (*registry.Version, error) {
	checked, err := p.Check(ctx, d)
	if err != nil {
		return nil, err
	}
	report.Name, report.Similar = checked.Name, p.similar(checked.Name, checked.Source)
	r, err := p.o.Library.Open()
	if err != nil {
		return nil, err
	}
	report.Stage = StageRegister
	g, err := r.Begin(ctx, checked.Name)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if err := g.Admit((&Tested{Checked: checked}).candidate()); err != nil { // before the tests, which take longer
		return nil, err
	}
	tested, err := p.Test(ctx, checked)
	if err != nil {
		return nil, err
	}
	return g.Put(tested.candidate())
}

// Put keeps a source that was tested. As with Register, the report is there also when the error is a *registry.Refusal.
func (p *Pipeline) Put(ctx context.Context, t *Tested) (*Report, error) {
	began := time.Now()
	report := begin(t.Draft)
	report.Stage, report.Similar = StageRegister, p.similar(t.Name, t.Source)
	v, err := p.put(ctx, t)
	err = p.end(report, v, err)
	report.Took = time.Since(began)
	return report, err
}

func (p *Pipeline) put(ctx context.Context, t *Tested) (*registry.Version, error) {
	r, err := p.o.Library.Open()
	if err != nil {
		return nil, err
	}
	g, err := r.Begin(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return g.Put(t.candidate())
}

// begin is the report of a registration of which nothing is known yet.
func begin(d registry.Draft) *Report {
	return &Report{Name: d.Name, State: StateRefused, Stage: StageCheck, Language: cmp.Or(d.Language, python.Name), Grants: []string{}, Author: d.Author}
}

// end completes a report with what became of the registration.
func (p *Pipeline) end(report *Report, v *registry.Version, err error) error {
	var refusal *registry.Refusal
	switch {
	case err == nil:
		p.describe(v, report)
	case errors.As(err, &refusal):
		report.Findings, report.Tests = refusal.Findings, refusal.Report
		if report.Name == "" {
			report.Name = refusal.Name
		}
		if refusal.Report != nil {
			report.Stage = StageTest
		}
	}
	return err
}

// Complete checks and tests a version that was kept when there was no sandbox. It returns the host calls that it turned
// out to make and that were not shown with it before. It still waits for review.
func (p *Pipeline) Complete(ctx context.Context, name string, number int) (unseen []string, err error) {
	v, err := p.Version(name, number)
	if err != nil || v.Report != nil {
		return nil, err
	}
	checked, err := p.Check(ctx, registry.Draft{
		Name: v.Name, Language: v.Language, Source: v.Source, Cases: v.Cases, Grants: v.Grants, Author: v.Provenance.Author, AllowDuplicate: true, // as it was kept
	})
	if err != nil {
		return nil, err
	}
	tested, err := p.Test(ctx, checked)
	if err != nil {
		return nil, err
	}
	r, err := p.o.Library.Open()
	if err != nil {
		return nil, err
	}
	g, err := r.Begin(ctx, name)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	done, err := g.Complete(number, tested.candidate())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(done.Grants), func(grant string) bool { return slices.Contains(v.Grants, grant) }), nil
}

// Import checks and tests every version of a file that registry.Export wrote, and keeps those that are not there yet as
// the next versions of their names. It is all or nothing: one refusal refuses the file.
func (p *Pipeline) Import(ctx context.Context, file []byte, o registry.ImportOptions) ([]*Report, error) {
	r, err := p.o.Library.Open()
	if err != nil {
		return nil, err
	}
	bundle, err := r.OpenBundle(ctx, file, o)
	if err != nil {
		return nil, err
	}
	defer bundle.Close()
	for {
		d, err := bundle.Next()
		switch {
		case err != nil:
			return nil, err
		case d == nil:
			return p.commit(bundle)
		}
		checked, err := p.check(ctx, bundle, *d)
		if err != nil {
			return nil, err
		}
		if err := bundle.Admit((&Tested{Checked: checked}).candidate()); err != nil {
			return nil, err
		}
		tested, err := p.Test(ctx, checked)
		if err != nil {
			return nil, err
		}
		if err := bundle.Add(tested.candidate()); err != nil {
			return nil, err
		}
	}
}

func (p *Pipeline) commit(bundle *registry.Import) ([]*Report, error) {
	versions, err := bundle.Commit()
	if err != nil {
		return nil, err
	}
	all := make([]*Report, 0, len(versions))
	for _, v := range versions {
		report := &Report{}
		p.describe(v, report)
		all = append(all, report)
	}
	return all, nil
}

// similar are the tools of other names that are much like a source.
func (p *Pipeline) similar(name, source string) []registry.Match {
	r := p.o.Library.Opened()
	if r == nil {
		return nil
	}
	var all []registry.Match
	for _, m := range r.Similar(source, nil, 4) {
		if m.Name != name && m.Similarity >= similarEnough {
			all = append(all, m)
		}
	}
	return all
}

// describe fills in a report from a version that is kept.
func (p *Pipeline) describe(v *registry.Version, report *Report) {
	report.Name, report.Version, report.Digest, report.Language = v.Name, v.Number, v.Digest, v.Language
	report.Stage, report.State, report.Author = StageRegister, StateInactive, v.Provenance.Author
	report.Uses, report.Score, report.Findings, report.Tests = v.Uses, v.Score, v.Findings, v.Report
	report.Grants = append([]string{}, v.Grants...)
	h, err := p.o.Library.Head(v.Name)
	if err != nil {
		return
	}
	switch report.Active = h.Active == v.Number; {
	case report.Active:
		report.State = StateActive
	case h.ReviewOf(v.Number) == registry.ReviewPending:
		report.State = StatePending
	}
}
