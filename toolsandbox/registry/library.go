package registry

import (
	"errors"
	"fmt"
	"sync"
)

// Library is a Registry that is opened when it is first needed.
type Library struct {
	open func() (Settings, func() error, error)

	mu     sync.Mutex
	r      *Registry
	end    func() error // of the store
	closed bool
}

// NewLibrary returns a library. open gives the settings of its registry, and what closes their store.
func NewLibrary(open func() (Settings, func() error, error)) *Library { return &Library{open: open} }

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
	set, end, err := l.open()
	if err != nil {
		return nil, err
	}
	r, err := Open(set)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	l.r, l.end = r, end
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

// Close closes the registry and its store.
func (l *Library) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.r == nil {
		return nil
	}
	err := errors.Join(l.r.Close(), l.end())
	l.r = nil
	return err
}
