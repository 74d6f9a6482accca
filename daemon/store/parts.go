package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// A transaction of badger holds at most 15 % of a memtable, and memtables are small. A value that does not fit is written
// before, in parts under keys of their own, and its entry refers to them. Until that entry is there a mark names the parts as
// garbage, as it does again once the entry is gone; marked parts are deleted at once, or else when the store is next opened.

const (
	txnBytes = memTable / 9 // of one transaction, below badger's limit
	perEntry = 32           // what badger adds to an entry, at most
	partSize = txnBytes - 2*(keyOfPart+perEntry)

	keyOfPart = 2 + 8 + 4
	refSize   = 8 + 4

	inParts byte = 1 // the mark of an entry whose value is a partRef
)

// partRef is what stands for a value that lies in parts.
type partRef struct {
	id   uint64
	size int
}

func (r partRef) count() int { return (r.size + partSize - 1) / partSize }

func (r partRef) encode() []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, r.id), uint32(r.size))
}

func decodeRef(b []byte) (partRef, error) {
	if len(b) != refSize {
		return partRef{}, fmt.Errorf("%w: a reference to parts has %d bytes, not %d", ErrDamaged, len(b), refSize)
	}
	return partRef{binary.BigEndian.Uint64(b), int(binary.BigEndian.Uint32(b[8:]))}, nil
}

func (r partRef) key(part int) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64([]byte("p\x00"), r.id), uint32(part))
}

func (r partRef) garbageKey() []byte { return binary.BigEndian.AppendUint64([]byte("g\x00"), r.id) }

// spill writes the largest values of ops into parts until the rest fits into one transaction. It returns the references that
// stand for them, by the index of their op.
func (d *disk) spill(ops []op) (map[int]partRef, error) {
	var refs map[int]partRef
	for left := size(ops); left > txnBytes; {
		largest := -1
		for i, o := range ops {
			if _, done := refs[i]; !done && (largest < 0 || len(o.value) > len(ops[largest].value)) {
				largest = i
			}
		}
		if largest < 0 || len(ops[largest].value) <= 4*refSize {
			return nil, fmt.Errorf("%w: %d changes at once", ErrTooLarge, len(ops))
		}
		ref, err := d.writeParts(ops[largest].value)
		if err != nil {
			return nil, err
		}
		if refs == nil {
			refs = map[int]partRef{}
		}
		refs[largest] = ref
		left -= len(ops[largest].value) - 4*refSize // and what else belongs to a reference
	}
	return refs, nil
}

// size is how many bytes ops have in a transaction.
func size(ops []op) (n int) {
	for _, o := range ops {
		n += len(o.key) + len(o.value) + perEntry
	}
	return n
}

// writeParts writes a value in parts, marked as garbage. They are synced one by one: a later transaction may begin a new
// log, and badger syncs only the newest.
func (d *disk) writeParts(value []byte) (partRef, error) {
	ref := partRef{id: d.nextPart, size: len(value)}
	d.nextPart++
	for i := range ref.count() {
		err := d.db.Update(func(t *badger.Txn) error {
			if i == 0 {
				if err := t.Set(ref.garbageKey(), ref.encode()); err != nil {
					return err
				}
			}
			return t.Set(ref.key(i), value[i*partSize:min((i+1)*partSize, len(value))])
		})
		if err == nil {
			err = d.db.Sync()
		}
		if err != nil {
			return ref, err
		}
	}
	return ref, nil
}

// write does ops in t, and returns the parts that are garbage afterwards.
func write(t *badger.Txn, ops []op, refs map[int]partRef) (garbage []partRef, err error) {
	for i, o := range ops {
		former, err := t.Get(o.key)
		if err == nil && former.UserMeta() == inParts {
			var ref partRef
			if err := former.Value(func(v []byte) error { ref, err = decodeRef(v); return err }); err != nil {
				return nil, err
			}
			if err := t.Set(ref.garbageKey(), ref.encode()); err != nil {
				return nil, err
			}
			garbage = append(garbage, ref)
		} else if err != nil && !errors.Is(err, badger.ErrKeyNotFound) {
			return nil, err
		}
		ref, split := refs[i]
		switch {
		case o.value == nil:
			err = t.Delete(o.key)
		case split:
			err = t.SetEntry(badger.NewEntry(o.key, ref.encode()).WithMeta(inParts))
			if err == nil {
				err = t.Delete(ref.garbageKey())
			}
		default:
			err = t.Set(o.key, o.value)
		}
		if err != nil {
			return nil, err
		}
	}
	return garbage, nil
}

// drop deletes parts that are marked as garbage, and the mark.
func (d *disk) drop(ref partRef) error {
	return d.db.Update(func(t *badger.Txn) error {
		for i := range ref.count() {
			if err := t.Delete(ref.key(i)); err != nil {
				return err
			}
		}
		return t.Delete(ref.garbageKey())
	})
}

// valueOf passes the value of item to fn, put together if it lies in parts.
func valueOf(t *badger.Txn, item *badger.Item, fn func(value []byte) error) error {
	if item.UserMeta() != inParts {
		return item.Value(fn)
	}
	var ref partRef
	if err := item.Value(func(v []byte) (err error) { ref, err = decodeRef(v); return err }); err != nil {
		return err
	}
	whole := make([]byte, 0, ref.size)
	for i := range ref.count() {
		part, err := t.Get(ref.key(i))
		if err != nil {
			return fmt.Errorf("%w: part %d of %d of a value: %w", ErrDamaged, i+1, ref.count(), err)
		}
		if err := part.Value(func(v []byte) error { whole = append(whole, v...); return nil }); err != nil {
			return err
		}
	}
	if len(whole) != ref.size {
		return fmt.Errorf("%w: the parts of a value have %d bytes, not %d", ErrDamaged, len(whole), ref.size)
	}
	return fn(whole)
}

// openParts finds the number of the next parts and deletes those that a killed process left as garbage.
func (d *disk) openParts() error {
	d.nextPart = 1
	err := d.scan(span{from: []byte("p\x00"), to: []byte("p\x01"), backward: true}, func(key, _ []byte) bool {
		d.nextPart = binary.BigEndian.Uint64(key[2:]) + 1
		return false
	})
	if err != nil {
		return err
	}
	var garbage []partRef
	var bad error
	err = d.scan(span{from: []byte("g\x00"), to: []byte("g\x01"), values: true}, func(_, value []byte) bool {
		ref, err := decodeRef(value)
		garbage, bad = append(garbage, ref), errors.Join(bad, err)
		return true
	})
	if err := errors.Join(err, bad); err != nil {
		return err
	}
	for _, ref := range garbage {
		if err := d.drop(ref); err != nil {
			return err
		}
	}
	return nil
}
