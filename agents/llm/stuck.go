package llm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ollama/ollama/api"
)

// A reply that is given up while it is written can keep its model busy for ever: of Ollama (seen with 0.17.4) the goroutine that
// hands on the next piece waits for a reader that is gone, and keeps the only place of the model. Nothing but unloading frees it.
// So the first reply after one that was given up has less time to begin, and if it does not, the model is unloaded and asked again.

// habit is what is remembered of a model's replies.
type habit struct {
	givenUp bool          // the last reply that began did not come to its end
	slowest time.Duration // until a reply began
}

// noted remembers how an attempt went.
func (c *Client) noted(model string, p *patience, err error) {
	if !p.began.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	if len(c.habits) >= maxModels {
		clear(c.habits)
	}
	c.habits[model] = habit{givenUp: err != nil, slowest: max(h.slowest, p.waited)}
}

// firstWithin is how long the model's next reply may take to begin.
func (c *Client) firstWithin(model string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	if !h.givenUp || c.cfg.API != Ollama {
		return c.cfg.FirstToken
	}
	return min(c.cfg.FirstToken, max(c.cfg.FirstToken/4, 2*h.slowest))
}

// freed unloads a model that does not begin to reply after a reply that was given up, and reports whether that was done.
func (c *Client) freed(ctx context.Context, model string, err error) bool {
	c.mu.Lock()
	h := c.habits[model]
	stuck := h.givenUp && errors.Is(err, ErrTimeout) && ctx.Err() == nil && c.cfg.API == Ollama
	if stuck {
		h.givenUp = false
		c.habits[model] = h
	}
	c.mu.Unlock()
	if !stuck {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Short)
	defer cancel()
	unload := &api.ChatRequest{Model: model, KeepAlive: &api.Duration{}}
	if err := c.api.Chat(ctx, unload, func(api.ChatResponse) error { return nil }); err != nil {
		return false
	}
	// The server does it in the background, and would queue what comes before.
	const look = 50 * time.Millisecond
	for {
		running, err := c.api.ListRunning(ctx)
		if err != nil {
			return false
		}
		if !slices.ContainsFunc(running.Models, func(m api.ProcessModelResponse) bool { return sameModel(m.Name, model) }) {
			return true
		}
		if c.pause(ctx, look) != nil {
			return false
		}
	}
}
