package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/reachyd/reachyd/agents/tool"
)

// chatRequest is the body of a request. It is the api package's, but for the tools, whose ranges and nested
// requirements that package would drop.
type chatRequest struct {
	Model     string          `json:"model"`
	Messages  []wireMessage   `json:"messages"`
	Stream    bool            `json:"stream"`
	Format    json.RawMessage `json:"format,omitempty"`
	KeepAlive *api.Duration   `json:"keep_alive,omitempty"`
	Tools     []wireTool      `json:"tools,omitempty"`
	Options   map[string]any  `json:"options"`
	Think     *bool           `json:"think,omitempty"`
	// A server that dropped the beginning of what the model should know, or forgot it while replying, must say so.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    string          `json:"content"`
	Images     []api.ImageData `json:"images,omitempty"`
	ToolCalls  []wireCall      `json:"tool_calls,omitempty"`
	ToolName   string          `json:"tool_name,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string      `json:"name"`
		Description string      `json:"description"`
		Parameters  tool.Schema `json:"parameters"`
	} `json:"function"`
}

// request writes req for one model.
func (c *Client) request(req *Request, m *Info) ([]byte, error) {
	body := chatRequest{
		Model: m.Name, Stream: true, KeepAlive: &api.Duration{Duration: c.cfg.KeepAlive},
		Messages: make([]wireMessage, 0, len(req.Messages)+1),
		Options:  c.options(),
	}
	body.Options["num_predict"] = c.limit(req)
	if req.Temperature != nil {
		body.Options["temperature"] = *req.Temperature
	}
	if m.can(CanThink) {
		// Left to itself, a model that can think does, for minutes.
		think := req.Think && req.Schema == nil
		body.Think = &think
	}
	if req.Schema != nil {
		format, err := json.Marshal(grammar(*req.Schema))
		if err != nil {
			return nil, fmt.Errorf("%w: schema: %w", ErrRequest, err)
		}
		body.Format = format
	}
	if req.Format != nil {
		body.Format = req.Format
	}
	if req.System != "" {
		body.Messages = append(body.Messages, wireMessage{Role: "system", Content: req.System})
	}
	for i := range req.Messages {
		body.Messages = append(body.Messages, message(&req.Messages[i]))
	}
	body.Tools = wireTools(req.Tools)
	raw, err := json.Marshal(&body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	return raw, nil
}

// options are the same in every request: another number of tokens or threads makes the server load the model again.
func (c *Client) options() map[string]any {
	o := map[string]any{}
	if c.cfg.Context > 0 {
		o["num_ctx"] = c.cfg.Context
	}
	if c.cfg.Threads > 0 {
		o["num_thread"] = c.cfg.Threads
	}
	return o
}

func (c *Client) limit(req *Request) int {
	if req.MaxTokens > 0 {
		return req.MaxTokens
	}
	return c.cfg.MaxTokens
}

func message(m *Message) wireMessage {
	w := wireMessage{Role: m.Who, Content: m.Text}
	for _, image := range m.Images {
		w.Images = append(w.Images, image)
	}
	for _, call := range m.Calls {
		wc := wireCall{ID: call.ID}
		wc.Function.Name, wc.Function.Arguments = call.Name, call.Args
		if len(call.Args) == 0 || !json.Valid(call.Args) || call.Args[0] != '{' {
			wc.Function.Arguments = json.RawMessage("{}") // what was wrong with it stands in the result
		}
		w.ToolCalls = append(w.ToolCalls, wc)
	}
	if m.Who == Tool {
		w.ToolName, w.ToolCallID = m.Name, m.CallID
	}
	return w
}

// told returns the schema with what servers drop on the way to the model said in the descriptions.
func told(s tool.Schema) tool.Schema {
	var more []string
	if s.Minimum != nil && s.Maximum != nil {
		more = append(more, fmt.Sprintf("%s to %s%s", tool.FormatNumber(*s.Minimum), tool.FormatNumber(*s.Maximum), s.Unit))
	} else if s.Unit != "" {
		more = append(more, "in "+s.Unit)
	}
	if s.Default != nil {
		if d, err := json.Marshal(s.Default); err == nil {
			more = append(more, "default "+string(d))
		}
	}
	if len(more) > 0 {
		s.Description = strings.TrimSpace(fmt.Sprintf("%s (%s)", s.Description, strings.Join(more, ", ")))
	}
	return each(s, told)
}

// manyRepeats is from where a count in a grammar costs the server more than it is worth; it refuses some thousands.
const manyRepeats = 64

// grammar returns the schema without what the server's grammar cannot take; the reply is checked against the schema
// itself.
func grammar(s tool.Schema) tool.Schema {
	s.Unit, s.Default = "", nil
	if s.MaxLength > manyRepeats {
		s.MaxLength = 0
	}
	if s.MaxItems > manyRepeats {
		s.MaxItems = 0
	}
	return each(s, grammar)
}

// each returns a copy of s of which fn made the parts.
func each(s tool.Schema, fn func(tool.Schema) tool.Schema) tool.Schema {
	if s.Items != nil {
		items := fn(*s.Items)
		s.Items = &items
	}
	if s.Properties != nil {
		properties := make(map[string]tool.Schema, len(s.Properties))
		for name, p := range s.Properties {
			properties[name] = fn(p)
		}
		s.Properties = properties
	}
	return s
}

// check reports what is wrong with a request before anybody is bothered with it.
func (c *Client) check(req *Request) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrRequest, fmt.Sprintf(format, args...))
	}
	if _, known := related[req.Role]; !known {
		return unknownRole(req.Role)
	}
	switch {
	case req.Role == RoleEmbed:
		return bad("role %s cannot chat; Embed is for that", req.Role)
	case len(req.Messages) == 0:
		return bad("there are no messages")
	case req.Schema != nil && len(req.Tools) > 0:
		return bad("a schema and tools exclude each other: servers ignore one of them")
	case req.Format != nil && (req.Schema != nil || len(req.Tools) > 0):
		return bad("a format excludes a schema and tools")
	case req.MaxTokens < 0:
		return bad("max tokens %d is negative", req.MaxTokens)
	case len(req.Tools) > maxTools:
		return bad("%d tools; at most %d are allowed", len(req.Tools), maxTools)
	}
	for i, m := range req.Messages {
		if m.Who != User && m.Who != Assistant && m.Who != Tool {
			return bad("message %d is of %q; allowed are %s, %s, %s", i, m.Who, User, Assistant, Tool)
		}
		if len(m.Images) > maxImages {
			return bad("message %d has %d pictures; at most %d are allowed", i, len(m.Images), maxImages)
		}
		for k, image := range m.Images {
			if len(image) == 0 || len(image) > c.cfg.MaxImage {
				return bad("message %d: picture %d has %d bytes; 1 to %d are allowed", i, k, len(image), c.cfg.MaxImage)
			}
			if !picture(image) {
				return bad("message %d: picture %d is not PNG, JPEG or WebP", i, k)
			}
		}
	}
	return nil
}

const (
	maxTools  = 128
	maxImages = 8
)

// picture reports whether data begins like a picture that models can take; a server answers anything else with a
// failure that reads like its own.
func picture(data []byte) bool {
	s := string(data[:min(len(data), 12)])
	return strings.HasPrefix(s, "\x89PNG\r\n\x1a\n") || strings.HasPrefix(s, "\xff\xd8\xff") ||
		(strings.HasPrefix(s, "RIFF") && strings.HasSuffix(s, "WEBP") && len(s) == 12)
}

func unknownRole(role Role) error {
	return fmt.Errorf("%w: role %q is unknown; known are %v", ErrRequest, role, Roles)
}

// metrics are the counts in the last frame of a reply.
type metrics struct {
	Load   time.Duration `json:"load_duration"`
	Read   time.Duration `json:"prompt_eval_duration"`
	Prompt int           `json:"prompt_eval_count"`
	Reply  int           `json:"eval_count"`
	Cached int           `json:"-"` // of Prompt; OpenAI's interface tells
}
