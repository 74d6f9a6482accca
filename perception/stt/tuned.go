//go:build whisper

package stt

/*
#include <stdlib.h>
*/
import "C"

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/stt/tuning"
)

// The encoder's shortest window, in positions: with a shorter one the decoder says everything again and again.
const (
	contextAtLeast = 512
	tunedAtLeast   = 256
)

// published is the sum of tiny.en's signature: those of its weights that are stored alike in files of every type.
const published = "e5c21fd2ffd54c1b43c18db90c5bd43ad342fe0cb237a2f54be208fc618dcbf7"

var signature = []string{"decoder.ln.weight", "encoder.ln_post.weight"}

// tunable reports whether a model is the published tiny.en, in a type that can be changed.
func tunable(src io.ReaderAt, model *ggml.Whisper) (bool, error) {
	h := model.Header
	if m := h.Matrix(); m != ggml.F16 && m != ggml.Q80 {
		return false, nil
	}
	if h.FileType = ggml.TinyEn.FileType; h != ggml.TinyEn {
		return false, nil
	}
	sum := sha256.New()
	for _, name := range signature {
		for i := range model.Tensors {
			if x := &model.Tensors[i]; x.Name == name {
				if _, err := io.Copy(sum, io.NewSectionReader(src, x.Offset, x.Size)); err != nil {
					return false, err
				}
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)) == published, nil
}

// tuned is the model file with its tuning, in C's memory, which gives 44 MB back at once where Go's would keep them; nil where the model is
// not tiny.en. The caller frees it.
func tuned(src io.ReaderAt, size int64, model *ggml.Whisper) (unsafe.Pointer, error) {
	ok, err := tunable(src, model)
	if !ok || err != nil {
		return nil, err
	}
	t, err := tuning.Changes()
	if err != nil {
		return nil, err
	}
	memory := C.malloc(C.size_t(size))
	if memory == nil {
		return nil, errors.New("no memory for its tuning")
	}
	file := unsafe.Slice((*byte)(memory), size)
	if _, err = io.ReadFull(io.NewSectionReader(src, 0, size), file); err == nil {
		err = t.Apply(file, model)
	}
	if err != nil {
		C.free(memory)
		return nil, fmt.Errorf("tuning it: %w", err)
	}
	return memory, nil
}
