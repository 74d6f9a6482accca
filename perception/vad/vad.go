// Package vad tells speech from everything else, 32 ms at a time.
package vad

import (
	"errors"
	"fmt"
	"math"
)

// SampleRate is that of all audio here, in samples a second; one channel, −1…1.
const SampleRate = 16000

// FrameSize is how many samples are judged at once: 32 ms.
const FrameSize = 512

// ErrNotBuilt is returned by OpenSilero in a program that was built without the tag whisper.
var ErrNotBuilt = errors.New("this program was built without whisper.cpp: run 'make whisper' and build it with -tags whisper")

// Detector judges a stream of audio, one frame of FrameSize samples after the other. It remembers what came before, so
// one stream has one detector. It is used by one goroutine.
type Detector interface {
	// Speech returns how probable it is that somebody speaks in the frame, 0…1.
	Speech(frame []float32) (float32, error)
	// Reset forgets the stream.
	Reset()
	// Close gives back what the detector holds. It may be called twice.
	Close() error
}

// Open returns a detector that uses the Silero model of that file. When there is none (the path is empty) or it cannot
// be used, the detector goes by loudness, and the error says why: it is then a remark, not a failure.
func Open(model string) (Detector, error) {
	if model == "" {
		return NewEnergy(), nil
	}
	s, err := OpenSilero(model)
	if err != nil {
		return NewEnergy(), fmt.Errorf("speech is told from noise by loudness only: %w", err)
	}
	return s, nil
}

// Level returns the loudness of a frame in dB; 0 is a full-scale square wave, silence −120.
func Level(frame []float32) float32 {
	var sum float64
	for _, s := range frame {
		sum += float64(s) * float64(s)
	}
	if len(frame) == 0 || sum == 0 {
		return floorLevel
	}
	return max(floorLevel, float32(10*math.Log10(sum/float64(len(frame)))))
}

const floorLevel = -120

// checkFrame keeps out what would poison a detector's memory of the stream.
func checkFrame(frame []float32) error {
	if len(frame) != FrameSize {
		return fmt.Errorf("frame of %d samples: allowed is %d", len(frame), FrameSize)
	}
	for i, s := range frame {
		if !(s >= -maxSample && s <= maxSample) { // as is NaN
			return fmt.Errorf("sample %d = %v: allowed is ±%d", i, s, maxSample)
		}
	}
	return nil
}

// maxSample leaves room for filters that overshoot full scale.
const maxSample = 8
