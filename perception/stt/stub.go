//go:build !whisper

package stt

import "context"

// Built reports whether this program contains whisper.cpp.
const Built = false

// Recogniser cannot be had without the build tag whisper.
type Recogniser struct{}

// Open returns ErrNotBuilt.
func Open(string, Settings) (*Recogniser, error) { return nil, ErrNotBuilt }

// OpenBytes returns ErrNotBuilt.
func OpenBytes(string, []byte, Settings) (*Recogniser, error) { return nil, ErrNotBuilt }

// Transcribe returns ErrNotBuilt.
func (*Recogniser) Transcribe(context.Context, []float32) (Result, error) {
	return Result{}, ErrNotBuilt
}

// TranscribeWith returns ErrNotBuilt.
func (*Recogniser) TranscribeWith(context.Context, []float32, Options) (Result, error) {
	return Result{}, ErrNotBuilt
}

// Info returns nothing.
func (*Recogniser) Info() Info { return Info{} }

// Close does nothing.
func (*Recogniser) Close() error { return nil }
