// Package places remembers where things were seen: in which direction, when, and by which detector. It is bounded, and
// kept over a restart where there is a store.
package places

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/perception/scene"
)

const (
	// MaxThings is how many things have a place; the one that was seen longest ago is forgotten first.
	MaxThings = 64
	// moved is how far a thing must have moved to be stored anew, degrees.
	moved = 4.0
	// refresh is the age from which a sighting is stored anew although the thing has not moved.
	refresh = time.Minute
	// maxName is the longest name that is remembered, bytes.
	maxName = 100
)

// Sighting is a thing, where it was seen and when.
type Sighting struct {
	tools.Detection
	At time.Time `json:"at"`
}

// Store keeps sightings over a restart.
type Store interface {
	// SavePlaces replaces what was kept.
	SavePlaces(all []Sighting) error
	// LoadPlaces returns what is kept.
	LoadPlaces() ([]Sighting, error)
}

// Memory is the places of things. Its methods may be called by many goroutines.
type Memory struct {
	store  Store
	now    func() time.Time
	failed func(error)

	mu   sync.Mutex
	seen []Sighting // one of each name, in no order
	kept []Sighting // as the store has them
}

// New returns the memory that a store keeps. store nil keeps nothing, now nil is time.Now, failed, told what could not be
// kept or read, may be nil.
func New(store Store, now func() time.Time, failed func(error)) *Memory {
	if now == nil {
		now = time.Now
	}
	if failed == nil {
		failed = func(error) {}
	}
	m := &Memory{store: store, now: now, failed: failed}
	if store == nil {
		return m
	}
	all, err := store.LoadPlaces()
	if err != nil {
		failed(fmt.Errorf("places of things: %w", err))
	}
	for _, s := range all {
		m.put(s)
	}
	m.kept = slices.Clone(m.seen)
	return m
}

// wanders are names of what is never where it was seen.
var wanders = map[string]bool{scene.Motion: true, scene.Face: true}

// Saw implements tools.Places: of several things of a name the surest counts.
func (m *Memory) Saw(found []tools.Detection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	best := map[string]tools.Detection{}
	for _, d := range found {
		if old, known := best[d.Name]; !known || d.Score > old.Score {
			best[d.Name] = d
		}
	}
	for _, d := range best {
		m.put(Sighting{d, now})
	}
	m.save()
}

// put adds a sighting, if it can be used; m.mu is held.
func (m *Memory) put(s Sighting) {
	if s.Name == "" || len(s.Name) > maxName || wanders[s.Name] || !finite(s.Yaw) || !finite(s.Pitch) {
		return
	}
	m.drop(s.Name)
	m.seen = append(m.seen, s)
	if len(m.seen) > MaxThings {
		oldest := slices.MinFunc(m.seen, func(a, b Sighting) int { return a.At.Compare(b.At) })
		m.drop(oldest.Name)
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// drop removes the sighting of a name; m.mu is held.
func (m *Memory) drop(name string) {
	m.seen = slices.DeleteFunc(m.seen, func(s Sighting) bool { return s.Name == name })
}

// Last implements tools.Places.
func (m *Memory) Last(name string) (d tools.Detection, ago time.Duration, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.seen {
		if s.Name == name || s.Name == scene.Thing(name) {
			return s.Detection, max(0, m.now().Sub(s.At)), true
		}
	}
	return tools.Detection{}, 0, false
}

// Forget implements tools.Places.
func (m *Memory) Forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(name)
	m.drop(scene.Thing(name))
	m.save()
}

// All returns what is remembered, the newest first.
func (m *Memory) All() []Sighting {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sorted()
}

func (m *Memory) sorted() []Sighting {
	all := slices.Clone(m.seen)
	slices.SortFunc(all, func(a, b Sighting) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Name, b.Name)) })
	return all
}

// save gives the store what has changed so much that a restart would tell; m.mu is held.
func (m *Memory) save() {
	if m.store == nil || !m.changed() {
		return
	}
	all := m.sorted()
	if err := m.store.SavePlaces(all); err != nil {
		m.failed(fmt.Errorf("places of things: %w", err))
		return
	}
	m.kept = all
}

func (m *Memory) changed() bool {
	if len(m.seen) != len(m.kept) {
		return true
	}
	for _, s := range m.seen {
		i := slices.IndexFunc(m.kept, func(k Sighting) bool { return k.Name == s.Name })
		if i < 0 {
			return true
		}
		k := m.kept[i]
		if s.At.Sub(k.At) >= refresh || math.Abs(math.Remainder(s.Yaw-k.Yaw, 360)) > moved || math.Abs(s.Pitch-k.Pitch) > moved {
			return true
		}
	}
	return false
}

var _ tools.Places = (*Memory)(nil)
