package reward

import (
	"math"
	"math/bits"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/reachyd/reachyd/perception/weights"
)

// The network reads so many words and signs of a sentence, and so many parts of each.
const (
	maxWords  = 40
	maxPieces = 16
)

// layers is how many layers look at a word's neighbours, gates how many sums over the words there are.
const (
	layers = 3
	gates  = 4
)

// Values are what the network chooses from: how much a sentence is worth in tenths, blame first.
var values = func() (v []float64) {
	for k := 10; k >= 2; k-- {
		v = append(v, -float64(k)/10)
	}
	v = append(v, 0)
	for k := 2; k <= 10; k++ {
		v = append(v, float64(k)/10)
	}
	return v
}()

// numValues are the values, neutral is the place of that of sentences that are neither praise nor blame.
const (
	numValues = 19
	neutral   = 9
)

// outputs are those of the network and of the second layer: the values, and the meanings.
var outputs = numValues + len(Meanings)

// network says what a sentence is worth. Of each word it knows the word itself, its parts, what it does in sentences and what it is
// worth; three layers look at its neighbours, and the words that matter are summed up.
type network struct {
	words                      *weights.Words
	known, pieces, role, level weights.Matrix
	near, inner                [layers]dense
	gate, say                  dense
	memory                     sync.Pool // of *[]float32, for one sentence
}

// dense is a matrix with what is added to the sum of each row.
type dense struct {
	weight blas32.General
	bias   []float32
}

// times writes to out what the matrix makes of x.
func (d *dense) times(x, out []float32) {
	copy(out, d.bias)
	blas32.Gemv(blas.NoTrans, 1, d.weight, vec(x), 1, vec(out))
}

// each writes to out what the matrix makes of each of count times as many numbers in x, which has room for weights.SpareTokens more.
func (d *dense) each(x []float32, count int, out []float32) {
	rows, cols := d.weight.Rows, d.weight.Cols
	for r := 0; r < rows; r += weights.KernelRows {
		weights.Multiply(out[r:], rows, x, count, d.weight.Data[r*cols:][:weights.KernelRows*cols])
	}
	for i := range count {
		for k, b := range d.bias {
			out[i*rows+k] += b
		}
	}
}

func vec(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }

// begin writes what is known of a word by itself.
func (n *network) begin(s *sentence, i int, x []float32) {
	word := s.words[i]
	if at, known := n.words.Find(word); known {
		n.known.Add(at, 1, x)
	}
	var found [maxPieces]int
	parts := pieces(word, n.pieces.Rows, found[:0])
	for _, p := range parts {
		n.pieces.Add(p, 1/float32(len(parts)), x)
	}
	for left := s.roles[i]; left != 0; left &= left - 1 {
		n.role.Add(bits.TrailingZeros64(uint64(left)), 1, x)
	}
	level := int(s.levels[i]) + 3
	if s.negate[i] {
		level += 7
	}
	n.level.Add(level, 1, x)
}

// pieces are the places of the parts of a word, three to five bytes of it, in a table of rows.
func pieces(word string, rows int, out []int) []int {
	text := "<" + word + ">"
	for size := 3; size <= 5; size++ {
		for from := 0; from+size <= len(text); from++ {
			if len(out) == maxPieces {
				return out
			}
			x := uint32(fnvOffset)
			for k := range size {
				x = (x ^ uint32(text[from+k])) * fnvPrime
			}
			out = append(out, 1+int((x^x>>15)%uint32(rows-1)))
		}
	}
	return out
}

// read returns what the network says of a sentence of at least one word, as logits.
func (n *network) read(s *sentence) []float64 {
	count, width := min(maxWords, len(s.words)), n.known.Cols
	room := (count + weights.SpareTokens) * width
	kept := n.memory.Get().(*[]float32) //nolint:forcetypeassert // nothing else is put there
	defer n.memory.Put(kept)
	if cap(*kept) < 6*room {
		*kept = make([]float32, 6*room)
	}
	memory := (*kept)[:6*room]
	clear(memory)
	take := func(size int) (part []float32) {
		part, memory = memory[:size], memory[size:]
		return part
	}
	x, hidden, change, near := take(room), take(room), take(room), take(3*room)
	for i := range count {
		n.begin(s, i, x[i*width:][:width])
	}
	for l := range layers {
		for i := range count {
			// A word is beside itself, and beside both its neighbours; what the first and the last have beyond them is zeros.
			normal := near[(3*i+1)*width:][:width]
			normalize(normal, x[i*width:][:width])
			if i > 0 {
				copy(near[(3*(i-1)+2)*width:], normal)
			}
			if i+1 < count {
				copy(near[3*(i+1)*width:], normal)
			}
		}
		n.near[l].each(near, count, hidden)
		for k, v := range hidden {
			hidden[k] = max(0, v)
		}
		n.inner[l].each(hidden, count, change)
		for k, v := range change[:count*width] {
			x[k] += v
		}
	}
	return n.say.logits(n.sum(x, count))
}

// sum sums words up: the largest of each number, and the means of all by each gate.
func (n *network) sum(x []float32, count int) []float32 {
	width := n.known.Cols
	out := make([]float32, (1+gates)*width)
	copy(out, x[:width])
	shares := make([]float32, count*gates)
	n.gate.each(x, count, shares)
	for i := range count {
		for k, v := range x[i*width:][:width] {
			out[k] = max(out[k], v)
		}
	}
	for g := range gates {
		most, all := float32(math.Inf(-1)), float32(0)
		for i := range count {
			most = max(most, shares[i*gates+g])
		}
		for i := range count {
			shares[i*gates+g] = float32(math.Exp(float64(shares[i*gates+g] - most)))
			all += shares[i*gates+g]
		}
		for i := range count {
			blas32.Axpy(shares[i*gates+g]/all, vec(x[i*width:][:width]), vec(out[(1+g)*width:][:width]))
		}
	}
	return out
}

// logits are what the matrix makes of x.
func (d *dense) logits(x []float32) []float64 {
	y := make([]float32, len(d.bias))
	d.times(x, y)
	out := make([]float64, len(y))
	for k, v := range y {
		out[k] = float64(v)
	}
	return out
}

// normalize writes x with a mean square of one.
func normalize(out, x []float32) {
	sum := float32(0)
	for _, v := range x {
		sum += v * v
	}
	scale := float32(1 / math.Sqrt(float64(sum)/float64(len(x))+1e-5))
	for k, v := range x {
		out[k] = scale * v
	}
}
