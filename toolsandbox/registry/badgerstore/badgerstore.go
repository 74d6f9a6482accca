// Package badgerstore keeps a registry's values in a badger directory with little memory.
package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Store is a registry.Store in a badger directory. What Apply acknowledged survives kill -9 and a power cut.
type Store struct {
	db      *badger.DB
	closing sync.RWMutex // held for reading by everybody who uses db
	closed  bool
}

// Open opens the directory, which one process at a time can, and makes it if need be.
func Open(dir string) (s *Store, err error) {
	defer func() {
		if p := recover(); p != nil { // badger panics at some kinds of damage
			s, err = nil, fmt.Errorf("open store %s: %w: %v", dir, registry.ErrDamaged, p)
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db, err := badger.Open(badger.DefaultOptions(dir).
		WithSyncWrites(true).
		WithMemTableSize(8 << 20).
		WithNumMemtables(1).
		WithValueLogFileSize(32 << 20).
		WithNumLevelZeroTables(2).
		WithNumLevelZeroTablesStall(6).
		WithNumCompactors(2).
		WithNumGoroutines(1).
		WithCompression(options.None). // so that no block cache is needed: the kernel caches the files
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithMetricsEnabled(false).
		WithDetectConflicts(false). // the registry has one writer at a time
		WithLogger(nil))
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	return &Store{db: db}, nil
}

// Close waits for those who use the store and closes it.
func (s *Store) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.db.Close()
}

func (s *Store) use(fn func() error) error {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed {
		return registry.ErrClosed
	}
	return fn()
}

// Get implements registry.Store.
func (s *Store) Get(key string) (value []byte, err error) {
	err = s.use(func() error {
		return s.db.View(func(t *badger.Txn) error {
			item, err := t.Get([]byte(key))
			if errors.Is(err, badger.ErrKeyNotFound) {
				return fmt.Errorf("key %q: %w", key, registry.ErrNotFound)
			}
			if err != nil {
				return fmt.Errorf("key %q: %w", key, err)
			}
			value, err = item.ValueCopy(nil)
			return err
		})
	})
	return value, err
}

// Apply implements registry.Store. All of ops together may have about 1 MiB.
func (s *Store) Apply(ops ...registry.Op) error {
	return s.use(func() error {
		return s.db.Update(func(t *badger.Txn) error {
			for _, o := range ops {
				var err error
				if o.Value == nil {
					err = t.Delete([]byte(o.Key))
				} else {
					err = t.Set([]byte(o.Key), o.Value)
				}
				if err != nil {
					return fmt.Errorf("key %q: %w", o.Key, err)
				}
			}
			return nil
		})
	})
}

// Scan implements registry.Store.
func (s *Store) Scan(prefix string, fn func(key string, value []byte) bool) error {
	return s.use(func() error {
		return s.db.View(func(t *badger.Txn) error {
			it := t.NewIterator(badger.IteratorOptions{PrefetchValues: true, PrefetchSize: 1, Prefix: []byte(prefix)})
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				more := true
				err := it.Item().Value(func(value []byte) error {
					more = fn(string(it.Item().Key()), value)
					return nil
				})
				if err != nil || !more {
					return err
				}
			}
			return nil
		})
	})
}

var _ registry.Store = (*Store)(nil)
