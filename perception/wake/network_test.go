package wake

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

func noise(n int, size float64, seed uint64) []float32 {
	r, x := rand.New(rand.NewPCG(seed, 2)), make([]float32, n)
	for i := range x {
		x[i] = float32(size * r.NormFloat64())
	}
	return x
}

// oddShape has no number that is a multiple of what the processor likes.
var oddShape = header{
	Width: 10, Hidden: 13, Symbols: []string{"", "a", "b", "c", "d", "e", "f"},
	Blocks: []shape{{3, 1, 1}, {5, 4, 2}, {4, 0, 3}, {1, 0, 5}, {2, 1, 1}},
}

// outputs are what the network tells of a sound that comes in pieces.
func outputs(s *Stream, x []float32, piece int) (all [][]float32) {
	tell := func(logs []float32) { all = append(all, append([]float32(nil), logs...)) }
	for len(x) > 0 {
		n := min(piece, len(x))
		s.Hear(x[:n], tell)
		x = x[n:]
	}
	s.Flush(tell)
	return all
}

// times is a matrix of the file with one vector, plainly.
func (r *rows) times(x []float64) []float64 {
	out := make([]float64, r.rows)
	for i := range out {
		for c, v := range x {
			out[i] += v * float64(r.steps[i*r.cols+c]) * float64(r.scales[i])
		}
		out[i] += float64(r.bias[i])
	}
	return out
}

func positive(x []float64) []float64 {
	for i := range x {
		x[i] = max(0, x[i])
	}
	return x
}

// mels are those of a frame, by the definition.
func mels(x []float32) []float64 {
	out := make([]float64, bands)
	mel := func(f float64) float64 { return 2595 * math.Log10(1+f/700) }
	for b := range out {
		edge := func(i int) float64 {
			return 700 * (math.Pow(10, (mel(60)+(mel(7600)-mel(60))*float64(i)/41)/2595) - 1)
		}
		l, m, r := edge(b), edge(b+1), edge(b+2)
		energy := 0.0
		for bin := range 257 {
			f := float64(bin) * 31.25
			w := max(0, min((f-l)/(m-l), (r-f)/(r-m)))
			if w == 0 {
				continue
			}
			var sum complex128
			for n, v := range x[:400] {
				h := 0.5 - 0.5*math.Cos(2*math.Pi*float64(n)/400)
				sum += complex(h*float64(v), 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(bin*n)/512))
			}
			energy += w * (real(sum)*real(sum) + imag(sum)*imag(sum))
		}
		out[b] = math.Log(energy + 1e-6)
	}
	return out
}

// whole is what the network makes of all of a sound, by the definition.
func (m *made) whole(x []float32) [][]float64 {
	var frames, steps [][]float64
	for at := 0; at+400 <= len(x); at += 160 {
		f := mels(x[at:])
		for b := range f {
			f[b] = (f[b] - float64(m.mean[b])) * float64(m.scale[b])
		}
		frames = append(frames, f)
	}
	for j := 0; j+5 <= len(frames); j += 3 {
		seen := make([]float64, 200)
		for k := range 5 {
			for b := range 40 {
				seen[b*5+k] = frames[j+k][b]
			}
		}
		steps = append(steps, positive(m.first.times(seen)))
	}
	for i, s := range m.Blocks {
		b, next := &m.blocks[i], make([][]float64, len(steps))
		for t := range steps {
			y := make([]float64, m.Width)
			for c := range y {
				y[c] = float64(b.bias[c])
				for k := range s.Taps {
					if at := t + (k-s.Left)*s.Dilation; at >= 0 && at < len(steps) {
						y[c] += steps[at][c] * float64(b.taps[c*s.Taps+k])
					}
				}
			}
			next[t] = b.down.times(positive(b.up.times(y)))
			for c := range next[t] {
				next[t][c] += steps[t][c]
			}
		}
		steps = next
	}
	for t := range steps {
		steps[t] = m.out.times(steps[t])
		sum := 0.0
		for _, v := range steps[t] {
			sum += math.Exp(v)
		}
		for i := range steps[t] {
			steps[t][i] -= math.Log(sum)
		}
	}
	return steps
}

// A stream tells what the definition of the network says of the whole sound, however it is cut, and as often as it is used.
func TestAStreamIsTheWhole(t *testing.T) {
	m := random(oddShape, 7)
	n := m.read(t)
	s := n.NewStream()
	for _, length := range []int{0, 399, 400, 400 + 4*160 - 1, 400 + 4*160, 9000, 14321} {
		x := noise(length, 0.1, uint64(length))
		want := m.whole(x)
		for _, piece := range []int{512, 1, 159, 1600, 1 << 20} {
			got := outputs(s, x, piece)
			if len(got) != len(want) {
				t.Fatalf("%d samples in pieces of %d: %d outputs, want %d", length, piece, len(got), len(want))
			}
			for i := range want {
				for c, v := range want[i] {
					if math.Abs(v-float64(got[i][c])) > 1e-3 {
						t.Fatalf("%d samples in pieces of %d: output %d of symbol %d is %g, want %g", length, piece, i, c, got[i][c], v)
					}
				}
			}
		}
	}
}

// What is no sound is silence, and leaves nothing behind.
func TestNonsenseIsSilence(t *testing.T) {
	n := random(oddShape, 8).read(t)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30} {
		x := noise(8000, 0.1, 3)
		for i := 2000; i < 2100; i++ {
			x[i] = float32(v)
		}
		for i, logs := range outputs(n.NewStream(), x, 512) {
			for c, l := range logs {
				if math.IsNaN(float64(l)) || l > 0 {
					t.Fatalf("with %g output %d of symbol %d is %g", v, i, c, l)
				}
			}
		}
	}
}

func TestHearingAllocatesNothing(t *testing.T) {
	n := toneNetwork(t)
	s, err := n.NewSpotter(tonePhrase, n.Phrases[tonePhrase])
	if err != nil {
		t.Fatal(err)
	}
	x, found := play("abb"+"bcd  "), 0
	if got := testing.AllocsPerRun(20, func() {
		if _, ok := s.Hear(x); ok {
			found++
		}
	}); got != 0 {
		t.Errorf("%g allocations", got)
	}
	_ = found
}

// BenchmarkSpotter prints how much of a core the spotter needs while somebody speaks, with the network of the program.
func BenchmarkSpotter(b *testing.B) {
	n := own(b)
	for phrase, ways := range n.Phrases {
		s, err := n.NewSpotter(phrase, ways)
		if err != nil {
			b.Fatal(err)
		}
		x := noise(Rate, 0.1, 1)
		b.ReportAllocs()
		for b.Loop() {
			for at := 0; at+512 <= len(x); at += 512 {
				s.Hear(x[at : at+512])
			}
		}
		b.ReportMetric(100*b.Elapsed().Seconds()/float64(b.N), "%core")
		return
	}
}
