package persist

import (
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Tools is the registry.Store of the tools that people wrote. What Apply acknowledged survives kill -9 and a power cut. It is closed with the daemon's store.
type Tools struct{ space *store.Space }

// OpenTools takes over the tools that an earlier version kept in a database of their own in formerDir.
func OpenTools(s *store.Store, formerDir string) (*Tools, error) {
	space := store.NewSpace(s, "tools")
	if err := space.Adopt(formerDir); err != nil {
		return nil, fmt.Errorf("self-made tools: %w", err)
	}
	return &Tools{space}, nil
}

// Get implements registry.Store.
func (t *Tools) Get(key string) ([]byte, error) {
	value, err := t.space.Get(key)
	return value, translate(err)
}

// Apply implements registry.Store. All of ops together may have store.MaxChange bytes.
func (t *Tools) Apply(ops ...registry.Op) error {
	changes := make([]store.Change, len(ops))
	for i, o := range ops {
		changes[i] = store.Change(o)
	}
	return translate(t.space.Apply(changes...))
}

// Scan implements registry.Store.
func (t *Tools) Scan(prefix string, fn func(key string, value []byte) bool) error {
	return translate(t.space.Scan(prefix, fn))
}

// translate makes errors of the store those that the registry branches on.
func translate(err error) error {
	for ours, theirs := range map[error]error{
		store.ErrNotFound: registry.ErrNotFound, store.ErrClosed: registry.ErrClosed, store.ErrDamaged: registry.ErrDamaged,
	} {
		if errors.Is(err, ours) {
			return fmt.Errorf("%w: %w", theirs, err)
		}
	}
	return err
}

var _ registry.Store = (*Tools)(nil)
