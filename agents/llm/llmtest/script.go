// Package llmtest is a language model for tests of what uses one: it replies by script, and fails as real ones do.
package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tool"
)

// Step is what the model does when it is asked. The zero Step replies with an empty text.
type Step struct {
	Text     string     // said word by word
	Thinking string     // said before
	Calls    []llm.Call // checked against the request's tools, as the real client does; IDs are filled in
	Cut      bool       // the reply was too long
	Prompt   int        // tokens that the server says to have read
	// Err ends the reply after what is above was said: llm.ErrAway, llm.ErrIncomplete for a server that dies.
	Err error
	// Stall waits, after what is above was said, until the caller gives up.
	Stall bool
	// Do, if not nil, makes the step from the request.
	Do func(llm.Request) Step
}

// Say replies with a text.
func Say(text string) Step { return Step{Text: text} }

// Use replies with a call of a tool; args are JSON.
func Use(name, args string) Step {
	return Step{Calls: []llm.Call{{Name: name, Args: json.RawMessage(args)}}}
}

// Fail replies with an error.
func Fail(err error) Step { return Step{Err: err} }

// Script is a llm.Model that replies with its steps, one for every Chat of a role. Its methods may be called by many
// goroutines at once. It is made with New.
type Script struct {
	mu    sync.Mutex
	steps map[llm.Role][]Step
	asked []llm.Request
	away  error
	calls int
}

// New returns a model that replies with these steps, in whatever role it is asked.
func New(steps ...Step) *Script {
	return &Script{steps: map[llm.Role][]Step{"": steps}}
}

// In adds steps for requests in one role; these do not use up the others.
func (s *Script) In(role llm.Role, steps ...Step) *Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[role] = append(s.steps[role], steps...)
	return s
}

// Away lets every request fail with err from now on; nil ends that.
func (s *Script) Away(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = err
}

// Asked returns the requests so far.
func (s *Script) Asked() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.asked...)
}

// Left returns how many steps were not used.
func (s *Script) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, steps := range s.steps {
		n += len(steps)
	}
	return n
}

// next takes the step that is next for the request.
func (s *Script) next(req llm.Request) (Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	if s.away != nil {
		return Step{}, s.away
	}
	role := req.Role
	if _, own := s.steps[role]; !own {
		role = ""
	}
	if len(s.steps[role]) == 0 {
		return Step{}, fmt.Errorf("llmtest: request %d (%s) is not in the script", len(s.asked), req.Role)
	}
	step := s.steps[role][0]
	s.steps[role] = s.steps[role][1:]
	return step, nil
}

// Chat does what the next step says.
func (s *Script) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Reply, error) {
	reply := llm.Reply{Model: "script"}
	if err := ctx.Err(); err != nil {
		return reply, err
	}
	step, err := s.next(req)
	if err != nil {
		return reply, err
	}
	if step.Do != nil {
		step = step.Do(req)
	}
	reply.Usage.PromptTokens = step.Prompt
	say := func(text string, to *string, delta func(string) llm.Delta) error {
		for _, word := range strings.SplitAfter(text, " ") {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if word == "" {
				continue
			}
			*to += word
			reply.Usage.ReplyTokens++
			if onDelta != nil {
				onDelta(delta(word))
			}
		}
		return nil
	}
	if err := say(step.Thinking, &reply.Thinking, func(t string) llm.Delta { return llm.Delta{Thinking: t} }); err != nil {
		return reply, err
	}
	if err := say(step.Text, &reply.Text, func(t string) llm.Delta { return llm.Delta{Text: t} }); err != nil {
		return reply, err
	}
	if step.Stall {
		<-ctx.Done()
		return reply, ctx.Err()
	}
	if step.Err != nil {
		return reply, step.Err
	}
	for _, c := range step.Calls {
		checked := llm.CheckCall(req.Tools, c.Name, c.Args)
		checked.ID = s.id()
		reply.Calls = append(reply.Calls, checked)
	}
	reply.Cut = step.Cut
	if req.Schema == nil {
		return reply, nil
	}
	return s.structured(req.Schema, reply)
}

func (s *Script) structured(schema *tool.Schema, reply llm.Reply) (llm.Reply, error) {
	if reply.Cut {
		return reply, fmt.Errorf("%w: the reply was cut off", llm.ErrTooLong)
	}
	out, _, err := llm.Fit(schema, json.RawMessage(reply.Text))
	if err != nil {
		return reply, fmt.Errorf("%w: %w", llm.ErrBadOutput, err)
	}
	reply.Text = string(out)
	return reply, nil
}

func (s *Script) id() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return fmt.Sprintf("call_%d", s.calls)
}

// dimensions of the vectors of Embed.
const dimensions = 64

// Embed returns vectors that are alike when texts share words: enough to test what searches with them.
func (s *Script) Embed(ctx context.Context, texts []string) ([][]float32, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if err := s.Ready(llm.RoleEmbed); err != nil {
		return nil, "", err
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, dimensions)
		for _, word := range strings.Fields(strings.ToLower(t)) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(strings.Trim(word, ".,;:!?")))
			v[h.Sum32()%dimensions]++
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x * x)
		}
		for k := range v {
			v[k] /= float32(max(1e-9, math.Sqrt(sum)))
		}
		vectors[i] = v
	}
	return vectors, "script", nil
}

// Ready is nil unless Away was called.
func (s *Script) Ready(llm.Role) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away
}

var _ llm.Model = (*Script)(nil)
