package ggml_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/internal/ggml"
)

// matrix is one that is not square: 384 in, 1536 out.
const matrix = "encoder.blocks.2.mlp.0.weight"

// vector is a row or column of a tuning: bytes by their place, the others are 0.
type vector struct {
	scale float32
	at    map[int]int8
}

// tuning writes the head of a tuning and one changed matrix.
func tuning(name string, out, in int, rows, columns []vector) []byte {
	b := append([]byte("RTUN"), 1, 0, 0, 0, 1, 0, 0, 0)
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(name))), name...)
	for _, n := range []int{out, in, len(rows)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	add := func(n int, all []vector) {
		for _, v := range all {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v.scale))
			numbers := make([]byte, n)
			for i, q := range v.at {
				numbers[i] = byte(q)
			}
			b = append(b, numbers...)
		}
	}
	add(in, rows)
	add(out, columns)
	return b
}

func readTuning(b []byte) (*ggml.Tuning, error) {
	return ggml.ReadTuning(bytes.NewReader(b), int64(len(b)))
}

// one is a model file with one matrix, all of whose numbers are a half, after 6 bytes of something else.
func one(t ggml.Type) ([]byte, *ggml.Whisper) {
	const n = 384 * 1536
	file := []byte("before")
	if t == ggml.F16 {
		file = append(file, bytes.Repeat([]byte{0, 0x38}, n)...)
	} else {
		file = append(file, bytes.Repeat(append(binary.LittleEndian.AppendUint16(nil, ggml.Half(0.5/127)), bytes.Repeat([]byte{127}, 32)...), n/32)...)
	}
	h := ggml.TinyEn
	h.FileType = ggml.FileTypeOf(t)
	return file, &ggml.Whisper{Header: h, Tensors: []ggml.Tensor{{Name: matrix, Type: t, Shape: []int32{384, 1536}, Offset: 6, Size: int64(len(file)) - 6}}}
}

func TestChangesAreAddedToAMatrix(t *testing.T) {
	// The first adds (½·4)·(¼·2) at 1500, 40, the second (½·1)·(1·-1) at 1500, 33 and (½·-2)·(1·-1) at 7, 33, and so on; nothing else changes.
	changes, err := readTuning(tuning(matrix, 1536, 384,
		[]vector{{0.25, map[int]int8{40: 2}}, {1, map[int]int8{33: -1}}, {0.5, map[int]int8{0: 1}}, {0.5, map[int]int8{0: 1}}, {1, map[int]int8{383: 1}}},
		[]vector{
			{0.5, map[int]int8{1500: 4}},
			{0.5, map[int]int8{1500: 1, 7: -2}},
			{0.5, map[int]int8{0: 1}},
			{-0.25, map[int]int8{1535: 4}},
			{0.5, map[int]int8{0: 2}},
		}))
	if err != nil || changes.Matrices() != 1 {
		t.Fatal(changes, err)
	}
	want := map[int]map[int]float64{1500: {40: 1.5, 33: 0}, 7: {33: 1.5}, 0: {0: 0.75, 383: 1.5}, 1535: {0: 0}}
	for _, kind := range []ggml.Type{ggml.F16, ggml.Q80} {
		file, w := one(kind)
		before := slices.Clone(file)
		if err := changes.Apply(file, w); err != nil {
			t.Fatal(err)
		}
		if len(file) != len(before) || string(file[:6]) != "before" {
			t.Fatalf("%d bytes became %d, %q", len(before), len(file), file[:6])
		}
		for o := range 1536 {
			if kind == ggml.Q80 && want[o] == nil && !bytes.Equal(file[6+o*384/32*34:][:384/32*34], before[6+o*384/32*34:][:384/32*34]) {
				t.Fatalf("row %d was changed", o)
			}
			for i := range 384 {
				is, should, near := at(kind, file, o, i), 0.5, 0.0
				if v, changed := want[o][i]; changed {
					should = v
				}
				if kind == ggml.Q80 { // as near as a scale for 32 numbers of at most 1.5 allows
					near = 0.51 * 1.5 / 127
				}
				if math.Abs(is-should) > near {
					t.Fatalf("type %d: number %d, %d is %v instead of %v", kind, o, i, is, should)
				}
			}
		}
	}
}

// at is a number of the matrix of one.
func at(t ggml.Type, file []byte, out, in int) float64 {
	n := out*384 + in
	if t == ggml.F16 {
		return float64(ggml.Single(binary.LittleEndian.Uint16(file[6+2*n:])))
	}
	block := file[6+n/32*34:]
	return float64(ggml.Single(binary.LittleEndian.Uint16(block))) * float64(int8(block[2+n%32]))
}

func TestWhatIsNoTuningIsRefused(t *testing.T) {
	vectors := func(n int) []vector { return slices.Repeat([]vector{{0.1, nil}}, n) }
	good := tuning(matrix, 1536, 384, vectors(64), vectors(64))
	if _, err := readTuning(good); err != nil {
		t.Fatal(err)
	}
	const name, dims = 14, 14 + len(matrix)
	put := func(at int, v uint32) []byte {
		b := slices.Clone(good)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	twice := append(put(8, 2), good[12:]...)
	for what, c := range map[string]struct {
		file []byte
		says string
	}{
		"empty":           {nil, "ends after 0 bytes"},
		"something else":  {append([]byte("GGUF"), good[4:]...), `begins with "GGUF"`},
		"version":         {put(4, 2), "version of the tuning = 2"},
		"none":            {put(8, 0), "changed matrices = 0"},
		"more than exist": {put(8, 66), "changed matrices = 66"},
		"unknown":         {slices.Replace(slices.Clone(good), name, name+1, 'E'), "is no matrix of tiny.en"},
		"no matrix":       {tuning("encoder.ln_post.weight", 1, 384, vectors(1), vectors(1)), "is no matrix of tiny.en"},
		"positions":       {tuning("encoder.positional_embedding", 1500, 384, vectors(1), vectors(1)), "is no matrix of tiny.en"},
		"a convolution":   {tuning("encoder.conv2.weight", 384, 3*384, vectors(1), vectors(1)), "is no matrix of tiny.en"},
		"a long name":     {append(slices.Clone(good[:12]), 0xff, 0xff), "ends after"},
		"twice":           {twice, "there twice"},
		"turned":          {tuning(matrix, 384, 1536, vectors(1), vectors(1)), "rows of " + matrix + " = 384"},
		"in":              {put(dims+4, 383), "columns of " + matrix + " = 383"},
		"rank 0":          {put(dims+8, 0), "rank of " + matrix + " = 0"},
		"rank 65":         {put(dims+8, 65), "rank of " + matrix + " = 65"},
		"no number":       {put(dims+12, 0x7fc00000), "scale = NaN"},
		"infinite":        {put(dims+12, 0x7f800000), "scale = +Inf"},
		"large":           {put(dims+12, math.Float32bits(1.01)), "scale = 1.01"},
		"column's scale":  {put(dims+12+64*388, math.Float32bits(-1.01)), "scale = -1.01"},
		"cut":             {good[:len(good)-1], "ends after"},
		"cut before":      {put(8, 2), "ends after"},
		"more":            {append(slices.Clone(good), 7, 7), "2 bytes follow"},
	} {
		if got, err := readTuning(c.file); got != nil || !errors.Is(err, ggml.ErrFormat) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestWhatCannotBeTunedIsRefused(t *testing.T) {
	changes, err := readTuning(tuning(matrix, 1536, 384, []vector{{1, map[int]int8{383: 127}}}, []vector{{1, map[int]int8{1535: 127}}}))
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		change func(file []byte, w *ggml.Whisper) []byte
		says   string
	}{
		"another type":         {func(f []byte, w *ggml.Whisper) []byte { w.Header.FileType = ggml.FileTypeOf(ggml.Q51); return f }, "type 7 cannot be tuned"},
		"a matrix that has it": {func(f []byte, w *ggml.Whisper) []byte { w.Tensors[0].Type = ggml.Q80; return f }, "no matrix"},
		"no such matrix":       {func(f []byte, w *ggml.Whisper) []byte { w.Tensors = nil; return f }, "no matrix"},
		"of another shape":     {func(f []byte, w *ggml.Whisper) []byte { w.Tensors[0].Shape = []int32{1536, 384}; return f }, "no matrix"},
		"a short file":         {func(f []byte, _ *ggml.Whisper) []byte { return f[:len(f)-1] }, "no matrix"},
		"too large a number":   {func(f []byte, _ *ggml.Whisper) []byte { f[len(f)-1] = 0x7b; return f }, "would be"}, // 57344 + 16129
		"no number":            {func(f []byte, _ *ggml.Whisper) []byte { f[len(f)-1] = 0x7e; return f }, "would be NaN"},
	} {
		file, w := one(ggml.F16)
		if err := changes.Apply(c.change(file, w), w); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func FuzzReadTuning(f *testing.F) {
	whole := tuning("decoder.blocks.3.attn.out.weight", 384, 384, []vector{{0.1, map[int]int8{3: 4}}}, []vector{{0.2, map[int]int8{5: -6}}})
	f.Add(whole)
	f.Add(whole[:60])
	f.Add(append(slices.Clone(whole), whole[12:]...))
	f.Add([]byte("RTUN"))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readTuning(b)
		if err != nil && !errors.Is(err, ggml.ErrFormat) {
			t.Fatal(err)
		}
		if err == nil && got.Matrices() != int(binary.LittleEndian.Uint32(b[8:])) {
			t.Fatalf("%d matrices", got.Matrices())
		}
	})
}
