package command

import (
	"strings"

	"github.com/reachyd/reachyd/daemon/recent"
)

// episodes remembers which traces the latest commands had, by the ids that their replies carry.
type episodes struct{ traces recent.Texts }

func (e *episodes) note(id, trace string) {
	if trace != "" {
		e.traces.Note(id, trace, rememberMost)
	}
}

// trace is the trace that an id stands for: that of a reply, or of what OpenAI's clients were answered. Any other is one itself.
func (e *episodes) trace(id string) string {
	if trace, known := e.traces.Get(id); known {
		return trace
	}
	for _, kind := range []string{"chatcmpl-", "call_", "resp_", "msg_"} {
		if trace, _, _ := strings.Cut(strings.TrimPrefix(id, kind), "_"); strings.HasPrefix(id, kind) && trace != "" {
			return trace
		}
	}
	return id
}
