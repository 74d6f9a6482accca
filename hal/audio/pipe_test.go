package audio

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipeWriter makes a named pipe, and opens it for who writes.
func pipeWriter(t *testing.T) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "microphone")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// ramp are n samples that count from a number on.
func ramp(from, n int) (b []byte) {
	for i := range n {
		b = binary.LittleEndian.AppendUint16(b, uint16(from+i))
	}
	return b
}

func TestPipeIsHeardAsItIsWritten(t *testing.T) {
	w := pipeWriter(t)
	if _, err := w.Write(ramp(9000, 700)); err != nil { // before anybody listens
		t.Fatal(err)
	}
	began := time.Now()
	p, err := OpenPipe(w.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all := ramp(0, 2*FrameSize)
	for _, n := range []int{1, 2, 333, 512, len(all)} { // also in the middle of a sample
		n = min(n, len(all))
		if _, err := w.Write(all[:n]); err != nil {
			t.Fatal(err)
		}
		all = all[n:]
	}
	for k := range 2 {
		var f Frame
		if err := p.Read(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
		for i, v := range f.Samples {
			if want := float32(k*FrameSize+i) / (1 << 15); v != want {
				t.Fatalf("frame %d: sample %d is %v, not %v", k, i, v, want)
			}
		}
		if f.Lost != 0 || f.At.Before(began.Add(-2*FrameTime)) || f.At.After(time.Now()) {
			t.Errorf("frame %d: %d lost, at %v", k, f.Lost, f.At.Sub(began))
		}
	}
	ended := make(chan error)
	go func() { ended <- p.Read(t.Context(), &Frame{}) }()
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Error("a waiting Read:", err)
	}
}

func TestWhatIsNoPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := OpenPipe(file); err == nil || !strings.Contains(err.Error(), "no named pipe") {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := OpenPipe(file + "-not-there"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %v", p, err)
	}
}
