// Package llm talks to language models through an Ollama server: it never hangs, never believes half an answer, and
// hands out tool calls only after they were checked against the tools' schemas.
package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
)

// Role is what a model is wanted for.
type Role string

// The roles. Each has its own list of models in the Config.
const (
	RoleTalk  Role = "talk"  // conversation, answers
	RoleCall  Role = "call"  // choosing tools and their arguments
	RoleCode  Role = "code"  // writing programs
	RoleSee   Role = "see"   // looking at pictures
	RoleEmbed Role = "embed" // vectors that say what texts mean
)

// Roles are all the roles.
var Roles = []Role{RoleTalk, RoleCall, RoleCode, RoleSee, RoleEmbed}

// Model is what the agents know of language models. Client asks a server; llmtest.Script replies by heart.
type Model interface {
	// Chat asks for one reply and returns it when it is complete. onDelta, if not nil, is told what arrives
	// meanwhile, in the caller's goroutine. Ending ctx stops the generation.
	//
	// With an error the Reply holds what had arrived until then. Callers branch on ErrAway, ErrNoModel, ErrTimeout,
	// ErrIncomplete, ErrTooLong, ErrBadOutput, *ServerError; when ctx ended by itself, the error wraps ctx.Err().
	Chat(ctx context.Context, req Request, onDelta func(Delta)) (Reply, error)
	// Embed returns one vector of unit length for every text, and the name of the model: vectors of different models
	// cannot be compared.
	Embed(ctx context.Context, texts []string) (vectors [][]float32, model string, err error)
	// Ready reports, without waiting for a server, why a request in this role would fail now; nil when it may work.
	Ready(role Role) error
}

// Request asks for one reply.
type Request struct {
	Role     Role // empty for RoleTalk
	System   string
	Messages []Message
	// Tools are what the model may call. A model that cannot call tools is not asked.
	Tools []tool.Spec
	// Schema, if not nil, is what the reply must be: Reply.Text is then JSON that satisfies it. Not together with Tools.
	Schema *tool.Schema
	// Format, if not nil, is a JSON schema for the server's grammar, in any words that the server knows. The reply is
	// what the model wrote, unchecked. Not together with Tools or Schema.
	Format json.RawMessage
	// MaxTokens ends longer replies; 0 for the Config's. A reply that was cut off is ErrTooLong if there is a Schema,
	// else Reply.Cut is set.
	MaxTokens int
	// Temperature is 0 for the most likely reply; higher is livelier. nil for the model's own.
	Temperature *float64
	// Think lets a model that can do so reason before it replies, which takes its time.
	Think bool
}

// Who speaks in a Message.
const (
	User      = "user"
	Assistant = "assistant"
	Tool      = "tool"
)

// Message is one message of a conversation.
type Message struct {
	Who    string // User, Assistant or Tool
	Text   string
	Images [][]byte // of the user: PNG, JPEG or WebP. A model that cannot see is not asked.
	Calls  []Call   // of the assistant: the tools that it called
	CallID string   // of a tool: the call that Text is the result of
	Name   string   // of a tool: its name
}

// Delta is a piece of a reply while it arrives. One of the fields is not empty.
type Delta struct {
	Text     string
	Thinking string
}

// Reply is what a model replied.
type Reply struct {
	Text     string
	Thinking string
	Calls    []Call
	Fixes    []Fix // what had to be changed for the Request's Schema
	Cut      bool  // the reply was ended by MaxTokens
	// Final says that Calls are all there is to do: when they have succeeded, the model need not be asked again.
	Final bool
	Model string
	Usage Usage
}

// Message returns the reply as a message of the conversation that led to it.
func (r *Reply) Message() Message {
	return Message{Who: Assistant, Text: r.Text, Calls: r.Calls}
}

// Call is a call of a tool that a model asks for.
type Call struct {
	ID   string
	Name string
	// Args satisfy the tool's schema if Err is nil; else they are what the model wrote.
	Args json.RawMessage
	// Fixes are what had to be changed for that.
	Fixes []Fix
	// Wrote is the call as the model knows it, where that is not Name and Args: what it is shown when it is asked again.
	Wrote *Written
	// Err says why the call cannot be made: an unknown tool, or a tool.ArgumentErrors. It is worded for the model, which
	// may do better when it is told.
	Err error
}

// Written is a call in the words of a model.
type Written struct {
	Name string
	Args json.RawMessage
}

// Result returns the message that tells the model what came of the call.
func (c *Call) Result(text string) Message {
	return Message{Who: Tool, CallID: c.ID, Name: c.Name, Text: text}
}

// Fix is an argument that was changed to satisfy the schema.
type Fix struct {
	Field string // path, "steps[2].yaw"
	Given string // in JSON, shortened
	Used  string // in JSON; empty when it was left out
	Clamp bool   // a number beyond its range; otherwise only the spelling changed: "30" became 30
}

func (f Fix) String() string {
	if f.Used == "" {
		return fmt.Sprintf("%s: %s left out", f.Field, f.Given)
	}
	return fmt.Sprintf("%s: %s became %s", f.Field, f.Given, f.Used)
}

// Usage is what a reply cost.
type Usage struct {
	PromptTokens int
	// CachedTokens are those of the prompt that the server did not have to read again. Ollama does not tell; what is given
	// then is the share of the prompt's text that begins as the last prompt for that model did.
	CachedTokens int
	ReplyTokens  int
	Read         time.Duration // of the server reading what was new of the prompt; 0 where it does not tell
	FirstToken   time.Duration // from the request to the first piece of the reply
	Total        time.Duration
	Load         time.Duration // of it the server loading the model
	Retries      int           // attempts before the one that worked
}

// Describe asks m what it sees in the pictures.
func Describe(ctx context.Context, m Model, prompt string, onDelta func(Delta), images ...[]byte) (Reply, error) {
	return m.Chat(ctx, Request{Role: RoleSee, Messages: []Message{{Who: User, Text: prompt, Images: images}}}, onDelta)
}

// Structured asks m for a reply that satisfies req.Schema and decodes it into out.
func Structured(ctx context.Context, m Model, req Request, out any) (Reply, error) {
	r, err := m.Chat(ctx, req, nil)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(r.Text), out); err != nil {
		return r, fmt.Errorf("%w: %w", ErrBadOutput, err)
	}
	return r, nil
}
