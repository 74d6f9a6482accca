// Package event hands every event that happens in reachyd to all who follow the stream: MQTT, HTTP, the store, the log and
// the learner read it; nobody is notified by hand. What an event looks like is said in package api.
package event

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reachyd/reachyd/api"
)

// Bus hands every published event to everybody who subscribed to its type.
//
// All subscribers see the events in the order of their IDs, which is the order of publication. Publish never waits
// for a subscriber: who falls behind by more than its buffer loses the oldest events and is told how many.
type Bus struct {
	now func() time.Time

	mu     sync.Mutex
	last   uint64
	subs   []*Subscription
	closed bool
}

// NewBus returns a bus whose first event gets the ID last+1 and that reads the time from now, or from the system's
// clock when now is nil.
func NewBus(last uint64, now func() time.Time) *Bus {
	if now == nil {
		now = time.Now
	}
	return &Bus{last: last, now: now}
}

// Publish gives the event its ID and time and hands it to the subscribers. data must not be changed any more. On a closed
// bus nothing happens.
func (b *Bus) Publish(trace string, data api.Payload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.last++
	e := api.Event{ID: b.last, TS: b.now(), Trace: trace, Type: data.EventType(), Data: data}
	for _, s := range b.subs {
		if s.wants(e.Type) {
			s.put(&e)
		}
	}
}

// Last returns the ID of the newest event.
func (b *Bus) Last() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// Subscribe returns a subscription to the types, or to all events when none is given. Up to buffer events (at least
// one) wait for the reader. The name appears in Stats and in errors. On a closed bus the subscription is over at once.
func (b *Bus) Subscribe(name string, buffer int, types ...api.Type) *Subscription {
	s := &Subscription{
		name: name, types: slices.Clone(types), bus: b,
		most: max(1, buffer),
		wake: make(chan struct{}, 1), cut: make(chan struct{}), done: make(chan struct{}), out: make(chan api.Event),
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		s.draining = true
	} else {
		b.subs = append(b.subs, s)
	}
	go s.pump()
	return s
}

// Stat is the state of one subscription.
type Stat struct {
	Name    string `json:"name"`
	Waiting int    `json:"waiting"` // events in the buffer
	Lost    uint64 `json:"lost"`    // since it subscribed
}

// Stats tells about all subscriptions, in the order in which they were made.
func (b *Bus) Stats() []Stat {
	b.mu.Lock()
	defer b.mu.Unlock()
	stats := make([]Stat, 0, len(b.subs))
	for _, s := range b.subs {
		s.mu.Lock()
		stats = append(stats, Stat{s.name, s.count, s.lostEver})
		s.mu.Unlock()
	}
	return stats
}

// Close takes no more events, lets every subscriber read what is in its buffer, and waits for that until ctx ends;
// then it cuts the subscriptions off. The error names those that were cut off. Close may be called more than once.
func (b *Bus) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	subs := slices.Clone(b.subs)
	b.mu.Unlock()
	for _, s := range subs {
		s.drain()
	}
	var slow []string
	for _, s := range subs {
		select {
		case <-s.done:
			continue
		default:
		}
		select {
		case <-s.done:
		case <-ctx.Done():
			slow = append(slow, s.name)
			s.Close()
		}
	}
	if slow != nil {
		return fmt.Errorf("close event bus: %s did not read all events: %w", strings.Join(slow, ", "), ctx.Err())
	}
	return nil
}

func (b *Bus) remove(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = slices.DeleteFunc(slices.Clone(b.subs), func(o *Subscription) bool { return o == s })
}

// Subscription is one reader's view of the bus.
type Subscription struct {
	name  string
	types []api.Type
	bus   *Bus
	wake  chan struct{} // something was put, or draining began
	cut   chan struct{} // closed by Close
	once  sync.Once
	done  chan struct{} // closed when the pump has ended
	out   chan api.Event

	mu       sync.Mutex
	most     int         // events that wait
	ring     []api.Event // it grows up to most: nearly all readers are quick
	first    int
	count    int
	lost     uint64 // not yet told
	lostEver uint64
	draining bool
}

// Events carries the events. It is closed after Close, and after the bus was closed and the buffer is empty.
func (s *Subscription) Events() <-chan api.Event { return s.out }

// Close ends the subscription and drops what is in its buffer. It may be called more than once.
func (s *Subscription) Close() {
	s.once.Do(func() {
		s.bus.remove(s)
		close(s.cut)
	})
	<-s.done
}

func (s *Subscription) wants(t api.Type) bool {
	return len(s.types) == 0 || slices.Contains(s.types, t)
}

func (s *Subscription) put(e *api.Event) {
	s.mu.Lock()
	if s.count == len(s.ring) && s.count < s.most {
		s.grow()
	}
	if s.count == len(s.ring) {
		s.first = (s.first + 1) % len(s.ring)
		s.count--
		s.lost++
		s.lostEver++
	}
	s.ring[(s.first+s.count)%len(s.ring)] = *e
	s.count++
	s.mu.Unlock()
	s.signal()
}

// grow makes room for more events; s.mu is held.
func (s *Subscription) grow() {
	const first = 4
	ring := make([]api.Event, min(s.most, max(first, 2*len(s.ring))))
	n := copy(ring, s.ring[s.first:])
	copy(ring[n:], s.ring[:s.first])
	s.ring, s.first = ring, 0
}

func (s *Subscription) drain() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.signal()
}

func (s *Subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns the oldest event in the buffer, or whether the subscription is over.
func (s *Subscription) take() (e api.Event, ok, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == 0 {
		return api.Event{}, false, s.draining
	}
	e = s.ring[s.first]
	s.ring[s.first] = api.Event{} // lets go of Data
	s.first = (s.first + 1) % len(s.ring)
	s.count--
	e.Lost, s.lost = s.lost, 0
	return e, true, false
}

func (s *Subscription) pump() {
	defer close(s.done)
	defer close(s.out)
	defer s.bus.remove(s)
	for {
		e, ok, over := s.take()
		switch {
		case over:
			return
		case ok:
			select {
			case s.out <- e:
			case <-s.cut:
				return
			}
		default:
			select {
			case <-s.wake:
			case <-s.cut:
				return
			}
		}
	}
}
