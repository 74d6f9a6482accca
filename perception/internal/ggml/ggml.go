// Package ggml reads and writes the model files of whisper.cpp without whisper.cpp.
//
// The library's own loaders trust their input: a damaged file makes them overrun the stack, throw through C or abort the
// process. So files are walked through here first, and only what has exactly the expected form is handed on.
package ggml

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrFormat is wrapped by the error for a file that is not a model of the expected form.
var ErrFormat = errors.New("not a usable model file")

const magic = 0x67676d6c // "ggml"

// Limits of what is read; the largest model that exists stays below them.
const (
	maxVocabulary = 60000
	maxToken      = 1024 // bytes
	maxName       = 128  // bytes
	maxElements   = 1 << 30
	maxTensors    = 4096
)

// Type is how a tensor's numbers are stored.
type Type int32

// The types that whisper.cpp's files use.
const (
	F32  Type = 0
	F16  Type = 1
	Q40  Type = 2
	Q41  Type = 3
	Q50  Type = 6
	Q51  Type = 7
	Q80  Type = 8
	Q2K  Type = 10
	Q3K  Type = 11
	Q4K  Type = 12
	Q5K  Type = 13
	Q6K  Type = 14
	none Type = -1
)

// block returns how many numbers share a block and how many bytes it takes; 0 for an unknown type.
func (t Type) block() (numbers, bytes int64) {
	switch t {
	case F32:
		return 1, 4
	case F16:
		return 1, 2
	case Q40:
		return 32, 18
	case Q41:
		return 32, 20
	case Q50:
		return 32, 22
	case Q51:
		return 32, 24
	case Q80:
		return 32, 34
	case Q2K:
		return 256, 84
	case Q3K:
		return 256, 110
	case Q4K:
		return 256, 144
	case Q5K:
		return 256, 176
	case Q6K:
		return 256, 210
	}
	return 0, 0
}

// Tensor is one named array of weights.
type Tensor struct {
	Name   string
	Type   Type
	Shape  []int32 // the fastest index first
	Offset int64   // of the numbers, in the file
	Size   int64   // bytes
}

// reader reads little-endian numbers and knows where it is. After its first error everything it returns is zero.
type reader struct {
	src  io.ReaderAt
	size int64
	pos  int64
	buf  *bufio.Reader
	err  error
}

func newReader(src io.ReaderAt, size int64) *reader {
	r := &reader{src: src, size: size}
	r.seek(0)
	return r
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
	}
}

func (r *reader) seek(pos int64) {
	if pos > r.size {
		r.fail("it ends after %d bytes, at least %d are announced", r.size, pos)
		return
	}
	r.pos = pos
	r.buf = bufio.NewReaderSize(io.NewSectionReader(r.src, pos, r.size-pos), 64<<10)
}

func (r *reader) bytes(n int64) []byte {
	if r.err != nil {
		return nil
	}
	if n > r.size-r.pos {
		r.fail("it ends after %d bytes, at least %d are announced", r.size, r.pos+n)
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r.buf, b); err != nil {
		r.err = fmt.Errorf("reading a model: %w", err)
		return nil
	}
	r.pos += n
	return b
}

func (r *reader) int32() int32 {
	b := r.bytes(4)
	if b == nil {
		return 0
	}
	return int32(binary.LittleEndian.Uint32(b))
}

// within reads a number and fails when it is not least…most.
func (r *reader) within(what string, least, most int32) int32 {
	v := r.int32()
	if r.err == nil && (v < least || v > most) {
		r.fail("%s = %d: allowed is %d…%d", what, v, least, most)
	}
	return v
}

func (r *reader) magic() {
	if v := uint32(r.int32()); v != magic {
		r.fail("it begins with %#x instead of %#x", v, magic)
	}
}

// tensors reads what follows the header up to the end of the file.
func (r *reader) tensors() []Tensor {
	var all []Tensor
	for r.err == nil && r.pos < r.size {
		if len(all) == maxTensors {
			r.fail("it has more than %d tensors", maxTensors)
			break
		}
		dims := r.within("number of dimensions", 0, 4)
		length := r.within("length of a tensor's name", 1, maxName)
		t := Tensor{Type: Type(r.int32())}
		elements := int64(1)
		for range dims {
			n := r.within("dimension", 1, maxElements)
			t.Shape = append(t.Shape, n)
			if elements *= int64(n); elements > maxElements {
				r.fail("a tensor has more than %d numbers", maxElements)
			}
			if r.err != nil {
				return nil
			}
		}
		t.Name = string(r.bytes(int64(length)))
		numbers, size := t.Type.block()
		if r.err == nil && (numbers == 0 || elements%numbers != 0) {
			r.fail("tensor %q of %d numbers has type %d", t.Name, elements, t.Type)
		}
		if r.err != nil {
			return nil
		}
		t.Offset, t.Size = r.pos, elements/numbers*size
		r.seek(r.pos + t.Size)
		all = append(all, t)
	}
	return all
}

// same reports whether two shapes hold the same numbers in the same order; trailing ones do not count.
func same(a, b []int32) bool {
	trim := func(s []int32) []int32 {
		for len(s) > 0 && s[len(s)-1] == 1 {
			s = s[:len(s)-1]
		}
		return s
	}
	return slices.Equal(trim(a), trim(b))
}
