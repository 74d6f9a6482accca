package daemon

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/daemon/store"
)

// A robot that is never on for an hour forgets in time, too.
func TestAStoreIsPrunedSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.Memory(store.Options{})
		defer func() { _ = s.Close(0) }()
		b := store.NewBucket[string](s, "few", store.Keep{Count: 1})
		left := func() int {
			all, err := b.List("", 9)
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { prune(ctx, s, func(err error) { t.Error(err) }); close(ended) }()
		for after, pause := range []time.Duration{pruneFirst, pruneEvery, pruneEvery} {
			for _, id := range []string{"a", "b", "c"} {
				if err := b.Put(id, id); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(pause - time.Second)
			synctest.Wait()
			if n := left(); n != 3 {
				t.Errorf("%d: %d are left before their time", after, n)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if n := left(); n != 1 {
				t.Errorf("%d: %d are left", after, n)
			}
		}
		cancel()
		<-ended
	})
}
