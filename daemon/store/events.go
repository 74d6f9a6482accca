package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/reachyd/reachyd/api"
)

// Events keeps the events by ID.
type Events struct {
	s    *Store
	keep Keep

	mu    sync.Mutex // held by Append and prune
	count int        // −1 while not counted
}

func newEvents(s *Store, keep Keep) *Events { return &Events{s: s, keep: keep, count: -1} }

// Sizes of one transaction, unless a single event is larger; badger's own limit is above.
const (
	batchEntries = 256
	batchBytes   = 64 << 10
)

func eventKey(id uint64) []byte { return binary.BigEndian.AppendUint64([]byte("e\x00"), id) }

func eventID(key []byte) uint64 { return binary.BigEndian.Uint64(key[2:]) }

// eventsEnd is the first key behind all events.
var eventsEnd = []byte("e\x01")

// Append stores events. It does not wait for the disk. An event that is too large is stored without its data.
func (e *Events) Append(events ...api.Event) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(events) > 0 {
		var ops []op
		size := 0
		for len(events) > 0 && len(ops) < batchEntries {
			value, err := encodeEvent(events[0], e.s.ages.read())
			if err != nil {
				return fmt.Errorf("store event %d: %w", events[0].ID, err)
			}
			if size+len(value) > batchBytes && size > 0 {
				break
			}
			ops = append(ops, op{eventKey(events[0].ID), value})
			size += len(value)
			events = events[1:]
		}
		if err := e.s.kv.apply(ops, false); err != nil {
			return fmt.Errorf("store events: %w", err)
		}
		if e.count >= 0 {
			e.count += len(ops)
		}
	}
	return nil
}

func encodeEvent(ev api.Event, now time.Time) ([]byte, error) {
	text, err := json.Marshal(ev)
	if err == nil && len(text) > MaxValue {
		ev.Data = api.Raw{Type: ev.Type, Fields: map[string]any{"data_error": fmt.Sprintf("%d bytes are too large to store", len(text))}}
		text, err = json.Marshal(ev)
	}
	if err != nil {
		return nil, err
	}
	return stamp(now, text), nil
}

// Record stores the events that arrive until in is closed. failed is told about errors, which do not end it.
func (e *Events) Record(in <-chan api.Event, failed func(error)) {
	for first := range in {
		batch := []api.Event{first}
	more:
		for len(batch) < batchEntries {
			select {
			case ev, open := <-in:
				if !open {
					break more
				}
				batch = append(batch, ev)
			default:
				break more
			}
		}
		if err := e.Append(batch...); err != nil {
			failed(err)
		}
	}
}

// Since returns up to limit events with an ID above id, oldest first, of the types, or of all when none is given.
func (e *Events) Since(id uint64, limit int, types ...api.Type) ([]api.Event, error) {
	if id == ^uint64(0) {
		return nil, nil
	}
	return e.list(span{from: eventKey(id + 1), to: eventsEnd, values: true}, limit, types)
}

// Newest returns the last limit events, oldest first, of the types, or of all when none is given.
func (e *Events) Newest(limit int, types ...api.Type) ([]api.Event, error) {
	found, err := e.list(span{from: eventKey(0), to: eventsEnd, values: true, backward: true}, limit, types)
	slices.Reverse(found)
	return found, err
}

func (e *Events) list(r span, limit int, types []api.Type) ([]api.Event, error) {
	var found []api.Event
	var bad error
	if limit <= 0 {
		return nil, nil
	}
	err := e.s.kv.scan(r, func(key, value []byte) bool {
		var ev api.Event
		_, text, ok := stamped(value)
		if !ok {
			bad = fmt.Errorf("event %d: %w: it is cut off", eventID(key), ErrDamaged)
			return false
		}
		if err := json.Unmarshal(text, &ev); err != nil {
			bad = fmt.Errorf("event %d: %w: %w", eventID(key), ErrDamaged, err)
			return false
		}
		if len(types) == 0 || slices.Contains(types, ev.Type) {
			found = append(found, ev)
		}
		return len(found) < limit
	})
	return found, errors.Join(err, bad)
}

// newest returns the ID of the newest event and when it was kept; 0 when there is none.
func (e *Events) newest() (id uint64, kept time.Time, err error) {
	err = e.s.kv.scan(span{from: eventKey(0), to: eventsEnd, backward: true, values: true}, func(key, value []byte) bool {
		id = eventID(key)
		kept, _, _ = stamped(value)
		return false
	})
	return id, kept, err
}

func (e *Events) prune(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.count < 0 {
		n := 0
		err := e.s.kv.scan(span{from: eventKey(0), to: eventsEnd}, func(_, _ []byte) bool { n++; return true })
		if err != nil {
			return err
		}
		e.count = n
	}
	deadline := e.s.ages.read().Add(-e.keep.Age)
	for ctx.Err() == nil {
		surplus := 0
		if e.keep.Count > 0 {
			surplus = e.count - e.keep.Count
		}
		var ops []op
		err := e.s.kv.scan(span{from: eventKey(0), to: eventsEnd, values: true}, func(key, value []byte) bool {
			t, _, ok := stamped(value)
			old := e.keep.Age > 0 && (!ok || t.Before(deadline))
			if !old && len(ops) >= surplus {
				return false
			}
			ops = append(ops, op{key: slices.Clone(key)})
			return len(ops) < batchEntries
		})
		if err != nil || len(ops) == 0 {
			return err
		}
		if err := e.s.kv.apply(ops, false); err != nil {
			return err
		}
		e.count -= len(ops)
	}
	return ctx.Err()
}
