package perception

import (
	"context"
	"strings"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/agents/tools"
)

// Pictures are those that a language model can look at. *client.Client has them.
type Pictures interface {
	// Frame returns the newest picture of the camera, JPEG.
	Frame(ctx context.Context) ([]byte, error)
	// Photo returns a photo that was taken before, JPEG.
	Photo(ctx context.Context, name string) ([]byte, error)
}

// describer lets a language model that can see answer questions about pictures, and leaves the rest, and all when the
// model is away or fails, to reachy-sense.
type describer struct {
	tools.Vision
	model    llm.Model
	pictures Pictures
}

// Tracking reports whether the head follows a face.
func (d describer) Tracking(ctx context.Context) (bool, error) {
	if t, ok := d.Vision.(interface {
		Tracking(ctx context.Context) (bool, error)
	}); ok {
		return t.Tracking(ctx)
	}
	return false, nil
}

// Describe implements tools.Vision.
func (d describer) Describe(ctx context.Context, photo, prompt string) (string, error) {
	if d.model.Ready(llm.RoleSee) != nil {
		return d.Vision.Describe(ctx, photo, prompt)
	}
	picture, err := d.picture(ctx, photo)
	if err != nil {
		return d.Vision.Describe(ctx, photo, prompt) // it says in words what is wrong
	}
	reply, err := llm.Describe(ctx, d.model, prompt+"\nAnswer in one or two short sentences.", nil, picture)
	if text := strings.TrimSpace(reply.Text); err == nil && text != "" {
		return text, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return d.Vision.Describe(ctx, photo, prompt)
}

// picture returns a photo; the camera's newest picture when it has no name.
func (d describer) picture(ctx context.Context, photo string) ([]byte, error) {
	if photo == "" {
		return d.pictures.Frame(ctx)
	}
	return d.pictures.Photo(ctx, photo)
}

var _ tools.Vision = describer{}
