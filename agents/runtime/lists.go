package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/agents/verbalize"
)

// Listed implements coordinator.Runtime.
func (m *Runtime) Listed(session, list string) []string {
	if m.o.Memory == nil {
		return nil
	}
	_, all, err := m.o.Memory.Listed(session, memory.List{Name: list})
	if err != nil {
		m.o.Failed(err)
	}
	return all
}

// lists does what a sentence wants of a list.
func (m *Runtime) lists(ctx context.Context, session string, l *memory.List) coordinator.Answer {
	_, span := trace.Start(ctx, trace.Memory, "list "+string(l.Op), l.Name)
	name, on, err := m.o.Memory.Listed(session, *l)
	if l.Name == "list" {
		l.Name = name
	}
	var gone []string
	switch {
	case err != nil:
	case l.Op == memory.ListAdd:
		err = m.o.Memory.AddTo(session, *l)
	case l.Op == memory.ListDrop, l.Op == memory.ListClear:
		gone, err = m.o.Memory.TakeOff(session, *l)
	}
	span.End(err)
	answered := func(format string, args ...any) coordinator.Answer {
		return coordinator.Answer{Outcome: coordinator.OutcomeAnswered, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case errors.Is(err, memory.ErrFull), errors.Is(err, memory.ErrLong), errors.Is(err, memory.ErrEmpty):
		return coordinator.Answer{Outcome: coordinator.OutcomeError, Text: "I did not keep that: " + err.Error() + "."}
	case err != nil:
		m.o.Failed(err)
		return coordinator.Answer{Outcome: coordinator.OutcomeFailed, Text: "I cannot reach my memory just now."}
	case l.Op == memory.ListAdd:
		return answered("I put %s on the %s.", verbalize.And(l.Items), l.Name)
	case l.Op == memory.ListNew && len(on) == 0:
		return answered("On the %s there is nothing yet: tell me what to put on it.", l.Name)
	case l.Op == memory.ListNew:
		return answered("There is a %s already. On the %s: %s.", l.Name, l.Name, verbalize.And(on))
	case len(on) == 0:
		return answered("There is nothing on the %s.", l.Name)
	case l.Op == memory.ListCount:
		return answered("%d on the %s: %s.", len(on), l.Name, verbalize.And(on))
	case l.Op == memory.ListTell:
		return answered("On the %s: %s.", l.Name, verbalize.And(on))
	case len(gone) == 0:
		return answered("%s is not on the %s.", verbalize.And(l.Items), l.Name)
	case len(gone) == len(on):
		return answered("I took %s off the %s, which is empty now.", verbalize.And(gone), l.Name)
	}
	return answered("I took %s off the %s.", verbalize.And(gone), l.Name)
}
