package badgerstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/registry/badgerstore"
	"github.com/reachyd/reachyd/toolsandbox/registry/storetest"
)

func open(t *testing.T, dir string) *badgerstore.Store {
	t.Helper()
	s, err := badgerstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (registry.Store, func() registry.Store) {
		dir := t.TempDir()
		s := open(t, dir)
		return s, func() registry.Store {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			return open(t, dir)
		}
	})
}

func TestClosed(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(registry.Op{Key: "a", Value: []byte("b")}); !errors.Is(err, registry.ErrClosed) {
		t.Errorf("Apply: %v, want ErrClosed", err)
	}
	if _, err := s.Get("a"); !errors.Is(err, registry.ErrClosed) {
		t.Errorf("Get: %v, want ErrClosed", err)
	}
}

func TestTwoProcessesCannotShareADirectory(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	if s, err := badgerstore.Open(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened twice: %v, %v", s, err)
	}
}

// What is too large for one Apply is refused whole.
func TestTooMuchAtOnce(t *testing.T) {
	s := open(t, t.TempDir())
	ops := []registry.Op{{Key: "small", Value: []byte("x")}}
	for range 8 {
		ops = append(ops, registry.Op{Key: strings.Repeat("k", len(ops)), Value: make([]byte, 500<<10)})
	}
	if err := s.Apply(ops...); err == nil {
		t.Fatal("4 MB were applied at once")
	}
	if _, err := s.Get("small"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("a part of it was applied: %v", err)
	}
}
