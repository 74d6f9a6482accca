// Package persist keeps in the store what must outlive reachyd: turns, conversations, replies, memories, schedules and
// failures and tools, each behind the interface of the part that it is kept for.
package persist

import (
	"errors"
	"fmt"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/dialogue"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/store"
)

// Archive keeps the coordinator's traces and sessions.
type Archive struct {
	traces   *store.Bucket[*coordinator.Trace]
	turns    *store.Bucket[turn] // the same, of which a list reads only so much
	sessions *store.Bucket[session]
	said     *store.Pieces[coordinator.Exchange] // in a session
	store    *store.Store
}

const tracesBucket = "traces"

// session is what is kept of a session beside its exchanges, so that a turn writes one of those and not all.
type session struct {
	ID        string          `json:"id"`
	Exchanges int             `json:"exchanges"`
	Last      time.Time       `json:"last,omitzero"` // when something was said last
	Text      string          `json:"text,omitempty"`
	Dialogue  *dialogue.State `json:"dialogue,omitempty"`
	// History is what was said as an earlier version kept it; here until more is said.
	History []coordinator.Exchange `json:"history,omitempty"`
}

// NewArchive returns the archive of a store, which keeps as much as keep says.
func NewArchive(s *store.Store, keep store.Keep) *Archive {
	sessions := store.NewBucket[session](s, "sessions", keep)
	return &Archive{
		traces:   store.NewBucket[*coordinator.Trace](s, tracesBucket, keep),
		turns:    store.NewBucket[turn](s, tracesBucket, keep),
		sessions: sessions,
		said:     store.NewPieces[coordinator.Exchange](sessions, "exchanges"),
		store:    s,
	}
}

// SaveTurn implements coordinator.Store: with one sync. What of the two cannot be kept does not take the other with it.
func (a *Archive) SaveTurn(t *coordinator.Trace, s *coordinator.Session) error {
	turn, badTurn := a.traces.Document(t.ID, t)
	fresh, badSession := a.documents(s)
	return errors.Join(badTurn, badSession, a.store.Put(append(fresh, turn)...))
}

// documents are what is new of a session. An exchange that cannot be kept does not take the others with it.
func (a *Archive) documents(s *coordinator.Session) (fresh []store.Document, bad error) {
	if s == nil {
		return nil, nil
	}
	own := session{ID: s.ID, Exchanges: len(s.History), Dialogue: s.Dialogue}
	if n := len(s.History); n > 0 {
		own.Last, own.Text = s.History[n-1].TS, s.History[n-1].Text
	}
	d, err := a.sessions.Document(s.ID, own)
	if err != nil {
		return nil, err // an exchange without its session would stay for ever
	}
	fresh = append(fresh, d)
	for _, n := range s.Unsaved {
		d, err := a.said.Document(s.ID, n, s.History[n-s.First])
		fresh, bad = append(fresh, d), errors.Join(bad, err)
	}
	for n := s.Oldest; n < s.First; n++ {
		fresh = append(fresh, a.said.Removal(s.ID, n))
	}
	return fresh, bad
}

// Trace implements command.Traces.
func (a *Archive) Trace(id string) (any, error) {
	if id != "" {
		t, found, err := find(a.traces, id)
		if err == nil && !found {
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

// Has reports whether a turn is kept.
func (a *Archive) Has(trace string) (bool, error) {
	_, found, err := find(a.turns, trace)
	return found, err
}

// SaveSession implements coordinator.Store.
func (a *Archive) SaveSession(s *coordinator.Session) error {
	fresh, bad := a.documents(s)
	return errors.Join(bad, a.store.Put(fresh...))
}

// LoadSession implements coordinator.Store.
func (a *Archive) LoadSession(id string) (coordinator.Session, bool, error) {
	own, found, err := find(a.sessions, id)
	if !found {
		return coordinator.Session{}, false, err
	}
	numbers, said, err := a.said.All(id)
	if err != nil {
		return coordinator.Session{}, false, err
	}
	s := coordinator.Session{ID: id, History: said, Dialogue: own.Dialogue}
	if n := len(numbers); n > 0 {
		s.First, s.Oldest = numbers[0], numbers[0]
		if last := numbers[n-1]; last-s.First >= uint64(n) { // some could not be kept: all get new numbers
			s.First = last + 1
			s.Unsaved = counted(s.First, n)
		}
	}
	// An earlier version kept its history in one piece: that is taken over with the next turn.
	s.Unsaved = append(s.Unsaved, counted(s.First+uint64(len(said)), len(own.History))...)
	s.History = append(s.History, own.History...)
	return s, true, nil
}

// counted are count numbers from first on.
func counted(first uint64, count int) (numbers []uint64) {
	for i := range count {
		numbers = append(numbers, first+uint64(i))
	}
	return numbers
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

// find returns a document and whether there is one. Nothing is kept under an ID that cannot be one.
func find[T any](b *store.Bucket[T], id string) (T, bool, error) {
	v, err := b.Get(id)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrBadID) {
		return v, false, nil
	}
	return v, err == nil, err
}

var (
	_ coordinator.Store = (*Archive)(nil)
	_ command.Traces    = (*Archive)(nil)
)
