package reward

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// plainly is network.read word by word and row by row.
func (n *network) plainly(s *sentence) []float64 {
	count, width := min(maxWords, len(s.words)), n.known.Cols
	normal, x := make([]float32, (count+2)*width), make([]float32, count*width)
	for i := range count {
		n.begin(s, i, x[i*width:][:width])
	}
	hidden, change := make([]float32, width), make([]float32, width)
	for l := range layers {
		for i := range count {
			normalize(normal[(i+1)*width:][:width], x[i*width:][:width])
		}
		for i := range count {
			n.near[l].times(normal[i*width:][:3*width], hidden)
			for k, v := range hidden {
				hidden[k] = max(0, v)
			}
			n.inner[l].times(hidden, change)
			blas32.Axpy(1, vec(change), vec(x[i*width:][:width]))
		}
	}
	most, shares := make([]float32, width), make([][]float32, count)
	for k := range most {
		most[k] = x[k]
		for i := range count {
			most[k] = max(most[k], x[i*width+k])
		}
	}
	for i := range count {
		shares[i] = make([]float32, gates)
		n.gate.times(x[i*width:][:width], shares[i])
	}
	sums := make([]float32, gates*width)
	for g := range gates {
		all := 0.0
		for i := range count {
			all += math.Exp(float64(shares[i][g]))
		}
		for i := range count {
			blas32.Axpy(float32(math.Exp(float64(shares[i][g]))/all), vec(x[i*width:][:width]), vec(sums[g*width:][:width]))
		}
	}
	return n.say.logits(append(most, sums...))
}

// All words at once with the processor's vectors, in memory that was used before, are what each is by itself.
func TestTheNetworkIsWhatPlainSumsMake(t *testing.T) {
	n := Default().net
	_, writers := Writers()
	for _, w := range writers {
		for _, e := range w[:100] {
			s := read(e.Text)
			got, want := probabilities(n.read(s)), probabilities(n.plainly(s))
			for k := range want {
				if !(math.Abs(got[k]-want[k]) < 2e-6) {
					t.Fatalf("%q: probability %d is %g, plainly %g", e.Text, k, got[k], want[k])
				}
			}
		}
	}
}
