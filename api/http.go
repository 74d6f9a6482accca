package api

import "encoding/json"

// Problem is why a request over HTTP was refused: RFC 9457, application/problem+json.
type Problem struct {
	Type    string          `json:"type"` // about:blank; Code tells programs what it is
	Title   string          `json:"title"`
	Status  int             `json:"status"`
	Detail  string          `json:"detail"` // for a person: names the field, its value and what is allowed
	Code    Code            `json:"code"`
	TraceID string          `json:"trace_id"`
	Errors  []FieldError    `json:"errors,omitempty"` // the fields that were refused
	Result  json.RawMessage `json:"result,omitempty"` // what was done or found before it was refused
}

// ChatRequest is a sentence for the robot.
type ChatRequest struct {
	Message   string `json:"message"`
	SessionID string `json:"session_id,omitempty"` // a conversation; without it a new one begins
	Stream    bool   `json:"stream,omitempty"`     // answer with server-sent events
}

// ChatAnswer is what the robot answered.
type ChatAnswer struct {
	Response    string   `json:"response"`
	SessionID   string   `json:"session_id"`
	AgentUsed   string   `json:"agent_used"`
	ToolsCalled []string `json:"tools_called"`
	TraceID     string   `json:"trace_id"`
	Outcome     string   `json:"outcome"` // as of the event reply
}

// SessionInfo is a conversation.
type SessionInfo struct {
	SessionID    string `json:"session_id"`
	CreatedAt    Time   `json:"created_at"`
	MessageCount int    `json:"message_count"`
	ActiveAgent  string `json:"active_agent"`
}

// SessionList are the conversations, the latest first.
type SessionList struct {
	Sessions []SessionSummary `json:"sessions"`
}

// SessionSummary is a conversation in a list.
type SessionSummary struct {
	ID        string `json:"id"`
	Last      Time   `json:"last"`
	Exchanges int    `json:"exchanges"`
	Facts     int    `json:"facts"`
	Text      string `json:"text"`
}

// Roles of a Message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Message is one thing that was said.
type Message struct {
	Role      string `json:"role"` // user or assistant
	Content   string `json:"content"`
	Timestamp Time   `json:"timestamp"`
	Agent     string `json:"agent"` // who answered; empty for what a person said
	TraceID   string `json:"trace_id"`
}

// History is all that was said in a conversation, the oldest first.
type History struct {
	Messages []Message `json:"messages"`
}

// Forgotten says what was removed with a conversation.
type Forgotten struct {
	Session   string `json:"session"`
	Exchanges int    `json:"exchanges"`
	Facts     int    `json:"facts"`
}

// CaptureAnswer is a photo that was taken now.
type CaptureAnswer struct {
	Image     []byte `json:"image"` // JPEG
	Timestamp Time   `json:"timestamp"`
	Name      string `json:"name"` // under which it is kept
}

// ToolInfo describes a tool.
type ToolInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Parameters  any    `json:"parameters"` // a JSON schema
	Source      string `json:"source"`     // predefined or generated
	Moves       bool   `json:"moves"`      // it can move the robot
	Unavailable string `json:"unavailable,omitempty"`
}

// ToolInfos are the tools that can be called.
type ToolInfos struct {
	Tools []ToolInfo `json:"tools"`
}

// ExecuteRequest calls a tool.
type ExecuteRequest struct {
	ToolName   string          `json:"tool_name"`
	Parameters json.RawMessage `json:"parameters,omitempty"` // an object
}

// ExecuteAnswer is what became of a call.
type ExecuteAnswer struct {
	Status        string  `json:"status"` // success or error
	Result        any     `json:"result"` // the tool's own, or null
	Message       string  `json:"message"`
	Code          string  `json:"code,omitempty"` // of an error
	ExecutionTime float64 `json:"execution_time"` // s
}

// FeedbackAnswer is what it was taken for.
type FeedbackAnswer struct {
	Status string  `json:"status"` // processed
	Reward float64 `json:"reward"` // −1 blame … 1 praise
}

// Health is how the robot is, in short.
type Health struct {
	Status  string `json:"status"` // ok or faulty
	Mode    string `json:"mode"`
	EStop   bool   `json:"estop"`
	Version string `json:"version"`
}

// Audit is a request over HTTP that could move the robot, or change or write something.
type Audit struct {
	Address string `json:"address"` // where it came from
	By      string `json:"by"`      // the name of a token, or loopback
	Method  string `json:"method"`
	Path    string `json:"path"`
	Status  int    `json:"status"` // of HTTP
}

// TypeAudit is the type of an Audit.
const TypeAudit Type = "audit"

// EventType implements Payload.
func (Audit) EventType() Type { return TypeAudit }
