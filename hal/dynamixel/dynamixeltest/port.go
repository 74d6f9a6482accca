// Package dynamixeltest is the conformance suite that every dynamixel.Port runs.
package dynamixeltest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	dxl "github.com/reachyd/reachyd/hal/dynamixel"
)

// patience is for what must come; it is long because the machine may be busy.
const patience = 20 * time.Second

// Port checks a kind of port. open returns a fresh port and the other end of its line.
func Port(t *testing.T, open func(t *testing.T) (dxl.Port, io.ReadWriteCloser)) {
	t.Helper()
	run := func(name string, check func(t *testing.T, p dxl.Port, peer io.ReadWriteCloser)) {
		t.Run(name, func(t *testing.T) {
			p, peer := open(t)
			t.Cleanup(func() {
				if err := p.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				_ = peer.Close()
			})
			check(t, p, peer)
		})
	}
	run("every byte passes unchanged in both directions", transparent)
	run("Read waits for what comes late", late)
	run("Read gives up at its deadline", readDeadline)
	run("Write gives up at its deadline when nobody reads", writeDeadline)
	run("the end of the line is not a timeout", hangup)
	run("Close twice, and while a Read waits", closing)
	run("no allocation, and it outlives garbage collections", quiet)
}

func in(d time.Duration) time.Time { return time.Now().Add(d) }

// readAll reads exactly len(b) bytes.
func readAll(t *testing.T, p dxl.Port, b []byte) {
	t.Helper()
	for got := 0; got < len(b); {
		n, err := p.Read(b[got:], in(patience))
		if err != nil {
			t.Fatalf("Read after %d of %d bytes: %v", got, len(b), err)
		}
		got += n
	}
}

func write(t *testing.T, p dxl.Port, b []byte) {
	t.Helper()
	if n, err := p.Write(b, in(patience)); n != len(b) || err != nil {
		t.Fatalf("Write = %d, %v; want %d, nil", n, err, len(b))
	}
}

func transparent(t *testing.T, p dxl.Port, peer io.ReadWriteCloser) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	write(t, p, all)
	got := make([]byte, len(all))
	if _, err := io.ReadFull(peer, got); err != nil || !bytes.Equal(got, all) {
		t.Fatalf("the other end got % X, %v", got, err)
	}
	if _, err := peer.Write(all); err != nil {
		t.Fatal(err)
	}
	clear(got)
	readAll(t, p, got)
	if !bytes.Equal(got, all) {
		t.Fatalf("read % X", got)
	}
	if n, err := p.Read(got, time.Time{}); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("more came than was sent (an echo?): %d bytes % X, %v", n, got[:max(n, 0)], err)
	}
}

func late(t *testing.T, p dxl.Port, peer io.ReadWriteCloser) {
	asked := make(chan error, 1)
	go func() {
		var b [1]byte
		_, err := io.ReadFull(peer, b[:])
		if err == nil {
			_, err = peer.Write([]byte("answer"))
		}
		asked <- err
	}()
	write(t, p, []byte("?"))
	got := make([]byte, 6)
	readAll(t, p, got)
	if err := <-asked; err != nil || string(got) != "answer" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func readDeadline(t *testing.T, p dxl.Port, _ io.ReadWriteCloser) {
	var b [8]byte
	for _, deadline := range []time.Time{{}, in(-time.Second), in(2 * time.Millisecond)} {
		if n, err := p.Read(b[:], deadline); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Read until %v = %d, %v; want os.ErrDeadlineExceeded", deadline, n, err)
		}
		if !deadline.IsZero() && time.Now().Before(deadline) {
			t.Error("Read gave up before its deadline")
		}
	}
}

func writeDeadline(t *testing.T, p dxl.Port, _ io.ReadWriteCloser) {
	chunk := make([]byte, 4096)
	for range 10_000 {
		n, err := p.Write(chunk, in(time.Millisecond))
		if err == nil {
			continue
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("Write = %v, want os.ErrDeadlineExceeded", err)
		}
		if n == len(chunk) {
			t.Fatal("everything was written and yet the deadline missed")
		}
		return
	}
	t.Fatal("40 MB were taken by a line that nobody reads")
}

func hangup(t *testing.T, p dxl.Port, peer io.ReadWriteCloser) {
	if err := peer.Close(); err != nil {
		t.Fatal(err)
	}
	var b [8]byte
	if _, err := p.Read(b[:], in(patience)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Read = %v, want the end of the line", err)
	}
	if _, err := p.Write([]byte("hello"), in(patience)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Write = %v, want the end of the line", err)
	}
}

func closing(t *testing.T, p dxl.Port, _ io.ReadWriteCloser) {
	ended := make(chan error, 1)
	go func() {
		var b [8]byte
		_, err := p.Read(b[:], in(50*time.Millisecond))
		ended <- err
	}()
	if err := p.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("a Read on a closed port succeeded")
	}
	if err := p.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	var b [8]byte
	if _, err := p.Read(b[:], in(patience)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read after Close = %v, want os.ErrClosed", err)
	}
	if _, err := p.Write(b[:], in(patience)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close = %v, want os.ErrClosed", err)
	}
}

func quiet(t *testing.T, p dxl.Port, peer io.ReadWriteCloser) {
	out, back := []byte("0123456789"), make([]byte, 10)
	step := func() {
		write(t, p, out)
		if _, err := io.ReadFull(peer, back); err != nil {
			t.Fatal(err)
		}
		if _, err := peer.Write(back); err != nil {
			t.Fatal(err)
		}
		readAll(t, p, back)
		_, _ = p.Read(back, time.Time{})
	}
	for range 5 {
		step()
		runtime.GC() // a finalizer would close the line now
	}
	if n := testing.AllocsPerRun(200, step); n != 0 {
		t.Errorf("%v allocations per round trip, want 0", n)
	}
}
