package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/access"
)

// robot answers as the dispatcher does.
type robot struct{ asked []string }

func (r *robot) Do(_ context.Context, verb api.Verb, args map[string]any, _ string) (json.RawMessage, *api.Error) {
	text, _ := json.Marshal(args) //nolint:errchkjson // plain values
	r.asked = append(r.asked, string(verb)+" "+string(text))
	if verb == api.VerbChat {
		return json.RawMessage(`{"reply":"I looked left.","outcome":"plan"}`), nil
	}
	if args["name"] == "move_head" {
		return json.RawMessage(`{"status":"success","message":"I turned.","data":{"yaw":30}}`), nil
	}
	return json.RawMessage(`{"status":"error","message":"It failed.","code":"failed"}`), &api.Error{Code: api.CodeFailed, Message: "It failed."}
}

// session connects the official client to a robot, as somebody with these scopes.
func session(t *testing.T, r *robot, scopes ...api.Scope) *mcp.ClientSession {
	t.Helper()
	g := &Gateway{Commander: r, Version: "test", Tools: func() []tool.Spec {
		return []tool.Spec{
			{Name: "move_head", Description: "Turn the head.", Moves: true, Parameters: tool.Object(map[string]tool.Schema{"yaw": tool.Number("", "°", -180, 180)})},
			{Name: "speak", Description: "Say it.", Parameters: tool.Object(map[string]tool.Schema{"text": tool.Text("", 9)}, "text")},
			{Name: "take_photo", Unavailable: "no camera"},
			{Name: "count_vowels", Description: "Of a person.", Parameters: tool.Object(nil)},
		}
	}}
	mux := http.NewServeMux()
	g.Mount(mux)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mux.ServeHTTP(w, req.WithContext(access.With(req.Context(), access.Grant{By: "test", Scopes: scopes})))
	}))
	t.Cleanup(server.Close)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + Path, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestOfficialClientUsesTheRobot(t *testing.T) {
	r := &robot{}
	s := session(t, r, api.ScopeAdmin)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 4 {
		t.Fatalf("%v %+v", err, list)
	}
	moved, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "move_head", Arguments: map[string]any{"yaw": 30}})
	if err != nil || moved.IsError || moved.Content[0].(*mcp.TextContent).Text != "I turned." {
		t.Errorf("%v %+v", err, moved)
	}
	said, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: Say, Arguments: map[string]any{"text": "look left"}})
	if err != nil || said.IsError || said.Content[0].(*mcp.TextContent).Text != "I looked left." {
		t.Errorf("%v %+v", err, said)
	}
	failed, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "count_vowels"})
	if err != nil || !failed.IsError {
		t.Errorf("%v %+v", err, failed)
	}
	if len(r.asked) != 3 {
		t.Errorf("asked %q", r.asked)
	}
}

// Whoever may only look is offered nothing that acts.
func TestToolsAreThoseOfTheToken(t *testing.T) {
	for want, scopes := range map[int][]api.Scope{0: {api.ScopeRead}, 2: {api.ScopeTalk}, 3: {api.ScopeTalk, api.ScopeMove}} {
		r := &robot{}
		s := session(t, r, scopes...)
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != want {
			t.Errorf("%v: %v, %d tools, want %d", scopes, err, len(list.Tools), want)
		}
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "count_vowels"}); err == nil || len(r.asked) > 0 {
			t.Errorf("%v: called what is not offered: %v", scopes, r.asked)
		}
	}
}
