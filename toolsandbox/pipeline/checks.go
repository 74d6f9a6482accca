package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/validate"
)

// Validate implements registry.Validator.
func (p *Pipeline) Validate(ctx context.Context, s registry.Subject) (registry.Validation, error) {
	r, err := p.check(ctx, s.Language, s.Name, s.Source, validate.Strict)
	if err != nil {
		return static(s.Source), unavailable(err)
	}
	return registry.Validation{
		Findings: findings(r), Schema: r.Schema, Returns: r.Returns, Doc: registry.Doc{Summary: r.Summary}, Needs: askable(host.Grants(nil, r.Calls)), Metrics: metrics(r),
	}, nil
}

func metrics(r *validate.Report) registry.Metrics {
	var s parameters
	_ = json.Unmarshal(r.Schema, &s) // without one there are errors, and nobody asks for the metrics
	items := 1 + len(s.Properties)
	m := registry.Metrics{
		Lines: r.Metrics.Lines, Complexity: r.Metrics.Complexity, Documentable: items + 1,
		Documented: int(math.Round(r.Metrics.Documented * float64(items))),
	}
	if !slices.ContainsFunc(r.Findings, func(f validate.Finding) bool { return f.Code == "D004" }) {
		m.Documented++
	}
	return m
}

// Test implements registry.Tester.
func (t subjects) Test(ctx context.Context, s registry.Subject) (registry.Report, error) {
	cases, err := t.p.cases(ctx, s)
	if err != nil {
		return registry.Report{}, unavailable(err)
	}
	r, err := t.p.test(ctx, s, cases)
	if err != nil {
		return registry.Report{}, unavailable(err)
	}
	report := registry.Report{Total: len(r.Outcomes), Passed: r.Passed, Coverage: r.Coverage}
	var took []time.Duration
	for _, o := range r.Outcomes {
		report.Cases = append(report.Cases, registry.CaseResult{Name: o.Name, Passed: o.Passed, Message: o.Message})
		took = append(took, o.Took)
	}
	if len(took) > 0 {
		slices.Sort(took)
		report.Median = took[len(took)/2]
	}
	return report, nil
}

// subjects tests what a registry asks about.
type subjects struct{ p *Pipeline }

// Tester is what a registry tests with.
func (p *Pipeline) Tester() registry.Tester { return subjects{p} }

func unavailable(err error) error {
	if errors.Is(err, guest.ErrUnavailable) {
		return errors.Join(err, registry.ErrUnavailable)
	}
	return err
}

var (
	_ registry.Validator = (*Pipeline)(nil)
	_ registry.Tester    = subjects{}
)
