package coder

import (
	"context"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

type index struct{ model llm.Model }

func newIndex(m llm.Model) *index { return &index{m} }

// find returns self-made tools that have to do with a text, the best first.
func (c *Coder) find(ctx context.Context, text string, most int) []registry.Found {
	found, err := c.o.Maker.Search(ctx, text, most)
	if err != nil {
		c.o.Failed(err)
	}
	return found
}

type revision struct{}

func (c *Coder) revision(*sentence) *revision { return nil }

func (*revision) make(context.Context, *Coder, coordinator.Request) coordinator.Answer {
	return coordinator.Answer{Outcome: coordinator.OutcomeNone}
}

func (c *Coder) reply(context.Context, coordinator.Request, *sentence) coordinator.Answer {
	return coordinator.Answer{Outcome: coordinator.OutcomeNone}
}

func (c *Coder) write(context.Context, coordinator.Request) coordinator.Answer {
	return coordinator.Answer{Outcome: coordinator.OutcomeNone}
}
