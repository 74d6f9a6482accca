package coordinator

import (
	"encoding/json"

	"github.com/reachyd/reachyd/agents/tool"
)

// Events returns an observer that publishes every tool call and its result, whoever called.
func Events(p Publisher) tool.Observer { return events{p} }

type events struct{ to Publisher }

func (e events) Before(c tool.Call) {
	e.to.Publish("tool_call", c.Trace, map[string]any{"call": c.ID, "tool": c.Tool, "args": arguments(c.Args), "depth": c.Depth})
}

func (e events) After(c tool.Call, r tool.Result) {
	data := map[string]any{
		"call": c.ID, "tool": c.Tool, "depth": c.Depth, "status": r.Status, "message": r.Message,
		"duration_ms": milliseconds(c.Duration),
	}
	if r.Code != "" {
		data["code"] = r.Code
	}
	if r.Data != nil {
		data["data"] = r.Data
	}
	e.to.Publish("tool_result", c.Trace, data)
}

// maxArgs is how many bytes of arguments an event carries.
const maxArgs = 4096

// arguments returns what can stand in an event: the JSON, or its beginning as a text when it is too long or broken.
func arguments(args json.RawMessage) any {
	switch {
	case len(args) == 0:
		return map[string]any{}
	case len(args) <= maxArgs && json.Valid(args):
		return args
	}
	return string(args[:min(len(args), maxArgs)])
}

var _ tool.Observer = events{}
