//go:build whisper

package vad

/*
#cgo LDFLAGS: -lwhisper -lggml -lggml-cpu -lggml-base -lstdc++ -lm -lpthread
#include <stdlib.h>
#include <whisper.h>

static struct whisper_vad_context *reachyd_vad_open(const char *path) {
	struct whisper_vad_context_params p = whisper_vad_default_context_params();
	p.n_threads = 1; // one frame is too little work to share
	p.use_gpu = false;
	return whisper_vad_init_from_file_with_params(path, p);
}

// Returns the probability, or -1.
static float reachyd_vad_frame(struct whisper_vad_context *c, const float *samples, int n) {
	if (!whisper_vad_detect_speech_no_reset(c, samples, n) || whisper_vad_n_probs(c) != 1) {
		return -1;
	}
	return whisper_vad_probs(c)[0];
}
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/reachyd/reachyd/perception/internal/ggml"
	"github.com/reachyd/reachyd/perception/internal/native"
)

// Built reports whether this program contains whisper.cpp and with it Silero.
const Built = true

var errClosed = errors.New("the detector is closed")

// Silero is the neural detector of that name, run by whisper.cpp on one thread.
type Silero struct {
	c *C.struct_whisper_vad_context
}

// OpenSilero loads a model. The file is checked before the library sees it.
func OpenSilero(path string) (*Silero, error) {
	if err := check(path); err != nil {
		return nil, fmt.Errorf("voice activity model %s: %w", path, err)
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	s := new(Silero)
	if err := native.Complain("loading the voice activity model "+path, func() bool {
		s.c = C.reachyd_vad_open(name)
		return s.c != nil
	}); err != nil {
		return nil, err
	}
	s.Reset() // the library leaves its memory of the stream uninitialised
	return s, nil
}

func check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = ggml.ReadSilero(f, info.Size())
	return err
}

// Speech implements Detector.
func (s *Silero) Speech(frame []float32) (float32, error) {
	if err := checkFrame(frame); err != nil {
		return 0, err
	}
	if s.c == nil {
		return 0, errClosed
	}
	p := C.reachyd_vad_frame(s.c, (*C.float)(&frame[0]), C.int(len(frame)))
	if !(p >= 0 && p <= 1) { // as is NaN
		// One frame of nonsense would poison all later ones through the recurrent state.
		s.Reset()
		return 0, fmt.Errorf("the voice activity model answered %v", float32(p))
	}
	return float32(p), nil
}

// Reset implements Detector.
func (s *Silero) Reset() {
	if s.c != nil {
		C.whisper_vad_reset_state(s.c)
	}
}

// Close implements Detector.
func (s *Silero) Close() error {
	if s.c != nil {
		C.whisper_vad_free(s.c)
		s.c = nil
	}
	return nil
}

var _ Detector = (*Silero)(nil)
