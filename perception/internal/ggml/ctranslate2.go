package ggml

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ctKind numbers the kinds of numbers in a CTranslate2 file.
type ctKind byte

const (
	ctF32 ctKind = 0
	ctF16 ctKind = 4
)

// ctSizes are the bytes of a number of each kind.
var ctSizes = [...]int64{ctF32: 4, 1: 1, 2: 2, 3: 4, ctF16: 2}

// ctArray is a named array of a CTranslate2 file: the slowest index comes first in its shape.
type ctArray struct {
	kind  ctKind
	shape []int64
	data  []byte
}

// textTokens is how many tokens of Whisper's vocabularies have a text, whatever the language.
const textTokens = 50257

// FromCTranslate2 writes a Whisper model of CTranslate2 (its model.bin and vocabulary.txt) as a file for whisper.cpp, whose
// large matrices have type F16 or Q80. The error wraps ErrFormat when the input is no such model.
func FromCTranslate2(dst io.Writer, model, vocabulary []byte, matrix Type) error {
	arrays, err := readCT(model)
	if err != nil {
		return err
	}
	h, err := ctHeader(arrays)
	if err != nil {
		return err
	}
	h.FileType = FileTypeOf(matrix)
	tokens, err := ctTokens(vocabulary)
	if err != nil {
		return err
	}
	for _, s := range h.Layout() {
		if _, err := arrays.find(&s); err != nil {
			return err
		}
	}
	return WriteWhisper(dst, h, Filters(int(h.Mels)), tokens, func(s *Spec, numbers []float32) {
		a, _ := arrays.find(s) // was there above
		a.floats(numbers)
	})
}

type ctArrays map[string]ctArray

// readCT reads the arrays of a model.bin: counted strings and blocks after a version and the name of the kind of model.
func readCT(b []byte) (ctArrays, error) {
	r := newReader(bytes.NewReader(b), int64(len(b)))
	text := func() string {
		n := r.bytes(2)
		if n == nil {
			return ""
		}
		return strings.TrimRight(string(r.bytes(int64(binary.LittleEndian.Uint16(n)))), "\x00")
	}
	r.within("version of CTranslate2's format", 2, 20)
	if kind := text(); r.err == nil && kind != "WhisperSpec" {
		r.fail("it holds a %q instead of a WhisperSpec", kind)
	}
	r.int32() // the revision of that
	all := ctArrays{}
	for range r.within("arrays", 1, maxTensors) {
		name := text()
		rank := r.bytes(1)
		if rank == nil || rank[0] > 4 {
			r.fail("array %q has too many dimensions", name)
			break
		}
		a := ctArray{}
		n := int64(1)
		for range rank[0] {
			d := int64(r.within("dimension", 1, maxElements))
			if n *= max(d, 1); n > maxElements {
				r.fail("array %q has more than %d numbers", name, maxElements)
			}
			a.shape = append(a.shape, d)
		}
		kind := r.bytes(1)
		size := int64(uint32(r.int32()))
		if r.err != nil {
			break
		}
		if a.kind = ctKind(kind[0]); int(a.kind) >= len(ctSizes) || n*ctSizes[a.kind] != size {
			r.fail("array %q of %d numbers of kind %d has %d bytes", name, n, a.kind, size)
			break
		}
		a.data = b[r.pos:][:min(size, int64(len(b))-r.pos)]
		r.seek(r.pos + size)
		all[name] = a
	}
	if r.err != nil {
		return nil, r.err
	}
	aliases := r.within("other names of arrays", 0, maxTensors)
	for i := int32(0); r.err == nil && i < aliases; i++ {
		alias, of := text(), text()
		if a, ok := all[of]; ok {
			all[alias] = a
		}
	}
	return all, r.err
}

// ctHeader takes the sizes of the model from its arrays.
func ctHeader(all ctArrays) (Header, error) {
	dim := func(name string, i int) int32 {
		if a := all[name]; i < len(a.shape) {
			return int32(a.shape[i]) //nolint:gosec // at most maxElements
		}
		return 0
	}
	layers := func(side string) (n int32) {
		for all[fmt.Sprintf("%s/layer_%d/ffn/linear_0/weight", side, n)].shape != nil {
			n++
		}
		return n
	}
	// Every Whisper has heads of 64.
	const head = 64
	h := Header{
		Vocab: dim("decoder/embeddings/weight", 0), AudioCtx: dim("encoder/position_encodings/encodings", 0),
		AudioState: dim("encoder/position_encodings/encodings", 1), AudioLayer: layers("encoder"),
		TextCtx: dim("decoder/position_encodings/encodings", 0), TextState: dim("decoder/position_encodings/encodings", 1),
		TextLayer: layers("decoder"), Mels: dim("encoder/conv1/weight", 1),
	}
	h.AudioHead, h.TextHead = h.AudioState/head, h.TextState/head
	for _, v := range []struct {
		name            string
		is, least, most int32
	}{
		{"vocabulary", h.Vocab, VocabEnglish, vocabMost},
		{"audio context", h.AudioCtx, 32, 1500},
		{"audio state", h.AudioState, head, 1280},
		{"audio layers", h.AudioLayer, 1, 32},
		{"text context", h.TextCtx, 16, 448},
		{"text state", h.TextState, h.AudioState, h.AudioState},
		{"text layers", h.TextLayer, 1, 32},
		{"mel bands", h.Mels, 80, 128},
	} {
		if v.is < v.least || v.is > v.most {
			return h, fmt.Errorf("%w: %s = %d: allowed is %d…%d", ErrFormat, v.name, v.is, v.least, v.most)
		}
	}
	return h, nil
}

// ctPlaces says where CTranslate2 keeps a part of a block, and which of how many parts of the array it is: queries, keys and
// values are one.
var ctPlaces = map[string]struct {
	array    string
	part, of int
}{
	"attn_ln": {"self_attention/layer_norm", 0, 1}, "attn.query": {"self_attention/linear_0", 0, 3},
	"attn.key": {"self_attention/linear_0", 1, 3}, "attn.value": {"self_attention/linear_0", 2, 3},
	"attn.out":      {"self_attention/linear_1", 0, 1},
	"cross_attn_ln": {"attention/layer_norm", 0, 1}, "cross_attn.query": {"attention/linear_0", 0, 1},
	"cross_attn.key": {"attention/linear_1", 0, 2}, "cross_attn.value": {"attention/linear_1", 1, 2},
	"cross_attn.out": {"attention/linear_2", 0, 1},
	"mlp_ln":         {"ffn/layer_norm", 0, 1}, "mlp.0": {"ffn/linear_0", 0, 1}, "mlp.2": {"ffn/linear_1", 0, 1},
}

// find returns the numbers of a tensor.
func (all ctArrays) find(s *Spec) (ctArray, error) {
	side, rest, _ := strings.Cut(s.Name, ".")
	part, of := 0, 1
	var name string
	norm := false
	switch module, leaf := cutLast(rest); {
	case rest == "positional_embedding":
		name = "position_encodings/encodings"
	case rest == "token_embedding.weight":
		name = "embeddings/weight"
	case module == "ln_post" || module == "ln":
		name, norm = "layer_norm/"+leaf, true
	case strings.HasPrefix(module, "conv"):
		name = module + "/" + leaf
	default: // blocks.3.attn.query
		number, what, _ := strings.Cut(strings.TrimPrefix(module, "blocks."), ".")
		p := ctPlaces[what]
		name, part, of = "layer_"+number+"/"+p.array+"/"+leaf, p.part, p.of
		norm = strings.HasSuffix(what, "ln")
	}
	if norm {
		name = strings.NewReplacer("/weight", "/gamma", "/bias", "/beta").Replace(name)
	}
	name = side + "/" + name
	want := int64(s.numbers())
	a, ok := all[name]
	n := int64(len(a.data)) / ctSizes[a.kind]
	if !ok || n != want*int64(of) || a.kind != ctF32 && a.kind != ctF16 {
		return a, fmt.Errorf("%w: array %q has %d numbers of kind %d, for %q %d of 16 or 32 bits are needed", ErrFormat, name, n, a.kind, s.Name, want*int64(of))
	}
	size := int64(len(a.data) / of)
	a.data = a.data[int64(part)*size:][:size]
	return a, nil
}

func cutLast(s string) (before, after string) {
	i := strings.LastIndexByte(s, '.')
	return s[:max(i, 0)], s[i+1:]
}

// floats unpacks the numbers.
func (a *ctArray) floats(dst []float32) {
	for i := range dst {
		if a.kind == ctF16 {
			dst[i] = Single(binary.LittleEndian.Uint16(a.data[2*i:]))
		} else {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(a.data[4*i:]))
		}
	}
}

// ctTokens undoes the spelling of a vocabulary, which writes every byte as a letter that can be seen.
func ctTokens(vocabulary []byte) ([]string, error) {
	bytesOf := map[rune]byte{}
	next := rune(256)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= '¡' && b <= '¬' || b >= '®' {
			bytesOf[b] = byte(b)
		} else {
			bytesOf[next] = byte(b)
			next++
		}
	}
	lines := strings.Split(string(vocabulary), "\n")
	if len(lines) < textTokens {
		return nil, fmt.Errorf("%w: the vocabulary has %d lines, needed are %d", ErrFormat, len(lines), textTokens)
	}
	tokens := make([]string, textTokens)
	for i, line := range lines[:textTokens] {
		token := make([]byte, 0, len(line))
		for _, r := range line {
			b, ok := bytesOf[r]
			if !ok {
				return nil, fmt.Errorf("%w: line %d of the vocabulary holds %s", ErrFormat, i+1, strconv.QuoteRune(r))
			}
			token = append(token, b)
		}
		tokens[i] = string(token)
	}
	return tokens, nil
}

// Filters returns Whisper's mel filters: triangles of equal area on Slaney's scale, which is linear below 1 kHz, up to 8 kHz.
func Filters(mels int) []float32 {
	const linear, step = 200.0 / 3, 27.0
	octaves := math.Log(6.4)
	top := 15 + math.Log(8000.0/1000)*step/octaves
	edge := func(i int) float64 { // Hz
		mel := top * float64(i) / float64(mels+1)
		if mel < 15 {
			return mel * linear
		}
		return 1000 * math.Exp((mel-15)*octaves/step)
	}
	f := make([]float32, mels*Bins)
	for m := range mels {
		low, middle, high := edge(m), edge(m+1), edge(m+2)
		for b := range Bins {
			hz := float64(b) * 40
			f[m*Bins+b] = float32(max(0, min((hz-low)/(middle-low), (high-hz)/(high-middle)))) * float32(2/(high-low))
		}
	}
	return f
}

// Single is the number that 16 bits stand for.
func Single(h uint16) float32 {
	sign, exp, frac := uint32(h&0x8000)<<16, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0:
		v := float32(frac) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
