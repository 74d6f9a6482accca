package wake

import (
	"math"

	"github.com/reachyd/reachyd/perception/weights"
)

// Network tells sounds of speech. It does not change; what one sound is heard with is a Stream.
type Network struct {
	header
	mean, scale []float32
	first, out  dense
	blocks      []block
}

// block looks at the steps around one, channel by channel, and then at all channels of it.
type block struct {
	shape
	taps     []float32 // [taps][width]
	bias     []float32
	up, down dense
}

// dense is a matrix whose rows and columns are filled up with zeros as weights.Multiply wants them, and what is added to each row's sum.
type dense struct {
	rows, cols    int
	weights, bias []float32
}

func newDense(rows, cols int) dense {
	d := dense{rows: up(rows, weights.KernelRows), cols: up(cols, 8)}
	d.weights, d.bias = make([]float32, d.rows*d.cols), make([]float32, d.rows)
	return d
}

func up(n, to int) int { return (n + to - 1) / to * to }

// buffer has room for n numbers as weights.Multiply reads them.
func buffer(n int) []float32 { return make([]float32, (1+weights.SpareTokens)*up(n, 8)) }

// apply writes the sums for x, which is a buffer, to dst.
func (d *dense) apply(dst, x []float32) {
	for r := 0; r < d.rows; r += weights.KernelRows {
		weights.Multiply(dst[r:], d.rows, x, 1, d.weights[r*d.cols:][:weights.KernelRows*d.cols])
	}
	for i, b := range d.bias {
		dst[i] += b
	}
}

func rectify(x []float32) {
	for i, v := range x {
		if !(v > 0) {
			x[i] = 0
		}
	}
}

// Stream hears one sound with a network, as it comes. It allocates nothing while it does.
type Stream struct {
	n      *Network
	front  front
	frames int                  // of the front end so far
	late   [firstTaps][]float32 // the newest of them, by number
	delays []delay              // of each block
	x, y   []float32            // width
	hidden []float32            // hidden
	seen   []float32            // what the first layer sees
	logs   []float32            // symbols
	tell   func(logs []float32) // set while it hears
}

// delay keeps the inputs of a block that it still needs.
type delay struct {
	steps []float32 // [span][width]
	count int       // inputs so far
}

// NewStream begins to hear a sound.
func (n *Network) NewStream() *Stream {
	s := &Stream{n: n, front: newFront(), delays: make([]delay, len(n.blocks))}
	for i := range s.late {
		s.late[i] = make([]float32, bands)
	}
	for i := range s.delays {
		s.delays[i].steps = make([]float32, n.blocks[i].span()*n.Width)
	}
	s.x, s.y, s.hidden, s.seen = buffer(n.Width), buffer(n.Width), buffer(n.Hidden), buffer(bands*firstTaps)
	s.logs = make([]float32, n.out.rows)
	return s
}

// Reset begins another sound.
func (s *Stream) Reset() {
	s.frames, s.front.filled = 0, 0
	for i := range s.delays {
		s.delays[i].count = 0
		clear(s.delays[i].steps)
	}
}

// Hear takes any number of samples. For each output, in order, tell gets the logarithms of how likely each symbol is, which are good
// until it returns; it must not be nil.
func (s *Stream) Hear(samples []float32, tell func(logs []float32)) {
	s.tell = tell
	for len(samples) > 0 {
		n, full := s.front.take(samples)
		samples = samples[n:]
		if full {
			s.frame()
		}
	}
	s.tell = nil
}

// Flush tells the outputs that still wait for what comes behind the sound: nothing does. Then the Stream is as after Reset.
func (s *Stream) Flush(tell func(logs []float32)) {
	s.tell = tell
	for i := range s.delays {
		for range s.n.blocks[i].right() {
			clear(s.x)
			s.push(i)
		}
	}
	s.tell = nil
	s.Reset()
}

// frame gives a frame of the front end to the first layer.
func (s *Stream) frame() {
	at := s.late[s.frames%firstTaps]
	for b, v := range s.front.mels {
		at[b] = (v - s.n.mean[b]) * s.n.scale[b]
	}
	s.frames++
	from := s.frames - firstTaps
	if from < 0 || from%firstStride != 0 {
		return
	}
	for k := range firstTaps {
		for b, v := range s.late[(from+k)%firstTaps] {
			s.seen[b*firstTaps+k] = v
		}
	}
	s.n.first.apply(s.x, s.seen)
	rectify(s.x[:s.n.Width])
	s.push(0)
}

// push gives what is in x to block i, and what comes out of it to the next.
func (s *Stream) push(i int) {
	width := s.n.Width
	if i == len(s.n.blocks) {
		s.n.out.apply(s.logs, s.x)
		normalise(s.logs[:len(s.n.Symbols)])
		s.tell(s.logs[:len(s.n.Symbols)])
		return
	}
	b, d := &s.n.blocks[i], &s.delays[i]
	span := b.span()
	row := func(step int) []float32 { return d.steps[(step+span)%span*width:][:width] }
	copy(row(d.count), s.x)
	d.count++
	now := d.count - 1 - b.right()
	if now < 0 {
		return
	}
	y := s.y[:width]
	copy(y, b.bias)
	for k := range b.Taps {
		x, w := row(now+(k-b.Left)*b.Dilation), b.taps[k*width:][:width]
		for c, v := range x[:len(y)] {
			y[c] += v * w[c]
		}
	}
	b.up.apply(s.hidden, s.y)
	rectify(s.hidden[:b.up.rows])
	b.down.apply(s.x, s.hidden)
	for c, v := range row(now) {
		s.x[c] += v
	}
	s.push(i + 1)
}

// normalise makes logarithms of shares of numbers whose differences are the logarithms' (log softmax).
func normalise(x []float32) {
	most := float64(x[0])
	for _, v := range x {
		most = max(most, float64(v))
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - most)
	}
	all := float32(most + math.Log(sum))
	for i := range x {
		x[i] -= all
	}
}
