package ggml

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// WriteWhisper writes a Whisper model file. fill sets the numbers of one tensor after the other, in the order of
// Header.Layout; F32, F16 and Q80 matrices can be written.
func WriteWhisper(dst io.Writer, h Header, filters []float32, tokens []string, fill func(s *Spec, numbers []float32)) error {
	if len(filters) != int(h.Mels)*Bins {
		return fmt.Errorf("%d filter weights: allowed is %d", len(filters), int(h.Mels)*Bins)
	}
	w := &writer{dst: bufio.NewWriterSize(dst, 1<<20)}
	w.ints(magic, h.Vocab, h.AudioCtx, h.AudioState, h.AudioHead, h.AudioLayer, h.TextCtx, h.TextState, h.TextHead, h.TextLayer,
		h.Mels, h.FileType, h.Mels, Bins)
	w.numbers(F32, filters)
	w.ints(int32(len(tokens)))
	for _, t := range tokens {
		w.ints(int32(len(t)))
		w.bytes([]byte(t))
	}
	for _, s := range h.Layout() {
		numbers := make([]float32, s.numbers())
		fill(&s, numbers)
		w.tensor(&s, numbers)
	}
	return w.flush()
}

// writer keeps the first error.
type writer struct {
	dst *bufio.Writer
	err error
}

func (w *writer) flush() error {
	if w.err != nil {
		return w.err
	}
	return w.dst.Flush()
}

func (w *writer) tensor(s *Spec, numbers []float32) {
	w.ints(int32(len(s.Shape)), int32(len(s.Name)), int32(s.Type))
	w.ints(s.Shape...)
	w.bytes([]byte(s.Name))
	w.numbers(s.Type, numbers)
}

func (w *writer) bytes(b []byte) {
	if w.err == nil {
		_, w.err = w.dst.Write(b)
	}
}

func (w *writer) ints(all ...int32) {
	for _, v := range all {
		w.bytes(binary.LittleEndian.AppendUint32(nil, uint32(v)))
	}
}

func (w *writer) numbers(t Type, all []float32) {
	if t != F32 && t != F16 && t != Q80 {
		if w.err == nil {
			w.err = fmt.Errorf("type %d cannot be written: allowed are %d, %d and %d", t, F32, F16, Q80)
		}
		return
	}
	w.bytes(pack(nil, t, all))
}

// block80 is how many numbers of type Q80 share a scale of 16 bits, which stands before them.
const block80 = 32

// pack appends numbers of type F32, F16 or Q80.
func pack(b []byte, t Type, all []float32) []byte {
	switch t {
	case F16:
		for _, v := range all {
			b = binary.LittleEndian.AppendUint16(b, Half(v))
		}
	case Q80:
		for ; len(all) >= block80; all = all[block80:] {
			b = pack80(b, all[:block80])
		}
	default:
		for _, v := range all {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

func pack80(b []byte, all []float32) []byte {
	var most float32
	for _, v := range all {
		most = max(most, float32(math.Abs(float64(v))))
	}
	scale, inverse := most/127, float32(0)
	if scale > 0 {
		inverse = 1 / scale
	}
	b = binary.LittleEndian.AppendUint16(b, Half(scale))
	for _, v := range all {
		b = append(b, byte(int8(math.Round(float64(v*inverse))))) // as whisper.cpp's own quantizer rounds
	}
	return b
}

// unpack reads numbers of type F16 or Q80.
func unpack(dst []float32, t Type, b []byte) {
	if t == F16 {
		for i := range dst {
			dst[i] = Single(binary.LittleEndian.Uint16(b[2*i:]))
		}
		return
	}
	for ; len(dst) >= block80; dst, b = dst[block80:], b[2+block80:] {
		scale := Single(binary.LittleEndian.Uint16(b))
		for i, v := range b[2 : 2+block80] {
			dst[i] = scale * float32(int8(v))
		}
	}
}

// Half rounds to the nearest number of 16 bits, ties to even.
func Half(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	exp := int(bits>>23&0xff) - 127
	frac := bits & 0x7fffff
	switch {
	case exp == 128 && frac != 0:
		return sign | 0x7e00 // not a number
	case exp > 15:
		return sign | 0x7c00
	case exp < -25:
		return sign
	}
	// In units of the last place: 2^-24 for subnormal numbers, else 2^(exp-10).
	shift := 13
	if exp < -14 {
		shift = -exp - 1
		frac |= 0x800000
		exp = -15
	}
	v := uint32(exp+15)<<10 + frac>>shift
	rest, half := frac&(1<<shift-1), uint32(1)<<(shift-1)
	if rest > half || rest == half && v&1 == 1 {
		v++
	}
	return sign | uint16(v)
}
