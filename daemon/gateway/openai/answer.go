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
	form   form
	asked  int // characters
	stream bool

	mu    sync.Mutex
	begun bool
	said  string
}

// form is how an answer is written. With a stream it is begun, goes on piece by piece, and ends or breaks off; without one it is sent whole.
type form interface {
	begin()
	piece(text string)
	end(reply string, calls []toolCall, used usage)
	broken(e *api.Error)
	whole(reply string, calls []toolCall, used usage)
	refuse(e *api.Error)
}

// usage is how many tokens there were.
type usage struct{ asked, said int }

func (g *Gateway) begin(w http.ResponseWriter, r *http.Request, in chatRequest) *answer {
	a := &answer{stream: in.Stream, form: &completion{w: w, id: "chatcmpl-" + tool.Trace(r.Context()), usage: in.StreamOptions.IncludeUsage}}
	if in.response != nil {
		a.form = &response{w: w, trace: tool.Trace(r.Context()), in: in.response, answered: func(id string) { g.answered.Note(id, in.session(), maxAnswers) }}
	}
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
					a.piece(rest)
				}
				a.mu.Unlock()
			}
		}
	})
	return func() { sub.Close(); work.Wait() }
}

// piece sends a piece; a.mu is held, or nobody else writes any more.
func (a *answer) piece(text string) {
	if !a.begun {
		a.begun = true
		a.form.begin()
	}
	a.form.piece(text)
}

// finish sends what is still to be said.
func (a *answer) finish(reply string, calls []toolCall) {
	used := usage{(a.asked + 3) / 4, (utf8.RuneCountInString(reply) + 3) / 4} // a guess: four characters each
	if !a.stream {
		a.form.whole(reply, calls, used)
		return
	}
	if rest, goesOn := strings.CutPrefix(reply, a.said); goesOn && rest != "" {
		a.piece(rest)
	} else if !goesOn {
		a.piece("\n" + reply)
	}
	if !a.begun {
		a.form.begin()
	}
	a.form.end(reply, calls, used)
}

// fail says that there is no answer.
func (a *answer) fail(e *api.Error) {
	if !a.begun {
		a.form.refuse(e)
		return
	}
	a.form.broken(e)
}

// sendEvent writes one event of a stream; its name may be left out.
func sendEvent(w http.ResponseWriter, name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	_, _ = fmt.Fprintf(w, "%sdata: %s\n\n", name, data) // a client that is gone has no use for the error
	_ = http.NewResponseController(w).Flush()           // likewise
}

// completion is an answer of /v1/chat/completions.
type completion struct {
	w     http.ResponseWriter
	id    string
	usage bool // is wanted at the end of a stream
}

func (c *completion) begin() {
	c.w.Header().Set("Content-Type", "text/event-stream")
	c.w.WriteHeader(http.StatusOK)
	c.delta(map[string]any{"role": "assistant", "content": ""}, nil)
}

func (c *completion) piece(text string) { c.delta(map[string]any{"content": text}, nil) }

func (c *completion) delta(delta map[string]any, finish any) {
	c.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (c *completion) chunk(choices []any, used any) {
	chunk := map[string]any{"id": c.id, "object": "chat.completion.chunk", "created": time.Now().Unix(), "model": Model, "choices": choices}
	if used != nil {
		chunk["usage"] = used
	}
	sendEvent(c.w, "", chunk)
}

func tokens(used usage) map[string]any {
	return map[string]any{"prompt_tokens": used.asked, "completion_tokens": used.said, "total_tokens": used.asked + used.said}
}

// reason is why an answer ends.
func reason(calls []toolCall) string {
	if len(calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (c *completion) end(_ string, calls []toolCall, used usage) {
	if len(calls) > 0 {
		c.delta(map[string]any{"tool_calls": calls}, nil)
	}
	c.delta(map[string]any{}, reason(calls))
	if c.usage {
		c.chunk([]any{}, tokens(used))
	}
	_, _ = fmt.Fprint(c.w, "data: [DONE]\n\n") // a client that is gone has no use for the error
}

func (c *completion) broken(e *api.Error) {
	sendEvent(c.w, "", map[string]any{"error": map[string]any{"message": e.Message, "type": "server_error", "code": e.Code}})
}

func (c *completion) whole(reply string, calls []toolCall, used usage) {
	said := map[string]any{"role": "assistant", "content": reply, "refusal": nil}
	if len(calls) > 0 {
		said["tool_calls"] = calls
	}
	send(c.w, http.StatusOK, map[string]any{
		"id": c.id, "object": "chat.completion", "created": time.Now().Unix(), "model": Model, "usage": tokens(used),
		"choices": []any{map[string]any{"index": 0, "message": said, "finish_reason": reason(calls), "logprobs": nil}},
	})
}

func (c *completion) refuse(e *api.Error) { refuseError(c.w, e) }
