package daemon

import (
	"context"
	"strings"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/perception/client"
)

// seeing lets a language model that can see answer questions about pictures, and leaves the rest, and all when there is
// none or it fails, to reachy-sense.
type seeing struct {
	tools.Vision
	model   llm.Model
	picture func(ctx context.Context, photo string) ([]byte, error)
}

// newSeeing returns v, or what sees with model when there is one.
func newSeeing(v tools.Vision, model *llm.Client, c *client.Client) tools.Vision {
	if v == nil || model == nil {
		return v
	}
	return seeing{v, model, func(ctx context.Context, photo string) ([]byte, error) {
		if photo == "" {
			return c.Frame(ctx)
		}
		return c.Photo(ctx, photo)
	}}
}

// Describe implements tools.Vision.
func (s seeing) Describe(ctx context.Context, photo, prompt string) (string, error) {
	if s.model.Ready(llm.RoleSee) != nil {
		return s.Vision.Describe(ctx, photo, prompt)
	}
	picture, err := s.picture(ctx, photo)
	if err != nil {
		return s.Vision.Describe(ctx, photo, prompt) // it says in words what is wrong
	}
	reply, err := llm.Describe(ctx, s.model, prompt+"\nAnswer in one or two short sentences.", nil, picture)
	if text := strings.TrimSpace(reply.Text); err == nil && text != "" {
		return text, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return s.Vision.Describe(ctx, photo, prompt)
}

var _ tools.Vision = seeing{}
