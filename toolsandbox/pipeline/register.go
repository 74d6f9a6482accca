package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
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
	ctx = context.WithValue(ctx, memoKey{}, &memo{})
	report := &Report{Name: d.Name, State: StateRefused, Stage: StageCheck, Language: language(d), Grants: []string{}, Author: d.Author}
	stop := timed(&report.Took)
	v, err := p.register(ctx, &d, report)
	stop()
	var refusal *registry.Refusal
	switch {
	case err == nil:
		p.Describe(v, report)
	case errors.As(err, &refusal):
		report.Findings, report.Tests = refusal.Findings, refusal.Report
		if report.Name == "" {
			report.Name = refusal.Name
		}
		if refusal.Report != nil {
			report.Stage = StageTest
		}
	}
	if p.o.Done != nil {
		err = errors.Join(err, p.o.Done(ctx, report, err))
	}
	return report, err
}

func language(d registry.Draft) string {
	if d.Language == "" {
		return Python
	}
	return d.Language
}

func (p *Pipeline) register(ctx context.Context, d *registry.Draft, report *Report) (*registry.Version, error) {
	checked, err := p.named(ctx, *d)
	if d.AllowUntested && errors.Is(err, guest.ErrUnavailable) {
		return p.keep(ctx, d, report)
	}
	if err != nil {
		return nil, err
	}
	d.Name, report.Name = checked.Function, checked.Function
	if len(d.Uses) == 0 {
		d.Uses, d.Grants = p.wants(checked, d.Grants)
	} else {
		_, d.Grants = p.wants(checked, d.Grants)
	}
	report.Similar = p.similar(d.Name, d.Source)
	r, err := p.o.Shelf.Open()
	if err != nil {
		return nil, err
	}
	report.Stage = StageRegister
	return r.Register(ctx, *d)
}

// similar are the tools of other names that are much like a source.
func (p *Pipeline) similar(name, source string) []registry.Match {
	r := p.o.Shelf.Kept()
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

// Describe fills in a report from a version that is kept.
func (p *Pipeline) Describe(v *registry.Version, report *Report) {
	report.Name, report.Version, report.Digest, report.Language = v.Name, v.Number, v.Digest, v.Language
	report.Stage, report.State, report.Author = StageRegister, StateInactive, v.Provenance.Author
	report.Uses, report.Score, report.Findings, report.Tests = v.Uses, v.Score, v.Findings, v.Report
	report.Grants = append([]string{}, v.Grants...)
	r := p.o.Shelf.Kept()
	if r == nil {
		return
	}
	h, err := r.Head(v.Name)
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
