// Package calling lets language models of some billion parameters, and less, call the robot's tools: it chooses by the sentence
// which tools they are offered, shows them in words that such models keep, reads what they write, and puts right by the sentence
// what can be put right.
//
// It stands between the agents and a llm.Model and is one itself. Requests without tools, and those that a large model answers,
// pass through.
package calling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
)

// Style is how a model is shown tools and writes calls.
type Style string

// The styles. The empty one is Schema.
const (
	Schema Style = "schema" // a list of calls in JSON, which the server holds to a schema
	Text   Style = "text"   // the same list, for servers that know no schema
	Native Style = "native" // as the server's own interface for tools has it
)

// Styles are all of them.
var Styles = []Style{Schema, Text, Native}

// Options say how calls are asked for.
type Options struct {
	Name   string // of the robot; Reachy when empty
	Style  Style
	Always bool // also for models that are large, or of unknown size
}

// Model is a llm.Model whose small models call tools better. It is made with New.
type Model struct {
	llm.Model
	o Options
}

// New returns m with calls for small models.
func New(m llm.Model, o Options) *Model {
	if o.Name == "" {
		o.Name = "Reachy"
	}
	if o.Style == "" {
		o.Style = Schema
	}
	return &Model{m, o}
}

// smallest is the size of the file from which on a model is taken to read long lists of tools; four billion parameters in four
// bits have 2.6 GB.
const smallest = 4_500_000_000

// sizer is a llm.Model that knows how large its models are.
type sizer interface {
	// Size returns the bytes of the model that would answer in a role; 0 when that is not known.
	Size(role llm.Role) int64
}

// Small reports whether the model that would answer in a role is small, so that it is asked once for all calls.
func (m *Model) Small(role llm.Role) bool {
	if m.o.Always {
		return true
	}
	s, ok := m.Model.(sizer)
	return ok && s.Size(role) > 0 && s.Size(role) < smallest
}

// Offers are the names of the tools that a sentence speaks for, the surest first.
func Offers(text string, tools []tool.Spec) []string {
	var names []string
	for _, f := range offered(text, shown(tools)) {
		if !slices.Contains(names, f.Tool) {
			names = append(names, f.Tool)
		}
	}
	return names
}

const (
	// noneTool is what a model writes when no tool fits.
	noneTool = "none"
	// maxExamples are shown with a request; each costs some thirty tokens.
	maxExamples = 5
	// maxCalls is how many calls a model may write at once.
	maxCalls = 4
	// maxTokens of a list of calls, with a text to be said among them.
	maxTokens = 220
)

// Chat implements llm.Model.
func (m *Model) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Reply, error) {
	if len(req.Tools) == 0 || !m.Small(req.Role) {
		return m.Model.Chat(ctx, req, onDelta)
	}
	at, text := lastSaid(req.Messages)
	all := offered(text, shown(req.Tools))
	if len(all) == 0 {
		return m.talk(ctx, req, onDelta, llm.Usage{})
	}
	// Calls are nothing to be read, but that they come is a sign of life.
	reply, err := m.Model.Chat(ctx, m.request(&req, all, at), func(d llm.Delta) {
		if onDelta != nil {
			onDelta(llm.Delta{Thinking: d.Text + d.Thinking})
		}
	})
	if err != nil {
		return reply, err
	}
	calls, err := m.read(&reply, all)
	if err != nil {
		return reply, err
	}
	calls = settle(text, calls, all, earlier(req.Messages[at:]))
	if len(calls) == 0 {
		if at < len(req.Messages)-1 { // it has called what it wanted
			reply.Text, reply.Calls = "", nil
			return reply, nil
		}
		if m.o.Style == Native && reply.Text != "" {
			reply.Calls = nil
			if onDelta != nil {
				onDelta(llm.Delta{Text: reply.Text})
			}
			return reply, nil
		}
		return m.talk(ctx, req, onDelta, reply.Usage)
	}
	reply.Text, reply.Calls, reply.Final = "", calls, true
	note(ctx, calls)
	return reply, nil
}

// note tells the trace what had to be changed.
func note(ctx context.Context, calls []llm.Call) {
	for _, c := range calls {
		for _, f := range c.Fixes {
			trace.Note(ctx, trace.Guard, "arguments of "+trace.Clean(c.Name), trace.Clean(f.String()))
		}
	}
}

// talk asks for an answer without tools. used is what was spent before.
func (m *Model) talk(ctx context.Context, req llm.Request, onDelta func(llm.Delta), used llm.Usage) (llm.Reply, error) {
	req.Tools = nil
	var messages []llm.Message
	for _, msg := range req.Messages {
		if msg.Who != llm.Tool && len(msg.Calls) == 0 {
			messages = append(messages, msg)
		}
	}
	req.Messages = messages
	if req.System == "" {
		req.System = m.fill(faces().Talk)
	}
	reply, err := m.Model.Chat(ctx, req, onDelta)
	reply.Usage = sum(used, reply.Usage)
	return reply, err
}

// sum is the usage of one request after another.
func sum(a, b llm.Usage) llm.Usage {
	if a.Total == 0 {
		return b
	}
	b.PromptTokens += a.PromptTokens
	b.CachedTokens += a.CachedTokens
	b.ReplyTokens += a.ReplyTokens
	b.FirstToken += a.Total
	b.Total += a.Total
	b.Load += a.Load
	b.Read += a.Read
	b.Retries += a.Retries
	return b
}

// lastSaid is what the person said last, and where.
func lastSaid(messages []llm.Message) (at int, text string) {
	for i := range slices.Backward(messages) {
		if messages[i].Who == llm.User {
			return i, messages[i].Text
		}
	}
	return len(messages) - 1, ""
}

// earlier are the calls that were made for what the person said last.
func earlier(messages []llm.Message) (calls []llm.Call) {
	for _, msg := range messages {
		calls = append(calls, msg.Calls...)
	}
	return calls
}

func (m *Model) fill(text string) string { return strings.ReplaceAll(text, "{name}", m.o.Name) }

// request asks for calls. What is always the same stands first, then the tools in the order of the file, then the examples, and
// what the person said last of all: servers read again only what has changed.
func (m *Model) request(req *llm.Request, all []face, at int) llm.Request {
	cold := 0.0
	out := llm.Request{Role: req.Role, Temperature: &cold, MaxTokens: maxTokens}
	inOrder := slices.Clone(all)
	slices.SortStableFunc(inOrder, func(a, b face) int { return position(a.Name) - position(b.Name) })
	var b strings.Builder
	b.WriteString(m.fill(faces().Front))
	names := make([]string, len(inOrder))
	for i := range inOrder {
		names[i] = inOrder[i].Name
	}
	said := req.Messages[at].Text
	if m.o.Style == Native {
		b.Reset()
		b.WriteString(m.fill(faces().Native))
		for i := range inOrder {
			out.Tools = append(out.Tools, inOrder[i].spec)
		}
	} else {
		b.WriteString("\nTools:\n")
		for i := range inOrder {
			b.WriteString(inOrder[i].line() + "\n")
		}
		for _, e := range examples().nearest(parts(said), names, maxExamples) {
			out.Messages = append(out.Messages, llm.Message{Who: llm.User, Text: e.text}, llm.Message{Who: llm.Assistant, Text: e.reply})
		}
	}
	out.System = strings.TrimSpace(b.String())
	if m.o.Style == Schema {
		out.Format = format(inOrder, allowed(said))
	}
	if at >= 2 && refersBack(said) {
		out.Messages = append(out.Messages, m.shown(req.Messages[at-2:at])...)
	}
	out.Messages = append(out.Messages, m.shown(req.Messages[at:])...)
	return out
}

// shown are messages as a model of this style is shown them.
func (m *Model) shown(messages []llm.Message) []llm.Message {
	if m.o.Style == Native {
		return messages
	}
	var out []llm.Message
	var results strings.Builder
	for _, msg := range messages {
		switch {
		case msg.Who == llm.Tool:
			fmt.Fprintf(&results, "%s: %s\n", msg.Name, msg.Text)
			continue
		case len(msg.Calls) > 0:
			msg = llm.Message{Who: llm.Assistant, Text: written(msg.Calls)}
		}
		out = append(out, msg)
	}
	if results.Len() > 0 {
		out = append(out, llm.Message{Who: llm.User, Text: results.String() + "What is left to do?"})
	}
	return out
}

// position is the place of a face in the file; tools without one come last.
func position(name string) int {
	if i := slices.IndexFunc(faces().Faces, func(f face) bool { return f.Name == name }); i >= 0 {
		return i
	}
	return len(faces().Faces)
}

// format is the JSON schema of a list of at most so many calls of these faces.
func format(all []face, most int) json.RawMessage {
	ways := make([]string, 0, len(all)+1)
	for i := range all {
		ways = append(ways, all[i].grammar())
	}
	ways = append(ways, `{"type":"object","properties":{"tool":{"const":"`+noneTool+`"}},"required":["tool"],"additionalProperties":false}`)
	return json.RawMessage(fmt.Sprintf(`{"type":"array","minItems":1,"maxItems":%d,"items":{"anyOf":[%s]}}`, most, strings.Join(ways, ",")))
}

// errCalls is that a reply is no list of calls.
var errCalls = errors.New("it is no list of calls")

// read returns the calls of faces in a reply.
func (m *Model) read(reply *llm.Reply, all []face) ([]llm.Call, error) {
	specs := make([]tool.Spec, 0, len(all)+1)
	for i := range all {
		specs = append(specs, all[i].spec)
	}
	calls := reply.Calls
	if m.o.Style != Native {
		none := tool.Spec{Name: noneTool, Parameters: tool.Object(nil), Also: []string{"nothing", "no_tool", "talk", "answer"}}
		calls = llm.WrittenCalls(reply.Text, append(specs, none))
		if calls == nil && m.o.Style == Schema {
			return nil, fmt.Errorf("%w: %w", llm.ErrBadOutput, errCalls)
		}
	}
	return slices.DeleteFunc(calls, func(c llm.Call) bool { return c.Name == noneTool }), nil
}

var _ llm.Model = (*Model)(nil)
