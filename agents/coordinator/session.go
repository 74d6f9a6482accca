package coordinator

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/arbiter"
	"github.com/reachyd/reachyd/agents/dialogue"
)

// Session is a conversation as the store keeps it.
type Session struct {
	ID      string
	History []Exchange // oldest first
	// First is the number of the oldest exchange; each has that after the one before it.
	First uint64
	// Unsaved are the numbers of those that the store does not have as they are; it may have others, from Oldest on, that are forgotten.
	Unsaved []uint64
	Oldest  uint64
	// Dialogue is where the conversation is.
	Dialogue *dialogue.State
}

// Exchange is one sentence and its reply.
type Exchange struct {
	TS      time.Time `json:"ts"`
	Trace   string    `json:"trace"`
	Text    string    `json:"text"`
	Reply   string    `json:"reply"`
	Outcome Outcome   `json:"outcome"`
	Did     []string  `json:"did,omitempty"`   // the tools that did something
	Agent   string    `json:"agent,omitempty"` // who answered; empty where an earlier version kept it
	Wish    string    `json:"wish,omitempty"`  // what it asked for in passing, in the usual words
	Whole   string    `json:"whole,omitempty"` // the reply before somebody interrupted it, where it tells what was done
}

// Account is what the reply told of what was done, whether or not it was heard to its end.
func (e *Exchange) Account() string { return cmp.Or(e.Whole, e.Reply) }

// Read is what was said, in the words in which it was understood.
func (e *Exchange) Read() string { return cmp.Or(e.Wish, e.Text) }

var sessionID = regexp.MustCompile(`^[A-Za-z0-9_.:@-]{1,64}$`)

func validSession(id string) bool { return sessionID.MatchString(id) }

// sessions holds the sessions of late; the store has all.
type sessions struct {
	store  Store
	failed func(error)
	now    func() time.Time

	mu   sync.Mutex
	open map[string]*session
}

// session is a conversation in memory.
type session struct {
	turns arbiter.Gate // the turn that runs
	all   *sessions

	users int // guarded by all.mu, as used is
	used  time.Time

	mu      sync.Mutex
	id      string
	loaded  bool
	history []Exchange // only added to: others read it
	state   dialogue.State

	first, oldest uint64   // as in Session
	unsaved       []uint64 // as in Session
}

// get returns the session and keeps it in memory until release.
func (a *sessions) get(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, known := a.open[id]
	if !known {
		a.forget()
		s = &session{turns: arbiter.NewGate(), all: a, id: id}
		a.open[id] = s
	}
	s.users++
	s.used = a.now()
	return s
}

// forget drops the session that nobody has used for the longest time when there are too many.
func (a *sessions) forget() {
	if len(a.open) < maxSessions {
		return
	}
	var oldest *session
	for _, s := range a.open {
		if s.users == 0 && (oldest == nil || s.used.Before(oldest.used)) {
			oldest = s
		}
	}
	if oldest != nil {
		delete(a.open, oldest.id)
	}
}

func (s *session) release() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.users--
}

func (a *sessions) history(id string) []Exchange {
	s := a.get(id)
	defer s.release()
	return s.said()
}

// said returns what was said in the session. It is not changed by what is said later.
func (s *session) said() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	return slices.Clip(s.history)
}

// conversation returns where the conversation is.
func (s *session) conversation() dialogue.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	return s.state.Copy()
}

// change changes where the conversation of a session is; record keeps it.
func (a *sessions) change(id string, how func(*dialogue.State)) {
	s := a.get(id)
	defer s.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	how(&s.state)
}

// record adds a turn to its session's history, and to the store.
func (a *sessions) record(t *Trace) {
	s := a.get(t.Session)
	defer s.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	s.history = append(s.history, Exchange{TS: t.TS, Trace: t.ID, Text: t.Text, Reply: t.Reply, Outcome: t.Outcome, Did: t.did(), Agent: t.Agent(), Wish: t.wish})
	s.changed(len(s.history) - 1)
	if n := len(s.history) - MaxHistory; n > 0 {
		s.history = s.history[n:]
		s.first += uint64(n)
		s.unsaved = slices.DeleteFunc(s.unsaved, func(n uint64) bool { return n < s.first })
	}
	if err := s.save(func(kept *Session) error { return a.store.SaveTurn(t, kept) }); err != nil {
		a.failed(fmt.Errorf("save turn %s of session %s: %w", t.ID, s.id, err))
	}
}

// changed notes that the store does not have an exchange as it is.
func (s *session) changed(i int) {
	if n := s.first + uint64(i); !slices.Contains(s.unsaved, n) {
		s.unsaved = append(s.unsaved, n)
	}
}

// save keeps what the store does not have. Without knowing what it has, that is nothing: it might take the place of something else.
func (s *session) save(keep func(*Session) error) error {
	switch {
	case s.all.store == nil:
		return nil
	case !s.loaded:
		return keep(nil)
	}
	kept := Session{ID: s.id, History: s.history, First: s.first, Unsaved: s.unsaved, Oldest: s.oldest, Dialogue: &s.state}
	if err := keep(&kept); err != nil {
		return err
	}
	s.unsaved, s.oldest = nil, s.first
	return nil
}

// heard sets the reply of an exchange to what was heard of it.
func (a *sessions) heard(id, trace, text string) {
	s := a.get(id)
	defer s.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
	i := slices.IndexFunc(s.history, func(e Exchange) bool { return e.Trace == trace })
	if i < 0 {
		return
	}
	s.history = slices.Clone(s.history)
	if e := &s.history[i]; len(e.Did) > 0 {
		e.Whole = e.Account()
	}
	s.history[i].Reply = text
	s.changed(i)
	if err := s.save(a.store.SaveSession); err != nil {
		a.failed(fmt.Errorf("save session %s: %w", s.id, err))
	}
}

// drop removes what was said in the session, also from the store.
func (a *sessions) drop(id string) error {
	s := a.get(id)
	defer s.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.store != nil {
		if err := a.store.DeleteSession(id); err != nil {
			return fmt.Errorf("delete session %s: %w", id, err)
		}
	}
	s.history, s.state, s.loaded = nil, dialogue.State{}, true
	s.first, s.oldest, s.unsaved = 0, 0, nil
	return nil
}

// load reads what the store has of the session, once.
func (s *session) load() {
	if s.loaded || s.all.store == nil {
		return
	}
	kept, found, err := s.all.store.LoadSession(s.id)
	if err != nil {
		s.all.failed(fmt.Errorf("load session %s: %w", s.id, err))
		return
	}
	s.loaded = true
	if !found {
		return
	}
	// What was said while the store could not be read comes after what it has.
	shift := kept.First + uint64(len(kept.History))
	for i, n := range s.unsaved {
		s.unsaved[i] = n + shift
	}
	s.history, s.unsaved = append(kept.History, s.history...), append(kept.Unsaved, s.unsaved...)
	s.first, s.oldest = kept.First, kept.Oldest
	if kept.Dialogue != nil {
		s.state = *kept.Dialogue
	}
}
