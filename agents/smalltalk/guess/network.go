package guess

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/reachyd/reachyd/perception/language/frames"
	"github.com/reachyd/reachyd/perception/weights"
)

// errFile is wrapped by the error for bytes that are no network.
var errFile = errors.New("no network that guesses kinds")

// Sizes, as train/train.py has them.
const (
	dim      = frames.Width // of a word
	hidden   = 96           // of what is found in words
	buckets  = 4096         // of pieces of words
	maxGrams = 14           // pieces of a word
)

const (
	magic    = "guess 1\n"
	maxKinds = 2000
)

// layer sums up an input with the rows of a matrix, and adds a bias.
type layer struct {
	weight weights.Matrix
	bias   []float32
}

// spare are buffers for a matrix as floats. They are shared by sentences, and let go when nobody says any.
var spare = sync.Pool{New: func() any { return new([]float32) }}

// times writes the sums of the layer with each row of x.
func (l *layer) times(x blas32.General) blas32.General {
	buffer := spare.Get().(*[]float32)
	defer spare.Put(buffer)
	out := general(x.Rows, l.weight.Rows)
	for i := range out.Rows {
		copy(row(out, i), l.bias)
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, l.weight.Wide(buffer), 1, out)
	return out
}

// network reads words and the pieces that they are spelt with, finds what one and what three of them in a row say, and sums it up.
type network struct {
	kinds  []string
	frames uint32 // checksum of the network whose vectors of words it learned with
	turn   layer
	three  layer
	one    layer
	share  layer
	out    layer
	step   float32
	grams  string // dim steps a bucket, a byte each
}

// parse reads a network as train/train.py writes it, whose numbers stay where they are. The error wraps errFile.
func parse(data string) (*network, error) {
	rest, ok := strings.CutPrefix(data, magic)
	if !ok {
		return nil, fmt.Errorf("%w: it begins with %.12q, not with %q", errFile, data, magic)
	}
	kinds, rest, ok := strings.Cut(rest, "\n\n")
	n := &network{kinds: strings.Split(kinds, "\n")}
	if !ok || kinds == "" || len(n.kinds) > maxKinds {
		return nil, fmt.Errorf("%w: it has no kinds, or more than %d", errFile, maxKinds)
	}
	short := false
	take := func(bytes int) string {
		if short = short || len(rest) < bytes; short {
			return strings.Repeat("\x00", bytes)
		}
		part := rest[:bytes]
		rest = rest[bytes:]
		return part
	}
	n.frames = binary.LittleEndian.Uint32([]byte(take(4)))
	for _, l := range []struct {
		*layer
		rows, cols int
	}{{&n.turn, dim, dim}, {&n.three, hidden, 3 * dim}, {&n.one, hidden, dim}, {&n.share, 1, hidden}, {&n.out, len(n.kinds), 3 * hidden}} {
		l.weight = weights.New(l.rows, l.cols, take(weights.Bytes(l.rows, l.cols)))
		l.bias = weights.Floats(take(4 * l.rows))
	}
	n.step = weights.Floats(take(4))[0]
	n.grams = take(buckets * dim)
	if short || rest != "" {
		return nil, fmt.Errorf("%w: it ends early, or something follows its end", errFile)
	}
	return n, nil
}

// spell adds to x what the pieces of a word say: the whole, then all of three and of four letters.
func (n *network) spell(word string, x []float32) {
	text := []rune("<" + word + ">")
	pieces := []string{string(text)}
	for size := 3; size <= 4; size++ {
		for i := 0; i+size <= len(text) && len(pieces) < maxGrams; i++ {
			pieces = append(pieces, string(text[i:i+size]))
		}
	}
	scale := n.step / float32(math.Sqrt(float64(len(pieces))))
	for _, p := range pieces {
		bucket := int(crc32.ChecksumIEEE([]byte(p)) % buckets)
		steps := n.grams[bucket*dim:][:dim]
		for i := range x {
			x[i] += scale * float32(int8(steps[i]))
		}
	}
}

// read returns how likely words are of each kind.
func (n *network) read(words []string) []float32 {
	x := n.turn.times(frames.Vectors(words))
	beside := general(len(words), 3*dim) // each word between its neighbours
	for i, w := range words {
		n.spell(w, row(x, i))
		for k := max(0, i-1); k <= min(len(words)-1, i+1); k++ {
			copy(row(beside, k)[(i-k+1)*dim:], row(x, i))
		}
	}
	three, one := n.three.times(beside), n.one.times(x)
	for i, v := range three.Data {
		three.Data[i] = max(0, v)
	}
	shares := n.share.times(three)
	softmax(shares.Data)
	all := general(1, 3*hidden)
	for i := range words {
		for k, v := range row(three, i) {
			all.Data[k] = max(all.Data[k], v)
			all.Data[hidden+k] += shares.Data[i] * v
		}
		for k, v := range row(one, i) {
			all.Data[2*hidden+k] = max(all.Data[2*hidden+k], v)
		}
	}
	scores := n.out.times(all).Data
	softmax(scores)
	return scores
}

// softmax makes shares of scores.
func softmax(x []float32) {
	most, sum := x[0], 0.0
	for _, v := range x {
		most = max(most, v)
	}
	for i, v := range x {
		e := math.Exp(float64(v - most))
		x[i], sum = float32(e), sum+e
	}
	for i := range x {
		x[i] /= float32(sum)
	}
}

// general is a matrix of rows and columns, and row one of its rows.
func general(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
}

func row(of blas32.General, i int) []float32 { return of.Data[i*of.Stride:][:of.Cols] }
