package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Pieces are documents that belong to one of a bucket, each under a number: what is too much to be written as a whole each time that
// some of it changes. They go with their owner, when it is deleted and when it is no longer kept.
type Pieces[T any] struct{ d *docs }

// pieceLen is the length of the end of a key: a zero byte, which no ID has, and the number.
const pieceLen = 1 + 8

// NewPieces returns the pieces of that name (lower-case letters) of a bucket's documents.
func NewPieces[T, O any](owner *Bucket[O], name string) *Pieces[T] {
	of := owner.d
	of.s.mu.Lock()
	defer of.s.mu.Unlock()
	for _, d := range of.pieces {
		if d.name == name {
			return &Pieces[T]{d}
		}
	}
	d := &docs{s: of.s, name: name, of: of}
	of.pieces = append(slices.Clip(of.pieces), d)
	return &Pieces[T]{d}
}

func pieceKey(id string, n uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte(id+"\x00"), n))
}

// Document is v as piece n of the document id, as Store.Put takes it. That document must be there, or be put at the same time.
func (p *Pieces[T]) Document(id string, n uint64, v T) (Document, error) {
	o, err := p.d.encode(v)
	if err = errors.Join(err, checkID(id)); err != nil {
		return Document{}, p.d.fail("put", id, fmt.Errorf("piece %d: %w", n, err))
	}
	o.key = p.d.key(pieceKey(id, n))
	return Document{p.d, id, o}, nil
}

// Removal deletes piece n of the document id, if there is one, when Store.Put takes it.
func (p *Pieces[T]) Removal(id string, n uint64) Document {
	return Document{p.d, id, op{key: p.d.key(pieceKey(id, n))}}
}

// All returns the pieces of the document id and their numbers, the lowest first.
func (p *Pieces[T]) All(id string) (numbers []uint64, all []T, err error) {
	if err := checkID(id); err != nil {
		return nil, nil, p.d.fail("get", id, err)
	}
	var bad error
	err = p.d.s.kv.scan(p.d.piecesOf(id, true), func(key, value []byte) bool {
		var v T
		n := binary.BigEndian.Uint64(key[len(key)-pieceLen+1:])
		if bad = decodeDoc(value, &v); bad != nil {
			bad = fmt.Errorf("piece %d: %w", n, bad)
			return false
		}
		numbers, all = append(numbers, n), append(all, v)
		return true
	})
	return numbers, all, p.d.fail("get", id, errors.Join(err, bad))
}

// piecesOf are the keys of all pieces of a document.
func (d *docs) piecesOf(id string, values bool) span {
	return span{from: d.key(id + "\x00"), to: d.key(id + "\x01"), values: values}
}

// owns reports whether documents may have pieces.
func (d *docs) owns() bool {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	return len(d.pieces) > 0
}

// deletion is what deletes a document with all its pieces, which go first: none may be left without it.
func (d *docs) deletion(key []byte) (ops []op, err error) {
	d.s.mu.Lock()
	pieces := d.pieces
	d.s.mu.Unlock()
	for _, p := range pieces {
		scanned := d.s.kv.scan(p.piecesOf(d.id(key), false), func(key, _ []byte) bool {
			ops = append(ops, op{key: slices.Clone(key)})
			return true
		})
		err = errors.Join(err, scanned)
	}
	return append(ops, op{key: key}), err
}
