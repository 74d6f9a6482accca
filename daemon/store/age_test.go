package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/store"
)

// set is a clock that is set while time passes.
type set struct {
	clock time.Time
	up    time.Duration
}

func (s *set) pass(d time.Duration) { s.clock, s.up = s.clock.Add(d), s.up+d }

// Nothing is deleted, and nothing kept for ever, because the clock was set.
func TestRetentionWhenTheClockIsSet(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	const age = 30 * 24 * time.Hour
	dir := t.TempDir()
	c := &set{clock: time.Date(1970, 1, 1, 0, 0, 10, 0, time.UTC)} // as a robot without a battery begins
	var s *store.Store
	var b *store.Bucket[string]
	start := func() {
		began := c.up
		s = open(t, dir, store.Options{
			Now: func() time.Time { return c.clock }, Up: func() time.Duration { return c.up - began }, Events: store.Keep{Age: age},
		})
		b = store.NewBucket[string](s, "docs", store.Keep{Age: age})
	}
	var id uint64
	put := func(name string) {
		t.Helper()
		id = max(id+1, s.FirstEventID())
		if err := b.Put(name, name); err != nil {
			t.Fatal(err)
		}
		if err := s.Events().Append(api.Event{ID: id, TS: c.clock, Type: api.TypePartial, Data: api.Partial{Text: name}}); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(when string, want int) {
		t.Helper()
		if err := s.Prune(context.Background()); err != nil {
			t.Fatal(err)
		}
		docs, err := b.List("", 99)
		events, err2 := s.Events().Since(0, 99)
		if err != nil || err2 != nil || len(docs) != want || len(events) != want {
			t.Errorf("%s: %d documents, %d events, want %d (%v, %v)", when, len(docs), len(events), want, err, err2)
		}
	}
	start()
	put("1970")
	c.pass(time.Minute)
	for name, to := range map[string]time.Time{
		"now": now, "30 days back": now.Add(-age), "400 days ahead": now.Add(400 * 24 * time.Hour), "2038": time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC),
	} {
		c.clock = to
		put(name)
		c.pass(time.Hour)
		kept(name, int(id-s.FirstEventID())+1)
	}
	c.clock = now
	kept("now again", 5)
	if err := s.Close(id); err != nil {
		t.Fatal(err)
	}
	for _, to := range []time.Time{now.Add(10 * 365 * 24 * time.Hour), now} { // a start with a clock that is years ahead
		c.clock = to
		start()
		kept("after a restart", 5)
		if err := s.Close(id); err != nil {
			t.Fatal(err)
		}
	}
	start()
	for range 24 * 25 { // and the robot was off three times, for a day each as far as anybody knows
		c.pass(time.Hour)
	}
	put("later")
	kept("in a month", 6)
	c.pass(4 * 24 * time.Hour)
	kept("after it", 1)
	if err := s.Close(id); err != nil {
		t.Fatal(err)
	}
}

// A robot that is switched off each night keeps things for as many days as it is told to.
func TestRetentionWhileItIsOff(t *testing.T) {
	dir := t.TempDir()
	c := &set{clock: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	keep := store.Keep{Age: 5*24*time.Hour - time.Hour}
	left := 0
	for day := range 8 {
		began := c.up
		s := open(t, dir, store.Options{Now: func() time.Time { return c.clock }, Up: func() time.Duration { return c.up - began }})
		b := store.NewBucket[string](s, "docs", keep)
		if day == 0 {
			if err := b.Put("first", "first"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Prune(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Get("first"); err == nil {
			left = day
		}
		c.pass(4 * time.Hour)
		if err := s.Close(0); err != nil {
			t.Fatal(err)
		}
		c.clock = c.clock.Add(20 * time.Hour)
	}
	if left != 4 {
		t.Errorf("it was there for %d days", left)
	}
}
