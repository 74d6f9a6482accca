package toolbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/pylib"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
	"github.com/reachyd/reachyd/toolsandbox/validate"
)

// checker lets the registry validate and test in the sandbox.
type checker struct{ box *Toolbox }

// Validate implements registry.Validator.
func (c checker) Validate(ctx context.Context, s registry.Subject) (registry.Validation, error) {
	r, err := c.box.check(ctx, s.Name, s.Source, validate.Strict)
	if err != nil {
		return registry.Validation{}, err
	}
	v := registry.Validation{
		Findings: []registry.Finding{}, Schema: r.Schema, Returns: r.Returns, Doc: registry.Doc{Summary: r.Summary}, Needs: host.Grants(nil, r.Calls),
		Metrics: metrics(r),
	}
	for _, f := range r.Findings {
		if f.Severity == validate.Info {
			continue
		}
		v.Findings = append(v.Findings, registry.Finding{
			Code: f.Code, Severity: registry.Severity(f.Severity), Message: f.Message, Line: f.Line, Column: f.Column, Fix: f.Fix,
		})
	}
	return v, nil
}

func metrics(r *validate.Report) registry.Metrics {
	var s derived
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

// check validates a source. What the robot's own schemas cannot carry is a finding, too.
func (t *Toolbox) check(ctx context.Context, name, source string, mode validate.Mode) (*validate.Report, error) {
	r, err := validate.Check(ctx, t.sandbox, name, source, validate.Options{Mode: mode, Imports: pylib.Imports(), Calls: t.robotCalls()})
	if err != nil || !r.OK {
		return r, err
	}
	s, err := toSchema(r.Schema)
	if err == nil {
		err = s.Verify()
	}
	if err != nil {
		r.OK = false
		r.Findings = append(r.Findings, validate.Finding{
			Code: "T010", Severity: validate.Error, Line: 1, Column: 1, Message: "The parameters cannot be described: " + err.Error() + ".",
			Fix: "Use str, int, float, bool, list or dict, or one of them and None.",
		})
	}
	return r, nil
}

// Test implements registry.Tester.
func (c checker) Test(ctx context.Context, s registry.Subject) (registry.Report, error) {
	cases, err := c.box.cases(ctx, s.Name, s.Source, s.Cases)
	if err != nil {
		return registry.Report{}, unavailable(err)
	}
	r, err := c.box.test(ctx, s.Source, s.Name, cases, s.Uses)
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

func unavailable(err error) error {
	if errors.Is(err, guest.ErrUnavailable) {
		return errors.Join(err, registry.ErrUnavailable)
	}
	return err
}

// cases reads test cases; without any they are made from the schema, so that at least nothing breaks at the edges.
func (t *Toolbox) cases(ctx context.Context, name, source string, raw json.RawMessage) ([]tester.Case, error) {
	if len(bytes.TrimSpace(raw)) > 0 {
		var cases []tester.Case
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&cases); err != nil {
			return nil, &inputError{fmt.Errorf("cases: %w", err)}
		}
		if len(cases) > 0 {
			return cases, nil
		}
	}
	r, err := t.check(ctx, name, source, validate.Lenient)
	if err != nil {
		return nil, err
	}
	if len(r.Schema) == 0 {
		return nil, &inputError{errors.New("there are no cases, and none can be made: the parameters cannot be read")}
	}
	cases, err := tester.EdgeCases(r.Schema)
	if err != nil {
		return nil, err
	}
	return append(cases, tester.Case{Name: "runs", NoCrash: true, Input: ordinary(r.Schema)}), nil
}

// ordinary is an input with something usual for every required parameter.
func ordinary(schema json.RawMessage) json.RawMessage {
	var d derived
	if json.Unmarshal(schema, &d) != nil {
		return nil
	}
	usual := map[string]any{"integer": 1, "number": 1.5, "string": "text", "boolean": true, "array": []any{}, "object": map[string]any{}}
	input := map[string]any{}
	for _, name := range d.Required {
		p := d.Properties[name]
		if len(p.Enum) > 0 {
			input[name] = p.Enum[0]
			continue
		}
		if kind, err := p.kind(); err == nil {
			input[name] = usual[string(kind)]
		}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return nil
	}
	return raw
}

// inputError is a mistake of the caller.
type inputError struct{ error }

// Unwrap returns the mistake.
func (e *inputError) Unwrap() error { return e.error }

// test runs cases with a robot that is not there.
func (t *Toolbox) test(ctx context.Context, source, function string, cases []tester.Case, uses []registry.Use) (*tester.Report, error) {
	known := tester.RobotCalls() // which the tester grants itself
	grants := slices.DeleteFunc(t.testGrants(uses), func(g string) bool { return slices.Contains(known, g) })
	newHost := func(c tester.Conditions) guest.HostFunc { return t.pretend(c, uses) }
	return tester.Run(ctx, t.sandbox, source, function, cases, tester.Options{Grants: grants, NewHost: newHost, Limits: limits})
}

var (
	_ registry.Validator = checker{}
	_ registry.Tester    = checker{}
)
