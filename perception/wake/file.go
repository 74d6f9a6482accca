package wake

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// ErrFile is wrapped by the error for bytes that are no network.
var ErrFile = errors.New("no network that hears a wake phrase")

// Limits of a file.
const (
	maxFile   = 16 << 20 // bytes, unpacked
	maxWidth  = 512
	maxHidden = 2048
	maxSymbol = 256
	maxBlocks = 32
	maxTaps   = 64
	maxDilate = 64
	maxSounds = 20
	minSounds = 4
	maxWays   = 8
)

// Ways are those in which a phrase is said, each as its sounds. In a file one may stand alone.
type Ways [][]string

// UnmarshalJSON implements json.Unmarshaler.
func (w *Ways) UnmarshalJSON(b []byte) error {
	var one []string
	if json.Unmarshal(b, &one) == nil {
		*w = Ways{one}
		return nil
	}
	return json.Unmarshal(b, (*[][]string)(w))
}

// header is the first line of a file. After it come numbers, little-endian, rows of int8 followed by a float32 scale a row:
//
//	mean[40] scale[40]
//	first: int8 [width][40·5], scales, bias
//	each block: depthwise float32 [width][taps], bias; int8 [hidden][width], scales, bias; int8 [width][hidden], scales, bias
//	out: int8 [symbols][width], scales, bias
type header struct {
	Format  int      `json:"format"`
	Width   int      `json:"width"`
	Hidden  int      `json:"hidden"`
	Symbols []string `json:"symbols"` // the first is the blank of CTC
	Blocks  []shape  `json:"blocks"`
	// Phrases are known without espeak-ng.
	Phrases map[string]Ways `json:"phrases"`
	// Threshold is the least mean likelihood of a phrase's sounds against what they sound most like, Worst that of a single one. Own is
	// the threshold of a phrase that is not in Phrases, whose spelling may be a guess; 0: the same.
	Threshold float64 `json:"threshold"`
	Own       float64 `json:"own,omitempty"`
	Worst     float64 `json:"worst"`
}

// shape is that of a block: taps that lie dilation steps apart, so many of them in the past.
type shape struct {
	Taps     int `json:"taps"`
	Left     int `json:"left"`
	Dilation int `json:"dilation"`
}

// right is how many steps into the future a block looks.
func (s *shape) right() int { return (s.Taps - 1 - s.Left) * s.Dilation }

// span is how many steps a block looks at.
func (s *shape) span() int { return (s.Taps-1)*s.Dilation + 1 }

func (h *header) check() error {
	wrong := func(field string, value any, allowed string) error {
		return fmt.Errorf("%w: %s is %v; allowed is %s", ErrFile, field, value, allowed)
	}
	within := func(field string, value, from, to int) error {
		if value < from || value > to {
			return wrong(field, value, fmt.Sprintf("%d…%d", from, to))
		}
		return nil
	}
	errs := []error{
		within("format", h.Format, 1, 1), within("width", h.Width, 1, maxWidth), within("hidden", h.Hidden, 1, maxHidden),
		within("the number of symbols", len(h.Symbols), 2, maxSymbol), within("the number of blocks", len(h.Blocks), 0, maxBlocks),
	}
	for i := range h.Blocks {
		b, name := &h.Blocks[i], fmt.Sprintf("blocks[%d].", i)
		errs = append(errs, within(name+"taps", b.Taps, 1, maxTaps), within(name+"left", b.Left, 0, b.Taps-1), within(name+"dilation", b.Dilation, 1, maxDilate))
	}
	for i, s := range h.Symbols {
		if (s == "") != (i == 0) || slices.Index(h.Symbols, s) != i {
			errs = append(errs, wrong(fmt.Sprintf("symbols[%d]", i), fmt.Sprintf("%q", s), `"" for the first, the blank, and another text for each of the rest`))
		}
	}
	for _, l := range []struct {
		name  string
		value float64
	}{{"threshold", h.Threshold}, {"own", h.Own}, {"worst", h.Worst}} {
		if !(l.value >= 0 && l.value <= 1) {
			errs = append(errs, wrong(l.name, l.value, "0…1"))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for phrase, ways := range h.Phrases {
		if _, err := h.numbers(phrase, ways); err != nil {
			return fmt.Errorf("%w: %w", ErrFile, err)
		}
	}
	return nil
}

// numbers gives the symbols of the ways to say a phrase.
func (h *header) numbers(phrase string, ways Ways) ([][]int, error) {
	if len(ways) < 1 || len(ways) > maxWays {
		return nil, fmt.Errorf("the wake phrase %q is said in %d ways; allowed are 1…%d", phrase, len(ways), maxWays)
	}
	all := make([][]int, len(ways))
	for i, sounds := range ways {
		var err error
		if all[i], err = h.number(phrase, sounds); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// number gives the symbols of one.
func (h *header) number(phrase string, sounds []string) ([]int, error) {
	if n := len(sounds); n < minSounds || n > maxSounds {
		return nil, fmt.Errorf("the wake phrase %q has %d sounds (%s); allowed are %d…%d: %s", phrase, n, join(sounds), minSounds, maxSounds,
			"a shorter one is in much of what is said, a longer one takes too long")
	}
	out := make([]int, len(sounds))
	for i, s := range sounds {
		if out[i] = slices.Index(h.Symbols, s); out[i] < 1 {
			return nil, fmt.Errorf("the wake phrase %q has the sound %q; allowed are %s", phrase, s, join(h.Symbols[1:]))
		}
	}
	return out, nil
}

// size is how many bytes follow the header.
func (h *header) size() int {
	matrix := func(rows, cols int) int { return rows*cols + 8*rows }
	n := 8*bands + matrix(h.Width, bands*firstTaps) + matrix(len(h.Symbols), h.Width)
	for i := range h.Blocks {
		n += 4*h.Width*h.Blocks[i].Taps + 4*h.Width + matrix(h.Hidden, h.Width) + matrix(h.Width, h.Hidden)
	}
	return n
}

// Read reads a network. Its error wraps ErrFile when it is none.
func Read(r io.Reader) (*Network, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrFile, maxFile)
	}
	return parse(data)
}

// parse reads what Read has unpacked.
func parse(data []byte) (*Network, error) {
	line, rest, found := bytes.Cut(data, []byte("\n"))
	n := &Network{}
	if !found {
		return nil, fmt.Errorf("%w: it has no first line", ErrFile)
	}
	if err := json.Unmarshal(line, &n.header); err != nil {
		return nil, fmt.Errorf("%w: its first line: %w", ErrFile, err)
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	if want := n.size(); len(rest) != want {
		return nil, fmt.Errorf("%w: %d bytes follow its first line, which wants %d", ErrFile, len(rest), want)
	}
	f := arrays{rest: rest}
	n.mean, n.scale = f.floats("mean", bands), f.floats("scale", bands)
	n.first = f.dense("first", n.Width, bands*firstTaps)
	for i := range n.Blocks {
		b, name := block{shape: n.Blocks[i]}, fmt.Sprintf("blocks[%d].", i)
		b.taps = turned(f.floats(name+"depthwise", n.Width*b.Taps), b.Taps)
		b.bias = f.floats(name+"bias", n.Width)
		b.up, b.down = f.dense(name+"dense1", n.Hidden, n.Width), f.dense(name+"dense2", n.Width, n.Hidden)
		n.blocks = append(n.blocks, b)
	}
	n.out = f.dense("out", len(n.Symbols), n.Width)
	return n, f.err
}

// arrays are read one after the other; there are as many as needed.
type arrays struct {
	rest []byte
	err  error
}

func (f *arrays) take(n int) []byte {
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *arrays) floats(name string, n int) []float32 {
	out, b := make([]float32, n), f.take(4*n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if v := float64(out[i]); math.IsNaN(v) || math.Abs(v) > math.MaxFloat32/1e9 {
			f.err = errors.Join(f.err, fmt.Errorf("%w: %s[%d] is %g; allowed are numbers up to %g", ErrFile, name, i, v, math.MaxFloat32/1e9))
			return out
		}
	}
	return out
}

// dense reads rows of int8 and makes floats of them.
func (f *arrays) dense(name string, rows, cols int) dense {
	steps := f.take(rows * cols)
	scales, bias := f.floats(name+".scales", rows), f.floats(name+".bias", rows)
	d := newDense(rows, cols)
	copy(d.bias, bias)
	for r, scale := range scales {
		out := d.weights[r*d.cols:][:cols]
		for c := range out {
			out[c] = scale * float32(int8(steps[r*cols+c]))
		}
	}
	return d
}

// turned makes rows of n numbers columns.
func turned(x []float32, n int) []float32 {
	out, rows := make([]float32, len(x)), len(x)/n
	for r := range rows {
		for c := range n {
			out[c*rows+r] = x[r*n+c]
		}
	}
	return out
}
