// Package memory keeps what people ask the robot to remember, session by session, and finds it again.
package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language"
)

// Limits of one session's memory.
const (
	MaxFacts   = 100
	MaxFact    = 300 // characters
	MaxSummary = 4000
	// maxOpen is how many sessions' memories are held at once; the store has all.
	maxOpen = 64
)

// Errors that callers branch on.
var (
	ErrFull  = errors.New("the memory of this session is full")
	ErrLong  = errors.New("this is too long to be remembered")
	ErrEmpty = errors.New("there is nothing to remember")
)

// Fact is something to remember, in the words of the person who said it: "my name is Anna".
type Fact struct {
	ID   int       `json:"id"` // rises within the session, never given twice
	TS   time.Time `json:"ts"`
	Text string    `json:"text"`
}

// Memory is what is kept of one session beside its history.
type Memory struct {
	Session string `json:"session"`
	Facts   []Fact `json:"facts"`
	Last    int    `json:"last"` // the last ID that was given
	// Summary is what was said up to the turn SummaryTo, where the history is too long for a language model.
	Summary   string `json:"summary,omitempty"`
	SummaryTo string `json:"summary_to,omitempty"` // the trace's id

	wiped int // how often everything was forgotten while this process lives
}

// Store keeps memories over a restart.
type Store interface {
	SaveMemory(m Memory) error
	// LoadMemory returns the memory of a session and whether there is one.
	LoadMemory(session string) (Memory, bool, error)
	DeleteMemory(session string) error
}

// Memories are those of all sessions. Its methods may be called by many goroutines at once.
type Memories struct {
	store Store
	now   func() time.Time

	mu    sync.Mutex
	open  map[string]*Memory
	order []string // of use, the latest last
}

// New returns the memories in a store; nil keeps them only while the process lives. now is time.Now when nil.
func New(s Store, now func() time.Time) *Memories {
	if now == nil {
		now = time.Now
	}
	return &Memories{store: s, now: now, open: map[string]*Memory{}}
}

// Of returns a copy of a session's memory.
func (a *Memories) Of(session string) (Memory, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, err := a.get(session)
	if err != nil {
		return Memory{Session: session}, err
	}
	c := *m
	c.Facts = slices.Clone(m.Facts)
	return c, nil
}

// Remember keeps a fact; one that is known already is only made the newest. It is on the disk when Remember returns.
func (a *Memories) Remember(session, text string) (Fact, error) {
	text = strings.Join(strings.Fields(text), " ")
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return Fact{}, ErrEmpty
	case n > MaxFact:
		return Fact{}, fmt.Errorf("%w: %d characters, at most %d", ErrLong, n, MaxFact)
	}
	var f Fact
	err := a.change(session, func(m *Memory) error {
		f = Fact{ID: m.Last + 1, TS: a.now().UTC(), Text: text}
		m.Facts = slices.DeleteFunc(m.Facts, func(old Fact) bool { return replaces(text, old.Text) })
		if len(m.Facts) >= MaxFacts {
			return fmt.Errorf("%w: %d facts; tell me to forget some", ErrFull, MaxFacts)
		}
		m.Facts, m.Last = append(m.Facts, f), f.ID
		return nil
	})
	return f, err
}

// Forget removes the facts that have to do with what, all when it is empty, and returns them.
func (a *Memories) Forget(session, what string) (gone []Fact, err error) {
	err = a.change(session, func(m *Memory) error {
		doomed := m.Facts
		if what != "" {
			doomed = about(m.Facts, what)
		}
		gone = slices.Clone(doomed)
		m.Facts = slices.DeleteFunc(m.Facts, func(f Fact) bool {
			return slices.ContainsFunc(gone, func(g Fact) bool { return g.ID == f.ID })
		})
		if what == "" {
			m.Summary = ""
			m.wiped++
		}
		return nil
	})
	return gone, err
}

// Drop removes all that is kept of a session.
func (a *Memories) Drop(session string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, err := a.get(session)
	if err != nil {
		return err
	}
	if a.store != nil {
		if err := a.store.DeleteMemory(session); err != nil {
			return fmt.Errorf("delete the memory of session %s: %w", session, err)
		}
	}
	*m = Memory{Session: session, Facts: []Fact{}, wiped: m.wiped + 1}
	return nil
}

// Recall returns the facts that have to do with what, the best first.
func (a *Memories) Recall(session, what string) ([]Fact, error) {
	m, err := a.Of(session)
	if err != nil || what == "" {
		return m.Facts, err
	}
	return about(m.Facts, what), nil
}

// Told are the words of a question of which each stands in one fact of a session; empty where no fact has them all.
func (a *Memories) Told(session string, u *language.Utterance) string {
	what := Asked(u)
	asked := strings.Fields(what)
	m, err := a.Of(session)
	if len(asked) == 0 || err != nil {
		return ""
	}
	for _, f := range m.Facts {
		known := keywords(f.Text)
		if !slices.ContainsFunc(asked, func(w string) bool { return !slices.Contains(known, w) }) {
			return what
		}
	}
	return ""
}

// ToldWhere reports whether the words of a question are about a thing, or somebody, of whom a fact tells: "where's the ladder at".
func ToldWhere(u *language.Utterance) bool { return frames.Rule("of-one").Find(u.Said) != nil }

// Summarise keeps a summary of what was said up to a turn. since is the memory as it was when the summary was begun: where
// everything was forgotten meanwhile, the summary is too.
func (a *Memories) Summarise(since Memory, summary, upTo string) error {
	if r := []rune(summary); len(r) > MaxSummary {
		summary = string(r[:MaxSummary])
	}
	return a.change(since.Session, func(m *Memory) error {
		if m.wiped == since.wiped {
			m.Summary, m.SummaryTo = summary, upTo
		}
		return nil
	})
}

// change changes a memory and stores it; a change that fails, or cannot be stored, has not happened.
func (a *Memories) change(session string, f func(*Memory) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, err := a.get(session)
	if err != nil {
		return err
	}
	changed := *m
	changed.Facts = slices.Clone(m.Facts)
	if err := f(&changed); err != nil {
		return err
	}
	if a.store != nil {
		if err := a.store.SaveMemory(changed); err != nil {
			return fmt.Errorf("keep the memory of session %s: %w", session, err)
		}
	}
	*m = changed
	return nil
}

func (a *Memories) get(session string) (*Memory, error) {
	a.order = append(slices.DeleteFunc(a.order, func(s string) bool { return s == session }), session)
	if m, ok := a.open[session]; ok {
		return m, nil
	}
	m := &Memory{Session: session, Facts: []Fact{}}
	if a.store != nil {
		kept, found, err := a.store.LoadMemory(session)
		if err != nil {
			return nil, fmt.Errorf("read the memory of session %s: %w", session, err)
		}
		if found {
			*m = kept
		}
		for len(a.open) >= maxOpen {
			delete(a.open, a.order[0])
			a.order = a.order[1:]
		}
	}
	a.open[session] = m
	return m, nil
}
