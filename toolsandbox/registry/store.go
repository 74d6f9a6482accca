package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Store keeps values by key.
type Store interface {
	// Get returns the value of a key; the error wraps ErrNotFound when there is none.
	Get(key string) ([]byte, error)
	// Apply does all of ops or none. When it returns nil they are on the disk; when it fails, either may be true.
	Apply(ops ...Op) error
	// Scan calls fn with every key that begins with prefix, in order, until fn returns false. What fn is given is
	// valid only during the call.
	Scan(prefix string, fn func(key string, value []byte) bool) error
}

// Op is one change of a Store: put Value under Key, or delete Key when Value is nil.
type Op struct {
	Key   string
	Value []byte
}

// Keys of the store.
const (
	headPrefix    = "tool/head/"
	versionPrefix = "tool/version/"
	usagePrefix   = "tool/usage/"
	stagedKey     = "tool/staged" // keys that an import has written and not yet made visible
)

func versionKey(name string, number int) string {
	return fmt.Sprintf("%s%s/%06d", versionPrefix, name, number)
}

// seal writes v as JSON after its checksum.
func seal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return slices.Concat([]byte(hex.EncodeToString(sum[:])), []byte{'\n'}, text), nil
}

// unseal reads what seal wrote.
func unseal(value []byte, v any) error {
	sum, text, ok := bytes.Cut(value, []byte{'\n'})
	if !ok {
		return fmt.Errorf("%w: it is cut off", ErrDamaged)
	}
	if want := sha256.Sum256(text); string(sum) != hex.EncodeToString(want[:]) {
		return fmt.Errorf("%w: its checksum is wrong", ErrDamaged)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// stage notes that keys are about to be written which nothing refers to yet.
func stage(s Store, keys []string) error {
	value, err := seal(keys)
	if err != nil {
		return err
	}
	return s.Apply(Op{stagedKey, value})
}

// unstage deletes what an import left behind that did not come to its end.
func unstage(s Store) error {
	value, err := s.Get(stagedKey)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	var keys []string
	if err == nil {
		err = unseal(value, &keys)
	}
	if err != nil {
		return fmt.Errorf("unfinished import: %w", err)
	}
	ops := make([]Op, 0, len(keys)+1)
	for _, key := range keys {
		ops = append(ops, Op{Key: key})
	}
	return s.Apply(append(ops, Op{Key: stagedKey})...)
}

// Memory is a Store that is lost when the process ends.
type Memory struct {
	mu     sync.RWMutex
	values map[string][]byte
}

// NewMemory returns an empty store in memory.
func NewMemory() *Memory { return &Memory{values: map[string][]byte{}} }

// Get implements Store.
func (m *Memory) Get(key string) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	value, ok := m.values[key]
	if !ok {
		return nil, fmt.Errorf("key %q: %w", key, ErrNotFound)
	}
	return bytes.Clone(value), nil
}

// Apply implements Store.
func (m *Memory) Apply(ops ...Op) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range ops {
		if o.Value == nil {
			delete(m.values, o.Key)
		} else {
			m.values[o.Key] = bytes.Clone(o.Value)
		}
	}
	return nil
}

// Scan implements Store.
func (m *Memory) Scan(prefix string, fn func(key string, value []byte) bool) error {
	m.mu.RLock()
	found := maps.Clone(m.values)
	m.mu.RUnlock()
	maps.DeleteFunc(found, func(key string, _ []byte) bool { return !strings.HasPrefix(key, prefix) })
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if !fn(key, found[key]) {
			break
		}
	}
	return nil
}

var _ Store = (*Memory)(nil)
