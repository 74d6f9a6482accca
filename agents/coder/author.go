package coder

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coder/candidates"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language/truncate"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// syntaxCode is the validator's for what is no Python at all.
const syntaxCode = "S001"

// author gets the code and has it repaired until its tests pass.
func (w *writing) author(ctx context.Context) error {
	messages := []llm.Message{{Who: llm.User, Text: w.task()}}
	syntax := false
	for {
		reply, err := w.code(ctx, messages)
		if err != nil {
			return err
		}
		w.anew = len(messages) == 1
		w.source = w.mended(ctx, block(reply.Text))
		problem, bad, err := w.try(ctx)
		switch {
		case errors.Is(err, guest.ErrUnavailable), errors.Is(err, registry.ErrUnavailable):
			w.outcome = OutcomeStatic
			return static(w.source, w.spec.Name)
		case err != nil:
			return err
		case problem == "":
			return w.passed(ctx, messages, reply, syntax)
		}
		syntax = syntax || bad
		if w.repairs >= w.c.o.MaxRepairs {
			return &registry.Refusal{Name: w.spec.Name, Findings: []registry.Finding{{Code: registry.CodeTests, Severity: registry.SeverityError, Message: problem}}}
		}
		w.repairs++
		if w.doubtful() && len(w.first) == 1 { // a second opinion first: code is spoilt by repairing it for a wrong test
			messages = messages[:1]
			continue
		}
		// Only the last attempt is shown: what was wrong before it leads astray.
		messages = []llm.Message{messages[0], reply.Message(), {Who: llm.User, Text: problem + "\n\n" + repairInstructions}}
	}
}

// passed says which outcome it is, and looks for a faster way when the code is slow or was to become faster.
func (w *writing) passed(ctx context.Context, messages []llm.Message, reply llm.Reply, syntax bool) error {
	switch {
	case w.repairs == 0:
		w.outcome = OutcomePassed
	case w.repairs == 1 && syntax:
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
	reply, err := w.code(
		ctx,
		[]llm.Message{
			messages[0],
			reply.Message(),
			{
				Who: llm.User,
				Text: fmt.Sprintf(
					"This is right, but a test took %v. Make it faster without changing what it does.\n\n%s",
					w.tested.Report.Slowest.Round(time.Millisecond),
					repairInstructions,
				),
			},
		},
	)
	if err == nil {
		w.source = w.mended(ctx, block(reply.Text))
		var problem string
		if problem, _, err = w.try(ctx); err == nil && problem == "" && float64(took(w.tested)) < fasterBy*float64(before) {
			w.outcome = OutcomeOptimised
			return nil
		}
	}
	w.source, w.tested = good, tested // what is right and slow is better than nothing
	return ctx.Err()
}

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
	d, err := w.draft()
	if err != nil {
		return 0, err
	}
	d.Source = source
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

// code asks the author.
func (w *writing) code(ctx context.Context, messages []llm.Message) (llm.Reply, error) {
	ctx, span := trace.Start(ctx, trace.Model, "code", "")
	reply, err := w.c.o.Model.Chat(ctx, llm.Request{Role: llm.RoleCode, System: codeInstructions, Messages: messages, MaxTokens: 3000}, nil)
	noteReply(span, &reply)
	span.End(err)
	w.model = reply.Model
	return reply, err
}

// try runs the tests and says what the author must be told; empty when all is well. bad: it is no Python.
func (w *writing) try(ctx context.Context) (problem string, bad bool, err error) {
	ctx, span := trace.Start(ctx, trace.Code, "try", "")
	defer func() {
		span.Detail(truncate.Runes(problem, 400))
		if problem == "" && err == nil {
			span.Detail("all tests pass")
		}
		span.Set("attempt", w.repairs+1)
		span.End(err)
	}()
	w.tested = nil
	if strings.TrimSpace(w.source) == "" {
		return "There was no code in your answer.", true, nil
	}
	if name := w.unasked(); name != "" {
		return fmt.Sprintf("The code calls reachy.%s, which the specification does not name under robot_calls. Leave it out.", name), false, nil
	}
	d, err := w.draft()
	if err != nil {
		return "", false, err
	}
	w.tested, err = w.c.test(ctx, d)
	var refusal *registry.Refusal
	switch {
	case errors.As(err, &refusal):
		return said(refusal), slices.ContainsFunc(refusal.Findings, func(f registry.Finding) bool { return f.Code == syntaxCode }), nil
	case err != nil:
		return "", false, err
	case w.tested.Report.OK:
		return "", false, nil
	}
	if w.outvoted(ctx) || w.arbitrate(ctx) {
		return w.try(ctx)
	}
	w.failing = nil
	for _, o := range w.tested.Report.Outcomes {
		if !o.Passed {
			w.failing = append(w.failing, o.Name)
		}
	}
	return w.explain(), false, nil
}

var asks = regexp.MustCompile(`\breachy\.(?:call\(\s*["'](\w+)["']|(\w+))`)

// unasked is a tool that the code calls though it was not specified to; empty when there is none. The sandbox would refuse
// the call; here the author is told.
func (w *writing) unasked() string {
	for _, m := range asks.FindAllStringSubmatch(w.source, -1) {
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
func (w *writing) explain() string {
	var b strings.Builder
	hidden, told := 0, 0
	for _, o := range w.tested.Report.Outcomes {
		at := slices.IndexFunc(w.shown, func(c tester.Case) bool { return c.Name == o.Name })
		switch {
		case o.Passed:
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

// arbitrate asks somebody else about a test that fails again after a repair, for tests can be wrong as well as code, and
// leaves it out if it is. It reports whether it did. At least half of the tests stay, and the person's own always.
func (w *writing) arbitrate(ctx context.Context) bool {
	all := len(w.shown) + len(w.hidden)
	changed := false
	for _, o := range w.tested.Report.Outcomes {
		if o.Passed || !slices.Contains(w.failing, o.Name) || w.sure(o.Name) || 2*(w.dropped+1) > all+w.dropped {
			continue
		}
		c := w.named(o.Name)
		if c == nil {
			continue
		}
		if w.wrong(ctx, c) {
			w.drop(o.Name)
			changed = true
		}
		break // one at a time: each costs a question
	}
	return changed
}

var verdict = tool.Object(map[string]tool.Schema{
	"reasoning": tool.Text("what the specification demands for this input, step by step", 800), "right": tool.Boolean("whether the test demands exactly that"),
}, "reasoning", "right")

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
