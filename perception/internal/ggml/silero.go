package ggml

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
)

// Silero is a voice activity model file.
type Silero struct {
	Version [3]int32
	Window  int32 // samples that are judged at once
}

// The form of Silero's 16 kHz model, the only one that whisper.cpp builds a graph for.
const (
	sileroType   = "silero-16k"
	sileroWindow = 512
)

var (
	sileroSizes = []int32{
		64,                                                // samples of context
		4, 129, 128, 3, 128, 64, 3, 64, 64, 3, 64, 128, 3, // encoder: layers, each with its channels in and out and its kernel
		128, 128, // recurrent layer: in, hidden
		128, 1, // last convolution: in, out
	}
	sileroTensors = []Spec{ // in the order of the published file
		{"_model.encoder.0.reparam_conv.weight", F16, []int32{3, 129, 128}},
		{"_model.encoder.0.reparam_conv.bias", F32, []int32{128}},
		{"_model.encoder.1.reparam_conv.weight", F16, []int32{3, 128, 64}},
		{"_model.encoder.1.reparam_conv.bias", F32, []int32{64}},
		{"_model.encoder.2.reparam_conv.weight", F16, []int32{3, 64, 64}},
		{"_model.encoder.2.reparam_conv.bias", F32, []int32{64}},
		{"_model.encoder.3.reparam_conv.weight", F16, []int32{3, 64, 128}},
		{"_model.encoder.3.reparam_conv.bias", F32, []int32{128}},
		{"_model.decoder.rnn.weight_ih", F32, []int32{128, 512}},
		{"_model.decoder.rnn.weight_hh", F32, []int32{128, 512}},
		{"_model.decoder.rnn.bias_ih", F32, []int32{512}},
		{"_model.decoder.rnn.bias_hh", F32, []int32{512}},
		{"_model.decoder.decoder.2.weight", F16, []int32{128}},
		{"_model.decoder.decoder.2.bias", F32, nil},
		{"_model.stft.forward_basis_buffer", F16, []int32{256, 1, 258}},
	}
)

// ReadSilero walks through a voice activity model file of that size and checks that it has the form that whisper.cpp
// expects. The error wraps ErrFormat.
func ReadSilero(src io.ReaderAt, size int64) (*Silero, error) {
	r := newReader(src, size)
	s := new(Silero)
	r.magic()
	length := r.within("length of the model's type", int32(len(sileroType)), int32(len(sileroType)))
	if kind := string(r.bytes(int64(length))); kind != sileroType {
		r.fail("its type is %q instead of %q", kind, sileroType)
	}
	for i := range s.Version {
		s.Version[i] = r.within("version", 0, 1000)
	}
	s.Window = r.within("window", sileroWindow, sileroWindow)
	for _, want := range sileroSizes {
		r.within("size", want, want)
	}
	tensors := r.tensors()
	if r.err != nil {
		return nil, r.err
	}
	seen := make(map[string]bool)
	for i := range tensors {
		t := &tensors[i]
		ok := false
		for _, want := range sileroTensors {
			ok = ok || t.Name == want.Name && t.Type == want.Type && same(t.Shape, want.Shape)
		}
		if !ok || seen[t.Name] {
			return nil, fmt.Errorf("%w: tensor %q of type %d and shape %v does not belong there", ErrFormat, t.Name, t.Type, t.Shape)
		}
		seen[t.Name] = true
	}
	if len(seen) != len(sileroTensors) {
		return nil, fmt.Errorf("%w: it has %d tensors instead of %d", ErrFormat, len(seen), len(sileroTensors))
	}
	return s, nil
}

// FromTorchScript writes the 16 kHz half of Silero 6.2's silero_vad.jit as a file for whisper.cpp, byte by byte the published
// one. The error wraps ErrFormat when the input is no such archive.
func FromTorchScript(dst io.Writer, jit []byte) error {
	z, err := zip.NewReader(bytes.NewReader(jit), int64(len(jit)))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	storages := map[string]*zip.File{}
	for _, f := range z.File {
		if path.Base(path.Dir(f.Name)) == "data" {
			storages[path.Base(f.Name)] = f
		}
	}
	w := &writer{dst: bufio.NewWriterSize(dst, 1<<20)}
	w.ints(magic, int32(len(sileroType)))
	w.bytes([]byte(sileroType))
	w.ints(6, 2, 0, sileroWindow)
	w.ints(sileroSizes...)
	for i, s := range sileroTensors {
		storage := i + 3 // 0 and 1 are empty, 2 is the transform, which the file has last
		if i == len(sileroTensors)-1 {
			storage = 2
		}
		numbers, err := floatsOf(storages[strconv.Itoa(storage)], &s)
		if err != nil {
			return err
		}
		w.tensor(&s, numbers)
	}
	return w.flush()
}

// floatsOf reads the numbers of a tensor, of 32 bits each, from a member of an archive.
func floatsOf(f *zip.File, s *Spec) ([]float32, error) {
	n := uint64(s.numbers())
	if f == nil || f.UncompressedSize64 != 4*n {
		return nil, fmt.Errorf("%w: the archive has no %d numbers for %q", ErrFormat, n, s.Name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	defer r.Close() //nolint:errcheck // only read
	b := make([]byte, 4*n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return numbers, nil
}
