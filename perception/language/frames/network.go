package frames

import (
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/reachyd/reachyd/perception/weights"
)

// matrix has rows of numbers that are summed up with an input, and what is added to each sum (nil: nothing).
type matrix struct {
	weight weights.Matrix
	bias   []float32
}

// wide is a matrix as floats, which is what sums are made with.
type wide struct {
	weight blas32.General
	bias   []float32
}

// wide writes the matrix into a buffer.
func (m *matrix) wide(buffer *[]float32) wide { return wide{m.weight.Wide(buffer), m.bias} }

// buffers are those of the matrices that are in use at the same time. They are shared by sentences, and let go when nobody says any.
type buffers struct{ first, second, third, fourth []float32 }

var spare = sync.Pool{New: func() any { return new(buffers) }}

// times writes to out the sums of the matrix with x.
func (m *wide) times(x, out []float32) []float32 {
	out = out[:m.weight.Rows]
	scale := float32(0)
	if m.bias != nil {
		copy(out, m.bias)
		scale = 1
	}
	blas32.Gemv(blas.NoTrans, 1, m.weight, blas32.Vector{N: m.weight.Cols, Inc: 1, Data: x}, scale, blas32.Vector{N: len(out), Inc: 1, Data: out})
	return out
}

// timesAll writes to the rows of out the sums of the matrix with those of x: each number of the matrix is fetched once for all of them.
func (m *wide) timesAll(x, out blas32.General) {
	scale := float32(0)
	if m.bias != nil {
		for i := range out.Rows {
			copy(row(out, i), m.bias)
		}
		scale = 1
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, x, m.weight, scale, out)
}

// gru is a gated recurrent unit; its rows are those of the reset gate, the update gate and the new state, as PyTorch has them.
type gru struct{ input, state matrix }

// next makes h the state after an input, which is what the matrix of inputs makes of x. The buffer of has three times the numbers of h.
func next(state *wide, in, h, of []float32) {
	of = state.times(h, of)
	n := len(h)
	for i := range h {
		reset := sigmoid(in[i] + of[i])
		update := sigmoid(in[n+i] + of[n+i])
		fresh := tanh(in[2*n+i] + reset*of[2*n+i])
		h[i] = (1-update)*fresh + update*h[i]
	}
}

const (
	reach  = 16 // beyond it a sigmoid is 0 or 1
	perOne = 64
)

// curve is the sigmoid at steps of 1/perOne from −reach to reach, with its first derivative and half of its second: near a step it is
// that parabola, to seven digits, as many as a float32 has. A gate takes three of them, and exponential functions were half of its work.
var curve = func() (c [2*reach*perOne + 1][3]float32) {
	for i := range c {
		s := 1 / (1 + math.Exp(reach-float64(i)/perOne))
		c[i] = [3]float32{float32(s), float32(s * (1 - s)), float32(s * (1 - s) * (1 - 2*s) / 2)}
	}
	return c
}()

func sigmoid(x float32) float32 {
	switch {
	case !(x >= -reach): // no number, too
		return 0
	case x > reach:
		return 1
	}
	i := int(x*perOne + reach*perOne + 0.5)
	f := x - float32(i-reach*perOne)/perOne
	near := &curve[i]
	return near[0] + f*(near[1]+f*near[2])
}

func tanh(x float32) float32 { return 2*sigmoid(2*x) - 1 }

// network reads words with two layers of GRUs in both directions and writes symbols with a third that attends to them.
type network struct {
	words *weights.Words
	table weights.Matrix // a row a word

	layers  [2][2]gru // forwards, backwards
	begin   matrix
	symbols []string
	said    weights.Matrix // a row a symbol
	cell    gru
	query   matrix
	out     matrix

	mu   sync.Mutex
	late map[string]reading // what was read of late
}

// maxLate is how many readings are held: the same is said again and again.
const maxLate = 64

type reading struct {
	symbols []string
	sure    float64
}

// Symbols and words with a place of their own.
const (
	unknownWord = 1
	startSymbol = 0
	endSymbol   = 1
)

// vector writes the numbers of a word.
func (n *network) vector(word string, out []float32) {
	row, ok := n.words.Find(word)
	if !ok {
		row = unknownWord
	}
	clear(out)
	n.table.Add(row, 1, out)
}

// encode returns what the two layers make of each word, one after the other, and the state to begin with.
func (n *network) encode(words []string, b *buffers) (memory [][]float32, state []float32) {
	x := general(len(words), n.table.Cols)
	for i, w := range words {
		n.vector(w, row(x, i))
	}
	var last []float32
	for l := range n.layers {
		hidden := n.layers[l][0].state.weight.Cols
		y := general(len(words), 2*hidden)
		in, of := general(len(words), 3*hidden), make([]float32, 3*hidden)
		last = last[:0]
		for way := range 2 {
			h := make([]float32, hidden)
			input := n.layers[l][way].input.wide(&b.first)
			input.timesAll(x, in)
			then := n.layers[l][way].state.wide(&b.first)
			for k := range words {
				i := k
				if way == 1 {
					i = len(words) - 1 - k
				}
				next(&then, row(in, i), h, of)
				copy(row(y, i)[way*hidden:], h)
			}
			last = append(last, h...)
		}
		x = y
	}
	begin := n.begin.wide(&b.first)
	state = begin.times(last, make([]float32, n.begin.weight.Rows))
	for i, v := range state {
		state[i] = tanh(v)
	}
	for i := range words {
		memory = append(memory, row(x, i))
	}
	return memory, state
}

// attend writes the mean of what is remembered, weighed by how near it is to what the state asks for.
func attend(query *wide, state []float32, memory [][]float32, out []float32) {
	asked := query.times(state, make([]float32, query.weight.Rows))
	shares := make([]float64, len(memory))
	most, sum := math.Inf(-1), 0.0
	for i, m := range memory {
		shares[i] = float64(blas32.Dot(vec(m), vec(asked)))
		most = max(most, shares[i])
	}
	for i := range shares {
		shares[i] = math.Exp(shares[i] - most)
		sum += shares[i]
	}
	clear(out)
	for i, m := range memory {
		blas32.Axpy(float32(shares[i]/sum), vec(m), vec(out))
	}
}

// read returns the symbols for words, and how likely the network holds them to be, all together. The symbols are not to be changed.
func (n *network) read(words []string) (symbols []string, sure float64) {
	text := strings.Join(words, " ")
	n.mu.Lock()
	r, ok := n.late[text]
	n.mu.Unlock()
	if ok {
		return r.symbols, r.sure
	}
	symbols, sure = n.work(words)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.late == nil || len(n.late) >= maxLate {
		n.late = map[string]reading{}
	}
	n.late[text] = reading{slices.Clip(symbols), sure} // whoever appends to it does not write into it
	return n.late[text].symbols, sure
}

// work is read for words that were not said of late.
func (n *network) work(words []string) (symbols []string, sure float64) {
	b := spare.Get().(*buffers)
	defer spare.Put(b)
	memory, state := n.encode(words, b)
	input, then, query, last := n.cell.input.wide(&b.first), n.cell.state.wide(&b.second), n.query.wide(&b.third), n.out.wide(&b.fourth)
	said, remembered := n.said.Cols, len(memory[0])
	in := make([]float32, said+remembered)
	joined := make([]float32, len(state)+remembered)
	sums := rows(2, 3*len(state))
	scores := make([]float32, len(n.symbols))
	logs, symbol := 0.0, startSymbol
	for range maxSymbols {
		clear(in[:said])
		n.said.Add(symbol, 1, in[:said])
		attend(&query, state, memory, in[said:])
		next(&then, input.times(in, sums[0]), state, sums[1])
		copy(joined, state)
		attend(&query, state, memory, joined[len(state):])
		last.times(joined, scores)
		scores[startSymbol] = float32(math.Inf(-1))
		var log float64
		symbol, log = best(scores)
		logs += log
		if symbol == endSymbol {
			return symbols, math.Exp(logs)
		}
		symbols = append(symbols, n.symbols[symbol])
	}
	return nil, 0
}

// best returns the place of the highest score, and the logarithm of its share.
func best(scores []float32) (at int, log float64) {
	for i, s := range scores {
		if s > scores[at] {
			at = i
		}
	}
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(float64(s - scores[at]))
	}
	return at, -math.Log(sum)
}

func vec(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }

// rows are slices of n numbers, side by side.
func rows(count, n int) [][]float32 {
	data, out := make([]float32, count*n), make([][]float32, count)
	for i := range out {
		out[i] = data[i*n:][:n:n]
	}
	return out
}

// general is a matrix of rows and columns, and row one of its rows.
func general(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
}

func row(of blas32.General, i int) []float32 { return of.Data[i*of.Stride:][:of.Cols] }
