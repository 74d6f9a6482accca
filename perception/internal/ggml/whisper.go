package ggml

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Header holds the sizes of a Whisper model, in the order of the file.
type Header struct {
	Vocab      int32
	AudioCtx   int32 // encoder positions, 20 ms each
	AudioState int32
	AudioHead  int32
	AudioLayer int32
	TextCtx    int32 // decoder positions, one a token
	TextState  int32
	TextHead   int32
	TextLayer  int32
	Mels       int32
	FileType   int32 // which Type the large matrices have; see FileTypeOf
}

// TinyEn is the header of OpenAI's tiny.en, its large matrices of 16 bits.
var TinyEn = Header{
	Vocab: 51864, AudioCtx: 1500, AudioState: 384, AudioHead: 6, AudioLayer: 4,
	TextCtx: 448, TextState: 384, TextHead: 6, TextLayer: 4, Mels: 80, FileType: 1,
}

// The vocabularies that whisper.cpp can number the special tokens of: English, 99 languages, 100 languages.
const (
	VocabEnglish = 51864
	vocabMost    = 51866
)

// quantVersion is what whisper.cpp adds to the file type of quantized files, in thousands.
const quantVersion = 2

// FileTypeOf returns the Header.FileType of a model whose large matrices have type t.
func FileTypeOf(t Type) int32 {
	switch t {
	case F32:
		return 0
	case F16:
		return 1
	case Q40, Q41:
		return int32(t) + quantVersion*1000
	case Q80:
		return 7 + quantVersion*1000
	case Q50:
		return 8 + quantVersion*1000
	case Q51:
		return 9 + quantVersion*1000
	default: // the K types
		return int32(t) + quantVersion*1000
	}
}

// Matrix is the type of the model's large matrices.
func (h *Header) Matrix() Type {
	switch h.FileType % 1000 {
	case 0:
		return F32
	case 1:
		return F16
	case 2:
		return Q40
	case 3:
		return Q41
	case 7:
		return Q80
	case 8:
		return Q50
	case 9:
		return Q51
	case 10, 11, 12, 13, 14:
		return Type(h.FileType % 1000)
	}
	return none
}

// Bins is how many frequencies a mel filter weighs.
const Bins = 201

// Whisper is a Whisper model file.
type Whisper struct {
	Header  Header
	Filters []float32 // Mels × Bins
	Tokens  []string  // the first of the vocabulary; the special ones after them have no text
	Tensors []Tensor  // none in files that exist only to test loading
}

// Size is that of all weights in bytes.
func (w *Whisper) Size() int64 {
	var n int64
	for i := range w.Tensors {
		n += w.Tensors[i].Size
	}
	return n
}

// Multilingual reports whether the model knows more than English.
func (w *Whisper) Multilingual() bool { return w.Header.Vocab > VocabEnglish }

// ReadWhisper walks through a Whisper model file of that size and checks that it has the form that whisper.cpp expects.
// The error wraps ErrFormat.
func ReadWhisper(src io.ReaderAt, size int64) (*Whisper, error) {
	r := newReader(src, size)
	w := new(Whisper)
	r.magic()
	h := &w.Header
	h.Vocab = r.within("vocabulary", VocabEnglish, vocabMost)
	h.AudioCtx = r.within("audio context", 32, 1500)
	h.AudioState = r.within("audio state", 32, 1280)
	h.AudioHead = r.within("audio heads", 1, 20)
	h.AudioLayer = r.within("audio layers", 1, 32)
	h.TextCtx = r.within("text context", 16, 448)
	h.TextState = r.within("text state", 32, 1280)
	h.TextHead = r.within("text heads", 1, 20)
	h.TextLayer = r.within("text layers", 1, 32)
	h.Mels = r.within("mel bands", 80, 128)
	h.FileType = r.within("file type", 0, 9999)
	switch {
	case r.err != nil:
	case h.AudioState != h.TextState:
		r.fail("audio state %d differs from text state %d", h.AudioState, h.TextState)
	case h.AudioState%h.AudioHead != 0 || h.TextState%h.TextHead != 0:
		r.fail("state %d cannot be split among %d and %d heads", h.AudioState, h.AudioHead, h.TextHead)
	case h.Matrix() == none:
		r.fail("file type = %d is unknown", h.FileType)
	case h.Matrix() == F32:
		r.fail("its weights have 32 bits") // whisper.cpp loads them, and aborts when it computes
	}
	if block, _ := h.Matrix().block(); r.err == nil && int64(h.AudioState)%block != 0 {
		r.fail("state %d is no multiple of %d", h.AudioState, block)
	}
	r.within("mel bands of the filters", h.Mels, h.Mels)
	r.within("bins of the filters", Bins, Bins)
	if b := r.bytes(int64(h.Mels) * Bins * 4); b != nil {
		w.Filters = make([]float32, len(b)/4)
		for i := range w.Filters {
			w.Filters[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
	space := false
	n := r.within("words", 1, min(maxVocabulary, h.Vocab))
	for range n {
		length := r.within("length of a word", 0, maxToken)
		word := string(r.bytes(int64(length)))
		if r.err != nil {
			return nil, r.err
		}
		space = space || word == " "
		w.Tokens = append(w.Tokens, word)
	}
	if !space {
		r.fail("its vocabulary has no blank") // whisper.cpp looks it up without asking
	}
	w.Tensors = r.tensors()
	if r.err != nil {
		return nil, r.err
	}
	if err := w.checkTensors(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Whisper) checkTensors() error {
	if len(w.Tensors) == 0 {
		return nil
	}
	want := make(map[string]Spec)
	for _, s := range w.Header.Layout() {
		want[s.Name] = s
	}
	for i := range w.Tensors {
		t := &w.Tensors[i]
		s, ok := want[t.Name]
		switch {
		case !ok:
			return fmt.Errorf("%w: tensor %q is unknown or there twice", ErrFormat, t.Name)
		case t.Type != s.Type:
			return fmt.Errorf("%w: tensor %q has type %d instead of %d", ErrFormat, t.Name, t.Type, s.Type)
		case !same(t.Shape, s.Shape):
			return fmt.Errorf("%w: tensor %q has shape %v instead of %v", ErrFormat, t.Name, t.Shape, s.Shape)
		}
		delete(want, t.Name)
	}
	for name := range want {
		return fmt.Errorf("%w: tensor %q and %d others are missing", ErrFormat, name, len(want)-1)
	}
	return nil
}
