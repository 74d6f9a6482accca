package guess

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/reachyd/reachyd/perception/language/frames"
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
	weight blas32.General
	bias   []float32
}

// times writes the sums of the layer with each row of x.
func (l *layer) times(x blas32.General) blas32.General {
	out := general(x.Rows, l.weight.Rows)
	for i := range out.Rows {
		copy(row(out, i), l.bias)
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, l.weight, 1, out)
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
	grams  []int8 // dim steps a bucket
}

// parse reads a network as train/train.py writes it. The error wraps errFile.
func parse(packed []byte) (*network, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	in, n := bufio.NewReader(z), &network{}
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errFile, err)
		case first && line != magic:
			return nil, fmt.Errorf("%w: it begins with %.12q, not with %q", errFile, line, magic)
		case len(n.kinds) > maxKinds:
			return nil, fmt.Errorf("%w: it has more than %d kinds", errFile, maxKinds)
		case !first && line != "\n":
			n.kinds = append(n.kinds, line[:len(line)-1])
		}
		if line == "\n" {
			break
		}
	}
	read := func(to any) {
		if err == nil {
			err = binary.Read(in, binary.LittleEndian, to)
		}
	}
	read(&n.frames)
	for _, l := range []struct {
		*layer
		rows, cols int
	}{{&n.turn, dim, dim}, {&n.three, hidden, 3 * dim}, {&n.one, hidden, dim}, {&n.share, 1, hidden}, {&n.out, len(n.kinds), 3 * hidden}} {
		steps, values := make([]float32, l.rows), make([]int8, l.rows*l.cols)
		l.weight, l.bias = general(l.rows, l.cols), make([]float32, l.rows)
		read(steps)
		read(values)
		read(l.bias)
		for i, v := range values {
			l.weight.Data[i] = steps[i/l.cols] * float32(v)
		}
	}
	n.grams = make([]int8, buckets*dim)
	read(&n.step)
	read(n.grams)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFile, err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows its end", errFile)
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
		for i, v := range n.grams[bucket*dim:][:dim] {
			x[i] += scale * float32(v)
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
