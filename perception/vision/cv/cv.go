// Package cv is what vision needs of OpenCV: cascades of classifiers, the YuNet face detector, and networks in ONNX.
//
// It needs OpenCV 4.6 or newer (Debian: libopencv-dev) and the build tag opencv; without the tag everything that opens
// something says so. Matrices are gocv's. What gocv v0.31 lacks (YuNet, the certainty of a cascade), and everything in
// which OpenCV may throw, goes through a small shim of ours that catches: an exception of C++ that reaches Go ends the
// process.
package cv

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/reachyd/reachyd/perception/scene"
)

// ErrNotBuilt is returned by everything that opens something in a program that was built without the tag opencv.
var ErrNotBuilt = errors.New("this program was built without OpenCV: build it with -tags opencv and libopencv-dev installed")

// Hit is something that was found.
type Hit struct {
	Box   scene.Box
	Score float64 // of a cascade: the certainty of its last stage, above 0; else 0…1
	Class int     // of a network with classes
	Point [2]float64
	// Eyes are those of a face, the one on the left of the picture first; zero where they are not known.
	Eyes [2][2]float64
}

// The sizes of pictures that are looked at.
const (
	minSide = 16
	maxSide = 4096
)

// checkPixels says whether there are as many bytes as the size promises.
func checkPixels(data []byte, width, height, channels int) error {
	switch {
	case width < minSide || height < minSide || width > maxSide || height > maxSide:
		return fmt.Errorf("picture of %d×%d: each side may have %d…%d pixels", width, height, minSide, maxSide)
	case len(data) != width*height*channels:
		return fmt.Errorf("picture of %d×%d×%d has %d bytes", width, height, channels, len(data))
	}
	return nil
}

// live counts what was opened and not yet closed; no garbage collector looks after it.
var live atomic.Int64

// Live returns how many objects of OpenCV are in use: 0 when everything was closed.
func Live() int64 { return live.Load() }
