package event

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// read takes n events from a subscription.
func read(t *testing.T, s *Subscription, n int) []api.Event {
	t.Helper()
	events := make([]api.Event, 0, n)
	for range n {
		e, open := <-s.Events()
		if !open {
			t.Fatalf("the subscription is over after %d events", len(events))
		}
		events = append(events, e)
	}
	return events
}

func TestPublishGivesIDTimeAndOrder(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := NewBus(41, func() time.Time { return now })
	all, stops := b.Subscribe("all", 10), b.Subscribe("stops", 10, api.TypeEStop, api.TypeFault)
	defer all.Close()
	defer stops.Close()
	b.Publish("t1", api.Utterance{Text: "hello"})
	b.Publish("", api.EStop{})
	if b.Last() != 43 {
		t.Errorf("last %d", b.Last())
	}
	got := read(t, all, 2)
	if e := got[0]; e.ID != 42 || !e.TS.Equal(now) || e.Trace != "t1" || e.Data != (api.Utterance{Text: "hello"}) || got[1].Type != api.TypeEStop {
		t.Errorf("all: %+v", got)
	}
	if got := read(t, stops, 1); got[0].ID != 43 {
		t.Errorf("stops: %+v", got)
	}
}

func TestSlowSubscriberLosesTheOldestAndIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBus(0, nil)
		slow, fast := b.Subscribe("slow", 3), b.Subscribe("fast", 10)
		for range 10 {
			b.Publish("", api.Partial{})
			synctest.Wait() // the pump holds event 1 in its hand
		}
		if st := b.Stats(); len(st) != 2 || st[0] != (Stat{"slow", 3, 6}) || st[1] != (Stat{"fast", 9, 0}) {
			t.Errorf("stats: %+v", st)
		}
		var ids, lost []uint64
		for _, e := range read(t, slow, 4) {
			ids, lost = append(ids, e.ID), append(lost, e.Lost)
		}
		for i, want := range []struct{ id, lost uint64 }{{1, 0}, {8, 6}, {9, 0}, {10, 0}} {
			if ids[i] != want.id || lost[i] != want.lost {
				t.Errorf("event %d: id %d, lost %d; want %+v", i, ids[i], lost[i], want)
			}
		}
		for i, e := range read(t, fast, 10) {
			if e.ID != uint64(i+1) || e.Lost != 0 {
				t.Errorf("fast: %+v", e)
			}
		}
		slow.Close()
		slow.Close()
		fast.Close()
		if len(b.Stats()) != 0 {
			t.Errorf("stats after Close: %+v", b.Stats())
		}
		if _, open := <-slow.Events(); open {
			t.Error("an event after Close")
		}
	})
}

func TestCloseLetsReadersFinishAndCutsOffTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBus(0, nil)
		reader, idler := b.Subscribe("reader", 100), b.Subscribe("idler", 100)
		for range 50 {
			b.Publish("", api.Partial{})
		}
		n := 0
		var wg sync.WaitGroup
		wg.Go(func() {
			for range reader.Events() {
				n++
				time.Sleep(time.Millisecond) // virtual: Close must wait for it
			}
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		err := b.Close(ctx)
		wg.Wait()
		if n != 50 {
			t.Errorf("the reader got %d of 50 events", n)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "idler") || strings.Contains(err.Error(), "reader,") {
			t.Errorf("error: %v", err)
		}
		if _, open := <-idler.Events(); open {
			t.Error("the idler was not cut off")
		}
		if b.Publish("", api.Partial{}); b.Last() != 50 {
			t.Errorf("published on a closed bus: event %d", b.Last())
		}
		if err := b.Close(ctx); err != nil {
			t.Errorf("closed again: %v", err)
		}
		late := b.Subscribe("late", 1)
		if _, open := <-late.Events(); open {
			t.Error("an event from a closed bus")
		}
		late.Close()
	})
}

func TestOrderHoldsForManyPublishersAndSubscribers(t *testing.T) {
	b := NewBus(0, nil)
	const publishers, each, subscribers = 8, 500, 4
	var readers, writers sync.WaitGroup
	for range subscribers {
		s := b.Subscribe("s", publishers*each)
		readers.Go(func() {
			var last uint64
			for e := range s.Events() {
				if e.ID != last+1 || e.Lost != 0 {
					t.Errorf("%d after %d, lost %d", e.ID, last, e.Lost)
				}
				last = e.ID
			}
			if last != publishers*each {
				t.Errorf("the last event was %d", last)
			}
		})
	}
	for range publishers {
		writers.Go(func() {
			for range each {
				b.Publish("", api.Partial{})
			}
		})
	}
	writers.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := b.Close(ctx); err != nil {
		t.Error(err)
	}
	readers.Wait()
}

func TestPublishDoesNotAllocate(t *testing.T) {
	b := NewBus(0, nil)
	s := b.Subscribe("full", 4)
	defer s.Close()
	var partial api.Payload = api.Partial{Text: "so"}
	if n := testing.AllocsPerRun(1000, func() { b.Publish("t", partial) }); n != 0 {
		t.Errorf("%v allocations for one event", n)
	}
}

func BenchmarkPublish(b *testing.B) {
	bus := NewBus(0, nil)
	s := bus.Subscribe("full", 16)
	defer s.Close()
	var partial api.Payload = api.Partial{Text: "so"}
	b.ReportAllocs()
	for b.Loop() {
		bus.Publish("t", partial)
	}
}

// BenchmarkPublishToSubscriber is the time from Publish until the reader has the event.
func BenchmarkPublishToSubscriber(b *testing.B) {
	bus := NewBus(0, nil)
	s := bus.Subscribe("s", 16)
	defer s.Close()
	var partial api.Payload = api.Partial{Text: "so"}
	b.ReportAllocs()
	for b.Loop() {
		bus.Publish("t", partial)
		<-s.Events()
	}
}
