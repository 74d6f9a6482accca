//go:build !whisper

package vad

// Built reports whether this program contains whisper.cpp and with it Silero.
const Built = false

// Silero cannot be had without the build tag whisper.
type Silero struct{}

// OpenSilero returns ErrNotBuilt.
func OpenSilero(string) (*Silero, error) { return nil, ErrNotBuilt }

// Speech returns ErrNotBuilt.
func (*Silero) Speech([]float32) (float32, error) { return 0, ErrNotBuilt }

// Reset does nothing.
func (*Silero) Reset() {}

// Close does nothing.
func (*Silero) Close() error { return nil }

var _ Detector = (*Silero)(nil)
