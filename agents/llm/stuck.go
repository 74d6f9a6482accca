package llm

import (
	"context"
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

// noted remembers how a reply ended that took this long to begin.
func (c *Client) noted(model string, began time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	if len(c.habits) >= maxModels {
		clear(c.habits)
	}
	c.habits[model] = habit{givenUp: err != nil, slowest: max(h.slowest, began)}
}

// firstWithin is how long the model's next reply may take to begin, and whether that is less because the last one was given up. Only
// one request is doubted: another one may wait behind it for good reasons.
func (c *Client) firstWithin(model string) (first time.Duration, doubted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.habits[model]
	if !h.givenUp || c.cfg.API != Ollama {
		return c.cfg.FirstToken, false
	}
	h.givenUp = false
	c.habits[model] = h
	return min(c.cfg.FirstToken, max(c.cfg.FirstToken/4, 2*h.slowest)), true
}

// freed unloads a model that does not begin to reply, and reports whether that was done.
func (c *Client) freed(ctx context.Context, model string) bool {
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
