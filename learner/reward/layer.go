package reward

import (
	"math"
	"slices"
)

// Sentences makes vectors of sentences, such as *meaning.Model.
type Sentences interface {
	// States are the means of a transformer's layers, one after the other, each of length one.
	States(text string) ([]float32, error)
}

// How a layer is fitted, by kernel ridge regression. The values are those of the best leave-one-writer-out.
const (
	ridge = 0.2
	// layerShare is that of the layer in the probabilities; the rest is the lexical model's.
	layerShare = 0.6
)

// outputs are those of a layer: the classes, and the meanings.
var outputs = int(numClasses) + len(Meanings)

// Layer says what a sentence is worth by its vectors: how like it is to sentences whose worth is known. It does not change once it
// is made; any number of goroutines may use it.
type Layer struct {
	mean, scale []float32 // of each number of a vector: what is taken off it, and then multiplied
	points      []int8    // the known sentences, one after the other, as many steps each as there are numbers
	steps       []float32 // what a step of each is
	squares     []float32 // the length of each, squared
	width       float32   // squared distance at which a sentence says e times less of another
	weights     []float32 // of each point for each output
	base        []float32 // outputs of sentences that are like none
}

// FitLayer makes a layer of sentences and their vectors, which must be of one length. The same ones make the same layer.
func FitLayer(examples []Example, states [][]float32) *Layer {
	n := len(examples)
	l := &Layer{base: make([]float32, outputs)}
	l.standardize(states)
	known := make([][]float32, n)
	for i, s := range states {
		known[i] = l.standard(s)
	}
	wanted := make([]float32, n*outputs)
	for i := range examples {
		target(&examples[i], wanted[i*outputs:][:outputs])
		for k, v := range wanted[i*outputs:][:outputs] {
			l.base[k] += v / float32(n)
		}
	}
	for _, x := range known {
		l.addPoint(x)
	}
	near := make([]float32, n*n) // the lower half
	for i, x := range known {
		l.distances(x, near[i*n:][:i+1])
	}
	l.width = max(middle(near, n), 1e-6)
	for i := range n {
		for j, d := range near[i*n:][:i+1] {
			near[i*n+j] = l.kernel(d)
		}
		near[i*n+i] = 1 + ridge
	}
	for i := range n {
		for k := range outputs {
			wanted[i*outputs+k] -= l.base[k]
		}
	}
	factorize(near, n)
	substitute(near, wanted, n)
	l.weights = wanted
	return l
}

// middle is the median of some of the distances.
func middle(near []float32, n int) float32 {
	some := make([]float32, 0, n)
	for i := 1; i < n; i++ {
		some = append(some, near[i*n+i/2])
	}
	slices.Sort(some)
	return some[len(some)/2]
}

// target writes what the outputs should be for an example.
func target(e *Example, out []float32) {
	out[ClassOf(e.Reward)] = 1
	for k, name := range Meanings {
		if slices.Contains(e.Meant, name) {
			out[int(numClasses)+k] = 1
		}
	}
}

// standardize finds what brings each number to mean 0 and vectors to length one or so.
func (l *Layer) standardize(states [][]float32) {
	size := len(states[0])
	l.mean, l.scale = make([]float32, size), make([]float32, size)
	n := float64(len(states))
	for k := range size {
		var sum, squares float64
		for _, s := range states {
			sum += float64(s[k])
			squares += float64(s[k]) * float64(s[k])
		}
		l.mean[k] = float32(sum / n)
		l.scale[k] = float32(1 / math.Sqrt(float64(size)*max(squares/n-sum/n*sum/n, 1e-9)))
	}
}

func (l *Layer) standard(states []float32) []float32 {
	out := make([]float32, len(states))
	for k, v := range states {
		out[k] = (v - l.mean[k]) * l.scale[k]
	}
	return out
}

// addPoint rounds a sentence to eight bits a number.
func (l *Layer) addPoint(x []float32) {
	top := float32(1e-9)
	for _, v := range x {
		top = max(top, v, -v)
	}
	step, square := top/math.MaxInt8, float32(0)
	row := make([]int8, len(x))
	for k, v := range x {
		row[k] = int8(math.Round(float64(v / step)))
		square += step * float32(row[k]) * step * float32(row[k])
	}
	l.points, l.steps, l.squares = append(l.points, row...), append(l.steps, step), append(l.squares, square)
}

// distances writes the squared distance to each point.
func (l *Layer) distances(x, out []float32) {
	square := float32(0)
	for _, v := range x {
		square += v * v
	}
	for p := range out {
		row := l.points[p*len(x):][:len(x)]
		var a, b, c, d float32
		for k := 0; k+3 < len(x); k += 4 {
			a += x[k] * float32(row[k])
			b += x[k+1] * float32(row[k+1])
			c += x[k+2] * float32(row[k+2])
			d += x[k+3] * float32(row[k+3])
		}
		for k := len(x) &^ 3; k < len(x); k++ {
			a += x[k] * float32(row[k])
		}
		out[p] = max(0, square+l.squares[p]-2*l.steps[p]*(a+b+c+d))
	}
}

func (l *Layer) kernel(distance float32) float32 {
	return float32(math.Exp(float64(-distance / l.width)))
}

// factorize replaces the lower half of a positive definite n × n matrix by its Cholesky factor.
func factorize(a []float32, n int) {
	for i := range n {
		ri := a[i*n:][:i+1]
		for j := range i + 1 {
			rj := a[j*n:][:j+1]
			sum := ri[j] - dot(ri[:j], rj[:j])
			if i == j {
				ri[j] = float32(math.Sqrt(float64(max(sum, 1e-6))))
			} else {
				ri[j] = sum / rj[j]
			}
		}
	}
}

// dot is summed in eight parts: it is faster, and more exact.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s [8]float32
	for len(a) >= 8 {
		x, y := a[:8], b[:8]
		s[0] += x[0] * y[0]
		s[1] += x[1] * y[1]
		s[2] += x[2] * y[2]
		s[3] += x[3] * y[3]
		s[4] += x[4] * y[4]
		s[5] += x[5] * y[5]
		s[6] += x[6] * y[6]
		s[7] += x[7] * y[7]
		a, b = a[8:], b[8:]
	}
	for i, v := range a {
		s[0] += v * b[i]
	}
	return (s[0] + s[1]) + (s[2] + s[3]) + (s[4] + s[5]) + (s[6] + s[7])
}

// substitute replaces b, outputs numbers a row, by the solution of a system whose factor is known.
func substitute(lower, b []float32, n int) {
	row := func(i int) []float32 { return b[i*outputs:][:outputs] }
	for i := range n {
		into := row(i)
		for j, v := range lower[i*n:][:i] {
			for k, w := range row(j) {
				into[k] -= v * w
			}
		}
		for k := range into {
			into[k] /= lower[i*n+i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		into := row(i)
		for k := range into {
			into[k] /= lower[i*n+i]
		}
		for j, v := range lower[i*n:][:i] {
			for k, w := range into {
				row(j)[k] -= v * w
			}
		}
	}
}

// apply returns the outputs for the vectors of a sentence.
func (l *Layer) apply(states []float32) []float64 {
	near := make([]float32, len(l.steps))
	l.distances(l.standard(states), near)
	out := make([]float64, outputs)
	for k, v := range l.base {
		out[k] = float64(v)
	}
	for p, d := range near {
		v := float64(l.kernel(d))
		for k, w := range l.weights[p*outputs:][:outputs] {
			out[k] += v * float64(w)
		}
	}
	return out
}

// mix brings the probabilities of a layer into those of the lexical model.
func (l *Layer) mix(p [numClasses]float64, states []float32) [numClasses]float64 {
	sum := 0.0
	for k, v := range l.apply(states)[:numClasses] {
		p[k] = (1-layerShare)*p[k] + layerShare*max(0, min(1, v))
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}
