// Package mcp offers the robot's tools to assistants elsewhere: the Model Context Protocol over streamable HTTP, at /mcp. A call takes
// the way of every other call of a tool, with the same checks, limits and reviews.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
	"github.com/reachyd/reachyd/daemon/gateway/rest"
)

// Path is where the protocol is spoken.
const Path = "/mcp"

// maxRequest is the longest request, bytes.
const maxRequest = 1 << 20

// Say is the tool by which an assistant talks to the robot as a person would.
const Say = "say_to_robot"

// Commander carries out a command; *rest.API does.
type Commander interface {
	Do(ctx context.Context, verb api.Verb, args map[string]any, id string) (json.RawMessage, *api.Error)
}

// Gateway answers assistants. Fill in the exported fields, then Mount it. It keeps no sessions: every request stands for itself.
type Gateway struct {
	Commander Commander
	Tools     func() []tool.Spec
	Version   string
}

// Mount adds the route.
func (g *Gateway) Mount(mux *http.ServeMux) {
	h := mcp.NewStreamableHTTPHandler(g.server, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxRequest})
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if grant := access.Of(r.Context()); !grant.Allows(api.ScopeRead) && !grant.Allows(api.ScopeTalk) {
			rest.Forbidden(w, r, fmt.Sprintf("%s needs the scope read or talk; the token of %s has %v", Path, grant.By, grant.Scopes))
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Close has nothing to end.
func (g *Gateway) Close() {}

// server makes the server of one request: it offers what whoever asks may use.
func (g *Gateway) server(r *http.Request) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "reachyd", Title: "Reachy Mini", Version: g.Version}, &mcp.ServerOptions{
		Instructions: "The tools of a Reachy Mini robot. Angles are degrees, lengths metres, times seconds. +yaw looks left, +pitch looks down.",
	})
	grant, specs := access.Of(r.Context()), g.Tools()
	own := tool.Trace(r.Context())
	for _, spec := range specs {
		if spec.Unavailable != "" || !grant.Allows(rest.ScopeOfTool(spec.Name, specs)) {
			continue
		}
		schema, err := json.Marshal(spec.Parameters)
		if err != nil {
			continue // the registry has verified it
		}
		reads := !spec.Moves
		s.AddTool(&mcp.Tool{
			Name: spec.Name, Description: spec.Description, InputSchema: json.RawMessage(schema),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads && readOnly[spec.Name], DestructiveHint: new(false)},
		}, g.call(grant, own, spec.Name))
	}
	if grant.Allows(api.ScopeTalk) {
		s.AddTool(&mcp.Tool{
			Name: Say, Description: "Say something to the robot in English, as a person beside it would; it does what is asked and answers in words.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","maxLength":2000}},"required":["text"],"additionalProperties":false}`),
		}, g.say(grant, own))
	}
	return s
}

// readOnly are tools that only look.
var readOnly = map[string]bool{"get_robot_state": true, "detect_objects": true, "analyze_scene": true, "describe_image": true, "search_web": true}

// with is the context of a call: the handler's own has lost who asks.
func with(ctx context.Context, grant access.Grant, trace string) context.Context {
	return tool.WithTrace(access.With(ctx, grant), trace)
}

// call carries out the call of a tool.
func (g *Gateway) call(grant access.Grant, trace, name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := req.Params.Arguments
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		result, e := g.Commander.Do(with(ctx, grant, trace), api.VerbTool, map[string]any{"name": name, "args": args}, "")
		var said tool.Result
		if json.Unmarshal(result, &said) != nil || said.Status == "" {
			return failed(e), nil //nolint:nilerr // e says it
		}
		out := &mcp.CallToolResult{IsError: !said.OK(), Content: []mcp.Content{&mcp.TextContent{Text: said.Message}}}
		if data, ok := said.Data.(map[string]any); ok {
			out.StructuredContent = data
		} else if said.Data != nil {
			out.StructuredContent = map[string]any{"result": said.Data}
		}
		return out, nil
	}
}

// say runs a turn of conversation.
func (g *Gateway) say(grant access.Grant, trace string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Text string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return failed(&api.Error{Code: api.CodeInvalid, Message: "text: is missing"}), nil //nolint:nilerr // it is told the client
		}
		result, e := g.Commander.Do(with(ctx, grant, trace), api.VerbChat, map[string]any{"text": in.Text, "session": "mcp"}, "")
		var turn struct{ Reply, Outcome string }
		if json.Unmarshal(result, &turn) != nil || turn.Reply == "" {
			return failed(e), nil //nolint:nilerr // e says it
		}
		return &mcp.CallToolResult{
			Content: []mcp.Content{&mcp.TextContent{Text: turn.Reply}}, IsError: e != nil, StructuredContent: map[string]any{"outcome": turn.Outcome},
		}, nil
	}
}

func failed(e *api.Error) *mcp.CallToolResult {
	if e == nil {
		e = &api.Error{Code: api.CodeInternal, Message: "the result cannot be read"}
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: e.Message}}}
}
