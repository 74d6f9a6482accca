package audio_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/hal/audio"
	"github.com/reachyd/reachyd/hal/audio/audiotest"
)

func array(t *testing.T, board audio.Control) *audio.Array {
	t.Helper()
	a, err := audio.NewArray(t.Context(), board, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDirection(t *testing.T) {
	board := audiotest.NewArray(2, 1, 4)
	a := array(t, board)
	deg := math.Pi / 180
	for _, c := range []struct {
		board, yaw float64
		speech     bool
	}{
		{0, 90, true},    // left
		{90, 0, false},   // ahead
		{180, -90, true}, // right
		{60, 30, true},
		{150, -60, false},
	} {
		board.Hear(c.board*deg, c.speech)
		d, err := a.Direction(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(d.Yaw/deg-c.yaw) > 1e-4 || d.Speech != c.speech {
			t.Errorf("%v: %+v", c, d)
		}
	}
}

func TestDirectionWaitsForTheBoard(t *testing.T) {
	board := audiotest.NewArray(2, 1, 0)
	synctest.Test(t, func(t *testing.T) {
		a := array(t, board)
		board.Hear(1, true)
		board.Busy(7)
		start := time.Now()
		if d, err := a.Direction(t.Context()); err != nil || math.Abs(d.Yaw-(math.Pi/2-1)) > 1e-6 {
			t.Errorf("%+v, %v", d, err)
		}
		if d := time.Since(start); d != 70*time.Millisecond {
			t.Errorf("seven times not yet took %v", d)
		}
		board.Busy(1000)
		if _, err := a.Direction(t.Context()); err == nil || !strings.Contains(err.Error(), "after 100 tries") {
			t.Errorf("never ready: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond)
		defer cancel()
		if _, err := a.Direction(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("context ends: %v", err)
		}
	})
}

func TestOldFirmware(t *testing.T) {
	for _, v := range [][3]byte{{2, 0, 9}, {1, 9, 9}, {0, 0, 0}} {
		if _, err := audio.NewArray(t.Context(), audiotest.NewArray(v[0], v[1], v[2]), nil); !errors.Is(err, audio.ErrFirmware) {
			t.Errorf("%v: %v", v, err)
		}
	}
	array(t, audiotest.NewArray(3, 0, 0))
}

// answers is a board that says what it is told.
type answers struct {
	setup [8]byte
	bytes []byte
	err   error
}

func (a *answers) Transfer(setup [8]byte, data []byte) (int, error) {
	if setup[2] == 0x80 { // the version
		return copy(data, []byte{0, 2, 1, 4}), nil
	}
	a.setup = setup
	return copy(data, a.bytes), a.err
}

func TestDirectionBytes(t *testing.T) {
	b := &answers{bytes: []byte{0, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f}}
	a := array(t, b)
	d, err := a.Direction(t.Context())
	if err != nil || math.Abs(d.Yaw-(math.Pi/2-1)) > 1e-6 || !d.Speech {
		t.Errorf("%+v, %v", d, err)
	}
	if want := [8]byte{0xc0, 0, 0x80 | 19, 0, 20, 0, 9, 0}; b.setup != want {
		t.Errorf("set-up packet % x, want % x", b.setup, want)
	}
	for _, c := range []struct {
		bytes []byte
		err   error
		says  string
	}{
		{[]byte{3, 0, 0, 0, 0, 0, 0, 0, 0}, nil, "status 3"},
		{[]byte{0, 0, 0}, nil, "answer of 3 bytes, not 9"},
		{nil, nil, "answer of 0 bytes"},
		{[]byte{0, 0, 0, 0xc0, 0x7f, 0, 0, 0, 0}, nil, "NaN rad"},
		{[]byte{0, 0, 0, 0, 0xc1, 0, 0, 0, 0}, nil, "-8 rad"},
		{nil, errors.New("no such device"), "20.19: no such device"},
	} {
		b.bytes, b.err = c.bytes, c.err
		if _, err := a.Direction(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("% x: %v, want %q", c.bytes, err, c.says)
		}
	}
}
