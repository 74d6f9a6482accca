package llm

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
)

// API is the interface that a server speaks.
type API string

// The interfaces.
const (
	Ollama API = "ollama" // Ollama's own
	OpenAI API = "openai" // /v1/chat/completions and its like: llama.cpp, vLLM, LM Studio, Ollama too
)

// APIs are all of them.
var APIs = []API{Ollama, OpenAI}

// What differs between the interfaces: where requests go, how they are written, how replies are read, and how the server says what
// it has. All else, of retries, patience and limits, is the same.

type openaiRequest struct {
	Model          string          `json:"model"`
	Messages       []openaiMessage `json:"messages"`
	Stream         bool            `json:"stream"`
	StreamOptions  map[string]bool `json:"stream_options"`
	ResponseFormat any             `json:"response_format,omitempty"`
	Tools          []wireTool      `json:"tools,omitempty"`
	Temperature    *float64        `json:"temperature,omitempty"`
	MaxTokens      int             `json:"max_tokens,omitempty"`
}

type openaiMessage struct {
	Role       string       `json:"role"`
	Content    any          `json:"content"` // a text, or parts of which some are pictures
	ToolCalls  []openaiCall `json:"tool_calls,omitempty"`
	ToolCallID string       `json:"tool_call_id,omitempty"`
}

type openaiCall struct {
	Index    int    `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// openaiBody writes a request. What only Ollama knows, as the number of tokens that the model keeps in mind, is the server's.
func (c *Client) openaiBody(req *Request, m *Info) ([]byte, error) {
	body := openaiRequest{
		Model: m.Name, Stream: true, StreamOptions: map[string]bool{"include_usage": true},
		Temperature: req.Temperature, MaxTokens: c.limit(req), Tools: wireTools(req.Tools),
	}
	format := req.Format
	if req.Schema != nil {
		var err error
		if format, err = json.Marshal(grammar(*req.Schema)); err != nil {
			return nil, fmt.Errorf("%w: schema: %w", ErrRequest, err)
		}
	}
	if format != nil {
		body.ResponseFormat = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "reply", "strict": true, "schema": format}}
	}
	if req.System != "" {
		body.Messages = append(body.Messages, openaiMessage{Role: "system", Content: req.System})
	}
	for i := range req.Messages {
		body.Messages = append(body.Messages, openaiMessageOf(&req.Messages[i]))
	}
	raw, err := json.Marshal(&body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	return raw, nil
}

func openaiMessageOf(m *Message) openaiMessage {
	w := message(m)
	out := openaiMessage{Role: w.Role, Content: w.Content, ToolCallID: w.ToolCallID}
	for _, call := range w.ToolCalls {
		oc := openaiCall{ID: call.ID, Type: "function"}
		oc.Function.Name, oc.Function.Arguments = call.Function.Name, string(call.Function.Arguments)
		out.ToolCalls = append(out.ToolCalls, oc)
	}
	if len(m.Images) > 0 {
		parts := append(make([]any, 0, 1+len(m.Images)), map[string]any{"type": "text", "text": m.Text})
		for _, image := range m.Images {
			url := "data:" + http.DetectContentType(image) + ";base64," + base64.StdEncoding.EncodeToString(image)
			parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": url}})
		}
		out.Content = parts
	}
	return out
}

// wireTools are tools as both interfaces take them.
func wireTools(tools []tool.Spec) []wireTool {
	if len(tools) == 0 {
		return nil
	}
	out := make([]wireTool, 0, len(tools))
	for _, t := range tools {
		w := wireTool{Type: "function"}
		w.Function.Name, w.Function.Description, w.Function.Parameters = t.Name, t.Description, told(t.Parameters)
		out = append(out, w)
	}
	return out
}

// openaiChunk is an event of a reply.
type openaiChunk struct {
	Choices []struct {
		Delta struct {
			Content   string       `json:"content"`
			Reasoning string       `json:"reasoning_content"`
			Thinking  string       `json:"reasoning"`
			ToolCalls []openaiCall `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt  int `json:"prompt_tokens"`
		Reply   int `json:"completion_tokens"`
		Details struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// events reads a reply that comes as server-sent events, and gives it out as frames: calls, of which the arguments come in pieces,
// with the last one.
type events struct {
	lines  *frames
	calls  []openaiCall
	reason string
	usage  metrics
	size   int // bytes of arguments
}

var (
	dataField = []byte("data:")
	doneMark  = []byte("[DONE]")
)

// next reads a frame into f, as frames does.
func (s *events) next(f *frame) error {
	for {
		line, err := s.lines.line()
		line = bytes.TrimSpace(line)
		switch {
		case err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)):
			if errors.Is(err, ErrTooLong) {
				return err
			}
			return fmt.Errorf("%w: %w", ErrIncomplete, err)
		case !bytes.HasPrefix(line, dataField):
			if bytes.HasPrefix(line, []byte("{")) { // an error in place of a stream
				return s.event(line, f)
			}
			continue // a comment, or the name of an event
		}
		data := bytes.TrimSpace(line[len(dataField):])
		if bytes.Equal(data, doneMark) {
			return s.end(f)
		}
		if err := s.event(data, f); err != nil || f.Message.Content != "" || f.Message.Thinking != "" || f.Error != "" {
			return err
		}
	}
}

// event takes one event.
func (s *events) event(data []byte, f *frame) error {
	*f = frame{}
	var chunk openaiChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return fmt.Errorf("%w: an event is not JSON: %w", ErrBadOutput, err)
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		f.Error = errorText(chunk.Error)
		return nil
	}
	if u := chunk.Usage; u != nil {
		s.usage = metrics{Prompt: u.Prompt, Reply: u.Reply, Cached: u.Details.Cached}
	}
	for _, choice := range chunk.Choices[:min(len(chunk.Choices), 1)] {
		f.Message.Content = choice.Delta.Content
		f.Message.Thinking = firstText(choice.Delta.Reasoning, choice.Delta.Thinking)
		if choice.FinishReason != "" {
			s.reason = choice.FinishReason
		}
		for _, piece := range choice.Delta.ToolCalls {
			if err := s.piece(piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// piece adds a piece of a call. Some servers give all calls the index 0: an ID or a name begins another one.
func (s *events) piece(p openaiCall) error {
	if s.size += len(p.Function.Arguments) + len(p.Function.Name); s.size > maxFrame || len(s.calls) > maxTools {
		return fmt.Errorf("the calls of the reply: %w; at most %d bytes are allowed", ErrTooLong, maxFrame)
	}
	n := len(s.calls)
	another := n == 0 || p.ID != "" && p.ID != s.calls[n-1].ID || p.Index != s.calls[n-1].Index ||
		p.ID == "" && p.Function.Name != "" && s.calls[n-1].Function.Name != ""
	if another {
		s.calls = append(s.calls, p)
		return nil
	}
	s.calls[n-1].Function.Name += p.Function.Name
	s.calls[n-1].Function.Arguments += p.Function.Arguments
	return nil
}

// end makes the last frame. A reply of which the server did not say why it ended is not complete.
func (s *events) end(f *frame) error {
	if s.reason == "" {
		return fmt.Errorf("%w: the server did not say why it ended", ErrIncomplete)
	}
	*f = frame{Done: true, DoneReason: s.reason, metrics: s.usage}
	for _, call := range s.calls {
		var w wireCall
		w.ID, w.Function.Name, w.Function.Arguments = call.ID, call.Function.Name, marshal(call.Function.Arguments)
		f.Message.ToolCalls = append(f.Message.ToolCalls, w)
	}
	return nil
}

// errorText is what a server says is wrong, as {"message": …} or as a text.
func errorText(raw json.RawMessage) string {
	var told struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &told) == nil && told.Message != "" {
		return told.Message
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// openaiModels asks which models there are. What they can do is not told: those with "embed" in their names make vectors, all
// others are taken to talk and to call tools, and to see where their names say so.
func (c *Client) openaiModels(ctx context.Context) ([]Info, error) {
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := c.fetch(ctx, http.MethodGet, "models", nil, &answer); err != nil {
		return nil, err
	}
	models := make([]Info, 0, min(len(answer.Data), maxModels))
	for _, m := range answer.Data[:min(len(answer.Data), maxModels)] {
		info := Info{Name: m.ID, Can: []string{CanComplete, CanCall}}
		name := strings.ToLower(m.ID)
		switch {
		case strings.Contains(name, "embed") || strings.Contains(name, "minilm"):
			info.Can = []string{CanEmbed}
		case slices.ContainsFunc([]string{"-vl", "vision", "llava", "gemma3", "gemma-3", "pixtral"}, func(s string) bool { return strings.Contains(name, s) }):
			info.Can = append(info.Can, CanSee)
		}
		for role, can := range map[Role]string{RoleEmbed: CanEmbed, RoleSee: CanSee} { // who names it for that knows
			named := slices.ContainsFunc(c.cfg.Models[role], func(n string) bool { return sameModel(n, m.ID) })
			if named && !info.can(can) {
				info.Can = append(info.Can, can)
			}
		}
		models = append(models, info)
	}
	return models, nil
}

// openaiEmbed asks for vectors.
func (c *Client) openaiEmbed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := c.fetch(ctx, http.MethodPost, "embeddings", map[string]any{"model": model, "input": texts}, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(answer.Data))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
			return nil, fmt.Errorf("%w: a vector has the index %d of %d", ErrBadOutput, d.Index, len(vectors))
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, nil
}

// fetch asks the server for something short.
func (c *Client) fetch(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		body = bytes.NewReader(marshal(in))
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), body)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRequest, err)
	}
	resp, err := c.send(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return err
	case len(raw) > maxAnswer:
		return fmt.Errorf("the server's answer: %w; at most %d bytes are allowed", ErrTooLong, maxAnswer)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%w: %w", ErrBadOutput, err)
	}
	return nil
}
