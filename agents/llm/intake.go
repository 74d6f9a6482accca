package llm

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
)

// intake gathers a reply from its frames.
type intake struct {
	limits  *Config
	tools   []tool.Spec
	onDelta func(Delta)

	text, thinking strings.Builder
	calls          []Call
	seen           bool // something arrived
	filter         filter
}

// source gives out a reply frame by frame.
type source interface{ next(f *frame) error }

// read reads frames until the one that says that the reply is complete. With an error the Reply is what came before it.
func (in *intake) read(lines source, p *patience) (Reply, error) {
	var last frame
	var err error
	for !last.Done && err == nil {
		if err = lines.next(&last); err != nil {
			break
		}
		p.pause() // the caller may take its time with what arrived
		if last.Error != "" {
			err = &ServerError{http.StatusOK, last.Error}
			break
		}
		err = in.take(&last)
		p.resume(in.seen)
	}
	if err == nil {
		err = in.finish()
	}
	r := Reply{
		Text: in.text.String(), Thinking: in.thinking.String(), Calls: in.calls, Cut: last.DoneReason == "length",
		Usage: Usage{PromptTokens: last.Prompt, CachedTokens: last.Cached, ReplyTokens: last.Reply, Load: last.Load, Read: last.Read, FirstToken: p.waited},
	}
	if err == nil && r.Text == "" && len(r.Calls) == 0 && !r.Cut {
		// The server drops calls of tools that were not offered, and calls that never end.
		err = fmt.Errorf("%w: it is empty", ErrBadOutput)
	}
	return r, err
}

// take adds a frame. It returns an error when the reply passes a limit.
func (in *intake) take(f *frame) error {
	if f.Message.Content != "" || f.Message.Thinking != "" || len(f.Message.ToolCalls) > 0 {
		in.seen = true
	}
	if err := in.add(Delta{Thinking: f.Message.Thinking}); err != nil {
		return err
	}
	for _, d := range in.filter.add(f.Message.Content) {
		if err := in.add(d); err != nil {
			return err
		}
	}
	for i := range f.Message.ToolCalls {
		if len(in.calls) >= in.limits.MaxCalls {
			return fmt.Errorf("the reply calls tools more than %d times: %w", in.limits.MaxCalls, ErrTooLong)
		}
		w := &f.Message.ToolCalls[i]
		call := CheckCall(in.tools, w.Function.Name, w.arguments())
		call.ID = w.ID
		in.calls = append(in.calls, call)
	}
	return nil
}

func (in *intake) add(d Delta) error {
	if d == (Delta{}) {
		return nil
	}
	in.text.WriteString(d.Text)
	in.thinking.WriteString(d.Thinking)
	if n := max(in.text.Len(), in.thinking.Len()); n > in.limits.MaxReply {
		return fmt.Errorf("the reply has %d bytes: %w; at most %d are allowed", n, ErrTooLong, in.limits.MaxReply)
	}
	if in.onDelta != nil {
		in.onDelta(d)
	}
	return nil
}

// finish ends the reply: what the filter held back is a call after all, or text.
func (in *intake) finish() error {
	rest, calls := in.filter.end(in.tools, len(in.calls) == 0)
	if len(calls) > in.limits.MaxCalls {
		return fmt.Errorf("the reply calls tools %d times: %w; at most %d are allowed", len(calls), ErrTooLong, in.limits.MaxCalls)
	}
	in.calls = append(in.calls, calls...)
	for i := range in.calls {
		if in.calls[i].ID == "" { // the result must say whose it is
			in.calls[i].ID = fmt.Sprintf("call_%d", i+1)
		}
	}
	for _, d := range rest {
		if err := in.add(d); err != nil {
			return err
		}
	}
	return nil
}
