package coder

import (
	"context"
	"errors"

	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
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

// Generate writes a tool from a description, by a template where one fits, else with the language model, and registers it.
// The tool is not called.
func (c *Coder) Generate(ctx context.Context, session, description string) (*Generated, error) {
	u := language.Analyse(description)
	if v := guard.Input(u); !v.OK() {
		return nil, errors.Join(ErrForbidden, errors.New(v.Text))
	}
	if w := c.read(session, u, c.o.Plan(description)).template(); w != nil && w.lacks == "" {
		made, err := c.ensure(ctx, w.toolTemplate, description)
		if err != nil {
			return nil, err
		}
		return c.generated(made.name, 0, nil, made.reused)
	}
	if c.o.Model == nil || c.o.Model.Ready(llm.RoleCode) != nil {
		return nil, ErrNoModel
	}
	release, err := c.hold(ctx, "\x00writing")
	if err != nil {
		return nil, err
	}
	defer release()
	limited, cancel := context.WithTimeout(ctx, c.o.MakeTime)
	defer cancel()
	report, err := (&writing{c: c, request: description}).make(limited)
	if err != nil {
		return nil, err
	}
	return c.generated(report.Name, report.Version, report, false)
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
