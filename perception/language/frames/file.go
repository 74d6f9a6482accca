package frames

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
)

// errFile is wrapped by the error for bytes that are no network.
var errFile = errors.New("no network that reads sentences")

// Limits of a file.
const (
	maxSymbols = 28
	maxFile    = 8 << 20
	maxSide    = 1 << 20
)

var magic = []byte("frames 1\n")

// file reads the parts of a network one after the other.
type file struct {
	rest []byte
	err  error
}

// number reads a count that is at most maxSide.
func (f *file) number() int {
	if f.err != nil || len(f.rest) < 4 {
		f.fail("it ends early")
		return 0
	}
	v := binary.LittleEndian.Uint32(f.rest)
	f.rest = f.rest[4:]
	if v > maxSide {
		f.fail(fmt.Sprintf("it has a part of %d numbers; allowed are up to %d", v, maxSide))
		return 0
	}
	return int(v)
}

func (f *file) fail(why string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", errFile, why)
	}
}

// take reads n bytes.
func (f *file) take(n int) []byte {
	if f.err != nil || n > len(f.rest) {
		f.fail("it ends early")
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

// names reads words that end with line feeds.
func (f *file) names() []string {
	all := strings.Split(string(f.take(f.number())), "\n")
	return all[:len(all)-1]
}

// floats reads n numbers.
func (f *file) floats(n int) []float32 {
	b := f.take(4 * n)
	out := make([]float32, len(b)/4)
	if _, err := binary.Decode(b, binary.LittleEndian, out); err != nil {
		f.fail(err.Error())
	}
	return out
}

// steps reads a matrix in whole steps, each row with a step size of its own.
func (f *file) steps() (values []int8, sizes []float32, rows, cols int) {
	rows, cols = f.number(), f.number()
	sizes = f.floats(rows)
	b := f.take(rows * cols)
	values = make([]int8, len(b))
	for i, v := range b {
		values[i] = int8(v)
	}
	return values, sizes, rows, cols
}

// matrix reads a matrix, and a bias where there is one.
func (f *file) matrix(biased bool) (m matrix) {
	values, sizes, rows, cols := f.steps()
	if f.err != nil {
		return m
	}
	m.weight = blas32.General{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: make([]float32, rows*cols)}
	for i, v := range values {
		m.weight.Data[i] = sizes[i/cols] * float32(v)
	}
	if biased {
		m.bias = f.floats(rows)
	}
	return m
}

func (f *file) gru() gru { return gru{input: f.matrix(true), state: f.matrix(true)} }

// parse reads a network as train/export.py writes it. The error wraps errFile.
func parse(packed []byte) (*network, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	rest, ok := bytes.CutPrefix(data, magic)
	if !ok {
		return nil, fmt.Errorf("%w: it begins with %.12q, not with %q", errFile, data, magic)
	}
	f, n := file{rest: rest}, &network{words: map[string]int{}}
	for i, w := range f.names() {
		n.words[w] = i
	}
	n.symbols = f.names()
	n.table, n.steps, _, n.width = f.steps()
	for l := range n.layers {
		for way := range n.layers[l] {
			n.layers[l][way] = f.gru()
		}
	}
	n.begin = f.matrix(true)
	n.said = f.matrix(false).weight
	n.cell = f.gru()
	n.query, n.out = f.matrix(false), f.matrix(true)
	if len(f.rest) > 0 {
		f.fail(fmt.Sprintf("%d bytes follow its end", len(f.rest)))
	}
	if f.err != nil {
		return nil, f.err
	}
	return n, n.fits()
}

// fits says where the parts of a network have shapes that do not fit together.
func (n *network) fits() error {
	wrong := func(what string, got, want int) error {
		return fmt.Errorf("%w: %s has %d numbers, want %d", errFile, what, got, want)
	}
	in := n.width
	for l := range n.layers {
		hidden := n.layers[l][0].state.weight.Cols
		for way := range n.layers[l] {
			if err := n.layers[l][way].fits(in, hidden); err != nil {
				return err
			}
		}
		in = 2 * hidden
	}
	state := n.begin.weight.Rows
	switch {
	case n.width != Width:
		return wrong("the vector of a word", n.width, Width)
	case len(n.steps) != len(n.words) || len(n.words) <= unknownWord:
		return wrong("the table of words", len(n.steps), len(n.words))
	case len(n.symbols) <= endSymbol || n.said.Rows != len(n.symbols):
		return wrong("the table of symbols", n.said.Rows, len(n.symbols))
	case n.begin.weight.Cols != in || state == 0:
		return wrong("the first state", n.begin.weight.Cols, in)
	case n.query.weight.Cols != state || n.query.weight.Rows != in:
		return wrong("the question", n.query.weight.Rows, in)
	case n.out.weight.Cols != state+in || n.out.weight.Rows != len(n.symbols):
		return wrong("the end", n.out.weight.Cols, state+in)
	}
	return n.cell.fits(n.said.Cols+in, state)
}

func (g *gru) fits(in, hidden int) error {
	for _, m := range []struct {
		matrix
		cols int
	}{{g.input, in}, {g.state, hidden}} {
		if m.weight.Cols != m.cols || m.weight.Rows != 3*hidden || hidden == 0 || m.cols == 0 {
			return fmt.Errorf("%w: a recurrent layer has %d times %d numbers, want %d times %d", errFile, m.weight.Rows, m.weight.Cols, 3*hidden, m.cols)
		}
	}
	return nil
}
