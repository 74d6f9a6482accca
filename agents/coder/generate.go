package coder

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Errors of Generate, beside those of the language model and the pipeline.
var (
	ErrNoModel   = errors.New(noModel) //nolint:staticcheck // it is what the robot says
	ErrForbidden = errors.New("a tool for that must not be written")
)

// Generated is a tool that was written from a description.
type Generated struct {
	Name    string           `json:"tool_name"`
	Code    string           `json:"code"`
	Version int              `json:"version"`
	State   pipeline.State   `json:"state"`
	Reused  bool             `json:"reused,omitempty"` // it was there before
	Checks  any              `json:"validation_result"`
	Tests   *registry.Report `json:"test_results"`
	Report  *pipeline.Report `json:"report,omitempty"`
}

// Generate writes a tool from a description, by a template where one fits, else with the language model, and registers it. It
// must pass the cases. The tool is not called.
func (c *Coder) Generate(ctx context.Context, session, description string, cases []tester.Case) (*Generated, error) {
	u := language.Analyse(description)
	if v := guard.Input(u); !v.OK() {
		return nil, errors.Join(ErrForbidden, errors.New(v.Text))
	}
	var unfit error
	w := c.read(session, u, c.o.Plan(description)).template()
	if w != nil && w.lacks == "" {
		unfit = c.passes(ctx, w.toolTemplate, cases)
	}
	if w != nil && w.lacks == "" && unfit == nil {
		made, err := c.ensure(ctx, w.toolTemplate, description)
		if err != nil {
			return nil, err
		}
		return c.generated(made.name, 0, nil, made.reused)
	}
	if c.o.Model == nil || c.o.Model.Ready(llm.RoleCode) != nil {
		return nil, cmp.Or(unfit, ErrNoModel)
	}
	release, err := c.making.Hold(ctx, nil, "\x00writing")
	if err != nil {
		return nil, err
	}
	defer release()
	limited, cancel := context.WithTimeout(ctx, c.o.MakeTime)
	defer cancel()
	cases = slices.Clone(cases)
	for i := range cases {
		cases[i].Name = fromThePerson + cases[i].Name
	}
	report, err := (&writing{c: c, request: description, given: cases}).make(limited)
	if err != nil {
		return nil, err
	}
	return c.generated(report.Name, report.Version, report, false)
}

// passes tests a template with a person's own cases; the error says which it does not pass.
func (c *Coder) passes(ctx context.Context, k *toolTemplate, cases []tester.Case) error {
	if len(cases) == 0 {
		return nil
	}
	d, err := k.draft("")
	if err == nil {
		d.Name, d.Source = k.name, k.code()
		d.Cases, err = json.Marshal(cases)
	}
	if err != nil {
		return err
	}
	tested, err := c.test(ctx, d)
	if err != nil {
		return err
	}
	if !tested.Report.OK {
		return &notReady{fmt.Sprintf("the built-in %s does not pass these tests: %s", k.name, strings.TrimSpace(failures(tested.Report))), nil}
	}
	return nil
}

func (c *Coder) generated(name string, version int, report *pipeline.Report, reused bool) (*Generated, error) {
	v, err := c.o.Maker.Version(name, version)
	if err != nil {
		return nil, err
	}
	g := &Generated{Name: v.Name, Code: v.Source, Version: v.Number, State: pipeline.StateActive, Reused: reused, Tests: v.Report, Report: report}
	g.Checks = map[string]any{"findings": append([]registry.Finding{}, v.Findings...), "score": v.Score}
	if report != nil {
		g.State = report.State
	}
	return g, nil
}
