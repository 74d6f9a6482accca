package meaning

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"unsafe"
)

// Limits of a file.
const (
	maxHeader = 64 << 10  // bytes
	maxFile   = 128 << 20 // bytes
	alignment = 64        // of tensors in the files that are made here
)

// vocabularyName is the tensor that holds the vocabulary, a piece a line; scaleSuffix names the scales of the rows of a matrix.
const (
	vocabularyName = "vocabulary"
	scaleSuffix    = ".scale"
)

// tensor is a view into a file: floats, or a row of steps and a scale for each row, or bytes.
type tensor struct {
	rows, cols int
	floats     []float32
	steps      []int8
	scales     []float32
	bytes      []byte
}

// shape is what a tensor must have. A vector has one row.
type shape struct {
	name       string
	rows, cols int
}

// matrices and vectors are the tensors of the model, in the order in which they are in a file.
func matrices() (all []shape) {
	all = append(
		all, shape{"embeddings.word_embeddings.weight", pieces, Size}, shape{"embeddings.position_embeddings.weight", positions, Size},
		shape{"embeddings.token_type_embeddings.weight", 2, Size},
	)
	for i := range Layers {
		for _, l := range linears {
			all = append(all, shape{layerName(i, l.name+".weight"), l.rows, l.cols})
		}
	}
	return all
}

func vectors() (all []shape) {
	all = append(all, shape{"embeddings.LayerNorm.weight", 1, Size}, shape{"embeddings.LayerNorm.bias", 1, Size})
	for i := range Layers {
		for _, l := range linears {
			all = append(all, shape{layerName(i, l.name+".bias"), 1, l.rows})
		}
		for _, n := range norms {
			all = append(all, shape{layerName(i, n+".weight"), 1, Size}, shape{layerName(i, n+".bias"), 1, Size})
		}
	}
	return all
}

// linears and norms are the parts of a layer.
var (
	linears = []shape{
		{"attention.self.query", Size, Size},
		{"attention.self.key", Size, Size},
		{"attention.self.value", Size, Size},
		{"attention.output.dense", Size, Size},
		{"intermediate.dense", innerSize, Size},
		{"output.dense", Size, innerSize},
	}
	norms = []string{"attention.output.LayerNorm", "output.LayerNorm"}
)

func layerName(i int, part string) string { return "encoder.layer." + strconv.Itoa(i) + "." + part }

// entry is a tensor in the header of a safetensors file.
type entry struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// header reads that of a safetensors file, and what comes after it.
func header(data []byte) (map[string]entry, []byte, error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("%w: it has %d bytes", ErrFormat, len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || n > uint64(len(data)-8) {
		return nil, nil, fmt.Errorf("%w: its header has %d bytes; at most %d are allowed", ErrFormat, n, min(maxHeader, len(data)-8))
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data[8:8+n], &raw); err != nil {
		return nil, nil, fmt.Errorf("%w: its header: %w", ErrFormat, err)
	}
	delete(raw, "__metadata__")
	all := make(map[string]entry, len(raw))
	for name, r := range raw {
		var e entry
		if err := json.Unmarshal(r, &e); err != nil {
			return nil, nil, fmt.Errorf("%w: its header, %.80q: %w", ErrFormat, name, err)
		}
		all[name] = e
	}
	return all, data[8+n:], nil
}

// widths are the bytes of a number of each type that is read.
var widths = map[string]int64{"F32": 4, "I8": 1, "U8": 1}

// view finds a tensor of a type. cols is not looked at when it is below 0.
func view(all map[string]entry, data []byte, dtype string, s shape) ([]byte, error) {
	e, ok := all[s.name]
	if !ok {
		return nil, fmt.Errorf("%w: it has no %s", ErrFormat, s.name)
	}
	lo, hi := e.Offsets[0], e.Offsets[1]
	if e.Dtype != dtype || lo < 0 || hi < lo || hi > int64(len(data)) {
		return nil, fmt.Errorf("%w: %s is %.10q from %d to %d of %d bytes; %s is wanted", ErrFormat, s.name, e.Dtype, lo, hi, len(data), dtype)
	}
	if s.cols >= 0 && hi-lo != int64(s.rows)*int64(s.cols)*widths[dtype] {
		return nil, fmt.Errorf("%w: %s has %d bytes; %d × %d numbers are wanted", ErrFormat, s.name, hi-lo, s.rows, s.cols)
	}
	return data[lo:hi], nil
}

// floatsOf looks at bytes as numbers. The error says that they do not lie where numbers can.
func floatsOf(b []byte, name string) ([]float32, error) {
	p := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(p)%4 != 0 {
		return nil, fmt.Errorf("%w: %s begins at an odd place", ErrFormat, name)
	}
	return unsafe.Slice((*float32)(p), len(b)/4), nil
}

// readTensors finds the tensors of a file that was made here.
func readTensors(data []byte) (map[string]*tensor, error) {
	all, rest, err := header(data)
	if err != nil {
		return nil, err
	}
	out := map[string]*tensor{}
	for _, s := range matrices() {
		steps, err := view(all, rest, "I8", s)
		if err != nil {
			return nil, err
		}
		scales, err := floats(all, rest, shape{s.name + scaleSuffix, 1, s.rows})
		if err != nil {
			return nil, err
		}
		out[s.name] = &tensor{
			rows: s.rows, cols: s.cols, scales: scales, steps: unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(steps))), len(steps)),
		}
	}
	for _, s := range vectors() {
		x, err := floats(all, rest, s)
		if err != nil {
			return nil, err
		}
		out[s.name] = &tensor{rows: 1, cols: s.cols, floats: x}
	}
	vocabulary, err := view(all, rest, "U8", shape{vocabularyName, 1, -1})
	if err != nil {
		return nil, err
	}
	out[vocabularyName] = &tensor{bytes: vocabulary}
	return out, nil
}

// floats finds numbers that are all of them numbers: a damaged file must not make every sentence a NaN.
func floats(all map[string]entry, data []byte, s shape) ([]float32, error) {
	b, err := view(all, data, "F32", s)
	if err != nil {
		return nil, err
	}
	x, err := floatsOf(b, s.name)
	if err != nil {
		return nil, err
	}
	for i, v := range x {
		if !(math.Abs(float64(v)) <= maxNumber) {
			return nil, fmt.Errorf("%w: %s[%d] is %g; numbers up to %g are allowed", ErrFormat, s.name, i, v, maxNumber)
		}
	}
	return x, nil
}

// maxNumber is beyond what weights are.
const maxNumber = 1e4

// Convert makes a model's file of the published one (safetensors, 32 bits a number) and its vocabulary: matrices get eight bits a
// number and a scale for each row.
func Convert(dst io.Writer, published, vocabulary string) error {
	data, err := os.ReadFile(published) // a gigabyte is refused by view, for want of the right tensors
	if err != nil {
		return err
	}
	text, err := os.ReadFile(vocabulary)
	if err != nil {
		return err
	}
	return convert(dst, data, text)
}

func convert(dst io.Writer, data, vocabulary []byte) error {
	all, rest, err := header(data)
	if err != nil {
		return err
	}
	if _, err := newTokenizer(vocabulary); err != nil {
		return err
	}
	w := &writer{head: map[string]entry{}}
	for _, s := range matrices() {
		x, err := floats(all, rest, s)
		if err != nil {
			return err
		}
		steps, scales := quantize(x, s.rows, s.cols)
		w.add(s.name, "I8", steps, s.rows, s.cols)
		w.add(s.name+scaleSuffix, "F32", bytesOf(scales), s.rows)
	}
	for _, s := range vectors() {
		x, err := floats(all, rest, s)
		if err != nil {
			return err
		}
		w.add(s.name, "F32", bytesOf(x), s.cols)
	}
	w.add(vocabularyName, "U8", vocabulary, len(vocabulary))
	return w.writeTo(dst)
}

// quantize rounds each row to steps of a 127th of its largest number.
func quantize(x []float32, rows, cols int) (steps []byte, scales []float32) {
	steps, scales = make([]byte, len(x)), make([]float32, rows)
	for r := range rows {
		row := x[r*cols:][:cols]
		top := float32(0)
		for _, v := range row {
			top = max(top, v, -v)
		}
		if top == 0 {
			continue
		}
		scales[r] = top / math.MaxInt8
		for i, v := range row {
			steps[r*cols+i] = byte(int8(math.Round(float64(v / scales[r]))))
		}
	}
	return steps, scales
}

func bytesOf(x []float32) []byte {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// writer collects the tensors of a safetensors file.
type writer struct {
	head  map[string]entry
	parts [][]byte
	size  int64
}

func (w *writer) add(name, dtype string, b []byte, shape ...int) {
	e := entry{Dtype: dtype, Offsets: [2]int64{w.size, w.size + int64(len(b))}}
	for _, d := range shape {
		e.Shape = append(e.Shape, int64(d))
	}
	w.head[name] = e
	gap := (alignment - len(b)%alignment) % alignment
	w.parts = append(w.parts, b, make([]byte, gap))
	w.size += int64(len(b) + gap)
}

// writeTo writes the same bytes for the same tensors.
func (w *writer) writeTo(dst io.Writer) error {
	head, err := json.Marshal(w.head) // keys in their order
	if err != nil {
		return err
	}
	for (8+len(head))%alignment != 0 {
		head = append(head, ' ')
	}
	_, err = dst.Write(slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head))
	for _, b := range w.parts {
		if err == nil {
			_, err = dst.Write(b)
		}
	}
	return err
}
