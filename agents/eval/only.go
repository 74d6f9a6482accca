package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/agents/llm"
)

// Only returns m, but no reply of another model than the one that is measured, which m may ask when that one fails.
func Only(m llm.Model, name string) llm.Model { return only{m, name} }

type only struct {
	llm.Model
	name string
}

func (o only) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Reply, error) {
	r, err := o.Model.Chat(ctx, req, onDelta)
	if err == nil && !strings.EqualFold(r.Model, o.name) && !strings.EqualFold(r.Model, o.name+":latest") {
		return r, fmt.Errorf("%w: %s is not there, or cannot do this: %s replied in its place", llm.ErrNoModel, o.name, r.Model)
	}
	return r, err
}
