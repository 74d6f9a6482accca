package reward

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/reachyd/reachyd/perception/weights"
)

// ErrWeights is wrapped by the error for weights that are not those of this program.
var ErrWeights = errors.New("no weights of the reward model")

// weightsMagic begins a file of weights; what follows is the length of its head, the head as JSON, the words, one a line, and the tables one
// after the other.
const weightsMagic = "reward 2\n"

// maxSide is how many rows or columns a table has at most.
const maxSide = 1 << 20

// weightsHead is the head of a file.
type weightsHead struct {
	Words  int `json:"words"` // bytes
	Tables []struct {
		Name string `json:"name"`
		Rows int    `json:"rows"`
		Cols int    `json:"cols"`
	} `json:"tables"`
}

// tables are those of a file, by name.
type tables struct {
	words string
	named map[string]weights.Matrix
	err   error // the first that was missed
}

// readTables reads what train/export.py writes; the numbers stay where they are. The error wraps ErrWeights.
func readTables(data string) (*tables, error) {
	rest, ok := strings.CutPrefix(data, weightsMagic)
	if !ok || len(rest) < 4 || uint64(binary.LittleEndian.Uint32([]byte(rest[:4]))) > uint64(len(rest)-4) {
		return nil, fmt.Errorf("%w: it begins with %.12q", ErrWeights, data)
	}
	size := int(binary.LittleEndian.Uint32([]byte(rest[:4])))
	var head weightsHead
	if err := json.Unmarshal([]byte(rest[4:4+size]), &head); err != nil {
		return nil, fmt.Errorf("%w: its head: %w", ErrWeights, err)
	}
	rest = rest[4+size:]
	if head.Words < 0 || head.Words > len(rest) {
		return nil, fmt.Errorf("%w: %d bytes of words, and %d are left", ErrWeights, head.Words, len(rest))
	}
	w := &tables{words: rest[:head.Words], named: map[string]weights.Matrix{}}
	rest = rest[head.Words:]
	for _, t := range head.Tables {
		if t.Rows < 1 || t.Cols < 1 || t.Rows > maxSide || t.Cols > maxSide || len(rest) < weights.Bytes(t.Rows, t.Cols) {
			return nil, fmt.Errorf("%w: %s has %d × %d numbers, and %d bytes are left", ErrWeights, t.Name, t.Rows, t.Cols, len(rest))
		}
		m := weights.New(t.Rows, t.Cols, rest)
		for i := range t.Rows {
			if size := m.Size(i); !(size >= 0 && size < maxNumber) {
				return nil, fmt.Errorf("%w: %s has steps of %g", ErrWeights, t.Name, size)
			}
		}
		w.named[t.Name], rest = m, rest[weights.Bytes(t.Rows, t.Cols):]
	}
	return w, nil
}

// maxNumber is beyond what weights are.
const maxNumber = 1e6

// table returns one of so many rows and columns; 0 is any number of them.
func (w *tables) table(name string, rows, cols int) weights.Matrix {
	t := w.named[name]
	if t.Rows == 0 || rows > 0 && t.Rows != rows || cols > 0 && t.Cols != cols {
		if w.err == nil {
			w.err = fmt.Errorf("%w: a table %s of %d × %d is wanted, it has %d × %d", ErrWeights, name, rows, cols, t.Rows, t.Cols)
		}
		rows, cols = max(rows, 2), max(cols, 1)
		return weights.New(rows, cols, strings.Repeat("\x00", weights.Bytes(rows, cols)))
	}
	return t
}

// dense returns a matrix and what is added to it, as floats: it is small.
func (w *tables) dense(name string, rows, cols int) dense {
	weight, bias := w.table(name, rows, cols), w.table(name+".bias", rows, 1)
	return dense{weight: weight.Wide(new([]float32)), bias: bias.Wide(new([]float32)).Data}
}

// kernelWidth is of what the numbers of a word must be a multiple (weights.Multiply).
const kernelWidth = 8

// network makes the network of a file.
func (w *tables) network() (*network, error) {
	n := &network{words: weights.NewWords(w.words), memory: sync.Pool{New: func() any { return new([]float32) }}}
	n.known = w.table("words", n.words.Len(), 0)
	width := n.known.Cols
	if width%kernelWidth != 0 && w.err == nil {
		w.err = fmt.Errorf("%w: it has %d numbers a word: a multiple of %d is wanted", ErrWeights, width, kernelWidth)
	}
	n.pieces = w.table("pieces", 0, width)
	n.role = w.table("roles", 0, width)
	n.level = w.table("level", 14, width)
	for l := range layers {
		n.near[l] = w.dense(fmt.Sprintf("near%d", l), width, 3*width)
		n.inner[l] = w.dense(fmt.Sprintf("inner%d", l), width, width)
	}
	n.gate = w.dense("gate", gates, width)
	n.say = w.dense("say", outputs, (1+gates)*width)
	if w.err == nil && n.role.Rows < len(vocab().names) {
		w.err = fmt.Errorf("%w: it knows %d roles of words, and there are %d", ErrWeights, n.role.Rows, len(vocab().names))
	}
	return n, w.err
}
