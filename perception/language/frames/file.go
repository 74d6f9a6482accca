package frames

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/reachyd/reachyd/perception/weights"
)

// errFile is wrapped by the error for bytes that are no network.
var errFile = errors.New("no network that reads sentences")

// Limits of a file.
const (
	maxSymbols = 28
	maxSide    = 1 << 20
)

const magic = "frames 1\n"

// file reads the parts of a network one after the other.
type file struct {
	rest string
	err  error
}

// number reads a count that is at most maxSide.
func (f *file) number() int {
	if f.err != nil || len(f.rest) < 4 {
		f.fail("it ends early")
		return 0
	}
	v := binary.LittleEndian.Uint32([]byte(f.rest[:4]))
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
func (f *file) take(n int) string {
	if f.err != nil || n > len(f.rest) {
		f.fail("it ends early")
		return ""
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

// steps reads a matrix in whole steps, each row with a step size of its own.
func (f *file) steps() weights.Matrix {
	rows, cols := f.number(), f.number()
	data := f.take(weights.Bytes(rows, cols))
	if f.err != nil {
		return weights.Matrix{}
	}
	return weights.New(rows, cols, data)
}

// matrix reads a matrix, and a bias where there is one.
func (f *file) matrix(biased bool) (m matrix) {
	m.weight = f.steps()
	if biased {
		m.bias = weights.Floats(f.take(4 * m.weight.Rows))
	}
	return m
}

func (f *file) gru() gru { return gru{input: f.matrix(true), state: f.matrix(true)} }

// parse reads a network as train/export.py writes it, whose numbers stay where they are. The error wraps errFile.
func parse(data string) (*network, error) {
	rest, ok := strings.CutPrefix(data, magic)
	if !ok {
		return nil, fmt.Errorf("%w: it begins with %.12q, not with %q", errFile, data, magic)
	}
	f, n := file{rest: rest}, &network{}
	n.words = weights.NewWords(f.take(f.number()))
	n.symbols = strings.Split(strings.TrimSuffix(f.take(f.number()), "\n"), "\n")
	n.table = f.steps()
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
	in := n.table.Cols
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
	case n.table.Cols != Width:
		return wrong("the vector of a word", n.table.Cols, Width)
	case n.table.Rows != n.words.Len() || n.words.Len() <= unknownWord:
		return wrong("the table of words", n.table.Rows, n.words.Len())
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
