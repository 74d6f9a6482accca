package runtime

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/guard"
	"github.com/reachyd/reachyd/agents/llm"
)

// summaryTime is how long a summary may take: nobody waits for it.
const summaryTime = 2 * time.Minute

// keptWhole is how many of the latest exchanges are never summarised.
const keptWhole = 4

// summarise writes down what was said, when there is more of it than a model can be shown. It works in the background:
// until it is done, and when it fails, the oldest is simply not shown. A small model is not asked for it: the next turn would wait for its
// server, and what it writes down is not what was said.
func (m *Runtime) summarise(r coordinator.Request) {
	if m.small() {
		return
	}
	mem, err := m.o.Memory.Of(r.Session)
	if err != nil || len(r.History) <= keptWhole {
		return
	}
	size := 0
	var text strings.Builder
	var last string
	for i, e := range r.History {
		if mem.SummaryTo != "" && e.Trace <= mem.SummaryTo {
			continue
		}
		size += len(e.Text) + len(e.Reply)
		if i < len(r.History)-keptWhole {
			fmt.Fprintf(&text, "Person: %s\nRobot: %s\n", e.Text, e.Reply)
			last = e.Trace
		}
	}
	if size < m.o.MaxHistory*3/4 || last == "" || m.life.Err() != nil {
		return
	}
	select {
	case m.tidy <- struct{}{}:
	default:
		return // one is being written
	}
	m.tidying.Go(func() {
		defer func() { <-m.tidy }()
		ctx, cancel := context.WithTimeout(m.life, summaryTime)
		defer cancel()
		prompt := text.String()
		if mem.Summary != "" {
			prompt = "Until now: " + mem.Summary + "\n" + prompt
		}
		reply, err := m.o.Model.Chat(ctx, llm.Request{
			Role: llm.RoleTalk, System: m.fill(m.o.Instructions.Summary), Messages: []llm.Message{{Who: llm.User, Text: prompt}}, MaxTokens: 250,
		}, nil)
		if err == nil {
			clean, v := guard.Output(reply.Text, m.secrets...)
			if !v.OK() || clean == "" {
				return
			}
			err = m.o.Memory.Summarise(mem, clean, last)
		}
		if err != nil && m.life.Err() == nil {
			m.o.Failed(fmt.Errorf("summary of session %s: %w", r.Session, err))
		}
	})
}
