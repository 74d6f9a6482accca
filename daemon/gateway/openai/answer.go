package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/event"
)

// modelRequest is a request with the caller's tools as the language model takes it.
func modelRequest(in chatRequest) (llm.Request, *api.Error) {
	req := llm.Request{Role: llm.RoleCall}
	for _, t := range in.Tools {
		spec := tool.Spec{Name: t.Function.Name, Description: t.Function.Description}
		if len(t.Function.Parameters) > 0 && json.Unmarshal(t.Function.Parameters, &spec.Parameters) != nil {
			// A schema with more than we can check is told in words.
			spec.Parameters = tool.Schema{Type: tool.TypeObject, Open: true}
			spec.Description += "\nParameters: " + string(t.Function.Parameters)
		}
		req.Tools = append(req.Tools, spec)
	}
	names := map[string]string{} // of calls
	for i, m := range in.Messages {
		text, pictures, err := m.read()
		if err != nil {
			return req, &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("messages[%d]: %v", i, err)}
		}
		switch m.Role {
		case "system", "developer":
			req.System = strings.TrimSpace(req.System + "\n" + text)
		case "user":
			req.Messages = append(req.Messages, llm.Message{Who: llm.User, Text: text, Images: pictures})
		case "assistant":
			said := llm.Message{Who: llm.Assistant, Text: text}
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Function.Name
				said.Calls = append(said.Calls, llm.Call{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments)})
			}
			req.Messages = append(req.Messages, said)
		case "tool":
			req.Messages = append(req.Messages, llm.Message{Who: llm.Tool, Text: text, CallID: m.ToolCallID, Name: names[m.ToolCallID]})
		default:
			return req, &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("messages[%d].role: %.40q is not one of system, user, assistant and tool", i, m.Role)}
		}
	}
	return req, nil
}

// answer is how a request is answered: at once, or piece by piece.
type answer struct {
	w      http.ResponseWriter
	r      *http.Request
	in     chatRequest
	id     string
	asked  int // characters
	stream bool

	mu    sync.Mutex
	begun bool
	said  string
}

func (g *Gateway) begin(w http.ResponseWriter, r *http.Request, in chatRequest) *answer {
	a := &answer{w: w, r: r, in: in, id: "chatcmpl-" + tool.Trace(r.Context()), stream: in.Stream}
	for _, m := range in.Messages {
		a.asked += utf8.RuneCount(m.Content)
	}
	return a
}

// follow passes on what the robot says while it says it; stop ends that.
func (a *answer) follow(events *event.Bus, session string) (stop func()) {
	if !a.stream || events == nil {
		return func() {}
	}
	sub := events.Subscribe("chat for OpenAI's clients", 64, api.TypePartial)
	var work sync.WaitGroup
	work.Go(func() {
		for e := range sub.Events() {
			if p, ok := e.Data.(api.Partial); ok && p.Session == session && p.Speaker == api.SpeakerRobot {
				a.mu.Lock()
				if rest, goesOn := strings.CutPrefix(p.Text, a.said); goesOn && rest != "" {
					a.said = p.Text
					a.delta(map[string]any{"content": rest}, nil)
				}
				a.mu.Unlock()
			}
		}
	})
	return func() { sub.Close(); work.Wait() }
}

// usage guesses how many tokens there were: four characters each.
func (a *answer) usage(reply string) map[string]any {
	asked, said := (a.asked+3)/4, (utf8.RuneCountInString(reply)+3)/4
	return map[string]any{"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
}

// delta sends a piece; a.mu is held, or nobody else writes any more.
func (a *answer) delta(delta map[string]any, finish any) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.w.WriteHeader(http.StatusOK)
		a.chunk([]any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": ""}, "finish_reason": nil}}, nil)
	}
	a.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (a *answer) chunk(choices []any, usage any) {
	c := map[string]any{"id": a.id, "object": "chat.completion.chunk", "created": time.Now().Unix(), "model": Model, "choices": choices}
	if usage != nil {
		c["usage"] = usage
	}
	data, err := json.Marshal(c)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(a.w, "data: %s\n\n", data) // a client that is gone has no use for the error
	_ = http.NewResponseController(a.w).Flush()   // likewise
}

// finish sends what is still to be said.
func (a *answer) finish(reply string, calls []toolCall) {
	reason := "stop"
	if len(calls) > 0 {
		reason = "tool_calls"
	}
	if !a.stream {
		said := map[string]any{"role": "assistant", "content": reply, "refusal": nil}
		if len(calls) > 0 {
			said["tool_calls"] = calls
		}
		send(a.w, http.StatusOK, map[string]any{
			"id": a.id, "object": "chat.completion", "created": time.Now().Unix(), "model": Model, "usage": a.usage(reply),
			"choices": []any{map[string]any{"index": 0, "message": said, "finish_reason": reason, "logprobs": nil}},
		})
		return
	}
	if rest, goesOn := strings.CutPrefix(reply, a.said); goesOn && rest != "" {
		a.delta(map[string]any{"content": rest}, nil)
	} else if !goesOn {
		a.delta(map[string]any{"content": "\n" + reply}, nil)
	}
	if len(calls) > 0 {
		a.delta(map[string]any{"tool_calls": calls}, nil)
	}
	a.delta(map[string]any{}, reason)
	if a.in.StreamOptions.IncludeUsage {
		a.chunk([]any{}, a.usage(reply))
	}
	_, _ = fmt.Fprint(a.w, "data: [DONE]\n\n") // a client that is gone has no use for the error
}

// fail says that there is no answer.
func (a *answer) fail(e *api.Error) {
	if !a.begun {
		refuseError(a.w, e)
		return
	}
	data, err := json.Marshal(map[string]any{"error": map[string]any{"message": e.Message, "type": "server_error", "code": e.Code}})
	if err == nil {
		_, _ = fmt.Fprintf(a.w, "data: %s\n\n", data) // a client that is gone has no use for the error
	}
}
