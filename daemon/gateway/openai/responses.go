package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/reachyd/reachyd/api"
)

// responseRequest is what is read of a request to /v1/responses; what else a client sends changes nothing here.
type responseRequest struct {
	Input        json.RawMessage `json:"input"` // a text, or a list of items
	Instructions string          `json:"instructions"`
	Previous     string          `json:"previous_response_id"`
	Stream       bool            `json:"stream"`
	User         string          `json:"user"`
	Tools        []struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"tools"`
}

// item is one of the input. Without a type it is a message.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

func (g *Gateway) responses(w http.ResponseWriter, r *http.Request) {
	var in responseRequest
	if !readBody(w, r, &in) {
		return
	}
	chat, e := in.chat()
	if e == nil && in.Previous != "" {
		if chat.goesOn, _ = g.answered.Get(in.Previous); chat.goesOn == "" {
			e = &api.Error{
				Code: api.CodeInvalid, Fields: []api.FieldError{{Field: "previous_response_id"}},
				Message: fmt.Sprintf("previous_response_id: %.80q is not remembered; allowed are the latest %d, or send the conversation as input",
					in.Previous, maxAnswers),
			}
		}
	}
	if e != nil {
		refuseError(w, e)
		return
	}
	if usable(w, &chat, "input") {
		g.answer(w, r, chat, "input")
	}
}

// chat is the request as one of /v1/chat/completions.
func (in *responseRequest) chat() (chatRequest, *api.Error) {
	out := chatRequest{Stream: in.Stream, User: in.User, response: in}
	if in.Instructions != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: encoded(in.Instructions)})
	}
	for _, t := range in.Tools {
		if t.Type != "function" { // of OpenAI's servers, which the robot is not
			continue
		}
		own := callerTool{Type: t.Type}
		own.Function.Name, own.Function.Description, own.Function.Parameters = t.Name, t.Description, t.Parameters
		out.Tools = append(out.Tools, own)
	}
	var items []item
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(in.Input), []byte(`"`)):
		out.Messages = append(out.Messages, message{Role: "user", Content: in.Input})
	case len(in.Input) > 0 && json.Unmarshal(in.Input, &items) != nil:
		return out, wrongInput("input", "is neither a text nor a list of items")
	}
	for i := range items {
		m, e := items[i].message(fmt.Sprintf("input[%d]", i))
		if e != nil {
			return out, e
		}
		if m.Role == "" {
			continue
		}
		if last := len(out.Messages) - 1; len(m.ToolCalls) > 0 && last >= 0 && out.Messages[last].Role == "assistant" {
			out.Messages[last].ToolCalls = append(out.Messages[last].ToolCalls, m.ToolCalls...) // they were one answer
			continue
		}
		out.Messages = append(out.Messages, m)
	}
	return out, nil
}

func wrongInput(field, wrong string) *api.Error {
	return &api.Error{Code: api.CodeInvalid, Message: field + ": " + wrong, Fields: []api.FieldError{{Field: field, Allowed: wrong}}}
}

func encoded(text string) json.RawMessage {
	data, err := json.Marshal(text)
	if err != nil { // cannot happen to a text
		return nil
	}
	return data
}

// message is an item as a message, without a role when there is nothing in it for the robot.
func (i *item) message(field string) (message, *api.Error) {
	switch i.Type {
	case "", "message":
		content, e := content(field+".content", i.Content)
		if e == nil && i.Role == "" {
			e = wrongInput(field+".role", "is missing; allowed are system, developer, user and assistant")
		}
		return message{Role: i.Role, Content: content}, e
	case "function_call":
		call := toolCall{ID: i.CallID, Type: "function"}
		call.Function.Name, call.Function.Arguments = i.Name, i.Arguments
		return message{Role: "assistant", ToolCalls: []toolCall{call}}, nil
	case "function_call_output":
		output, e := content(field+".output", i.Output)
		return message{Role: "tool", Content: output, ToolCallID: i.CallID}, e
	case "reasoning", "item_reference", "web_search_call", "file_search_call":
		return message{}, nil
	}
	return message{}, wrongInput(field+".type", fmt.Sprintf("%.40q is not one of message, function_call and function_call_output", i.Type))
}

// content is that of an item as a message has it.
func content(field string, in json.RawMessage) (json.RawMessage, *api.Error) {
	if trimmed := bytes.TrimSpace(in); len(trimmed) == 0 || trimmed[0] != '[' {
		return in, nil // a text, or refused where it is read
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Refusal  string `json:"refusal"`
		ImageURL string `json:"image_url"`
	}
	if err := json.Unmarshal(in, &parts); err != nil {
		return nil, wrongInput(field, "is neither a text nor a list of parts")
	}
	out := make([]part, len(parts))
	for i, p := range parts {
		switch p.Type {
		case "input_text", "output_text", "text":
			out[i] = part{Type: "text", Text: p.Text}
		case "refusal":
			out[i] = part{Type: "text", Text: p.Refusal}
		case "input_image":
			out[i] = part{Type: "image_url"}
			out[i].ImageURL.URL = p.ImageURL
		default:
			return nil, wrongInput(fmt.Sprintf("%s[%d].type", field, i), fmt.Sprintf("%.40q is not one of input_text, output_text and input_image", p.Type))
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, wrongInput(field, err.Error())
	}
	return data, nil
}

// maxAnswers is of how many responses it is remembered to which conversation they belong.
const maxAnswers = 256

// response is an answer of /v1/responses.
type response struct {
	w        http.ResponseWriter
	trace    string
	in       *responseRequest
	answered func(id string)

	events int
	said   strings.Builder
}

func (p *response) id() string { return "resp_" + p.trace }

func (p *response) messageID() string { return "msg_" + p.trace }

// object is the response as a whole.
func (p *response) object(status string, output []any, used *usage) map[string]any {
	tools := make([]any, 0, len(p.in.Tools))
	for _, t := range p.in.Tools {
		tool := map[string]any{"type": t.Type}
		if t.Type == "function" {
			tool["name"], tool["description"], tool["parameters"], tool["strict"] = t.Name, t.Description, t.Parameters, false
		}
		tools = append(tools, tool)
	}
	given := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	v := map[string]any{
		"id": p.id(), "object": "response", "created_at": time.Now().Unix(), "status": status, "model": Model, "output": output, "error": nil,
		"incomplete_details": nil, "instructions": given(p.in.Instructions), "max_output_tokens": nil, "metadata": map[string]any{},
		"parallel_tool_calls": true, "previous_response_id": given(p.in.Previous), "store": false, "temperature": 1, "top_p": 1,
		"text": map[string]any{"format": map[string]any{"type": "text"}}, "tool_choice": "auto", "tools": tools, "truncation": "disabled",
		"user": given(p.in.User), "usage": nil,
	}
	if used != nil {
		v["usage"] = map[string]any{
			"input_tokens": used.asked, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": used.said,
			"output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": used.asked + used.said,
		}
	}
	return v
}

func textPart(text string) map[string]any {
	return map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (p *response) message(status string, content ...any) map[string]any {
	if content == nil {
		content = []any{}
	}
	return map[string]any{"type": "message", "id": p.messageID(), "status": status, "role": "assistant", "content": content}
}

func (p *response) call(c toolCall, status, arguments string) map[string]any {
	return map[string]any{
		"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Function.Name, "arguments": arguments, "status": status,
	}
}

// event sends one event of the stream.
func (p *response) event(kind string, fields map[string]any) {
	fields["type"], fields["sequence_number"] = kind, p.events
	p.events++
	sendEvent(p.w, kind, fields)
}

func (p *response) begin() {
	p.w.Header().Set("Content-Type", "text/event-stream")
	p.w.WriteHeader(http.StatusOK)
	p.event("response.created", map[string]any{"response": p.object("in_progress", []any{}, nil)})
	p.event("response.in_progress", map[string]any{"response": p.object("in_progress", []any{}, nil)})
}

// inText are the fields of events of the only text.
func (p *response) inText(name string, v any) map[string]any {
	return map[string]any{"item_id": p.messageID(), "output_index": 0, "content_index": 0, name: v}
}

func (p *response) piece(text string) {
	if p.said.Len() == 0 {
		p.event("response.output_item.added", map[string]any{"output_index": 0, "item": p.message("in_progress")})
		p.event("response.content_part.added", p.inText("part", textPart("")))
	}
	p.said.WriteString(text)
	delta := p.inText("delta", text)
	delta["logprobs"] = []any{}
	p.event("response.output_text.delta", delta)
}

func (p *response) end(_ string, calls []toolCall, used usage) {
	output := []any{}
	if text := p.said.String(); text != "" {
		done := p.inText("text", text)
		done["logprobs"] = []any{}
		p.event("response.output_text.done", done)
		p.event("response.content_part.done", p.inText("part", textPart(text)))
		output = append(output, p.message("completed", textPart(text)))
		p.event("response.output_item.done", map[string]any{"output_index": 0, "item": output[0]})
	}
	for _, c := range calls {
		arguments, at := c.Function.Arguments, len(output)
		p.event("response.output_item.added", map[string]any{"output_index": at, "item": p.call(c, "in_progress", "")})
		p.event("response.function_call_arguments.delta", map[string]any{"output_index": at, "item_id": "fc_" + c.ID, "delta": arguments})
		p.event("response.function_call_arguments.done", map[string]any{
			"output_index": at, "item_id": "fc_" + c.ID, "name": c.Function.Name, "arguments": arguments,
		})
		output = append(output, p.call(c, "completed", arguments))
		p.event("response.output_item.done", map[string]any{"output_index": at, "item": output[at]})
	}
	p.answered(p.id())
	p.event("response.completed", map[string]any{"response": p.object("completed", output, &used)})
}

func (p *response) broken(e *api.Error) {
	failed := p.object("failed", []any{}, nil)
	failed["error"] = map[string]any{"code": "server_error", "message": e.Message}
	p.event("response.failed", map[string]any{"response": failed})
}

func (p *response) whole(reply string, calls []toolCall, used usage) {
	output := []any{}
	if reply != "" {
		output = append(output, p.message("completed", textPart(reply)))
	}
	for _, c := range calls {
		output = append(output, p.call(c, "completed", c.Function.Arguments))
	}
	p.answered(p.id())
	send(p.w, http.StatusOK, p.object("completed", output, &used))
}

func (p *response) refuse(e *api.Error) { refuseError(p.w, e) }
