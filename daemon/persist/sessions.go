package persist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/daemon/command"
)

// Turns is what Sessions needs of the coordinator.
type Turns interface {
	// History returns what was said in a session, oldest first.
	History(session string) []coordinator.Exchange
	// Forget removes what was said in a session, and its traces.
	Forget(session string) error
}

// Sessions shows people the conversations that are kept, and forgets them.
type Sessions struct {
	Turns    Turns
	Facts    *memory.Memories
	Archive  *Archive
	Memories *Memories
}

// maxListed is how many sessions are looked at for a list.
const maxListed = 1000

// List implements command.Sessions.
func (s *Sessions) List() ([]command.Session, error) {
	said, err := s.Archive.sessions.List("", maxListed)
	if err != nil {
		return nil, err
	}
	remembered, err := s.Memories.bucket.List("", maxListed)
	if err != nil {
		return nil, err
	}
	all := map[string]*command.Session{}
	for _, c := range said {
		e := &command.Session{ID: c.ID, Exchanges: c.Exchanges + len(c.History), Last: c.Last, Text: c.Text}
		if n := len(c.History); n > 0 { // of an earlier version
			e.Last, e.Text = c.History[n-1].TS, c.History[n-1].Text
		}
		all[c.ID] = e
	}
	for _, m := range remembered {
		e, known := all[m.Session]
		if !known {
			if len(m.Facts) == 0 {
				continue
			}
			e = &command.Session{ID: m.Session, Last: m.Facts[len(m.Facts)-1].TS}
			all[m.Session] = e
		}
		e.Facts = len(m.Facts)
	}
	list := make([]command.Session, 0, len(all))
	for _, e := range all {
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b command.Session) int {
		if c := b.Last.Compare(a.Last); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// conversation is a session with all that is kept of it.
type conversation struct {
	ID      string                 `json:"id"`
	History []coordinator.Exchange `json:"history"` // oldest first
	Facts   []memory.Fact          `json:"facts"`   // what the robot was asked to remember
	Summary string                 `json:"summary,omitempty"`
}

// Show implements command.Sessions.
func (s *Sessions) Show(id string) (any, error) {
	if id == "" {
		list, err := s.List()
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, &command.Error{Code: command.CodeInvalid, Message: "session: there is none yet; say something to the robot"}
		}
		id = list[0].ID
	}
	history := s.Turns.History(id)
	m, err := s.Facts.Of(id)
	if err != nil {
		return nil, err
	}
	if len(history) == 0 && len(m.Facts) == 0 {
		return nil, noSession(id)
	}
	return conversation{ID: id, History: history, Facts: m.Facts, Summary: m.Summary}, nil
}

// Forget implements command.Sessions.
func (s *Sessions) Forget(id string) (any, error) {
	m, err := s.Facts.Of(id)
	if err != nil {
		return nil, err
	}
	history := s.Turns.History(id)
	if len(history) == 0 && len(m.Facts) == 0 {
		return nil, noSession(id)
	}
	if err := s.Turns.Forget(id); err != nil {
		return nil, err
	}
	if err := s.Facts.Drop(id); err != nil {
		return nil, err
	}
	return map[string]any{"session": id, "exchanges": len(history), "facts": len(m.Facts)}, nil
}

func noSession(id string) error {
	return &command.Error{Code: command.CodeInvalid, Message: fmt.Sprintf("session: there is none with the id %.64q", id)}
}

var _ command.Sessions = (*Sessions)(nil)
