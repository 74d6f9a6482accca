package coder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coder/candidates"
	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// syntaxCode is the validator's for what is no Python at all.
const syntaxCode = "S001"

// author gets the code: the first reply, and others beside it or in its place until one passes.
func (w *writing) author(ctx context.Context) error {
	reply, err := w.code(ctx, []llm.Message{{Who: llm.User, Text: w.task()}}, nil)
	if err != nil {
		return err
	}
	w.source = block(reply.Text)
	var away error
	choice, err := w.candidates(&away).Choose(ctx, w.source)
	switch {
	case errors.Is(err, guest.ErrUnavailable), errors.Is(err, registry.ErrUnavailable):
		w.source, w.outcome = choice.Source, OutcomeStatic
		return static(w.source, w.spec.Name)
	case err != nil:
		return err
	}
	w.source = choice.Source
	for _, name := range choice.Dropped {
		w.drop(name)
	}
	if choice.Wrong != "" || len(choice.Failed) > 0 {
		w.repairs = choice.Replies - 1
		problem := cmp.Or(choice.Wrong, "These tests failed: "+strings.Join(choice.Failed, ", "))
		return cmp.Or[error](away, &registry.Refusal{
			Name: w.spec.Name, Findings: []registry.Finding{{Code: registry.CodeTests, Severity: registry.SeverityError, Message: problem}},
		})
	}
	w.repairs = choice.Taken
	if w.tested = w.ran[w.source]; w.tested == nil || len(choice.Dropped) > 0 {
		if _, err := w.try(ctx, w.source, slices.Concat(w.shown, w.hidden)); err != nil {
			return err
		}
		w.tested = w.ran[w.source]
	}
	return w.passed(ctx)
}

// candidates is the choice among what the model writes; away is set to what ended it early.
func (w *writing) candidates(away *error) *candidates.Task {
	t := &candidates.Task{
		Function: w.function(), Text: w.request + "\n" + w.spec.Summary + "\n" + w.spec.Behaviour, Enough: true, Most: 1 + w.c.o.MaxRepairs,
		Run: w.try, Wrong: w.wrong, Explain: w.explain,
		Another: func(ctx context.Context, n int, last, wrong string) (string, error) {
			messages, warmth := candidates.Ask(w.task(), n, last, wrong)
			reply, err := w.code(ctx, messages, warmth)
			*away = err
			return block(reply.Text), err
		},
	}
	for _, c := range slices.Concat(w.shown, w.hidden) {
		if w.faster || w.sure(c.Name) {
			t.Tests = append(t.Tests, c)
		} else {
			t.Invented = append(t.Invented, c)
		}
	}
	return t
}

// passed says which outcome it is, and looks for a faster way when the code is slow or was to become faster.
func (w *writing) passed(ctx context.Context) error {
	switch {
	case w.repairs == 0:
		w.outcome = OutcomePassed
	case w.repairs == 1 && w.syntax:
		w.outcome = OutcomeCorrected
	default:
		w.outcome = OutcomeRefined
	}
	before := took(w.tested)
	if w.faster {
		present, err := w.measure(ctx, w.present.Source)
		if err != nil {
			return err
		}
		if float64(before) >= fasterBy*float64(present) {
			return &notReady{fmt.Sprintf("I found no way to make %s faster: its tests take %v.", w.spec.Name, present.Round(10*time.Microsecond)), nil}
		}
		w.outcome = OutcomeOptimised
		return nil
	}
	if w.tested == nil || w.tested.Report.Slowest < slowCase {
		return nil
	}
	good, tested := w.source, w.tested
	reply, err := w.code(ctx, []llm.Message{
		{Who: llm.User, Text: w.task()},
		{Who: llm.Assistant, Text: "```python\n" + w.source + "```"},
		{Who: llm.User, Text: fmt.Sprintf("This is right, but a test took %v. Make it faster without changing what it does.\n\n%s",
			w.tested.Report.Slowest.Round(time.Millisecond), repairInstructions)},
	}, nil)
	if err == nil {
		w.source, _ = mend.Python(block(reply.Text), w.function())
		var r *tester.Report
		if r, err = w.try(ctx, w.source, slices.Concat(w.shown, w.hidden)); err == nil && r.OK && float64(took(w.ran[w.source])) < fasterBy*float64(before) {
			w.tested, w.outcome = w.ran[w.source], OutcomeOptimised
			return nil
		}
	}
	w.source, w.tested = good, tested // what is right and slow is better than nothing
	return ctx.Err()
}

// slowCase is how slow a case may be before somebody looks for a faster way.
const slowCase = 500 * time.Millisecond

// fasterBy is what part of the time a faster version may take at most.
const fasterBy = 0.9

// took is the processor time of all tests together: what else the machine does makes no code slower.
func took(t *pipeline.Tested) (sum time.Duration) {
	if t == nil || t.Report == nil {
		return 0
	}
	for _, o := range t.Report.Outcomes {
		sum += o.CPU
	}
	return sum
}

// measure is how long the tests of a source take.
func (w *writing) measure(ctx context.Context, source string) (time.Duration, error) {
	d, err := w.draft(source, slices.Concat(w.shown, w.hidden))
	if err != nil {
		return 0, err
	}
	t, err := w.c.test(ctx, d)
	return took(t), err
}

// task is what the author of the code is told.
func (w *writing) task() string {
	var b strings.Builder
	if w.faster {
		fmt.Fprintf(&b, "Make this tool faster without changing what it does, its name or its parameters:\n```python\n%s```\n", w.present.Source)
	} else {
		fmt.Fprintf(&b, "The specification:\n%s\n", w.spec.text())
		if w.present != nil {
			fmt.Fprintf(&b, "The present version, which has to be changed (the request: %s):\n```python\n%s```\n", w.request, w.present.Source)
		}
	}
	for _, f := range w.near {
		if slices.Contains(w.spec.Robot, f.Name) {
			fmt.Fprintf(&b, "reachy.%s can be called with keywords. Parameters: %s It returns: %s\n", f.Name, f.Version.Schema, f.Version.Returns)
		}
	}
	if failures := w.c.similar(w.request, 2); len(failures) > 0 {
		var told strings.Builder
		for _, f := range failures {
			fmt.Fprintf(&told, "%s: %s\n", f.Name, truncate.Runes(f.Diagnosis, 400))
		}
		safe, _ := guard.Foreign("attempts at similar tools that failed; do not make the same mistakes", told.String())
		b.WriteString(safe + "\n")
	}
	if len(w.shown) > 0 {
		b.WriteString("Some of the tests that it must pass:\n")
		for _, c := range w.shown[:min(len(w.shown), 6)] {
			fmt.Fprintf(&b, "- input %s: %s\n", c.Input, demand(&c))
		}
	}
	return b.String()
}

// demand says what a test demands.
func demand(c *tester.Case) string {
	switch {
	case c.Error != "":
		return "must raise " + c.Error
	case len(c.Expected) > 0:
		return "must return " + string(c.Expected)
	case c.Predicate != "":
		return c.Predicate + " must be true"
	}
	return "must not break"
}

// code asks the author; warmth is how freely he may choose his words, nil for as freely as usual.
func (w *writing) code(ctx context.Context, messages []llm.Message, warmth *float64) (llm.Reply, error) {
	w.attempts++
	w.step(ctx, api.StepCode, w.verdict)
	ctx, span := trace.Start(ctx, trace.Model, "code", "")
	reply, err := w.c.o.Model.Chat(ctx, llm.Request{
		Role: llm.RoleCode, System: codeInstructions, Messages: messages, MaxTokens: 3000, Temperature: warmth,
	}, nil)
	noteReply(span, &reply)
	span.End(err)
	w.model = reply.Model
	return reply, err
}

// try runs cases with a source. A candidates.Broken says why it cannot be right.
func (w *writing) try(ctx context.Context, source string, cases []tester.Case) (r *tester.Report, err error) {
	w.step(ctx, api.StepCheck, "")
	ctx, span := trace.Start(ctx, trace.Code, "try", "")
	defer func() {
		switch {
		case r != nil && r.OK:
			w.verdict = "all tests pass"
		case r != nil:
			w.verdict = truncate.Runes(failures(r), 400)
		case err != nil:
			w.verdict = truncate.Runes(err.Error(), 400)
		}
		span.Detail(w.verdict)
		span.End(err)
	}()
	if name := w.unasked(source); name != "" {
		return nil, candidates.Broken(fmt.Sprintf("The code calls reachy.%s, which the specification does not name under robot_calls. Leave it out.", name))
	}
	d, err := w.draft(source, cases)
	if err != nil {
		return nil, err
	}
	tested, err := w.c.test(ctx, d)
	var refusal *registry.Refusal
	switch {
	case errors.As(err, &refusal):
		w.syntax = w.syntax || slices.ContainsFunc(refusal.Findings, func(f registry.Finding) bool { return f.Code == syntaxCode })
		return nil, candidates.Broken(said(refusal))
	case err != nil:
		return nil, err
	}
	w.ran[source] = tested
	return tested.Report, nil
}

// failures are the tests of a report that failed, as a trace tells of them.
func failures(r *tester.Report) string {
	var b strings.Builder
	for _, o := range r.Outcomes {
		if !o.Passed {
			fmt.Fprintf(&b, "%s: %s\n", o.Name, o.Message)
		}
	}
	return b.String()
}

var asks = regexp.MustCompile(`\breachy\.(?:call\(\s*["'](\w+)["']|(\w+))`)

// unasked is a tool that the code calls though it was not specified to; empty when there is none. The sandbox would refuse
// the call; here the author is told.
func (w *writing) unasked(source string) string {
	for _, m := range asks.FindAllStringSubmatch(source, -1) {
		name := m[1] + m[2]
		if _, is := w.c.o.Tools.Get(name); is && !slices.Contains(w.spec.Robot, name) {
			return name
		}
	}
	return ""
}

// said are the findings of a refusal as their author reads them.
func said(r *registry.Refusal) string {
	var b strings.Builder
	b.WriteString("The code was refused:\n")
	for i, f := range r.Findings {
		if i == 8 {
			break
		}
		fmt.Fprintf(&b, "- line %d: %s %s\n", f.Line, f.Message, f.Fix)
	}
	return b.String()
}

// explain says which tests failed. Of those that the author must not know he is told only that there are some.
func (w *writing) explain(failed []tester.Outcome) string {
	var b strings.Builder
	hidden, told := 0, 0
	for _, o := range failed {
		at := slices.IndexFunc(w.shown, func(c tester.Case) bool { return c.Name == o.Name })
		switch {
		case at < 0:
			hidden++
		case told < 5:
			told++
			fmt.Fprintf(&b, "- input %s: %s\n", w.shown[at].Input, truncate.Runes(o.Message, 300))
			if o.Error != nil && o.Error.Line > 0 {
				fmt.Fprintf(&b, "  in line %d: %s: %s\n", o.Error.Line, o.Error.Type, truncate.Runes(o.Error.Message, 200))
			}
		}
	}
	text := "These tests failed:\n" + b.String()
	if told == 0 {
		text = ""
	}
	if hidden > 0 {
		text += fmt.Sprintf(
			"%s of what the specification says failed in a test that you cannot see: look at all of its rules again.",
			counted(float64(hidden), "rule", "rules"),
		)
	}
	return strings.TrimSpace(text)
}

var verdict = tool.Object(map[string]tool.Schema{
	"reasoning": tool.Text("what the specification demands for this input, step by step", 800), "right": tool.Boolean("whether the test demands exactly that"),
}, "reasoning", "right")

// wrong asks somebody else about a test that is not passed, for tests can be wrong as well as code.
func (w *writing) wrong(ctx context.Context, c *tester.Case) bool {
	var out struct{ Right bool }
	err := w.c.structured(ctx, "judge", llm.Request{
		Role: llm.RoleCall, System: judgeInstructions, Schema: &verdict,
		Messages: []llm.Message{{Who: llm.User, Text: fmt.Sprintf("The specification:\n%s\nThe test: input %s, %s.", w.spec.text(), c.Input, demand(c))}},
	}, &out)
	return err == nil && !out.Right
}

var (
	thought = regexp.MustCompile(`(?s)<think>.*?(?:</think>|$)`)
	begins  = regexp.MustCompile(`(?m)^(?:"""|import |from |def |async def |class |@)`)
)

// block takes the code out of what a model wrote: the longest block, or all from where code begins.
func block(text string) string {
	text = thought.ReplaceAllString(text, "")
	best := ""
	if strings.Contains(text, "```") {
		best = candidates.Code(text)
	} else if at := begins.FindStringIndex(text); at != nil && strings.Contains(text, "def ") {
		best = text[at[0]:]
	}
	best = strings.ReplaceAll(best, "\r\n", "\n")
	if best = strings.TrimSpace(best); !strings.Contains(best, "def ") {
		return ""
	}
	return best + "\n"
}

// static is the little that can be said of a source without an interpreter. A person looks at it before it is called.
func static(source, name string) error {
	for _, need := range []string{"def " + name + "(", ") -> ", `"""`} {
		if !strings.Contains(source, need) {
			return &registry.Refusal{
				Name:     name,
				Findings: []registry.Finding{{Code: registry.CodeText, Severity: registry.SeverityError, Message: fmt.Sprintf("%q is missing", need)}},
			}
		}
	}
	return nil
}
