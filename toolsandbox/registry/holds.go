package registry

import (
	"context"
	"sync"
)

// Holds lets one at a time do something under a name. The zero Holds is ready to use.
type Holds struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the name is free again
}

// Hold waits until nobody else holds the name, and returns what lets others hold it. The error is the context's, or ErrClosed when stop,
// which may be nil, is closed.
func (h *Holds) Hold(ctx context.Context, stop <-chan struct{}, name string) (release func(), err error) {
	for {
		h.mu.Lock()
		busy, taken := h.held[name]
		if !taken {
			if h.held == nil {
				h.held = map[string]chan struct{}{}
			}
			mine := make(chan struct{})
			h.held[name] = mine
			h.mu.Unlock()
			return func() {
				h.mu.Lock()
				delete(h.held, name)
				h.mu.Unlock()
				close(mine)
			}, nil
		}
		h.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-stop:
			return nil, ErrClosed
		}
	}
}
