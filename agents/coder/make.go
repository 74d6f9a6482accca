package coder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// ready is a tool that can be called.
type ready struct {
	name   string
	reused bool
}

// notReady says why there is no tool to call, in a sentence for a person.
type notReady struct {
	text string
	why  error // guest.ErrUnavailable when there is no sandbox
}

func (e *notReady) Error() string { return e.text }
func (e *notReady) Unwrap() error { return e.why }

// maxNames is how many names are tried for a tool whose own name is somebody else's.
const maxNames = 9

// ensure finds or makes the tool of a template. The error is a *notReady.
func (c *Coder) ensure(ctx context.Context, k *toolTemplate, prompt string) (ready, error) {
	release, err := c.making.Hold(ctx, nil, k.name)
	if err != nil {
		return ready{}, &notReady{"I was interrupted.", err}
	}
	defer release()
	_, span := trace.Start(ctx, trace.Search, "tools", k.name)
	for i := range maxNames {
		name := k.name
		if i > 0 {
			name = fmt.Sprintf("%s_%d", k.name, i+1)
		}
		source := strings.ReplaceAll(k.code(), "def "+k.name+"(", "def "+name+"(")
		v, err := c.o.Maker.Version(name, 0)
		var parents []registry.Use
		switch {
		case isNotFound(err):
			if spec, taken := c.o.Tools.Get(name); taken && spec.Unavailable == "" {
				continue // the robot's own
			}
		case err != nil:
			span.End(err)
			return ready{}, &notReady{"I cannot reach my tools just now.", err}
		case v.Source == source:
			spec, known := c.o.Tools.Get(name)
			if known && spec.Unavailable == "" {
				span.Detail(fmt.Sprintf("reuse: %s v%d does this", name, v.Number))
				span.Set("decision", "reuse")
				span.End(nil)
				return ready{name, true}, nil
			}
			span.End(nil)
			if known {
				return ready{}, &notReady{waiting(name, v.Number), registry.ErrNotApproved}
			}
			return ready{}, &notReady{fmt.Sprintf("I have the tool %s for that, but it was switched off: reachyctl tool activate %s brings it back.", name, name), nil}
		case v.Provenance.Author == Template && k.fixed():
			parents = []registry.Use{{Name: v.Name, Version: v.Number}} // of an earlier reachyd
		default:
			continue // somebody else's
		}
		span.Detail("create: no tool does this yet")
		span.Set("decision", "create")
		span.End(nil)
		return c.compose(ctx, k, name, source, prompt, parents)
	}
	err = fmt.Errorf("all names from %s to %s_%d are taken", k.name, k.name, maxNames)
	span.End(err)
	return ready{}, &notReady{"I have too many tools of that kind already.", err}
}

// fixed says whether the template is always the same, not composed for a request.
func (k *toolTemplate) fixed() bool { return k.source == "" }

// compose makes a tool of a template.
func (c *Coder) compose(ctx context.Context, k *toolTemplate, name, source, prompt string, parents []registry.Use) (ready, error) {
	d, err := k.draft(prompt)
	if err != nil {
		return ready{}, &notReady{"My template for that is broken.", err}
	}
	d.Name, d.Source, d.Parents = name, source, parents
	c.progress(ctx, api.ToolProgress{Detail: "from a template", Name: name, Step: api.StepRegister})
	ctx, span := trace.Start(ctx, trace.Code, "compose", fmt.Sprintf("%s from a template", name))
	report, err := c.o.Maker.Register(ctx, d)
	noteReport(span, report)
	span.End(err)
	var refusal *registry.Refusal
	switch {
	case errors.Is(err, guest.ErrUnavailable), errors.Is(err, registry.ErrUnavailable):
		return ready{}, &notReady{
			"I cannot make a tool for that: the Python interpreter for self-made tools is missing (make python brings it).",
			guest.ErrUnavailable,
		}
	case errors.As(err, &refusal):
		c.remember(Failure{Request: prompt, Name: name, Source: source, Diagnosis: refusal.Error(), Outcome: OutcomeRefused})
		return ready{}, &notReady{fmt.Sprintf("I made a tool for that, but it did not pass: %s.", truncate.Runes(refusal.Error(), 200)), err}
	case err != nil:
		c.o.Failed(fmt.Errorf("make tool %s: %w", name, err))
		return ready{}, &notReady{"I could not make a tool for that just now.", err}
	case report.State == pipeline.StatePending:
		return ready{}, &notReady{waiting(name, report.Version), registry.ErrNotApproved}
	}
	return ready{name: name}, nil
}

// waiting says that somebody must approve a tool, and how.
func waiting(name string, version int) string {
	return fmt.Sprintf("I wrote the tool %s for that; it waits for your approval (reachyctl tool review approve %s %d). Then ask me again.", name, name, version)
}

// noteReport tells in a trace what came of a registration.
func noteReport(span trace.Open, r *pipeline.Report) {
	if r == nil {
		return
	}
	span.Set("tool", r.Name)
	span.Set("version", r.Version)
	span.Set("state", string(r.State))
	span.Set("score", r.Score.Total)
	if r.Tests != nil {
		span.Set("tests", fmt.Sprintf("%d of %d passed", r.Tests.Passed, r.Tests.Total))
		span.Set("coverage", r.Tests.Coverage)
	}
}

// use makes or finds the tool of a template, runs it for the request and puts the result into words.
func (c *Coder) use(ctx context.Context, r coordinator.Request, u *wanted) coordinator.Answer {
	if u.lacks != "" {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: u.lacks}
	}
	t, err := c.ensure(ctx, u.toolTemplate, r.Text)
	if errors.Is(err, guest.ErrUnavailable) {
		return c.without(ctx, u)
	}
	if err != nil {
		return failed(ctx, err.Error())
	}
	res := r.Call(ctx, t.name, raw(u.args))
	if !res.OK() {
		return c.unable(ctx, res)
	}
	return answered(u.answer(decoded(res.Data)))
}

// What is said where there is no interpreter: at length when it is first missed, and then in short.
const (
	noPython = "For that I make myself a tool in Python, and the interpreter for self-made tools is not installed here; make python, in the folder of " +
		"reachyd's source, installs it."
	stillNoPython = "I cannot make a tool for that without the Python interpreter."
)

// without answers where there is no interpreter: sums are worked out by the robot's own code, and the trace says so; for all
// else it is said what is missing.
func (c *Coder) without(ctx context.Context, u *wanted) coordinator.Answer {
	if u.oracle == nil {
		text := noPython
		if c.missed.Swap(true) {
			text = stillNoPython
		}
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: text}
	}
	value, err := u.oracle(u.args)
	if err != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: "That cannot be worked out."}
	}
	trace.Note(ctx, trace.Code, "without a tool", "no interpreter: worked out by reachyd itself, no tool ran")
	return answered(u.answer(decoded(value)))
}

// unable says in words why a tool did not do it.
func (c *Coder) unable(ctx context.Context, res tool.Result) coordinator.Answer {
	if ctx.Err() != nil {
		return coordinator.Answer{Outcome: coordinator.OutcomeInterrupted}
	}
	if _, why, found := strings.Cut(res.Message, "ValueError: "); found {
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: "That cannot be worked out: " + sentenceEnd(why)}
	}
	if _, why, found := strings.Cut(res.Message, "RuntimeError: "); found {
		return failed(ctx, verbalize.Sentence(why))
	}
	return failed(ctx, verbalize.Sentence("that did not work: "+res.Message))
}
