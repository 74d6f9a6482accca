package store

import (
	"encoding/binary"
	"time"
)

// engine is what a Store stands on: an ordered map from bytes to bytes.
type engine interface {
	// get returns the value of key, or ErrNotFound.
	get(key []byte) ([]byte, error)
	// apply does all the operations or none; with sync they are on the disk when it returns.
	apply(ops []op, sync bool) error
	// scan calls fn with the entries in [from, to), in rising order or from the end, until fn returns false. fn must
	// not keep its arguments. Without values fn gets nil ones.
	scan(r span, fn func(key, value []byte) bool) error
	// sizes calls fn with every key and the bytes of it and its value.
	sizes(fn func(key []byte, size int64)) error
	// files says how many tables there are, and what all files take on the disk.
	files() (tables int, size int64)
	// check reports ErrDiskFull while nothing can be written, and whether writing has just become possible.
	check(o Options) (opened bool, err error)
	// close is called once.
	close() error
}

// op sets key to value, or deletes it when value is nil.
type op struct{ key, value []byte }

// span is what a scan goes through.
type span struct {
	from, to []byte
	backward bool
	values   bool
}

// stampLen is the length of the time that every stored value begins with: milliseconds since 1970, big endian.
const stampLen = 8

func stamp(t time.Time, value []byte) []byte {
	b := make([]byte, stampLen, stampLen+len(value))
	binary.BigEndian.PutUint64(b, uint64(t.UnixMilli()))
	return append(b, value...)
}

// stamped splits a stored value.
func stamped(b []byte) (t time.Time, value []byte, ok bool) {
	if len(b) < stampLen {
		return time.Time{}, nil, false
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b))), b[stampLen:], true
}
