package rest

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal/catalog"
)

var chatSchema = tool.Object(map[string]tool.Schema{
	"message":    tool.Text("what is said to the robot", catalog.MaxText),
	"session_id": tool.Text("a conversation; without it a new one begins", coordinator.MaxSessionID),
	"stream":     tool.Boolean("answer with server-sent events"),
}, "message")

func (a *API) chat(_ *route, w http.ResponseWriter, r *http.Request) {
	args, e := object(w, r, false)
	var in api.ChatRequest
	if e == nil {
		e = bind(args, chatSchema, &in)
	}
	if e != nil {
		Fail(w, r, e, nil)
		return
	}
	if in.SessionID == "" {
		in.SessionID = NewSession()
	}
	if in.Stream || strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		a.streamChat(w, r, in)
		return
	}
	answer, e := a.turn(r, in)
	if e != nil {
		Fail(w, r, e, nil)
		return
	}
	reply(w, r, answer)
}

// NewSession returns the ID of a conversation that begins.
func NewSession() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails, says its documentation
	return "http-" + hex.EncodeToString(random[:])
}

// turn runs a turn of conversation. What the robot cannot or will not do is an answer, too.
func (a *API) turn(r *http.Request, in api.ChatRequest) (api.ChatAnswer, *api.Error) {
	result, e := a.carry(r.Context(), api.VerbChat, map[string]any{"text": in.Message, "session": in.SessionID}, r.Header.Get("Idempotency-Key"))
	text, _ := result.(encoded)
	if t, ok := result.(*coordinator.Trace); ok {
		return Answer(t), nil
	}
	if e != nil && len(text) == 0 {
		Rename(e, map[string]string{"message": "text", "session_id": "session"})
		return api.ChatAnswer{}, e
	}
	var t coordinator.Trace
	if err := json.Unmarshal(text, &t); err != nil {
		return api.ChatAnswer{}, &api.Error{Code: api.CodeInternal, Message: err.Error()}
	}
	return Answer(&t), nil
}

// Answer is what a turn comes to.
func Answer(t *coordinator.Trace) api.ChatAnswer {
	a := api.ChatAnswer{
		Response: t.Reply, SessionID: t.Session, AgentUsed: t.Agent(), ToolsCalled: []string{}, TraceID: t.ID, Outcome: string(t.Outcome),
	}
	for _, s := range t.Steps {
		a.ToolsCalled = append(a.ToolsCalled, s.Tool)
	}
	if len(t.Steps) == 0 {
		for _, s := range t.Spans {
			if s.Kind == trace.Tool {
				a.ToolsCalled = append(a.ToolsCalled, s.Name)
			}
		}
	}
	return a
}

// streamChat runs a turn and tells what happens in it while it happens.
func (a *API) streamChat(w http.ResponseWriter, r *http.Request, in api.ChatRequest) {
	own := tool.Trace(r.Context())
	out := newStream(w)
	said := ""
	var answer api.ChatAnswer
	var e *api.Error
	turn := func() { answer, e = a.turn(r, in) }
	a.meanwhile(out, turn, func(e api.Event) {
		switch data := e.Data.(type) {
		case api.Partial:
			if data.Session != in.SessionID || data.Speaker != api.SpeakerRobot {
				return
			}
			next := data.Text
			if rest, goesOn := strings.CutPrefix(next, said); goesOn {
				next = rest
			}
			said = data.Text
			out.send("token", 0, map[string]string{"text": next})
		default:
			if e.Trace == own {
				out.send(string(e.Type), 0, e)
			}
		}
	}, api.TypePartial, api.TypeToolCall, api.TypeToolResult, api.TypeToolProgress, api.TypeHandoff)
	if e != nil {
		out.send("error", 0, problemOf(r, e))
		return
	}
	if rest, goesOn := strings.CutPrefix(answer.Response, said); goesOn && rest != "" {
		out.send("token", 0, map[string]string{"text": rest})
	}
	out.send("done", 0, answer)
}

// problemOf is the problem that an error would be answered with.
func problemOf(r *http.Request, e *api.Error) api.Problem {
	status := Status(e.Code)
	return api.Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: e.Message, Code: e.Code, TraceID: tool.Trace(r.Context()), Errors: e.Fields,
	}
}

// exchanges are those of the conversation that a route names.
func (a *API) exchanges(rt *route, w http.ResponseWriter, r *http.Request) ([]coordinator.Exchange, bool) {
	result, ok := a.result(rt, w, r)
	if !ok {
		return nil, false
	}
	var shown struct{ History []coordinator.Exchange }
	if err := json.Unmarshal(result, &shown); err != nil {
		Refuse(w, r, api.CodeInternal, err.Error())
		return nil, false
	}
	return shown.History, true
}

// agent returns who answered an exchange; what is no longer known is empty.
func (a *API) agent(r *http.Request, x coordinator.Exchange) string {
	if x.Agent != "" {
		return x.Agent
	}
	result, e := a.do(r.Context(), api.VerbTrace, map[string]any{"trace": x.Trace}, "")
	var t coordinator.Trace
	if e != nil || json.Unmarshal(result, &t) != nil {
		return ""
	}
	return t.Agent() // kept by an earlier version
}

func (a *API) session(rt *route, w http.ResponseWriter, r *http.Request) {
	all, ok := a.exchanges(rt, w, r)
	if !ok {
		return
	}
	info := api.SessionInfo{SessionID: r.PathValue("session"), ActiveAgent: coordinator.PlannerAgent}
	info.MessageCount = 2 * len(all)
	if len(all) > 0 {
		info.CreatedAt = api.Time(all[0].TS)
		if agent := a.agent(r, all[len(all)-1]); agent != "" {
			info.ActiveAgent = agent
		}
	}
	reply(w, r, info)
}

func (a *API) history(rt *route, w http.ResponseWriter, r *http.Request) {
	all, ok := a.exchanges(rt, w, r)
	if !ok {
		return
	}
	h := api.History{Messages: []api.Message{}}
	for _, x := range all {
		asked := api.Message{Role: api.RoleUser, Content: x.Text, Timestamp: api.Time(x.TS), TraceID: x.Trace}
		answered := api.Message{Role: api.RoleAssistant, Content: x.Reply, Timestamp: api.Time(x.TS), Agent: a.agent(r, x), TraceID: x.Trace}
		h.Messages = append(h.Messages, asked, answered)
	}
	reply(w, r, h)
}

// typesOf reads a list of types of events from a query; what is unknown is refused.
func typesOf(text string) ([]api.Type, *api.Error) {
	if text == "" {
		return nil, nil
	}
	var types []api.Type
	for t := range strings.SplitSeq(text, ",") {
		if !slices.Contains(api.Types(), api.Type(t)) {
			return nil, invalid("types", "has "+string([]rune(t)[:min(40, len([]rune(t)))])+", which is not a type of event")
		}
		types = append(types, api.Type(t))
	}
	return types, nil
}
