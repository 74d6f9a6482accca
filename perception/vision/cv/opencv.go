//go:build opencv

package cv

/*
#cgo CXXFLAGS: -std=c++14 -O2 -Wall
#cgo pkg-config: opencv4
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"image"
	"sync"
	"unsafe"

	"gocv.io/x/gocv"

	"github.com/reachyd/reachyd/perception/scene"
)

// Built reports whether this program contains OpenCV.
const Built = true

// maxHits is the most that one picture gives.
const maxHits = 64

var errClosed = errors.New("it was closed")

// handle is an object of C++ that is used by one goroutine at a time and closed once.
type handle struct {
	mu   sync.Mutex
	p    unsafe.Pointer
	free func(unsafe.Pointer)
	hits [maxHits]C.cv_hit
	text [C.CV_TEXT]C.char
}

// open makes an object out of a file.
func open(path string, make func(path *C.char, text *C.char) unsafe.Pointer, free func(unsafe.Pointer)) (*handle, error) {
	h := &handle{free: free}
	if C.cv_selftest(&h.text[0]) != -1 {
		return nil, errors.New("the exceptions of OpenCV cannot be caught")
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if h.p = make(name, &h.text[0]); h.p == nil {
		return nil, fmt.Errorf("%s: %s", path, C.GoString(&h.text[0]))
	}
	live.Add(1)
	return h, nil
}

// Close frees the object, once.
func (h *handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.p != nil {
		h.free(h.p)
		h.p = nil
		live.Add(-1)
	}
	return nil
}

// find calls f with a matrix of the pixels and returns what it found.
func (h *handle) find(data []byte, width, height, channels int, f func(mat *gocv.Mat) C.int) ([]Hit, error) {
	if err := checkPixels(data, width, height, channels); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.p == nil {
		return nil, errClosed
	}
	kind := gocv.MatTypeCV8UC1
	if channels == 3 {
		kind = gocv.MatTypeCV8UC3
	}
	mat, err := gocv.NewMatFromBytes(height, width, kind, data)
	if err != nil {
		return nil, err
	}
	defer mat.Close() //nolint:errcheck // always nil
	n := f(&mat)
	if n < 0 {
		return nil, errors.New(C.GoString(&h.text[0]))
	}
	found := make([]Hit, n)
	for i, r := range h.hits[:n] {
		found[i] = Hit{
			Box:   scene.Box{X: int(r.x), Y: int(r.y), W: int(r.w), H: int(r.h)},
			Score: float64(r.score), Point: [2]float64{float64(r.px), float64(r.py)},
			Eyes: [2][2]float64{{float64(r.eyes[0]), float64(r.eyes[1])}, {float64(r.eyes[2]), float64(r.eyes[3])}},
		}
	}
	return found, nil
}

// Cascade is a cascade of classifiers (LBP or Haar) in OpenCV's XML.
type Cascade struct{ *handle }

// OpenCascade loads one.
func OpenCascade(path string) (*Cascade, error) {
	if err := checkCascade(path); err != nil {
		return nil, err
	}
	h, err := open(path, func(path, text *C.char) unsafe.Pointer { return C.cv_cascade_open(path, text) },
		func(p unsafe.Pointer) { C.cv_cascade_close(p) })
	if err != nil {
		return nil, err
	}
	return &Cascade{h}, nil
}

// Find looks for its objects in a grey picture. scale is the step between sizes that are tried, above 1; neighbours
// how many overlapping hits make one; smallest the least side in pixels.
func (c *Cascade) Find(grey []byte, width, height int, scale float64, neighbours, smallest int) ([]Hit, error) {
	if !(scale > 1.01 && scale < 4) || neighbours < 1 || smallest < 1 {
		return nil, fmt.Errorf("scale %v, neighbours %d, smallest %d: allowed are 1.01…4, 1…, 1…", scale, neighbours, smallest)
	}
	return c.find(grey, width, height, 1, func(mat *gocv.Mat) C.int {
		return C.cv_cascade_find(c.p, unsafe.Pointer(mat.Ptr()), C.double(scale), C.int(neighbours), C.int(smallest), &c.hits[0], maxHits, &c.text[0])
	})
}

// YuNet finds faces by a small network. OpenCV 4.6 reads the file of March 2022, 4.8 and newer that of 2023 too.
type YuNet struct {
	*handle
	width, height int
}

// OpenYuNet loads the network for pictures of one size.
func OpenYuNet(path string, width, height int) (*YuNet, error) {
	const score, overlap = 0.6, 0.3
	h, err := open(path, func(path, text *C.char) unsafe.Pointer {
		return C.cv_yunet_open(path, C.int(width), C.int(height), score, overlap, text)
	}, func(p unsafe.Pointer) { C.cv_yunet_close(p) })
	if err != nil {
		return nil, err
	}
	return &YuNet{h, width, height}, nil
}

// Find looks for faces in a picture with three bytes a pixel: blue, green, red. Hit.Point is the nose.
func (y *YuNet) Find(bgr []byte, width, height int) ([]Hit, error) {
	if width != y.width || height != y.height {
		return nil, fmt.Errorf("picture of %d×%d: it was opened for %d×%d", width, height, y.width, y.height)
	}
	return y.find(bgr, width, height, 3, func(mat *gocv.Mat) C.int {
		return C.cv_yunet_find(y.p, unsafe.Pointer(mat.Ptr()), &y.hits[0], maxHits, &y.text[0])
	})
}

// Net is a network in ONNX with one input and one output of shape [1, rows, columns].
type Net struct {
	*handle
	out []float32
}

// maxOutput is the most numbers that a network may answer.
const maxOutput = 1 << 22

// OpenNet loads one.
func OpenNet(path string) (*Net, error) {
	h, err := open(path, func(path, text *C.char) unsafe.Pointer { return C.cv_net_open(path, text) },
		func(p unsafe.Pointer) { C.cv_net_close(p) })
	if err != nil {
		return nil, err
	}
	return &Net{handle: h, out: make([]float32, maxOutput)}, nil
}

// Run puts a picture with three bytes a pixel (blue, green, red) through the network, its values 0…255 as they are.
// The answer is valid until the next call.
func (n *Net) Run(bgr []byte, width, height int) (out []float32, rows, columns int, err error) {
	var r, c C.int
	_, err = n.find(bgr, width, height, 3, func(mat *gocv.Mat) C.int {
		blob := gocv.BlobFromImage(*mat, 1, image.Pt(width, height), gocv.NewScalar(0, 0, 0, 0), false, false)
		defer blob.Close() //nolint:errcheck // always nil
		return C.cv_net_run(n.p, unsafe.Pointer(blob.Ptr()), (*C.float)(&n.out[0]), maxOutput, &r, &c, &n.text[0])
	})
	if err != nil {
		return nil, 0, 0, err
	}
	return n.out[:int(r)*int(c)], int(r), int(c), nil
}
