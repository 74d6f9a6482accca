// Package nn has the small neural networks of the learner: fully connected, float32, with a hand-written backward pass.
//
// A network's parameters are one flat slice, so that an optimiser, a target network and a checkpoint are loops over it.
// Given the same seed and inputs, results are the same bit for bit on one architecture.
package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Activation is the nonlinearity between two layers.
type Activation int

// The activations.
const (
	Tanh Activation = iota
	ReLU
)

// MLP is a fully connected network; the last layer is linear.
type MLP struct {
	Sizes []int // width of the input, of each hidden layer and of the output
	Act   Activation

	params, grads []float32
	layers        []layer
	batch         int
	out           [][]float32 // activations by layer; out[0] is the input, rows × width
	delta         [][]float32 // gradients of the same
}

type layer struct{ w, dw, b, db []float32 } // w is in × out, row-major

// NewMLP returns a network of the given widths with orthogonal weights: gain √2 in hidden layers, gain in the last one.
func NewMLP(rng *rand.Rand, act Activation, gain float64, sizes ...int) *MLP {
	n := &MLP{Sizes: sizes, Act: act}
	total := 0
	for i := range len(sizes) - 1 {
		total += (sizes[i] + 1) * sizes[i+1]
	}
	n.params, n.grads = make([]float32, total), make([]float32, total)
	at := 0
	take := func(size int) (p, g []float32) {
		p, g = n.params[at:at+size:at+size], n.grads[at:at+size:at+size]
		at += size
		return p, g
	}
	for i := range len(sizes) - 1 {
		var l layer
		l.w, l.dw = take(sizes[i] * sizes[i+1])
		l.b, l.db = take(sizes[i+1])
		g := math.Sqrt2
		if i == len(sizes)-2 {
			g = gain
		}
		orthogonal(rng, l.w, sizes[i], sizes[i+1], g)
		n.layers = append(n.layers, l)
	}
	n.out, n.delta = make([][]float32, len(sizes)), make([][]float32, len(sizes))
	return n
}

// Params are all weights and biases; writing them changes the network.
func (n *MLP) Params() []float32 { return n.params }

// Grads are the derivatives that Backward has added up since ZeroGrads, in the order of Params.
func (n *MLP) Grads() []float32 { return n.grads }

// ZeroGrads forgets the gradients.
func (n *MLP) ZeroGrads() { clear(n.grads) }

// In and Out are the widths of the input and of the output.
func (n *MLP) In() int { return n.Sizes[0] }

// Out is the width of the output.
func (n *MLP) Out() int { return n.Sizes[len(n.Sizes)-1] }

// SetParams takes parameters over. The error says how many there must be.
func (n *MLP) SetParams(p []float32) error {
	if len(p) != len(n.params) {
		return fmt.Errorf("nn: %d parameters for a network of %v, which has %d", len(p), n.Sizes, len(n.params))
	}
	copy(n.params, p)
	return nil
}

// room makes the buffers fit a batch.
func (n *MLP) room(batch int) {
	if cap(n.delta[0]) < batch*n.Sizes[0] || n.batch == 0 {
		for i, w := range n.Sizes {
			n.out[i], n.delta[i] = make([]float32, batch*w), make([]float32, batch*w)
		}
	}
	n.batch = batch
	for i, w := range n.Sizes {
		n.out[i], n.delta[i] = n.out[i][:batch*w], n.delta[i][:batch*w]
	}
}

func general(rows, cols int, data []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// Forward returns the outputs for a batch of inputs, row by row. The result is valid until the next Forward.
func (n *MLP) Forward(x []float32, batch int) []float32 {
	if len(x) != batch*n.Sizes[0] {
		panic(fmt.Sprintf("nn: %d inputs for a batch of %d rows of %d", len(x), batch, n.Sizes[0]))
	}
	n.room(batch)
	copy(n.out[0], x)
	for i := range n.layers {
		l, in, out := &n.layers[i], n.Sizes[i], n.Sizes[i+1]
		y := n.out[i+1]
		for r := range batch {
			copy(y[r*out:(r+1)*out], l.b)
		}
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(batch, in, n.out[i]), general(in, out, l.w), 1, general(batch, out, y))
		if i < len(n.layers)-1 {
			n.activate(y)
		}
	}
	return n.out[len(n.out)-1]
}

func (n *MLP) activate(y []float32) {
	if n.Act == Tanh {
		for i, v := range y {
			y[i] = Tanh32(v)
		}
		return
	}
	for i, v := range y {
		y[i] = max(0, v)
	}
}

// Tanh32 is tanh by its continued fraction as a ratio of polynomials, within 5e-6 of it; math.Tanh takes several times as long.
func Tanh32(x float32) float32 {
	if x > 3.4 || x < -3.4 {
		return float32(math.Tanh(float64(x)))
	}
	s := float64(x) * float64(x)
	return float32(float64(x) * (135135 + s*(17325+s*(378+s))) / (135135 + s*(62370+s*(3150+s*28))))
}

// Backward adds the parameters' gradients for the outputs' gradients of the last Forward to Grads and returns the
// gradients of the inputs, valid until the next Backward.
func (n *MLP) Backward(dOut []float32) []float32 {
	last := len(n.layers)
	copy(n.delta[last], dOut)
	for i := last - 1; i >= 0; i-- {
		l, in, out, d := &n.layers[i], n.Sizes[i], n.Sizes[i+1], n.delta[i+1]
		if i < last-1 {
			n.derive(d, n.out[i+1])
		}
		dg := general(n.batch, out, d)
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, general(n.batch, in, n.out[i]), dg, 1, general(in, out, l.dw))
		for r := range n.batch {
			for c, v := range d[r*out : (r+1)*out] {
				l.db[c] += v
			}
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, dg, general(in, out, l.w), 0, general(n.batch, in, n.delta[i]))
	}
	return n.delta[0]
}

// derive multiplies gradients by the activation's derivative at outputs y.
func (n *MLP) derive(d, y []float32) {
	if n.Act == Tanh {
		for i, v := range y {
			d[i] *= 1 - v*v
		}
		return
	}
	for i, v := range y {
		if v <= 0 {
			d[i] = 0
		}
	}
}

// orthogonal fills w (rows × cols) with orthonormal rows or columns, whichever are fewer, times gain.
func orthogonal(rng *rand.Rand, w []float32, rows, cols int, gain float64) {
	n, m := min(rows, cols), max(rows, cols)
	basis := make([][]float64, n)
	for i := range basis {
		v := make([]float64, m)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		for _, u := range basis[:i] {
			dot := 0.0
			for j := range v {
				dot += u[j] * v[j]
			}
			for j := range v {
				v[j] -= dot * u[j]
			}
		}
		norm := 0.0
		for _, x := range v {
			norm += x * x
		}
		norm = math.Sqrt(norm)
		for j := range v {
			v[j] /= norm
		}
		basis[i] = v
	}
	for r := range rows {
		for c := range cols {
			if rows <= cols {
				w[r*cols+c] = float32(gain * basis[r][c])
			} else {
				w[r*cols+c] = float32(gain * basis[c][r])
			}
		}
	}
}
