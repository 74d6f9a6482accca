package coder

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/agents/verbalize"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// maxFound is how many tools a model is shown.
const maxFound = 5

// reuse looks for a tool that is there and calls it when the model says that it does what is asked for.
func (c *Coder) reuse(ctx context.Context, r coordinator.Request) (found []registry.Found, a coordinator.Answer, done bool) {
	sctx, span := trace.Start(ctx, trace.Search, "tools", r.Text)
	found = c.find(sctx, r.Text, maxFound)
	names := make([]string, 0, len(found))
	for _, f := range found {
		names = append(names, fmt.Sprintf("%s %.2f", f.Name, f.Score))
	}
	span.Set("found", strings.Join(names, ", "))
	if len(found) == 0 {
		span.Set("decision", "create")
		span.Detail("create: no tool has to do with it")
		span.End(nil)
		return nil, a, false
	}
	choice, err := c.choose(sctx, r.Text, found)
	if err != nil {
		span.End(err)
		return found, a, false // a new one does no harm
	}
	span.Set("decision", choice.Decision)
	span.Detail(choice.Decision + ": " + choice.Reason)
	span.End(nil)
	if choice.Decision == "compose" {
		return found, a, false
	}
	if choice.Decision != "reuse" || !slices.ContainsFunc(found, func(f registry.Found) bool { return f.Name == choice.Tool }) {
		return nil, a, false
	}
	spec, known := c.o.Tools.Get(choice.Tool)
	if !known {
		return nil, a, false
	}
	call := llm.CheckCall([]tool.Spec{spec}, choice.Tool, choice.Arguments)
	if call.Err != nil {
		trace.Note(ctx, trace.Search, "arguments", call.Err.Error())
		return found, a, false
	}
	res := r.Call(ctx, choice.Tool, call.Args)
	if !res.OK() {
		return found, c.unable(ctx, res), true
	}
	return found, answered(verbalize.Result(decoded(res.Data))), true
}

type choice struct {
	Decision  string          `json:"decision"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Reason    string          `json:"reason"`
}

func (c *Coder) choose(ctx context.Context, request string, found []registry.Found) (choice, error) {
	names := make([]string, 0, len(found))
	var b strings.Builder
	for _, f := range found {
		names = append(names, f.Name)
		fmt.Fprintf(&b, "- %s: %s Parameters: %s\n", f.Name, f.Version.Doc.Summary, f.Version.Schema)
	}
	listed, _ := guard.Foreign("the descriptions of the tools", b.String())
	schema := tool.Object(map[string]tool.Schema{
		"reason": tool.Text("one sentence", 300), "decision": tool.OneOf("", "reuse", "compose", "create"), "tool": tool.OneOf("for reuse", names...),
		"arguments": {Type: tool.TypeObject, Description: "for reuse", Open: true},
	}, "reason", "decision")
	var out choice
	err := c.structured(ctx, "choose", llm.Request{
		Role: llm.RoleCall, System: chooseInstructions, Schema: &schema, Messages: []llm.Message{{Who: llm.User, Text: listed + "\nThe request: " + request}},
	}, &out)
	return out, err
}
