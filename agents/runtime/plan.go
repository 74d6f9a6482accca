package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
)

// errNoPlan is that the model has no plan for a request.
var errNoPlan = errors.New("no plan came of it")

// planStep is one step as a model plans it.
type planStep struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// planned plans the request, shows the plan, carries it out, and plans anew what is left when a step fails.
func (t *turn) planned(ctx context.Context) (string, error) {
	tools := t.planTools(ctx)
	task := t.r.Text
	for attempt := 0; ; attempt++ {
		steps, err := t.plan(ctx, tools, task)
		if err != nil {
			return "", err
		}
		if len(steps) == 0 {
			if attempt > 0 {
				return strings.TrimSpace(t.did() + " The rest I could not do."), nil
			}
			return "", errNoPlan
		}
		failed, res := t.carryOut(ctx, steps)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case failed == nil:
			return t.did(), nil
		case res.Code == tool.CodeCancelled || res.Code == tool.CodeStopped || attempt >= t.m.o.MaxReplans:
			return strings.TrimSpace(t.did() + " I could not " + coordinator.Infinitive(*failed) + ": " + res.Message), nil
		}
		trace.Note(ctx, trace.Thought, "plan", fmt.Sprintf("%s failed (%s); planning anew", failed.Tool, res.Message))
		why, _ := guard.Foreign("the tool "+failed.Tool, res.Message) // it may have read it from a sign in the picture
		task = fmt.Sprintf("%s\n\nAlready done: %s\nThis step failed: %s: %s\nPlan what is left, in another way, or no steps if it cannot be done.",
			t.r.Text, t.succeeded(), failed.Tool, why)
	}
}

// planTools are all that a plan may use: those of moving and of seeing, and self-made ones that fit.
func (t *turn) planTools(ctx context.Context) []tool.Spec {
	a := t.m.o.Instructions.Robot
	a.Tools = append(slices.Clone(a.Tools), t.m.o.Instructions.Vision.Tools...)
	slices.Sort(a.Tools)
	a.Tools, a.HandOff = slices.Compact(a.Tools), nil
	return t.tools(ctx, &a)
}

// plan asks the model for steps, and tells it once what is wrong with them.
func (t *turn) plan(ctx context.Context, tools []tool.Spec, task string) ([]planner.Step, error) {
	names := make([]string, len(tools))
	var described strings.Builder
	for i, s := range tools {
		names[i] = s.Name
		params, err := json.Marshal(s.Parameters)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&described, "%s: %s %s\n", s.Name, s.Description, params)
	}
	schema := tool.Object(map[string]tool.Schema{
		"steps": {Type: tool.TypeArray, MaxItems: t.m.o.MaxPlan, Items: &tool.Schema{
			Type:     tool.TypeObject,
			Required: []string{"tool", "args"},
			Properties: map[string]tool.Schema{
				"tool": tool.OneOf("name of the tool", names...),
				"args": {Type: tool.TypeObject, Open: true, Description: "its arguments"},
			},
		}},
	}, "steps")
	zero := 0.0
	req := llm.Request{
		Role: llm.RoleCall, System: t.m.fill(t.m.o.Instructions.Plan) + "\nTools:\n" + described.String() + t.facts, Schema: &schema, Temperature: &zero,
		Messages: append(slices.Clone(t.history), llm.Message{Who: llm.User, Text: task}),
	}
	for attempt := 0; ; attempt++ {
		reply, err := t.ask(ctx, req)
		if err != nil {
			return nil, err
		}
		steps, err := read(reply.Text, tools)
		if err == nil {
			t.show(ctx, steps)
			return steps, nil
		}
		trace.Note(ctx, trace.Guard, "plan", err.Error())
		if attempt > 0 {
			return nil, fmt.Errorf("%w: %w", llm.ErrBadOutput, err)
		}
		req.Messages = append(req.Messages, reply.Message(), llm.Message{Who: llm.User, Text: "That cannot be done: " + err.Error() + ". Write the plan again."})
	}
}

// read checks every step of a plan against the tools.
func read(text string, tools []tool.Spec) ([]planner.Step, error) {
	var p struct{ Steps []planStep }
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, err
	}
	steps := make([]planner.Step, len(p.Steps))
	var errs []error
	for i, s := range p.Steps {
		c := llm.CheckCall(tools, s.Tool, s.Args)
		if c.Err != nil {
			errs = append(errs, fmt.Errorf("step %d, %s: %w", i+1, s.Tool, c.Err))
			continue
		}
		steps[i] = planner.Step{Tool: s.Tool, Args: map[string]any{}}
		if err := json.Unmarshal(c.Args, &steps[i].Args); err != nil {
			errs = append(errs, fmt.Errorf("step %d: %w", i+1, err))
		}
	}
	return steps, errors.Join(errs...)
}

// show tells what is going to be done.
func (t *turn) show(ctx context.Context, steps []planner.Step) {
	if len(steps) == 0 {
		return
	}
	parts := make([]string, len(steps))
	for i, s := range steps {
		parts[i] = coordinator.Infinitive(s)
	}
	text := "My plan: " + strings.Join(parts, ", then ") + "."
	trace.Note(ctx, trace.Plan, "model", text)
	if t.r.Partial != nil {
		t.r.Partial(text)
	}
}

// carryOut runs steps until one fails, and returns that one.
func (t *turn) carryOut(ctx context.Context, steps []planner.Step) (*planner.Step, tool.Result) {
	for i := range steps {
		args, err := json.Marshal(steps[i].Args)
		if err != nil {
			return &steps[i], tool.Errorf(tool.CodeInvalid, "%v", err)
		}
		if res := t.call(ctx, steps[i].Tool, args); !res.OK() {
			return &steps[i], res
		}
	}
	return nil, tool.Result{}
}

// succeeded names the tools that did what they were called for.
func (t *turn) succeeded() string {
	var names []string
	for _, s := range t.steps {
		if s.Result.OK() {
			names = append(names, s.Tool)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
