package registry

import (
	"fmt"
	"sync"
)

// Library is a Registry that is opened when it is first needed.
type Library struct {
	set Settings

	mu     sync.Mutex
	r      *Registry
	closed bool
}

// NewLibrary returns a library whose registry has these settings.
func NewLibrary(set Settings) *Library { return &Library{set: set} }

// Open returns the registry, which is opened if need be. The error is ErrClosed after Close.
func (l *Library) Open() (*Registry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	if l.r != nil {
		return l.r, nil
	}
	r, err := Open(l.set)
	if err != nil {
		return nil, err
	}
	l.r = r
	return r, nil
}

// Opened returns the registry, nil as long as nobody needed it.
func (l *Library) Opened() *Registry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r
}

// Version returns a version of a tool; number 0 is the active or else the latest one. The error wraps ErrNotFound.
func (l *Library) Version(name string, number int) (*Version, error) {
	r := l.Opened()
	if r == nil {
		return nil, fmt.Errorf("tool %.80q: %w", name, ErrNotFound)
	}
	return r.Version(name, number)
}

// Head returns what can change of a tool. The error wraps ErrNotFound.
func (l *Library) Head(name string) (Head, error) {
	r := l.Opened()
	if r == nil {
		return Head{}, fmt.Errorf("tool %.80q: %w", name, ErrNotFound)
	}
	return r.Head(name)
}

// Close closes the registry, but not its store.
func (l *Library) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.r == nil {
		return nil
	}
	err := l.r.Close()
	l.r = nil
	return err
}
