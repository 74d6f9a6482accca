//go:build !mujoco

package mujoco

import (
	"errors"
	"testing"
)

func TestWithoutTheTagOpenSaysHowToGetIt(t *testing.T) {
	if s, err := Open(Options{}); s != nil || !errors.Is(err, ErrNotBuilt) {
		t.Errorf("got %v, %v", s, err)
	}
}
