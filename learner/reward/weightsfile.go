package reward

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// ErrWeights is wrapped by the error for weights that are not those of this program.
var ErrWeights = errors.New("no weights of the reward model")

// weightsMagic begins a file of weights; what follows is the length of its head, the head as JSON, and the tables one after the other.
const weightsMagic = "reward 1\n"

// maxWeights is how large a file is at most, unpacked.
const maxWeights = 16 << 20

// weightsHead is the head of a file.
type weightsHead struct {
	Words  []string `json:"words"`
	Tables []struct {
		Name string `json:"name"`
		Rows int    `json:"rows"`
		Cols int    `json:"cols"`
	} `json:"tables"`
}

// table has rows of numbers, eight bits each: steps of the size of the row.
type table struct {
	rows, cols int
	sizes      []float32
	steps      []int8
}

// add adds a share of a row to x.
func (t *table) add(row int, share float32, x []float32) {
	share *= t.sizes[row]
	for k, v := range t.steps[row*t.cols:][:len(x)] {
		x[k] += share * float32(v)
	}
}

// floats are the numbers of a table.
func (t *table) floats() []float32 {
	out := make([]float32, t.rows*t.cols)
	for i := range t.rows {
		t.add(i, 1, out[i*t.cols:][:t.cols])
	}
	return out
}

// weights are the tables of a file, by name.
type weights struct {
	words  []string
	tables map[string]*table
	err    error // the first that was missed
}

// readWeights reads what train/export.py writes. The error wraps ErrWeights.
func readWeights(packed []byte) (*weights, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxWeights))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	rest, ok := bytes.CutPrefix(data, []byte(weightsMagic))
	if !ok || len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-4) {
		return nil, fmt.Errorf("%w: it begins with %.12q", ErrWeights, data)
	}
	size := int(binary.LittleEndian.Uint32(rest))
	var head weightsHead
	if err := json.Unmarshal(rest[4:4+size], &head); err != nil {
		return nil, fmt.Errorf("%w: its head: %w", ErrWeights, err)
	}
	rest = rest[4+size:]
	w := &weights{words: head.Words, tables: map[string]*table{}}
	for _, t := range head.Tables {
		if t.Rows < 1 || t.Cols < 1 || t.Rows > maxWeights || t.Cols > maxWeights || len(rest) < 4*t.Rows+t.Rows*t.Cols {
			return nil, fmt.Errorf("%w: %s has %d × %d numbers, and %d bytes are left", ErrWeights, t.Name, t.Rows, t.Cols, len(rest))
		}
		read := &table{rows: t.Rows, cols: t.Cols, sizes: make([]float32, t.Rows), steps: make([]int8, t.Rows*t.Cols)}
		for i := range read.sizes {
			read.sizes[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
			if !(read.sizes[i] >= 0 && read.sizes[i] < maxNumber) {
				return nil, fmt.Errorf("%w: %s has steps of %g", ErrWeights, t.Name, read.sizes[i])
			}
		}
		rest = rest[4*t.Rows:]
		for i := range read.steps {
			read.steps[i] = int8(rest[i])
		}
		rest = rest[len(read.steps):]
		w.tables[t.Name] = read
	}
	return w, nil
}

// maxNumber is beyond what weights are.
const maxNumber = 1e6

// table returns one of so many rows and columns; 0 is any number of them.
func (w *weights) table(name string, rows, cols int) *table {
	t := w.tables[name]
	if t == nil || rows > 0 && t.rows != rows || cols > 0 && t.cols != cols {
		if w.err == nil {
			w.err = fmt.Errorf("%w: a table %s of %d × %d is wanted, it has %+v", ErrWeights, name, rows, cols, t)
		}
		return &table{rows: max(rows, 2), cols: max(cols, 1), sizes: make([]float32, max(rows, 2)), steps: make([]int8, max(rows, 2)*max(cols, 1))}
	}
	return t
}

// dense returns a matrix and what is added to it.
func (w *weights) dense(name string, rows, cols int) dense {
	return dense{
		weight: blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: w.table(name, rows, cols).floats()},
		bias:   w.table(name+".bias", rows, 1).floats(),
	}
}

// network makes the network of weights.
func (w *weights) network() (*network, error) {
	n := &network{words: make(map[string]int, len(w.words))}
	for i, word := range w.words {
		n.words[word] = i
	}
	n.known = w.table("words", len(w.words), 0)
	width := n.known.cols
	n.pieces = w.table("pieces", 0, width)
	n.role = w.table("roles", 0, width)
	n.level = w.table("level", 14, width)
	for l := range layers {
		n.near[l] = w.dense(fmt.Sprintf("near%d", l), width, 3*width)
		n.inner[l] = w.dense(fmt.Sprintf("inner%d", l), width, width)
	}
	n.gate = w.dense("gate", gates, width)
	n.say = w.dense("say", outputs, (1+gates)*width)
	if w.err == nil && n.role.rows < len(vocab().names) {
		w.err = fmt.Errorf("%w: it knows %d roles of words, and there are %d", ErrWeights, n.role.rows, len(vocab().names))
	}
	return n, w.err
}
