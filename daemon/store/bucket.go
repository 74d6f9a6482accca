package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bucket keeps documents of one kind by ID. IDs that rise with time (as those of traces do) make List and Newest
// answer in the order of time.
type Bucket[T any] struct{ d *docs }

// NewBucket returns the bucket of that name (lower-case letters). The retention rule of the first call for a name
// holds; what counts for it is when a document was last put.
func NewBucket[T any](s *Store, name string, keep Keep) *Bucket[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.buckets {
		if d.name == name {
			return &Bucket[T]{d}
		}
	}
	d := &docs{s: s, name: name, keep: keep}
	s.buckets = append(slices.Clip(s.buckets), d)
	return &Bucket[T]{d}
}

// Put stores v under id, in place of what was there. When it returns nil the document is on the disk.
func (b *Bucket[T]) Put(id string, v T) error {
	d, err := b.Document(id, v)
	if err != nil {
		return err
	}
	return b.d.s.Put(d)
}

// Document is v as Store.Put takes it.
func (b *Bucket[T]) Document(id string, v T) (Document, error) {
	o, err := b.d.put(id, v)
	if err != nil {
		return Document{}, b.d.fail("put", id, err)
	}
	return Document{b.d, id, o}, nil
}

// Document is one of a bucket that is to be put. The zero Document is none.
type Document struct {
	of *docs
	id string
	op op
}

// Put stores documents, of several buckets and each of another ID, in place of what was there: all of them or none. When it returns nil
// they are on the disk; it costs one sync.
func (s *Store) Put(documents ...Document) error {
	var ops []op
	var held []*docs
	var last Document
	for _, d := range documents {
		if d.of == nil {
			continue
		}
		if of := cmp.Or(d.of.of, d.of); !slices.Contains(held, of) {
			of.mu.RLock()
			defer of.mu.RUnlock()
			held = append(held, of)
		}
		ops, last = append(ops, d.op), d
	}
	if len(ops) == 0 {
		return nil
	}
	return last.of.fail("put", last.id, s.kv.apply(ops, true))
}

// Change stores the documents of changes under their IDs and deletes those that are nil. When it returns nil all of that is on the
// disk; after an error some of it may be. It costs one sync for many documents.
func (b *Bucket[T]) Change(changes map[string]*T) error {
	var ops []op
	for id, v := range changes {
		if v == nil {
			gone, err := b.d.deletion(b.d.key(id))
			if err = errors.Join(err, checkID(id)); err != nil {
				return b.d.fail("change", id, err)
			}
			ops = append(ops, gone...)
			continue
		}
		o, err := b.d.put(id, v)
		if err != nil {
			return b.d.fail("change", id, err)
		}
		ops = append(ops, o)
	}
	b.d.mu.RLock()
	defer b.d.mu.RUnlock()
	for len(ops) > 0 {
		n := 1
		for n < len(ops) && size(ops[:n+1]) <= txnBytes {
			n++
		}
		if err := b.d.s.kv.apply(ops[:n], true); err != nil {
			return b.d.fail("change", b.d.id(ops[0].key), err)
		}
		ops = ops[n:]
	}
	return nil
}

// Get returns the document of that ID; the error wraps ErrNotFound when there is none.
func (b *Bucket[T]) Get(id string) (v T, err error) {
	if err := checkID(id); err != nil {
		return v, b.d.fail("get", id, err)
	}
	value, err := b.d.s.kv.get(b.d.key(id))
	if err != nil {
		return v, b.d.fail("get", id, err)
	}
	return v, b.d.fail("get", id, decodeDoc(value, &v))
}

// Age is for how long the document of that ID has been kept, by the clock of retention; the error wraps ErrNotFound when there is none.
func (b *Bucket[T]) Age(id string) (time.Duration, error) {
	if err := checkID(id); err != nil {
		return 0, b.d.fail("age", id, err)
	}
	value, err := b.d.s.kv.get(b.d.key(id))
	put, _, ok := stamped(value)
	if err == nil && !ok {
		err = fmt.Errorf("%w: the document is cut off", ErrDamaged)
	}
	return max(0, b.d.s.ages.read().Sub(put)), b.d.fail("age", id, err)
}

// Delete removes the document of that ID, if there is one. When it returns nil that is on the disk.
func (b *Bucket[T]) Delete(id string) error {
	if err := checkID(id); err != nil {
		return b.d.fail("delete", id, err)
	}
	if b.d.owns() { // else a piece might be put while the others are deleted
		b.d.mu.Lock()
		defer b.d.mu.Unlock()
	}
	ops, err := b.d.deletion(b.d.key(id))
	for part := range slices.Chunk(ops, batchEntries) {
		if err == nil {
			err = b.d.s.kv.apply(part, true)
		}
	}
	return b.d.fail("delete", id, err)
}

// List returns up to limit documents whose ID is above after, in the order of their IDs.
func (b *Bucket[T]) List(after string, limit int) ([]T, error) {
	from := b.d.key(after)
	if after != "" {
		from = append(from, 0)
	}
	return b.list(span{from: from, to: b.d.end(), values: true}, limit)
}

// Newest returns up to limit documents whose ID is below before (or any ID, when it is empty), highest ID first.
func (b *Bucket[T]) Newest(before string, limit int) ([]T, error) {
	to := b.d.end()
	if before != "" {
		to = b.d.key(before)
	}
	return b.list(span{from: b.d.key(""), to: to, values: true, backward: true}, limit)
}

func (b *Bucket[T]) list(r span, limit int) ([]T, error) {
	var found []T
	var bad error
	if limit <= 0 {
		return nil, nil
	}
	err := b.d.s.kv.scan(r, func(key, value []byte) bool {
		var v T
		if err := decodeDoc(value, &v); err != nil {
			bad = b.d.fail("list", b.d.id(key), err)
			return false
		}
		found = append(found, v)
		return len(found) < limit
	})
	return found, errors.Join(err, bad)
}

func decodeDoc(value []byte, v any) error {
	_, text, ok := stamped(value)
	if !ok {
		return fmt.Errorf("%w: the document is cut off", ErrDamaged)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// docs is the part of a Bucket that does not depend on what is in it.
type docs struct {
	s    *Store
	name string
	keep Keep
	// pieces are those of its documents, guarded by s.mu; of is the owner of what are pieces themselves.
	pieces []*docs
	of     *docs
	mu     sync.RWMutex // held by prune, and for reading by who puts, so that a document put meanwhile is not pruned for its former age
}

// put returns what stores v under id.
func (d *docs) put(id string, v any) (op, error) {
	o, err := d.encode(v)
	if err != nil {
		return o, err
	}
	o.key = d.key(id)
	return o, checkID(id)
}

// encode returns what stores v, without its key.
func (d *docs) encode(v any) (op, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return op{}, err
	}
	if most := cmp.Or(d.keep.Value, MaxValue); len(text) > most {
		return op{}, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrTooLarge, len(text), most)
	}
	return op{value: stamp(d.s.ages.read(), text)}, nil
}

func (d *docs) key(id string) []byte { return []byte("b\x00" + d.name + "\x00" + id) }

func (d *docs) end() []byte { return []byte("b\x00" + d.name + "\x01") }

func (d *docs) id(key []byte) string { return string(key[len(d.name)+3:]) }

func (d *docs) fail(doing, id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %q: %w", doing, d.name, id[:min(len(id), MaxID)], err)
}

func checkID(id string) error {
	if id == "" || len(id) > MaxID || strings.ContainsRune(id, 0) {
		return fmt.Errorf("%w: it has %d bytes; allowed are 1…%d without zero bytes", ErrBadID, len(id), MaxID)
	}
	return nil
}

func (d *docs) prune(ctx context.Context) error {
	if d.keep.Age == 0 && d.keep.Count == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	type doc struct {
		key []byte
		put time.Time
	}
	var all []doc
	err := d.s.kv.scan(span{from: d.key(""), to: d.end(), values: true}, func(key, value []byte) bool {
		t, _, _ := stamped(value)
		all = append(all, doc{slices.Clone(key), t})
		return ctx.Err() == nil
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b doc) int { return a.put.Compare(b.put) })
	surplus := 0
	if d.keep.Count > 0 {
		surplus = max(0, len(all)-d.keep.Count)
	}
	deadline := d.s.ages.read().Add(-d.keep.Age)
	var ops []op
	for i, doc := range all {
		if i < surplus || (d.keep.Age > 0 && doc.put.Before(deadline)) {
			all, err := d.deletion(doc.key)
			if err != nil {
				return err
			}
			ops = append(ops, all...)
		}
	}
	for part := range slices.Chunk(ops, batchEntries) {
		if err := cmp.Or(ctx.Err(), d.s.kv.apply(part, false)); err != nil {
			return err
		}
	}
	return nil
}
