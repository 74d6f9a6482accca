package meaning

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/reachyd/reachyd/perception/weights"
)

// linear is a matrix with what is added to each of its rows' sums.
type linear struct {
	weight *tensor
	bias   []float32
}

// layerNorm brings the numbers of a token to mean 0 and deviation 1, and then to a scale and an offset.
type layerNorm struct{ scale, offset []float32 }

type layer struct {
	query, key, value, output, up, down linear
	attended, done                      layerNorm
}

// Change is what is added to a matrix of a layer: the product of two of a low rank. In has a row of weights for each number between
// them, Out one for each number that comes out.
type Change struct{ In, Out weights.Matrix }

// Changes are those of each layer, in the order query, key, value, output, up, down (LoRA): the network reads for another end with them.
type Changes [Layers][6]Change

// ChangeSizes are how many numbers go into each of the six matrices and come out.
func ChangeSizes() (in, out [6]int) {
	for k, l := range linears {
		in[k], out[k] = l.cols, l.rows
	}
	return in, out
}

// add adds what the change makes of x to dst.
func (c *Change) add(dst, x []float32, tokens int, s *scratch) {
	if c.In.Rows == 0 {
		return
	}
	in, out, rank := len(x)/tokens, len(dst)/tokens, c.In.Rows
	between := grow(&s.between, tokens*rank, rank)
	matrix := func(rows, cols int, data []float32) blas32.General {
		return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, matrix(tokens, in, x), c.In.Wide(&s.wide), 0, matrix(tokens, rank, between))
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, matrix(tokens, rank, between), c.Out.Wide(&s.wide), 1, matrix(tokens, out, dst))
}

// network is BERT.
type network struct {
	word, position, kind *tensor
	embedded             layerNorm
	layers               [Layers]layer
}

func newNetwork(t map[string]*tensor) *network {
	norm := func(name string) layerNorm { return layerNorm{t[name+".weight"].floats, t[name+".bias"].floats} }
	n := &network{
		word: t["embeddings.word_embeddings.weight"], position: t["embeddings.position_embeddings.weight"],
		kind: t["embeddings.token_type_embeddings.weight"], embedded: norm("embeddings.LayerNorm"),
	}
	for i := range n.layers {
		l := &n.layers[i]
		for k, part := range []*linear{&l.query, &l.key, &l.value, &l.output, &l.up, &l.down} {
			name := layerName(i, linears[k].name)
			*part = linear{t[name+".weight"], t[name+".bias"].floats}
		}
		l.attended, l.done = norm(layerName(i, norms[0])), norm(layerName(i, norms[1]))
	}
	return n
}

// scratch is the memory of a run; it grows to the longest sentence.
type scratch struct {
	x, q, k, v, mixed, inner, between, wide []float32
	share                                   [maxTokens]float32
	tile                                    [tileRows * innerSize]float32
}

// grow makes a slice of n numbers, with room after them for the kernel to read.
func grow(s *[]float32, n, cols int) []float32 {
	if want := n + weights.SpareTokens*cols; cap(*s) < want {
		*s = make([]float32, want)
	}
	return (*s)[:n]
}

// run calls visit with what each layer makes of the tokens: Size numbers each. Tokens are 1 … maxTokens ids below pieces.
func (n *network) run(ids []int32, changes *Changes, s *scratch, visit func(layer int, x []float32)) {
	x := grow(&s.x, len(ids)*Size, Size)
	clear(x)
	for i, id := range ids {
		row := x[i*Size:][:Size]
		addRow(row, n.word, int(id))
		addRow(row, n.position, i)
		addRow(row, n.kind, 0)
	}
	n.embedded.apply(x)
	for i := range n.layers {
		n.layers[i].run(x, len(ids), &changes[i], s)
		visit(i, x)
	}
}

// run replaces x by what the layer makes of it.
func (l *layer) run(x []float32, tokens int, c *[6]Change, s *scratch) {
	apply := func(k int, l *linear, dst, x []float32) {
		l.apply(dst, x, tokens, s)
		c[k].add(dst, x, tokens, s)
	}
	q, k, v := grow(&s.q, len(x), Size), grow(&s.k, len(x), Size), grow(&s.v, len(x), Size)
	apply(0, &l.query, q, x)
	apply(1, &l.key, k, x)
	apply(2, &l.value, v, x)
	mixed := grow(&s.mixed, len(x), Size)
	attend(mixed, q, k, v, s.share[:tokens])
	apply(3, &l.output, q, mixed)
	add(x, q)
	l.attended.apply(x)
	inner := grow(&s.inner, tokens*innerSize, innerSize)
	apply(4, &l.up, inner, x)
	gelu(inner)
	apply(5, &l.down, q, inner)
	add(x, q)
	l.done.apply(x)
}

// attend mixes the values of all tokens for each token and head, by how well its query fits their keys.
func attend(mixed, q, k, v, share []float32) {
	clear(mixed)
	scale := float32(1 / math.Sqrt(headSize))
	for head := 0; head < Size; head += headSize {
		for i := range share {
			want := q[i*Size+head:][:headSize]
			best := float32(math.Inf(-1))
			for j := range share {
				share[j] = scale * dot(want, k[j*Size+head:][:headSize])
				best = max(best, share[j])
			}
			var sum float32
			for j, fit := range share {
				share[j] = float32(math.Exp(float64(fit - best)))
				sum += share[j]
			}
			into := mixed[i*Size+head:][:headSize]
			for j, part := range share {
				part /= sum
				for d, value := range v[j*Size+head:][:headSize] {
					into[d] += part * value
				}
			}
		}
	}
}

func dot(a, b []float32) (sum float32) {
	b = b[:len(a)]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func add(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += x[i]
	}
}

func addRow(dst []float32, t *tensor, row int) {
	scale := t.scales[row]
	for i, v := range t.steps[row*t.cols:][:len(dst)] {
		dst[i] += scale * float32(v)
	}
}

// apply writes the product for each token to dst.
func (l *linear) apply(dst, x []float32, tokens int, s *scratch) {
	multiply(dst, x, tokens, l.weight, s.tile[:])
	for ; len(dst) > 0; dst = dst[len(l.bias):] {
		add(dst[:len(l.bias)], l.bias)
	}
}

func (n layerNorm) apply(x []float32) {
	for ; len(x) > 0; x = x[Size:] {
		row := x[:Size]
		var sum, squares float64
		for _, v := range row {
			sum += float64(v)
		}
		mean := float32(sum / Size)
		for _, v := range row {
			squares += float64(v-mean) * float64(v-mean)
		}
		scale := float32(1 / math.Sqrt(squares/Size+1e-12))
		for i, v := range row {
			row[i] = (v-mean)*scale*n.scale[i] + n.offset[i]
		}
	}
}

// geluTable is the activation at even steps over ±geluRange; beyond it is 0 or x.
const (
	geluRange = 8
	geluSteps = 512 // for each 1
)

var geluTable = func() (t [2*geluRange*geluSteps + 2]float32) {
	for i := range t {
		x := float64(i)/geluSteps - geluRange
		t[i] = float32(x / 2 * (1 + math.Erf(x/math.Sqrt2)))
	}
	return t
}()

func gelu(x []float32) {
	for i, v := range x {
		switch {
		case v <= -geluRange:
			x[i] = 0
		case v < geluRange:
			at := (v + geluRange) * geluSteps
			j := int(at)
			x[i] = geluTable[j] + (geluTable[j+1]-geluTable[j])*(at-float32(j))
		}
	}
}
