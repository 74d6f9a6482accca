// Package storetest is the conformance suite that every store of a registry passes.
package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// Run runs the suite. Each call of open gives an empty store, and a function that closes it and opens it again with
// what was in it.
func Run(t *testing.T, open func(t *testing.T) (s registry.Store, reopen func() registry.Store)) {
	t.Run("values", func(t *testing.T) { values(t, open) })
	t.Run("all or nothing", func(t *testing.T) { together(t, open) })
	t.Run("scan", func(t *testing.T) { scan(t, open) })
	t.Run("many at once", func(t *testing.T) { many(t, open) })
	t.Run("survives", func(t *testing.T) { survives(t, open) })
}

type opener = func(t *testing.T) (registry.Store, func() registry.Store)

func apply(t *testing.T, s registry.Store, ops ...registry.Op) {
	t.Helper()
	if err := s.Apply(ops...); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, s registry.Store, key, value string) {
	t.Helper()
	got, err := s.Get(key)
	switch {
	case value == "" && !errors.Is(err, registry.ErrNotFound):
		t.Errorf("%s: %q, %v; want ErrNotFound", key, got, err)
	case value != "" && (err != nil || string(got) != value):
		t.Errorf("%s: %q, %v; want %q", key, got, err, value)
	}
}

func put(key, value string) registry.Op { return registry.Op{Key: key, Value: []byte(value)} }

func values(t *testing.T, open opener) {
	s, _ := open(t)
	want(t, s, "a", "")
	value := []byte("first")
	apply(t, s, registry.Op{Key: "a", Value: value})
	copy(value, "XXXXX")
	want(t, s, "a", "first") // it has kept a copy
	got, _ := s.Get("a")
	copy(got, "XXXXX")
	want(t, s, "a", "first") // and gives copies
	apply(t, s, put("a", "second"))
	want(t, s, "a", "second")
	apply(t, s, registry.Op{Key: "a"}, registry.Op{Key: "never there"})
	want(t, s, "a", "")
	large := bytes.Repeat([]byte("x"), 600<<10) // more than a version may have
	apply(t, s, registry.Op{Key: "large", Value: large})
	want(t, s, "large", string(large))
}

// together: readers see all changes of an Apply or none.
func together(t *testing.T, open opener) {
	s, _ := open(t)
	apply(t, s, put("k/a", "0"), put("k/b", "0"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 {
			n := fmt.Sprint(i + 1)
			if err := s.Apply(put("k/a", n), put("k/b", n)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		var seen []string
		err := s.Scan("k/", func(_ string, value []byte) bool { seen = append(seen, string(value)); return true })
		if err != nil || len(seen) != 2 || seen[0] != seen[1] {
			t.Fatalf("%v, %v: half of an Apply was seen", seen, err)
		}
	}
	want(t, s, "k/a", "100")
}

func scan(t *testing.T, open opener) {
	s, _ := open(t)
	apply(t, s, put("b/2", "two"), put("b/1", "one"), put("a/1", "no"), put("b/3", "three"), put("c", "no"), put("b", "no"))
	var keys []string
	collect := func(stopAt int) []string {
		keys = nil
		err := s.Scan("b/", func(key string, value []byte) bool {
			keys = append(keys, key+"="+string(value))
			return len(keys) < stopAt
		})
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if got := collect(99); !slices.Equal(got, []string{"b/1=one", "b/2=two", "b/3=three"}) {
		t.Errorf("scanned %v", got)
	}
	if got := collect(2); !slices.Equal(got, []string{"b/1=one", "b/2=two"}) {
		t.Errorf("scanned %v after being told to stop", got)
	}
}

func many(t *testing.T, open opener) {
	s, _ := open(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				key := fmt.Sprintf("%d/%d", i, j)
				if err := s.Apply(put(key, key)); err != nil {
					t.Error(err)
				}
				want(t, s, key, key)
			}
		})
	}
	wg.Wait()
}

func survives(t *testing.T, open opener) {
	s, reopen := open(t)
	apply(t, s, put("a", "1"), put("b", "2"))
	apply(t, s, registry.Op{Key: "a"}, put("c", "3"))
	s = reopen()
	want(t, s, "a", "")
	want(t, s, "b", "2")
	want(t, s, "c", "3")
}
