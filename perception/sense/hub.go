package sense

import (
	"sync"
	"sync/atomic"

	"github.com/reachyd/reachyd/perception/client"
)

// memory is how many events a slow watcher may be behind.
const memory = 1024

// hub hands every event to every watcher, in order, and never waits for one.
type hub struct {
	mu      sync.Mutex
	seq     uint64 // of the newest event
	ring    [memory]client.Event
	subs    map[chan struct{}]struct{}
	dropped atomic.Uint64
}

func (h *hub) add(e client.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	e.Seq = h.seq
	h.ring[h.seq%memory] = e
	for c := range h.subs {
		select {
		case c <- struct{}{}:
		default: // it has been called already
		}
	}
}

// subscribe returns a channel that calls for every event, the number of the newest, and how to end it.
func (h *hub) subscribe() (calls <-chan struct{}, last uint64, end func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs == nil {
		h.subs = map[chan struct{}]struct{}{}
	}
	h.subs[c] = struct{}{}
	return c, h.seq, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, c)
	}
}

// after appends the events that came after one.
func (h *hub) after(seq uint64, to []client.Event) []client.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seq > memory && seq < h.seq-memory {
		h.dropped.Add(h.seq - memory - seq)
		seq = h.seq - memory
	}
	for n := seq + 1; n <= h.seq; n++ {
		to = append(to, h.ring[n%memory])
	}
	return to
}
