package ggml_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/perception/internal/ggml"
)

// ct2 writes files of CTranslate2.
type ct2 struct {
	arrays bytes.Buffer
	n      int32
}

func text(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(s)+1))
	return append(append(b, s...), 0)
}

// add adds an array of 16-bit numbers that count from first.
func (c *ct2) add(name string, first float32, shape ...int) {
	b := append(text(nil, name), byte(len(shape)))
	n := 1
	for _, d := range shape {
		b = binary.LittleEndian.AppendUint32(b, uint32(d))
		n *= d
	}
	b = binary.LittleEndian.AppendUint32(append(b, 4), uint32(2*n))
	for i := range n {
		b = binary.LittleEndian.AppendUint16(b, ggml.Half(first+float32(i%512)/512))
	}
	c.arrays.Write(b)
	c.n++
}

func (c *ct2) bytes() []byte {
	b := binary.LittleEndian.AppendUint32(nil, 6)
	b = text(b, "WhisperSpec")
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.n))
	b = append(b, c.arrays.Bytes()...)
	b = binary.LittleEndian.AppendUint32(b, 1)
	return text(text(b, "decoder/projection/weight"), "decoder/embeddings/weight")
}

// whisper is a Whisper of CTranslate2 with one layer; without is an array that it lacks.
func whisper(without string) []byte {
	const d = 64
	var c ct2
	add := func(name string, first float32, shape ...int) {
		if name != without {
			c.add(name, first, shape...)
		}
	}
	linear := func(name string, out, in int) {
		add(name+"/weight", 1, out, in)
		add(name+"/bias", 2, out)
	}
	norm := func(name string) {
		add(name+"/gamma", 3, d)
		add(name+"/beta", 4, d)
	}
	add("encoder/conv1/weight", 5, d, 80, 3)
	add("encoder/conv1/bias", 6, d)
	add("encoder/conv2/weight", 7, d, d, 3)
	add("encoder/conv2/bias", 8, d)
	add("encoder/position_encodings/encodings", 9, 32, d)
	add("decoder/position_encodings/encodings", 10, 16, d)
	add("decoder/embeddings/weight", 11, ggml.VocabEnglish, d)
	for _, side := range []string{"encoder", "decoder"} {
		l := side + "/layer_0/"
		norm(side + "/layer_norm")
		norm(l + "self_attention/layer_norm")
		linear(l+"self_attention/linear_0", 3*d, d)
		linear(l+"self_attention/linear_1", d, d)
		norm(l + "ffn/layer_norm")
		linear(l+"ffn/linear_0", 4*d, d)
		linear(l+"ffn/linear_1", d, 4*d)
	}
	norm("decoder/layer_0/attention/layer_norm")
	linear("decoder/layer_0/attention/linear_0", d, d)
	linear("decoder/layer_0/attention/linear_1", 2*d, d)
	linear("decoder/layer_0/attention/linear_2", d, d)
	return c.bytes()
}

// vocabulary has a blank, spelled as such files do, and letters.
func vocabulary() []byte {
	return []byte("Ġ\n" + strings.Repeat("a\n", 50260))
}

func TestConvertedFromCTranslate2(t *testing.T) {
	for _, matrix := range []ggml.Type{ggml.F16, ggml.Q80} {
		var b bytes.Buffer
		if err := ggml.FromCTranslate2(&b, whisper(""), vocabulary(), matrix); err != nil {
			t.Fatal(err)
		}
		w, err := read(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		h := w.Header
		if h.AudioState != 64 || h.AudioHead != 1 || h.TextLayer != 1 || h.AudioCtx != 32 || h.Matrix() != matrix || len(w.Tokens) != 50257 || w.Tokens[0] != " " {
			t.Errorf("%+v, %d tokens, %q", h, len(w.Tokens), w.Tokens[0])
		}
		// The first number of an array says which it is; the key is the second third of one.
		for name, want := range map[string]float64{
			"encoder.positional_embedding": 9, "encoder.ln_post.weight": 3, "decoder.ln.bias": 4, "encoder.conv2.bias": 8,
			"decoder.blocks.0.mlp.0.bias": 2, "decoder.blocks.0.cross_attn_ln.weight": 3,
			"encoder.blocks.0.attn.value.bias": 2 + 128.0/512, "decoder.blocks.0.cross_attn.value.bias": 2 + 64.0/512,
		} {
			i := slices.IndexFunc(w.Tensors, func(x ggml.Tensor) bool { return x.Name == name })
			got := math.Float32frombits(binary.LittleEndian.Uint32(b.Bytes()[w.Tensors[i].Offset:]))
			if math.Abs(float64(got)-want) > 0.005 {
				t.Errorf("%s begins with %v instead of %v", name, got, want)
			}
		}
	}
}

func TestWhatIsNoCTranslate2ModelIsRefused(t *testing.T) {
	good := whisper("")
	for name, c := range map[string]struct{ model, vocabulary []byte }{
		"empty":           {nil, vocabulary()},
		"cut":             {good[:len(good)/2], vocabulary()},
		"version":         {append([]byte{99}, good[1:]...), vocabulary()},
		"other model":     {bytes.Replace(good, []byte("WhisperSpec"), []byte("TransformSp"), 1), vocabulary()},
		"no layers":       {whisper("encoder/layer_0/ffn/linear_0/weight"), vocabulary()},
		"no array":        {whisper("decoder/layer_0/attention/linear_1/bias"), vocabulary()},
		"few tokens":      {good, []byte("a\nb")},
		"unknown letters": {good, []byte(strings.Repeat("中\n", 50260))},
	} {
		if err := ggml.FromCTranslate2(io.Discard, c.model, c.vocabulary, ggml.F16); !errors.Is(err, ggml.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := ggml.FromCTranslate2(io.Discard, good, vocabulary(), ggml.Q51); err == nil {
		t.Error("a type that nothing is written in")
	}
}

func TestSingleIsTheInverseOfHalf(t *testing.T) {
	for h := range uint16(0x7c00) {
		if got := ggml.Half(ggml.Single(h)); got != h {
			t.Fatalf("%#x became %#x", h, got)
		}
	}
	if !math.IsInf(float64(ggml.Single(0xfc00)), -1) || ggml.Single(0x8000) != 0 {
		t.Error(ggml.Single(0xfc00), ggml.Single(0x8000))
	}
}

// torchScript is an archive with as many numbers in each storage.
func torchScript(t testing.TB, sizes ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, n := range sizes {
		w, err := z.Create(fmt.Sprintf("model/data/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(make([]byte, 4*n)) // into memory
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var silero = []int{0, 0, 66048, 49536, 128, 24576, 64, 12288, 64, 24576, 128, 65536, 65536, 512, 512, 128, 1}

func TestConvertedFromTorchScript(t *testing.T) {
	var b bytes.Buffer
	if err := ggml.FromTorchScript(&b, torchScript(t, silero...)); err != nil {
		t.Fatal(err)
	}
	if s, err := ggml.ReadSilero(bytes.NewReader(b.Bytes()), int64(b.Len())); err != nil || s.Version != [3]int32{6, 2, 0} || b.Len() != 885098 {
		t.Errorf("%d bytes: %+v, %v", b.Len(), s, err)
	}
	for name, jit := range map[string][]byte{
		"no archive": []byte("PK"), "fewer": torchScript(t, silero[:10]...), "others": torchScript(t, slices.Repeat([]int{7}, 17)...),
	} {
		if err := ggml.FromTorchScript(io.Discard, jit); !errors.Is(err, ggml.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFromCTranslate2(f *testing.F) {
	whole := whisper("")
	f.Add(whole[:2000])
	f.Add(whole[:30])
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := ggml.FromCTranslate2(io.Discard, b, nil, ggml.F16); !errors.Is(err, ggml.ErrFormat) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
	})
}

func FuzzFromTorchScript(f *testing.F) {
	f.Add(torchScript(f, silero[:4]...))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := ggml.FromTorchScript(io.Discard, b); err != nil && !errors.Is(err, ggml.ErrFormat) {
			t.Fatal(err)
		}
	})
}
