package ggml_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/internal/fixtures"
	"github.com/reachyd/reachyd/perception/internal/ggml"
)

// small is the smallest header that is a model.
var small = ggml.Header{
	Vocab: ggml.VocabEnglish, AudioCtx: 32, AudioState: 32, AudioHead: 1, AudioLayer: 1,
	TextCtx: 16, TextState: 32, TextHead: 1, TextLayer: 1, Mels: 80, FileType: 1,
}

// write writes a model with that header whose numbers are all v.
func write(t testing.TB, h ggml.Header, tokens []string, v float32) []byte {
	t.Helper()
	var b bytes.Buffer
	err := ggml.WriteWhisper(&b, h, ggml.Filters(int(h.Mels)), tokens, func(_ *ggml.Spec, numbers []float32) {
		for i := range numbers {
			numbers[i] = v
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(b []byte) (*ggml.Whisper, error) {
	return ggml.ReadWhisper(bytes.NewReader(b), int64(len(b)))
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, matrix := range []ggml.Type{ggml.F16, ggml.Q80} {
		h := small
		h.FileType = ggml.FileTypeOf(matrix)
		b := write(t, h, []string{"", " ", "a"}, 0.5)
		w, err := read(b)
		if err != nil {
			t.Fatal(err)
		}
		if w.Header != h || h.Matrix() != matrix || !slices.Equal(w.Tokens, []string{"", " ", "a"}) || len(w.Filters) != 80*ggml.Bins {
			t.Errorf("type %d: read %+v, %q, %d filter weights", matrix, w.Header, w.Tokens, len(w.Filters))
		}
		if len(w.Tensors) != len(h.Layout()) || w.Multilingual() {
			t.Errorf("%d tensors, multilingual %v", len(w.Tensors), w.Multilingual())
		}
		last := w.Tensors[len(w.Tensors)-1]
		if end := last.Offset + last.Size; end != int64(len(b)) {
			t.Errorf("the last tensor ends at %d of %d", end, len(b))
		}
	}
}

func TestTheLayoutHasTheSizeOfPublishedFiles(t *testing.T) {
	// Header, filters and vocabulary are the same in all English models; the tensors account for the rest to the byte.
	const head = 586_235
	base := ggml.TinyEn
	base.AudioState, base.TextState, base.AudioHead, base.TextHead, base.AudioLayer, base.TextLayer = 512, 512, 8, 8, 6, 6
	for _, c := range []struct {
		name   string
		header ggml.Header
		matrix ggml.Type
		want   int64
	}{
		{"tiny.en", ggml.TinyEn, ggml.F16, 77_704_715},
		{"tiny.en-q5_1", ggml.TinyEn, ggml.Q51, 32_166_155},
		{"tiny.en-q8_0", ggml.TinyEn, ggml.Q80, 43_550_795},
		{"base.en", base, ggml.F16, 147_964_211},
		{"base.en-q8_0", base, ggml.Q80, 81_781_811},
	} {
		c.header.FileType = ggml.FileTypeOf(c.matrix)
		size := int64(head)
		for _, s := range c.header.Layout() {
			n := int64(1)
			for _, d := range s.Shape {
				n *= int64(d)
			}
			switch s.Type {
			case ggml.F32:
				n *= 4
			case ggml.F16:
				n *= 2
			case ggml.Q51:
				n = n / 32 * 24
			case ggml.Q80:
				n = n / 32 * 34
			}
			size += n + 12 + 4*int64(len(s.Shape)) + int64(len(s.Name))
		}
		if size != c.want {
			t.Errorf("%s: %d bytes instead of %d", c.name, size, c.want)
		}
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	good := write(t, small, []string{" "}, 1)
	const filters = 12 * 4 // where the header ends
	words := filters + 8 + 80*ggml.Bins*4
	tensors := words + 4 + 4 + 1 // one word of one letter
	put := func(at int, v uint32) []byte {
		b := slices.Clone(good)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"empty":                 {nil, "ends after 0 bytes"},
		"something else":        {put(0, 0x46464952), "begins with 0x46464952"},
		"vocabulary":            {put(4, 100), "vocabulary = 100"},
		"audio context":         {put(8, 1501), "audio context = 1501"},
		"states differ":         {put(28, 64), "differs from text state"},
		"heads":                 {put(16, 5), "cannot be split"},
		"layers":                {put(20, 1<<31), "audio layers = -"},
		"file type":             {put(44, 99), "file type = 99"},
		"bands":                 {put(filters, 81), "mel bands of the filters = 81"},
		"bins":                  {put(filters+4, 202), "bins of the filters = 202"},
		"words":                 {put(words, 1<<30), "words = "},
		"word":                  {put(words+4, 1<<20), "length of a word"},
		"no blank":              {slices.Replace(slices.Clone(good), words+8, words+9, 'x'), "no blank"},
		"dimensions":            {put(tensors, 5), "number of dimensions = 5"},
		"name":                  {put(tensors+4, math.MaxUint32), "length of a tensor's name = -1"},
		"type":                  {put(tensors+8, 77), "type 77"},
		"negative dimension":    {put(tensors+12, math.MaxUint32), "dimension = -1"},
		"huge":                  {put(tensors+12, 1<<30), "more than 1073741824 numbers"},
		"other shape":           {put(tensors+12, 16), ""},
		"cut":                   {good[:len(good)-1], "ends after"},
		"cut between tensors":   {good[:len(good)-12-len("decoder.blocks.0.mlp.2.bias")-4-4*32], "are missing"},
		"something behind":      {append(slices.Clone(good), 1, 2, 3), "ends after"},
		"the same tensor again": {append(slices.Clone(good), good[len(good)-12-len("decoder.blocks.0.mlp.2.bias")-4-4*32:]...), "there twice"},
	} {
		w, err := read(c.file)
		if w != nil || !errors.Is(err, ggml.ErrFormat) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A matrix of another type has the right name and shape but not the size that the library would read.
	h := small
	h.FileType = ggml.FileTypeOf(ggml.F32)
	b := write(t, h, []string{" "}, 1)
	if _, err := read(b); !errors.Is(err, ggml.ErrFormat) || !strings.Contains(err.Error(), "weights have 32 bits") {
		t.Errorf("weights of 32 bits: %v", err)
	}
	binary.LittleEndian.PutUint32(b[44:], 1)
	if _, err := read(b); !errors.Is(err, ggml.ErrFormat) || !strings.Contains(err.Error(), "has type 0 instead of 1") {
		t.Errorf("matrices of another type than the header says: %v", err)
	}
	h.FileType = ggml.FileTypeOf(ggml.Q80)
	h.AudioState, h.TextState, h.AudioHead, h.TextHead = 48, 48, 1, 1
	b = write(t, small, []string{" "}, 1)
	binary.LittleEndian.PutUint32(b[12:], 48)
	binary.LittleEndian.PutUint32(b[28:], 48)
	binary.LittleEndian.PutUint32(b[44:], uint32(h.FileType))
	if _, err := read(b); !errors.Is(err, ggml.ErrFormat) || !strings.Contains(err.Error(), "no multiple of 32") {
		t.Errorf("a width that cannot be quantized: %v", err)
	}
}

func TestWriterRefusesWhatItCannotWrite(t *testing.T) {
	fill := func(*ggml.Spec, []float32) {}
	var b bytes.Buffer
	if err := ggml.WriteWhisper(&b, small, make([]float32, 3), nil, fill); err == nil {
		t.Error("3 filter weights are taken")
	}
	h := small
	h.FileType = ggml.FileTypeOf(ggml.Q51)
	if err := ggml.WriteWhisper(&b, h, ggml.Filters(80), nil, fill); err == nil || !strings.Contains(err.Error(), "type 7") {
		t.Errorf("a type that nothing is written in: %v", err)
	}
}

func TestHalf(t *testing.T) {
	value := func(h uint16) float64 {
		exp, frac := int(h>>10&31), float64(h&1023)
		if exp == 0 {
			return math.Ldexp(frac, -24)
		}
		return math.Ldexp(1024+frac, exp-25)
	}
	for h := range uint16(0x7c00) {
		v := value(h)
		if got := ggml.Half(float32(v)); got != h {
			t.Fatalf("Half(%v) = %#x, not %#x", v, got, h)
		}
		if got := ggml.Half(float32(-v)); got != h|0x8000 {
			t.Fatalf("Half(%v) = %#x, not %#x", -v, got, h|0x8000)
		}
		if h < 0x7bff { // half-way goes to the even neighbour, anything more to the next
			mid := (v + value(h+1)) / 2
			want := h + h&1
			if got := ggml.Half(float32(mid)); got != want {
				t.Fatalf("Half(%v) = %#x, not %#x", mid, got, want)
			}
			if got := ggml.Half(math.Nextafter32(float32(mid), 1e9)); got != h+1 {
				t.Fatalf("just above %v: %#x, not %#x", mid, got, h+1)
			}
		}
	}
	if got := ggml.Half(1e6); got != 0x7c00 {
		t.Errorf("too large: %#x", got)
	}
	if got := ggml.Half(float32(math.Inf(-1))); got != 0xfc00 {
		t.Errorf("-Inf: %#x", got)
	}
	if got := ggml.Half(float32(math.NaN())); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
		t.Errorf("NaN: %#x", got)
	}
}

func TestQuantizedNumbersAreNear(t *testing.T) {
	h := small
	h.FileType = ggml.FileTypeOf(ggml.Q80)
	var b bytes.Buffer
	var wrote []float32
	err := ggml.WriteWhisper(&b, h, ggml.Filters(80), []string{" "}, func(s *ggml.Spec, numbers []float32) {
		for i := range numbers {
			numbers[i] = float32(math.Sin(float64(i) * 0.7))
		}
		if s.Name == "encoder.blocks.0.mlp.0.weight" {
			wrote = slices.Clone(numbers)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := read(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(w.Tensors, func(t ggml.Tensor) bool { return t.Name == "encoder.blocks.0.mlp.0.weight" })
	data := b.Bytes()[w.Tensors[i].Offset:][:w.Tensors[i].Size]
	if len(data) != len(wrote)/32*34 {
		t.Fatalf("%d bytes for %d numbers", len(data), len(wrote))
	}
	for i, v := range wrote {
		block := data[i/32*34:]
		scale := math.Ldexp(1024+float64(uint16(block[0])|uint16(block[1])<<8&0x3ff), int(block[1]>>2&31)-25)
		if got := scale * float64(int8(block[2+i%32])); math.Abs(got-float64(v)) > 1.0/127 {
			t.Fatalf("number %d: %v became %v", i, v, got)
		}
	}
}

func TestSileroAndItsDamagedCopies(t *testing.T) {
	good, err := os.ReadFile(fixtures.Model(t, "silero-v6.2.0"))
	if err != nil {
		t.Fatal(err)
	}
	silero := func(b []byte) (*ggml.Silero, error) { return ggml.ReadSilero(bytes.NewReader(b), int64(len(b))) }
	if s, err := silero(good); err != nil || s.Version != [3]int32{6, 2, 0} || s.Window != 512 {
		t.Fatalf("%+v, %v", s, err)
	}
	// Every number of the header counts: the library would take any of them.
	for at := 0; at < 120; at++ {
		b := slices.Clone(good)
		b[at] ^= 0x55
		if _, err := silero(b); at >= 18 && at < 30 {
			continue // a version
		} else if !errors.Is(err, ggml.ErrFormat) {
			t.Errorf("byte %d changed: %v", at, err)
		}
	}
	for _, size := range []int{0, 4, 100, 5000, len(good) - 1} {
		if _, err := silero(good[:size]); !errors.Is(err, ggml.ErrFormat) {
			t.Errorf("%d bytes of it: %v", size, err)
		}
	}
	if _, err := silero(write(t, small, []string{" "}, 1)); !errors.Is(err, ggml.ErrFormat) {
		t.Errorf("a Whisper model: %v", err)
	}
}

func FuzzReadWhisper(f *testing.F) {
	whole := write(f, small, []string{" "}, 1)
	head := 12*4 + 8 + 80*ggml.Bins*4 + 4 + 4 + 1
	f.Add(whole[:head])     // no weights: a model for tests
	f.Add(whole[:head+200]) // within the first tensor
	f.Add(whole[:40])
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := read(b)
		if err != nil && !errors.Is(err, ggml.ErrFormat) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		for _, s := range w.Tensors {
			if s.Offset < 0 || s.Size < 0 || s.Offset+s.Size > int64(len(b)) {
				t.Fatalf("tensor %q lies at %d…%d of %d", s.Name, s.Offset, s.Offset+s.Size, len(b))
			}
		}
	})
}

func FuzzReadSilero(f *testing.F) {
	if b, err := os.ReadFile(fixtures.Model(f, "silero-v6.2.0")); err == nil {
		f.Add(b[:1000])
		f.Add(b[:110])
	}
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := ggml.ReadSilero(bytes.NewReader(b), int64(len(b))); err == nil || !errors.Is(err, ggml.ErrFormat) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
	})
}
