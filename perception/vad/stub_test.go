//go:build !whisper

package vad

import (
	"errors"
	"testing"
)

func TestWithoutTheTagOpenSaysHowToGetIt(t *testing.T) {
	if r, err := OpenSilero("model.bin"); r != nil || !errors.Is(err, ErrNotBuilt) {
		t.Errorf("got %v, %v", r, err)
	}
}
