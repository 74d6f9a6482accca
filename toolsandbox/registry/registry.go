// Package registry keeps the tools that the robot made for itself: named, versioned, checked before they are stored,
// and on the disk before they are acknowledged.
//
// A version, once stored, never changes and its number is never given again. What changes is which version of a tool
// is active. Readers work on a snapshot and wait for nobody; writers of one tool wait for each other.
package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of what can be registered.
const (
	MaxSource   = 64 << 10  // bytes of source of one version
	MaxCases    = 256 << 10 // bytes of test cases of one version
	MaxVersions = 1000      // versions of one tool
	MaxTools    = 500       // tools
	MaxDepth    = 4         // tools in the longest chain of calls: a tool that calls none has depth 1
	MaxUses     = 16        // tools that one tool calls itself
	MaxNotes    = 32        // notes on one version
	MaxHistory  = 64        // activations that are remembered of one tool
	MaxText     = 16 << 10  // bytes of each of author, model, prompt, licence and the text of a note
	maxRecord   = 512 << 10 // bytes of one version as it is stored
)

// Errors that callers branch on.
var (
	ErrNotFound    = errors.New("not found")
	ErrClosed      = errors.New("the registry is closed")
	ErrDamaged     = errors.New("the stored tool is damaged")
	ErrUnavailable = errors.New("the sandbox is not available") // nothing can be checked or tested now
	ErrNotApproved = errors.New("the version waits for review")
	ErrUntested    = errors.New("the version was never tested")
	ErrRejected    = errors.New("the version was rejected")
)

// Clock is where the time comes from.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Settings are what a Registry is made of. Store must be given.
type Settings struct {
	Store Store
	Index Index // finds tools by meaning; NewLexical() when nil
	Clock Clock // the system's when nil
	// Reserved are names that no tool may have, besides those that are reserved anyway: those of the predefined tools.
	Reserved []string
	// Review makes every new version wait for Approve before it can become active.
	Review bool
	// Duplicate is the similarity, 0 to 1, from which a tool is refused as a near-duplicate of another. 0: 0.85.
	Duplicate float64
	// FlushEvery and FlushCalls bound what a crash takes of the counters of use: at most what was recorded in that
	// time, and at most that many calls. 0: 10 s and 1000 calls.
	FlushEvery time.Duration
	FlushCalls int
}

// Registry is a set of tools. Its methods may be called from many goroutines.
type Registry struct {
	set   Settings
	state atomic.Pointer[snapshot]

	changing Holds      // by name, while somebody registers or changes the tool
	commit   sync.Mutex // held from the last look at the state to its replacement
	broken   error      // why nothing may be written any more; under commit
	usage    counters

	stop   chan struct{}
	closed atomic.Bool
	done   sync.WaitGroup
	once   sync.Once
	err    error // of Close
}

// snapshot is all tools at one moment. It is never changed.
type snapshot struct{ tools map[string]*entry }

// entry is what is held in memory of one tool. It is never changed.
type entry struct {
	head    Head
	current *Version // the active version, or else the latest
	sketch  sketch   // of current
}

// Head is what can change of a tool.
type Head struct {
	Name    string       `json:"name"`
	Latest  int          `json:"latest"`            // number of the newest version
	Active  int          `json:"active,omitempty"`  // number of the active version, 0 when there is none
	Pending []int        `json:"pending,omitempty"` // that wait for review
	Digests []string     `json:"digests"`           // of versions 1, 2, …
	History []Activation `json:"history,omitempty"`
	// Verdicts of those who reviewed, by the number of the version.
	Verdicts map[int]Verdict `json:"verdicts,omitempty"`
	// Notes that were made after a version was stored, by its number.
	Notes map[int][]Note `json:"notes,omitempty"`
}

// Activation is one change of the active version.
type Activation struct {
	Version int       `json:"version"` // 0: deactivated
	At      time.Time `json:"at"`
	By      string    `json:"by,omitempty"`
}

// Open reads the tools of a store. The caller closes the store after the registry.
func Open(s Settings) (*Registry, error) {
	switch {
	case s.Store == nil:
		return nil, errors.New("open registry: the store must be given")
	case s.Duplicate < 0 || s.Duplicate > 1:
		return nil, fmt.Errorf("open registry: duplicate: %v, allowed 0 to 1", s.Duplicate)
	case s.FlushEvery < 0 || s.FlushCalls < 0:
		return nil, fmt.Errorf("open registry: flush every %v or %d calls, allowed 0 and more", s.FlushEvery, s.FlushCalls)
	}
	s.Duplicate = cmp.Or(s.Duplicate, 0.85)
	s.FlushEvery = cmp.Or(s.FlushEvery, 10*time.Second)
	s.FlushCalls = cmp.Or(s.FlushCalls, 1000)
	if s.Index == nil {
		s.Index = NewLexical()
	}
	if s.Clock == nil {
		s.Clock = systemClock{}
	}
	r := &Registry{set: s, stop: make(chan struct{})}
	if err := r.load(); err != nil {
		return nil, fmt.Errorf("open registry: %w", err)
	}
	r.done.Go(r.flushing)
	return r, nil
}

// Close stores the counters and ends the registry. Registrations that run are refused at their end.
func (r *Registry) Close() error {
	r.once.Do(func() {
		r.closed.Store(true)
		close(r.stop)
		r.done.Wait()
		r.commit.Lock() // whoever is storing a version finishes first
		defer r.commit.Unlock()
		r.err = r.flush()
	})
	return r.err
}

func (r *Registry) load() error {
	if err := unstage(r.set.Store); err != nil {
		return err
	}
	next := &snapshot{tools: map[string]*entry{}}
	var names []string
	err := r.set.Store.Scan(headPrefix, func(key string, _ []byte) bool {
		names = append(names, key[len(headPrefix):])
		return true
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		e, err := r.read(name)
		if err != nil {
			return err
		}
		next.tools[name] = e
		r.set.Index.Put(e.document())
	}
	r.state.Store(next)
	return r.usage.load(r.set.Store)
}

// read makes the entry of a tool from what is stored, nil when there is none.
func (r *Registry) read(name string) (*entry, error) {
	value, err := r.set.Store.Get(headPrefix + name)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	var e entry
	if err == nil {
		err = unseal(value, &e.head)
	}
	if err == nil {
		err = e.head.check(name)
	}
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", name, err)
	}
	if e.current, err = r.stored(&e.head, e.head.currentNumber()); err != nil {
		return nil, err
	}
	e.sketch = sketchOf(e.current.Source, e.current.Schema)
	return &e, nil
}

func (h *Head) check(name string) error {
	if h.Name != name || h.Latest < 1 || h.Active < 0 || h.Active > h.Latest || len(h.Digests) != h.Latest {
		return fmt.Errorf("%w: head of %q with latest %d, active %d, %d digests", ErrDamaged, h.Name, h.Latest, h.Active, len(h.Digests))
	}
	return nil
}

// Annotated is a version with the notes that were made since it was stored, the latest MaxNotes of all.
func (h *Head) Annotated(v *Version) *Version {
	if len(h.Notes[v.Number]) == 0 {
		return v
	}
	annotated := *v
	annotated.Notes = slices.Concat(v.Notes, h.Notes[v.Number])
	annotated.Notes = annotated.Notes[max(0, len(annotated.Notes)-MaxNotes):]
	return &annotated
}

func (h *Head) currentNumber() int { return cmp.Or(h.Active, h.Latest) }

func (h *Head) clone() Head {
	c := *h
	c.Pending, c.Digests, c.History = slices.Clone(h.Pending), slices.Clone(h.Digests), slices.Clone(h.History)
	c.Verdicts = maps.Clone(h.Verdicts)
	c.Notes = make(map[int][]Note, len(h.Notes))
	for n, notes := range h.Notes {
		c.Notes[n] = slices.Clone(notes)
	}
	return c
}

// stored reads one version and checks that it is the one that was acknowledged.
func (r *Registry) stored(h *Head, number int) (*Version, error) {
	value, err := r.set.Store.Get(versionKey(h.Name, number))
	if errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("%w: it is missing", ErrDamaged)
	}
	var v Version
	if err == nil {
		err = unseal(value, &v)
	}
	if err == nil && (v.Name != h.Name || v.Number != number || v.Digest != h.Digests[number-1]) {
		err = fmt.Errorf("%w: what is stored there is %s v%d %.12s", ErrDamaged, v.Name, v.Number, v.Digest)
	}
	if err != nil {
		return nil, fmt.Errorf("tool %s v%d: %w", h.Name, number, err)
	}
	return &v, nil
}

func (r *Registry) entry(name string) (*entry, error) {
	if e := r.state.Load().tools[name]; e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("tool %.80q: %w", name, ErrNotFound)
}

// List returns the heads of all tools by name.
func (r *Registry) List() []Head {
	tools := r.state.Load().tools
	heads := make([]Head, 0, len(tools))
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		heads = append(heads, tools[name].head.clone())
	}
	return heads
}

// Head returns what can change of one tool.
func (r *Registry) Head(name string) (Head, error) {
	e, err := r.entry(name)
	if err != nil {
		return Head{}, err
	}
	return e.head.clone(), nil
}

// Active returns the active version of a tool. Nobody may change it. The error wraps ErrNotFound when there is none.
func (r *Registry) Active(name string) (*Version, error) {
	e, err := r.entry(name)
	if err != nil {
		return nil, err
	}
	if e.head.Active == 0 {
		return nil, fmt.Errorf("active version of tool %s: %w: it was deactivated or waits for review", name, ErrNotFound)
	}
	return e.current, nil
}

// Version returns one version of a tool; nobody may change it. Number 0 is the active one, or else the latest.
func (r *Registry) Version(name string, number int) (*Version, error) {
	e, err := r.entry(name)
	if err != nil {
		return nil, err
	}
	return r.versionOf(e, number)
}

func (r *Registry) versionOf(e *entry, number int) (*Version, error) {
	if number == 0 || number == e.current.Number {
		return e.current, nil
	}
	if number < 0 || number > e.head.Latest {
		return nil, fmt.Errorf("tool %s v%d: %w: it has v1 to v%d", e.head.Name, number, ErrNotFound, e.head.Latest)
	}
	return r.stored(&e.head, number)
}

// hold waits until nobody else changes the tool of that name, and returns what lets others change it again.
func (r *Registry) hold(ctx context.Context, name string) (func(), error) {
	return r.changing.Hold(ctx, r.stop, name)
}

// publish makes entries visible to readers. The caller holds commit.
func (r *Registry) publish(entries ...*entry) {
	next := &snapshot{tools: maps.Clone(r.state.Load().tools)}
	for _, e := range entries {
		next.tools[e.head.Name] = e
	}
	r.state.Store(next)
	for _, e := range entries {
		r.set.Index.Put(e.document())
	}
}

// apply stores ops. When that fails nobody knows what is on the disk, so the tools are read anew: what is there is
// whole, and its numbers are not given again. The caller holds commit.
func (r *Registry) apply(names []string, ops ...Op) error {
	if r.closed.Load() {
		return ErrClosed
	}
	if r.broken != nil {
		return r.broken
	}
	err := r.set.Store.Apply(ops...)
	if err == nil {
		return nil
	}
	for _, name := range names {
		e, bad := r.read(name)
		if bad != nil {
			err = errors.Join(err, bad)
		} else if e != nil {
			r.publish(e)
		}
	}
	return fmt.Errorf("store: %w", err)
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }
