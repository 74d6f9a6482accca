package coder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// register hands the tool over as it was tested.
func (w *writing) register(ctx context.Context) (*pipeline.Report, error) {
	w.step(ctx, api.StepRegister, "")
	ctx, span := trace.Start(ctx, trace.Code, "register", w.spec.Name)
	report, err := w.put(ctx)
	noteReport(span, report)
	span.Set("outcome", string(w.outcome))
	span.End(err)
	if errors.Is(err, guest.ErrUnavailable) || errors.Is(err, registry.ErrUnavailable) {
		err = &notReady{"I wrote a tool for that, but could neither check nor test it, because the sandbox is missing; so I did not keep it.", err}
	}
	return report, err
}

func (w *writing) put(ctx context.Context) (*pipeline.Report, error) {
	if w.outcome == OutcomeStatic {
		d, err := w.draft(w.source, slices.Concat(w.shown, w.hidden))
		if err != nil {
			return nil, err
		}
		d.AllowUntested = true
		if w.tested, err = w.c.test(ctx, d); err != nil {
			return nil, err
		}
	}
	note := string(w.outcome)
	if w.repairs > 0 {
		note += fmt.Sprintf("; repairs: %d", w.repairs)
	}
	if w.dropped > 0 {
		note += fmt.Sprintf("; tests found to be wrong and left out: %d", w.dropped)
	}
	w.tested.Notes = []registry.Note{{Kind: registry.NoteReview, Text: note, By: Writer}}
	return w.c.o.Maker.Put(ctx, w.tested)
}

// test checks and tests a draft.
func (c *Coder) test(ctx context.Context, d registry.Draft) (*pipeline.Tested, error) {
	checked, err := c.o.Maker.Check(ctx, d)
	if err != nil {
		return nil, err
	}
	return c.o.Maker.Test(ctx, checked)
}

// draft is the tool with a source and tests.
func (w *writing) draft(source string, tests []tester.Case) (registry.Draft, error) {
	cases, err := json.Marshal(tests)
	d := registry.Draft{
		Name: w.spec.Name, Source: source, Cases: cases, Author: Writer, Model: w.model, Prompt: truncate.Runes(w.request, 2000),
		Grants: append([]string{}, w.spec.Robot...), // and nothing that it was not specified to call
	}
	d.Prompt += "\n\n" + w.spec.text()
	d.Grants = slices.DeleteFunc(d.Grants, func(g string) bool {
		_, err := w.c.o.Maker.Version(g, 0)
		return err == nil // a self-made tool is used, not granted
	})
	for _, g := range w.spec.Robot {
		if v, err := w.c.o.Maker.Version(g, 0); err == nil { // and what it may do, its caller must be allowed, too
			d.Grants = append(d.Grants, v.Grants...)
		}
	}
	if w.present != nil {
		d.Parents = []registry.Use{{Name: w.present.Name, Version: w.present.Number}}
	}
	return d, err
}
