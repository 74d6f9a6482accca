package command

import (
	"strings"
	"sync"
)

// episodes remembers which traces the latest commands had, by the ids that their replies carry.
type episodes struct {
	mu     sync.Mutex
	traces map[string]string
	latest [rememberMost]string // ids, in a ring
	next   int
}

func (e *episodes) note(id, trace string) {
	if trace == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.traces == nil {
		e.traces = map[string]string{}
	}
	if _, again := e.traces[id]; !again {
		delete(e.traces, e.latest[e.next])
		e.latest[e.next] = id
		e.next = (e.next + 1) % len(e.latest)
	}
	e.traces[id] = trace
}

// trace is the trace that an id stands for: that of a reply, or of what OpenAI's clients were answered. Any other is one itself.
func (e *episodes) trace(id string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if trace, known := e.traces[id]; known {
		return trace
	}
	for _, kind := range []string{"chatcmpl-", "call_", "resp_", "msg_"} {
		if trace, _, _ := strings.Cut(strings.TrimPrefix(id, kind), "_"); strings.HasPrefix(id, kind) && trace != "" {
			return trace
		}
	}
	return id
}
