// Package faces remembers whose faces are whose: numbers by which a face is told from others, under the name of the person, never a
// picture. It is bounded, and kept over a restart where there is a store.
package faces

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/recognize"
)

const (
	// MaxPeople is how many people have a face.
	MaxPeople = 100
	// MaxSamples is how many samples of a person's face are kept; the oldest make room.
	MaxSamples = 20
	// MaxName is the longest name, characters.
	MaxName = catalog.MaxPerson
	// maxBytes is what a store takes of it.
	maxBytes = 120
)

// Errors that callers branch on.
var (
	ErrFull    = errors.New("the memory for faces is full")
	ErrName    = errors.New("the name cannot be used")
	ErrSamples = errors.New("there is nothing to tell the face by")
)

// Person is what is kept of somebody's face.
type Person struct {
	Name    string                 `json:"name"`
	At      time.Time              `json:"at"` // of the newest sample
	Samples []recognize.Descriptor `json:"samples"`
}

// Store keeps faces over a restart.
type Store interface {
	SaveFace(p Person) error
	DeleteFace(name string) error
	LoadFaces() ([]Person, error)
}

// Memory is the faces that are known. Its methods may be called by many goroutines.
type Memory struct {
	store Store
	now   func() time.Time

	mu     sync.Mutex
	people []Person // sorted by name
}

// New returns the memory that a store keeps. store nil keeps nothing, now nil is time.Now; failed, told what could not be read, may be nil.
func New(store Store, now func() time.Time, failed func(error)) *Memory {
	if now == nil {
		now = time.Now
	}
	m := &Memory{store: store, now: now}
	if store == nil {
		return m
	}
	all, err := store.LoadFaces()
	if err != nil && failed != nil {
		failed(fmt.Errorf("faces: %w", err))
	}
	for _, p := range all {
		p.Samples = usable(p.Samples)
		if m.at(p.Name) < 0 && len(p.Samples) > 0 && len(m.people) < MaxPeople {
			m.put(p)
		}
	}
	return m
}

// usable are the newest of the samples that are some.
func usable(all []recognize.Descriptor) []recognize.Descriptor {
	all = slices.DeleteFunc(slices.Clone(all), func(d recognize.Descriptor) bool { return d.Check() != nil })
	return all[max(0, len(all)-MaxSamples):]
}

// at is the place of a person; −1 for one who is not known. m.mu is held.
func (m *Memory) at(name string) int {
	return slices.IndexFunc(m.people, func(p Person) bool { return strings.EqualFold(p.Name, name) })
}

func (m *Memory) put(p Person) {
	m.people = append(m.people, p)
	slices.SortFunc(m.people, func(a, b Person) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
}

// Learn implements tools.Faces: it adds samples to those of a person. They are on the disk when it returns.
func (m *Memory) Learn(name string, samples []recognize.Descriptor) error {
	name = strings.Join(strings.Fields(name), " ")
	n := utf8.RuneCountInString(name)
	if n == 0 || n > MaxName || len(name) > maxBytes || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%w: %d characters; allowed are 1 to %d", ErrName, n, MaxName)
	}
	if samples = usable(samples); len(samples) == 0 {
		return ErrSamples
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := Person{Name: name}
	i := m.at(name)
	switch {
	case i >= 0:
		p = m.people[i]
	case len(m.people) >= MaxPeople:
		return fmt.Errorf("%w: %d people; tell me to forget some", ErrFull, MaxPeople)
	}
	p.Samples, p.At = usable(slices.Concat(p.Samples, samples)), m.now().UTC()
	if m.store != nil {
		if err := m.store.SaveFace(p); err != nil {
			return fmt.Errorf("keep the face: %w", err)
		}
	}
	if i >= 0 {
		m.people[i] = p
	} else {
		m.put(p)
	}
	return nil
}

// Who implements tools.Faces.
func (m *Memory) Who(d recognize.Descriptor) recognize.Verdict {
	m.mu.Lock()
	people := make([]recognize.Person, len(m.people))
	for i, p := range m.people {
		people[i] = recognize.Person{Name: p.Name, Samples: p.Samples}
	}
	m.mu.Unlock()
	return recognize.Who(d, people)
}

// Forget implements tools.Faces: it forgets the face of a name, or with an empty one all, and returns whose they were.
func (m *Memory) Forget(name string) (gone []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.people) - 1; i >= 0; i-- {
		p := m.people[i]
		if name != "" && !strings.EqualFold(p.Name, strings.TrimSpace(name)) {
			continue
		}
		if m.store != nil {
			if err := m.store.DeleteFace(p.Name); err != nil {
				return gone, fmt.Errorf("forget the face of %s: %w", p.Name, err)
			}
		}
		m.people = slices.Delete(m.people, i, i+1)
		gone = append(gone, p.Name)
	}
	slices.Reverse(gone)
	return gone, nil
}

// All returns who is known, by name.
func (m *Memory) All() []Person {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.people)
}

var _ tools.Faces = (*Memory)(nil)
