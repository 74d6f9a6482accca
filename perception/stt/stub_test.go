//go:build !whisper

package stt

import (
	"errors"
	"testing"
)

func TestWithoutTheTagOpenSaysHowToGetIt(t *testing.T) {
	if r, err := Open("model.bin", Settings{}); r != nil || !errors.Is(err, ErrNotBuilt) {
		t.Errorf("got %v, %v", r, err)
	}
	if r, err := OpenBytes("model", nil, Settings{}); r != nil || !errors.Is(err, ErrNotBuilt) {
		t.Errorf("got %v, %v", r, err)
	}
}
