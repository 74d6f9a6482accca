package ggml

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
)

// Limits of a tuning.
const (
	tuningMagic   = "RTUN"
	tuningVersion = 1
	maxRank       = 64
	maxScale      = 1     // of the numbers of a row or column
	maxHalf       = 65504 // the largest number of 16 bits
)

// Tuning is changes to matrices of tiny.en, each the product of two narrow ones.
type Tuning struct{ changes []change }

// change is what is added to one matrix: the product of columns and rows.
type change struct {
	name    string
	out, in int32
	rows    [][]float32 // rank × in
	columns [][]float32 // rank × out
}

// Matrices is how many are changed.
func (t *Tuning) Matrices() int { return len(t.changes) }

// ReadTuning reads changes to matrices of tiny.en: after "RTUN", the version and the number of matrices there are for each its name, both
// dimensions, the rank, and that many rows and columns, which have a scale and a byte a number. The error wraps ErrFormat.
func ReadTuning(src io.ReaderAt, size int64) (*Tuning, error) {
	r := newReader(src, size)
	if b := r.bytes(int64(len(tuningMagic))); r.err == nil && string(b) != tuningMagic {
		r.fail("it begins with %q instead of %q", b, tuningMagic)
	}
	r.within("version of the tuning", tuningVersion, tuningVersion)
	left := make(map[string]Spec)
	for _, s := range TinyEn.Layout() {
		if s.Type == TinyEn.Matrix() && len(s.Shape) == 2 {
			left[s.Name] = s
		}
	}
	t := new(Tuning)
	for range r.within("changed matrices", 1, int32(len(left))) { //nolint:gosec // some dozens
		t.changes = append(t.changes, r.change(left))
		if r.err != nil {
			return nil, r.err
		}
	}
	if r.err == nil && r.pos < size {
		r.fail("%d bytes follow the last matrix", size-r.pos)
	}
	if r.err != nil {
		return nil, r.err
	}
	return t, nil
}

// change reads what is added to one matrix, and takes that out of those that are left.
func (r *reader) change(left map[string]Spec) change {
	length := r.bytes(2)
	if length == nil {
		return change{}
	}
	c := change{name: string(r.bytes(int64(binary.LittleEndian.Uint16(length))))}
	s, known := left[c.name]
	if r.err == nil && !known {
		r.fail("%.200q is no matrix of tiny.en or there twice", c.name)
	}
	if r.err != nil {
		return c
	}
	delete(left, c.name)
	c.in, c.out = s.Shape[0], s.Shape[1]
	r.within("rows of "+c.name, c.out, c.out)
	r.within("columns of "+c.name, c.in, c.in)
	rank := r.within("rank of "+c.name, 1, maxRank)
	for range rank {
		c.rows = append(c.rows, r.scaled(c.in))
	}
	for range rank {
		c.columns = append(c.columns, r.scaled(c.out))
	}
	return c
}

// scaled reads a scale and n bytes.
func (r *reader) scaled(n int32) []float32 {
	scale := math.Float32frombits(uint32(r.int32()))                //nolint:gosec // the bits of a number
	if r.err == nil && !(scale >= -maxScale && scale <= maxScale) { // as is NaN
		r.fail("scale = %v: allowed is ±%d", scale, maxScale)
	}
	b := r.bytes(int64(n))
	numbers := make([]float32, len(b))
	for i, v := range b {
		numbers[i] = scale * float32(int8(v))
	}
	return numbers
}

// Apply adds the changes to a model file in memory, whose form is w and whose matrices have type F16 or Q80. After an error the file is of no use.
func (t *Tuning) Apply(file []byte, w *Whisper) error {
	if m := w.Header.Matrix(); m != F16 && m != Q80 {
		return fmt.Errorf("matrices of type %d cannot be tuned: allowed are %d and %d", m, F16, Q80)
	}
	tensors := make(map[string]*Tensor)
	for i := range w.Tensors {
		tensors[w.Tensors[i].Name] = &w.Tensors[i]
	}
	jobs := make(chan *change, len(t.changes))
	for i := range t.changes {
		c := &t.changes[i]
		x := tensors[c.name]
		if x == nil || x.Type != w.Header.Matrix() || !same(x.Shape, []int32{c.in, c.out}) || x.Offset+x.Size > int64(len(file)) {
			return fmt.Errorf("%w: it has no matrix %q of %d × %d numbers that could be tuned", ErrFormat, c.name, c.out, c.in)
		}
		jobs <- c
	}
	close(jobs)
	var all sync.WaitGroup
	bad := make(chan error, len(t.changes))
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for c := range jobs {
				x := tensors[c.name]
				if err := c.add(file[x.Offset:][:x.Size], x.Type); err != nil {
					bad <- err
				}
			}
		})
	}
	all.Wait()
	close(bad)
	return <-bad
}

// add changes a matrix row by row.
func (c *change) add(data []byte, t Type) error {
	size := len(data) / int(c.out)
	numbers := make([]float32, c.in)
	for o := range int(c.out) {
		row := data[o*size:][:size]
		unpack(numbers, t, row)
		c.sum(numbers, o)
		for _, v := range numbers {
			if !(v >= -maxHalf && v <= maxHalf) { // as is NaN
				return fmt.Errorf("%w: a number of %q would be %v", ErrFormat, c.name, v)
			}
		}
		pack(row[:0], t, numbers)
	}
	return nil
}

// sum adds one row of the product. It takes several of the narrow matrix's rows at once, which is twice as fast.
func (c *change) sum(numbers []float32, o int) {
	k := 0
	for ; k+3 < len(c.rows); k += 4 {
		n := len(numbers)
		r0, r1, r2, r3 := c.rows[k][:n], c.rows[k+1][:n], c.rows[k+2][:n], c.rows[k+3][:n]
		b0, b1, b2, b3 := c.columns[k][o], c.columns[k+1][o], c.columns[k+2][o], c.columns[k+3][o]
		for i := range numbers {
			numbers[i] += b0*r0[i] + b1*r1[i] + b2*r2[i] + b3*r3[i]
		}
	}
	for ; k < len(c.rows); k++ {
		by := c.columns[k][o]
		for i, v := range c.rows[k] {
			numbers[i] += by * v
		}
	}
}
