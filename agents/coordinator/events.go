package coordinator

import (
	"encoding/json"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
)

// Events returns an observer that publishes every tool call and its result, whoever called.
func Events(p Publisher) tool.Observer { return events{p} }

type events struct{ to Publisher }

func (e events) Before(c tool.Call) {
	e.to.Publish(c.Trace, api.ToolCall{Call: c.ID, Tool: c.Tool, Args: arguments(c), Depth: c.Depth})
}

func (e events) After(c tool.Call, r tool.Result) {
	e.to.Publish(c.Trace, api.ToolResult{
		Call: c.ID, Tool: c.Tool, Depth: c.Depth, Status: r.Status, Code: r.Code, Message: r.Message, Data: r.Data,
		DurationMS: milliseconds(c.Duration),
	})
}

// maxArgs is how many bytes of arguments an event carries.
const maxArgs = 4096

// arguments returns what can stand in an event: the values, or the JSON, or its beginning as a text when it is too long
// or broken.
func arguments(c tool.Call) any {
	args := c.Args
	switch {
	case c.Values != nil:
		return c.Values
	case len(args) == 0:
		return map[string]any{}
	case len(args) <= maxArgs && json.Valid(args):
		return args
	}
	return string(args[:min(len(args), maxArgs)])
}

var _ tool.Observer = events{}
