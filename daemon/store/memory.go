package store

import (
	"bytes"
	"slices"
	"sort"
	"sync"
)

// memory is an engine in a sorted slice.
type memory struct {
	mu      sync.RWMutex
	entries []op
	closed  bool
}

func newMemory() *memory { return &memory{} }

func (m *memory) find(key []byte) (int, bool) {
	i := sort.Search(len(m.entries), func(i int) bool { return bytes.Compare(m.entries[i].key, key) >= 0 })
	return i, i < len(m.entries) && bytes.Equal(m.entries[i].key, key)
}

func (m *memory) get(key []byte) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	if i, ok := m.find(key); ok {
		return slices.Clone(m.entries[i].value), nil
	}
	return nil, ErrNotFound
}

func (m *memory) apply(ops []op, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	for _, o := range ops {
		i, ok := m.find(o.key)
		switch {
		case o.value == nil && ok:
			m.entries = slices.Delete(m.entries, i, i+1)
		case o.value == nil:
		case ok:
			m.entries[i].value = slices.Clone(o.value)
		default:
			m.entries = slices.Insert(m.entries, i, op{slices.Clone(o.key), slices.Clone(o.value)})
		}
	}
	return nil
}

func (m *memory) scan(r span, fn func(key, value []byte) bool) error {
	m.mu.RLock()
	if m.closed {
		m.mu.RUnlock()
		return ErrClosed
	}
	low, _ := m.find(r.from)
	high, _ := m.find(r.to)
	found := slices.Clone(m.entries[low:max(low, high)])
	m.mu.RUnlock()
	if r.backward {
		slices.Reverse(found)
	}
	for _, e := range found {
		value := e.value
		if !r.values {
			value = nil
		}
		if !fn(e.key, value) {
			return nil
		}
	}
	return nil
}

func (*memory) check(Options) (bool, error) { return false, nil }

func (m *memory) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed, m.entries = true, nil
	return nil
}

var _ engine = (*memory)(nil)
