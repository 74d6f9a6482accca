//go:build cgo && linux

package audio

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// What is used of libopus, as its documentation says; it is loaded at run time, and its headers are not needed.
typedef struct {
	void *(*create)(int32_t rate, int channels, int application, int *error);
	int (*ctl)(void *encoder, int request, ...);
	int32_t (*encode)(void *encoder, const float *pcm, int samples, unsigned char *out, int32_t size);
	void (*destroy)(void *encoder);
	const char *(*explain)(int error);
} opus_library;

static const char *opus_load(const char *name, opus_library *l) {
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) return dlerror();
	l->create = dlsym(lib, "opus_encoder_create");
	l->ctl = dlsym(lib, "opus_encoder_ctl");
	l->encode = dlsym(lib, "opus_encode_float");
	l->destroy = dlsym(lib, "opus_encoder_destroy");
	l->explain = dlsym(lib, "opus_strerror");
	if (l->create && l->ctl && l->encode && l->destroy && l->explain) return NULL;
	dlclose(lib);
	return "it lacks functions of an encoder";
}

static void *opus_create(opus_library *l, int32_t rate, int application, int *error) { return l->create(rate, 1, application, error); }
static int opus_set(opus_library *l, void *encoder, int request, int32_t value) { return l->ctl(encoder, request, value); }
static int32_t opus_pack(opus_library *l, void *encoder, const float *pcm, int samples, unsigned char *out, int32_t size) {
	return l->encode(encoder, pcm, samples, out, size);
}
static void opus_destroy(opus_library *l, void *encoder) { l->destroy(encoder); }
static const char *opus_explain(opus_library *l, int error) { return l->explain(error); }
*/
import "C"

import (
	"fmt"
	"sync"
	"unsafe"
)

// opusLibrary is the name under which systems have libopus.
const opusLibrary = "libopus.so.0"

// What libopus calls what is asked of it.
const (
	opusAudio         = 2049
	opusSetBitrate    = 4002
	opusSetComplexity = 4010
	opusSetFEC        = 4012
	opusSetLoss       = 4014
)

// OpusEncoder packs sound at Rate with the system's libopus. It is for one goroutine, which closes it.
type OpusEncoder struct {
	library *C.opus_library
	encoder unsafe.Pointer
	out     [MaxOpusPacket]byte
}

// loadOpus loads libopus once: it stays in the process.
var loadOpus = sync.OnceValues(func() (*C.opus_library, error) { return loadOpusFrom(opusLibrary) })

func loadOpusFrom(name string) (*C.opus_library, error) {
	file := C.CString(name)
	defer C.free(unsafe.Pointer(file))
	l := new(C.opus_library)
	if why := C.opus_load(file, l); why != nil {
		return nil, fmt.Errorf("%w: %s (the package libopus0 of Debian and Ubuntu has it)", ErrNoOpus, C.GoString(why))
	}
	return l, nil
}

// NewOpusEncoder makes an encoder at about 32 kbit/s, which repeats some of a packet in the next where it can; ErrNoOpus: there is no libopus.
func NewOpusEncoder() (*OpusEncoder, error) {
	l, err := loadOpus()
	if err != nil {
		return nil, err
	}
	return newOpusEncoder(l)
}

func newOpusEncoder(l *C.opus_library) (*OpusEncoder, error) {
	e := &OpusEncoder{library: l}
	var code C.int
	if e.encoder = C.opus_create(l, Rate, opusAudio, &code); e.encoder == nil {
		return nil, e.failed("make an encoder", code)
	}
	for _, set := range [...][2]C.int{{opusSetBitrate, 32000}, {opusSetComplexity, 5}, {opusSetFEC, 1}, {opusSetLoss, 10}} {
		if code := C.opus_set(l, e.encoder, set[0], set[1]); code < 0 {
			e.Close()
			return nil, e.failed(fmt.Sprintf("set %d to %d", set[0], set[1]), code)
		}
	}
	return e, nil
}

func (e *OpusEncoder) failed(what string, code C.int) error {
	return fmt.Errorf("libopus: %s: %s", what, C.GoString(C.opus_explain(e.library, code)))
}

// Encode packs OpusFrame samples, -1…1, into a packet, which is valid until the next call.
func (e *OpusEncoder) Encode(pcm []float32) ([]byte, error) {
	switch {
	case e.encoder == nil:
		return nil, ErrClosed
	case len(pcm) != OpusFrame:
		return nil, fmt.Errorf("%d samples for a packet of Opus; allowed are %d", len(pcm), OpusFrame)
	}
	n := C.opus_pack(e.library, e.encoder, (*C.float)(unsafe.Pointer(&pcm[0])), C.int(len(pcm)), (*C.uchar)(unsafe.Pointer(&e.out[0])), C.int32_t(len(e.out)))
	if n < 0 {
		return nil, e.failed("encode", n)
	}
	return e.out[:n], nil
}

// Close frees the encoder. It may be called again.
func (e *OpusEncoder) Close() {
	if e.encoder != nil {
		C.opus_destroy(e.library, e.encoder)
		e.encoder = nil
	}
}
