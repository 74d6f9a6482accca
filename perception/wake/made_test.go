package wake

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// made is a network that a test has made up, as it is in its file.
type made struct {
	header
	mean, scale []float32
	first, out  rows
	blocks      []madeBlock
}

type rows struct {
	rows, cols   int
	steps        []int8
	scales, bias []float32
}

type madeBlock struct {
	taps, bias []float32
	up, down   rows
}

func newRows(r, c int) rows {
	return rows{r, c, make([]int8, r*c), make([]float32, r), make([]float32, r)}
}

// set writes a row, rounded to steps.
func (r *rows) set(row int, bias float32, values map[int]float32) {
	most := float32(0)
	for _, v := range values {
		most = max(most, float32(math.Abs(float64(v))))
	}
	r.scales[row], r.bias[row] = most/127, bias
	for c, v := range values {
		r.steps[row*r.cols+c] = int8(math.Round(float64(v / r.scales[row])))
	}
}

func newMade(h header) *made {
	h.Format = 1
	m := &made{header: h, mean: make([]float32, bands), scale: make([]float32, bands)}
	for b := range m.scale {
		m.scale[b] = 1
	}
	m.first, m.out = newRows(h.Width, bands*firstTaps), newRows(len(h.Symbols), h.Width)
	for _, s := range h.Blocks {
		m.blocks = append(m.blocks, madeBlock{
			make([]float32, h.Width*s.Taps), make([]float32, h.Width), newRows(h.Hidden, h.Width), newRows(h.Width, h.Hidden),
		})
	}
	return m
}

// plain is the file before it is packed.
func (m *made) plain() []byte {
	b, err := json.Marshal(m.header)
	if err != nil {
		panic(err)
	}
	b = append(b, '\n')
	put := func(x ...any) {
		for _, v := range x {
			if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	matrix := func(r *rows) { put(r.steps, r.scales, r.bias) }
	put(m.mean, m.scale)
	matrix(&m.first)
	for i := range m.blocks {
		put(m.blocks[i].taps, m.blocks[i].bias)
		matrix(&m.blocks[i].up)
		matrix(&m.blocks[i].down)
	}
	matrix(&m.out)
	return b
}

func pack(plain []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(plain); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func (m *made) read(t testing.TB) *Network {
	t.Helper()
	n, err := Read(bytes.NewReader(pack(m.plain())))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// random fills a network with numbers that keep the size of what goes through.
func random(h header, seed uint64) *made {
	m, r := newMade(h), rand.New(rand.NewPCG(seed, 1))
	fill := func(x []float32, size float64) {
		for i := range x {
			x[i] = float32(size * r.NormFloat64())
		}
	}
	matrix := func(x *rows) {
		for i := range x.steps {
			x.steps[i] = int8(r.IntN(256) - 128)
		}
		for i := range x.scales {
			x.scales[i] = float32((0.5 + r.Float64()) / 64 / math.Sqrt(float64(x.cols)))
		}
		fill(x.bias, 0.3)
	}
	for b := range m.mean {
		m.mean[b], m.scale[b] = float32(-6+r.NormFloat64()), float32(0.2+0.1*r.Float64())
	}
	matrix(&m.first)
	for i := range m.blocks {
		fill(m.blocks[i].taps, 1/math.Sqrt(float64(h.Blocks[i].Taps)))
		fill(m.blocks[i].bias, 0.3)
		matrix(&m.blocks[i].up)
		matrix(&m.blocks[i].down)
	}
	matrix(&m.out)
	return m
}

// tones are the bands of the sounds that toneNetwork knows: a, b, c, …
var tones = []int{4, 10, 16, 22, 28, 34}

const tonePhrase = "ab cd"

// toneNetwork tells tones: a sound is a band that is louder than those of the other tones.
func toneNetwork(t testing.TB) *Network { return madeOfTones().read(t) }

func madeOfTones() *made {
	h := header{
		Width: len(tones), Hidden: 3, Symbols: []string{"", "a", "b", "c", "d", "e", "f"}, Blocks: []shape{{3, 1, 1}, {5, 3, 2}},
		Phrases: map[string]Ways{tonePhrase: {{"a", "b", "b", "c", "d"}}}, Threshold: 0.5, Worst: 0.1,
	}
	m := newMade(h)
	m.out.set(0, 4, nil)
	for i := range tones {
		w := map[int]float32{}
		for k := range firstTaps {
			for j, b := range tones {
				w[b*firstTaps+k] = -1.0 / firstTaps / float32(len(tones)-1)
				if j == i {
					w[b*firstTaps+k] = 1.0 / firstTaps
				}
			}
		}
		m.first.set(i, -3, w)
		m.out.set(i+1, 0, map[int]float32{i: 2})
	}
	return m
}

// play makes the sound of tones of 90 ms; a space is a pause of 90 ms.
func play(text string) []float32 { return playSlowly(text, 90) }

func playSlowly(text string, ms int) []float32 {
	var x []float32
	for _, r := range text {
		step := 0.0
		if r != ' ' {
			f := &filters[tones[r-'a']]
			step = 2 * math.Pi * float64(f.from+len(f.weights)/2) / fftSize
		}
		for i := range ms * Rate / 1000 {
			x = append(x, float32(0.2*math.Sin(step*float64(i))))
		}
	}
	return x
}
