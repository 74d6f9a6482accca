package persist

import (
	"testing"
	"time"

	"github.com/reachyd/reachyd/daemon/store"
)

// An id acts once for as long as it is remembered, whatever the clock is set to meanwhile, and no longer.
func TestRepliesWhenTheClockIsSet(t *testing.T) {
	clock, up := time.Unix(10, 0), time.Duration(0)
	s := store.Memory(store.Options{Now: func() time.Time { return clock }, Up: func() time.Duration { return up }})
	defer s.Close(0)
	r := NewReplies(s)
	for _, to := range []time.Time{time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC), time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC), time.Unix(10, 0)} {
		if err := r.Put("a", []byte(`"done"`), 10*time.Minute); err != nil {
			t.Fatal(err)
		}
		clock, up = to, up+4*time.Minute
		if data, ok, err := r.Get("a"); !ok || err != nil || string(data) != `"done"` {
			t.Errorf("at %v: %s %v %v", to, data, ok, err)
		}
		clock, up = to.Add(16*time.Minute), up+16*time.Minute
		if data, ok, err := r.Get("a"); ok || err != nil {
			t.Errorf("20 minutes later, at %v: %s %v", clock, data, err)
		}
	}
}
