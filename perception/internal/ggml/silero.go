package ggml

import (
	"fmt"
	"io"
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
	sileroTensors = []Spec{
		{"_model.stft.forward_basis_buffer", F16, []int32{256, 1, 258}},
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
