package registry

import (
	"context"
	"errors"
	"testing"
)

// A name is held by one at a time; who waits for it goes on when it is free, when the context ends, or when all is closed.
func TestHolds(t *testing.T) {
	var h Holds
	release, err := h.Hold(t.Context(), nil, "a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.Hold(t.Context(), nil, "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := h.Hold(ended, nil, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	stop := make(chan struct{})
	close(stop)
	if _, err := h.Hold(t.Context(), stop, "a"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	next := make(chan func())
	go func() {
		release, err := h.Hold(t.Context(), nil, "a")
		if err != nil {
			t.Error(err)
		}
		next <- release
	}()
	release()
	if release := <-next; release != nil {
		release()
	}
}
