package eval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coder/candidates"
	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// function is what a task must define.
func (t *Task) function() mend.Function {
	f := mend.Function{Name: t.Name, Signature: t.Signature, Summary: firstSentence(t.Does), Returns: "The result."}
	ps, _ := candidates.Parameters(t.Signature)
	for _, p := range ps {
		f.Parameters = append(f.Parameters, mend.Parameter{Name: p.Name, Text: p.Type})
	}
	return f
}

func firstSentence(text string) string {
	if at := strings.Index(text, ". "); at > 0 {
		return text[:at]
	}
	return strings.TrimSuffix(text, ".")
}

// line writes a tool as the robot does: first is the source of the first reply, which is a candidate, too. The hidden tests have no part
// in it.
func (s *Suite) line(ctx context.Context, t *Task, first string) (candidates.Choice, error) {
	f := t.function()
	task := candidates.Task{
		Function: f, Text: t.Does, Tests: candidates.Beliefs(t.Does, &f), Most: candidates.Usual,
		Run: func(ctx context.Context, source string, cases []tester.Case) (*tester.Report, error) {
			return tester.Run(ctx, python.Language{Box: s.Sandbox}, source, t.Name, cases, onFake)
		},
		Another: func(ctx context.Context, n int, last, wrong string) (string, error) {
			req := llm.Request{Role: llm.RoleCode, System: codeInstructions}
			req.Messages, req.Temperature = candidates.Ask(t.prompt(), n, last, wrong)
			r, err := s.Model.Chat(ctx, req, nil)
			return candidates.Code(r.Text), err
		},
	}
	return task.Choose(ctx, first)
}

// Line measures tools that are written as the robot writes them, beside those of one reply, in the same run: an item of each for
// every task. only keeps the tasks whose place it divides; 1 for all.
func (s *Suite) Line(ctx context.Context, only int) ([]Item, error) {
	tasks, err := Tasks()
	if err != nil {
		return nil, err
	}
	var items []Item
	for i := range tasks {
		if i%max(only, 1) != 0 {
			continue
		}
		t := &tasks[i]
		cold := 0.0
		start := time.Now()
		r, err := s.Model.Chat(ctx, llm.Request{
			Role: llm.RoleCode, System: codeInstructions, Temperature: &cold, Messages: []llm.Message{{Who: llm.User, Text: t.prompt()}},
		}, nil)
		if err != nil && (fatal(ctx, err) || !errors.Is(err, llm.ErrTooLong)) {
			return items, err
		}
		once := Item{Kind: KindOnce, Name: t.Name, Took: time.Since(start)}
		if err := s.judge(ctx, &once, t, code(r.Text)); err != nil {
			return items, err
		}
		chosen, err := s.line(ctx, t, code(r.Text))
		if err != nil {
			return items, err
		}
		ours := Item{Kind: KindTask, Name: t.Name, Took: time.Since(start)}
		if err := s.judge(ctx, &ours, t, chosen.Source); err != nil {
			return items, err
		}
		ours.Got = oneLine(fmt.Sprintf("%s; reply %d of %d", ours.Got, chosen.Taken+1, chosen.Replies))
		items = s.add(s.add(items, once), ours)
	}
	return items, nil
}

// judge runs the hidden tests.
func (s *Suite) judge(ctx context.Context, item *Item, t *Task, source string) error {
	cases, err := t.cases()
	if err != nil {
		return err
	}
	report, err := tester.Run(ctx, python.Language{Box: s.Sandbox}, source, t.Name, cases, onFake)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	item.Passed, item.Partly = report.OK, report.Passed > 0
	item.Got = fmt.Sprintf("%d of %d tests", report.Passed, len(cases))
	for _, o := range report.Outcomes {
		if !o.Passed {
			item.Got = oneLine(item.Got + "; " + o.Name + ": " + o.Message)
			break
		}
	}
	return nil
}
