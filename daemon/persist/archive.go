// Package persist keeps in the store what must outlive reachyd: turns, conversations, replies, memories, schedules and
// failures and tools, each behind the interface of the part that it is kept for.
package persist

import (
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/store"
)

// Archive keeps the coordinator's traces and sessions.
type Archive struct {
	traces   *store.Bucket[*coordinator.Trace]
	turns    *store.Bucket[turn] // the same, of which a list reads only so much
	sessions *store.Bucket[coordinator.Session]
	store    *store.Store
}

const tracesBucket = "traces"

// NewArchive returns the archive of a store, which keeps as much as keep says.
func NewArchive(s *store.Store, keep store.Keep) *Archive {
	return &Archive{
		traces:   store.NewBucket[*coordinator.Trace](s, tracesBucket, keep),
		turns:    store.NewBucket[turn](s, tracesBucket, keep),
		sessions: store.NewBucket[coordinator.Session](s, "sessions", keep),
		store:    s,
	}
}

// SaveTurn implements coordinator.Store: with one sync. What of the two cannot be kept does not take the other with it.
func (a *Archive) SaveTurn(t *coordinator.Trace, s coordinator.Session) error {
	turn, badTurn := a.traces.Document(t.ID, t)
	session, badSession := a.sessions.Document(s.ID, s)
	return errors.Join(badTurn, badSession, a.store.Put(turn, session))
}

// Trace implements command.Traces.
func (a *Archive) Trace(id string) (any, error) {
	if id != "" {
		t, err := a.traces.Get(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil, &command.Error{
				Code:    command.CodeInvalid,
				Message: fmt.Sprintf("trace: there is none with the id %.64q; it never was, or is too old to be kept", id),
			}
		}
		return t, err
	}
	latest, err := a.traces.Newest("", 1)
	if err != nil || len(latest) == 0 {
		return nil, errors.Join(err, &command.Error{Code: command.CodeInvalid, Message: "trace: there is none yet; say something to the robot"})
	}
	return latest[0], nil
}

// SaveSession implements coordinator.Store.
func (a *Archive) SaveSession(s coordinator.Session) error { return a.sessions.Put(s.ID, s) }

// LoadSession implements coordinator.Store.
func (a *Archive) LoadSession(id string) (coordinator.Session, bool, error) {
	return find(a.sessions, id)
}

// tracesAtOnce is how many traces are held in memory while they are looked through.
const tracesAtOnce = 100

// DeleteSession implements coordinator.Store.
func (a *Archive) DeleteSession(id string) error {
	var errs []error
	for after := ""; ; {
		part, err := a.traces.List(after, tracesAtOnce)
		errs = append(errs, err)
		for _, t := range part {
			if t.Session == id {
				errs = append(errs, a.traces.Delete(t.ID))
			}
		}
		if err != nil || len(part) < tracesAtOnce {
			break
		}
		after = part[len(part)-1].ID
	}
	return errors.Join(append(errs, a.sessions.Delete(id))...)
}

// find returns a document and whether there is one.
func find[T any](b *store.Bucket[T], id string) (T, bool, error) {
	v, err := b.Get(id)
	if errors.Is(err, store.ErrNotFound) {
		return v, false, nil
	}
	return v, err == nil, err
}

var (
	_ coordinator.Store = (*Archive)(nil)
	_ command.Traces    = (*Archive)(nil)
)
