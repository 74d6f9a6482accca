package local

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// pair is a connection over a unix socket; both ends are quiet.
func pair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	plain, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	l := QuietListener{plain}
	defer l.Close()
	a, err = net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	a = Quiet(a)
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// More than the socket holds arrives whole, and what two write at once is not mixed.
func TestQuietConnectionsCarryAll(t *testing.T) {
	a, b := pair(t)
	const writers, size = 4, 1 << 20
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			if n, err := a.Write(bytes.Repeat([]byte{byte(w)}, size)); n != size || err != nil {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	go func() {
		all.Wait()
		a.Close()
	}()
	got, err := io.ReadAll(b)
	if err != nil || len(got) != writers*size {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	for at := 0; at < len(got); at += size {
		if piece := got[at : at+size]; !bytes.Equal(piece, bytes.Repeat(piece[:1], size)) {
			t.Error("two writes are mixed")
		}
	}
}

func TestQuietConnectionsEndAsOthersDo(t *testing.T) {
	a, b := pair(t)
	a.SetDeadline(time.Now().Add(10 * time.Millisecond))
	one := make([]byte, 1)
	if _, err := a.Read(one); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a read that is too late: %v", err)
	}
	much := make([]byte, 16<<20)
	a.SetDeadline(time.Now().Add(time.Second))
	if n, err := a.Write(much); !errors.Is(err, os.ErrDeadlineExceeded) || n == 0 || n == len(much) {
		t.Errorf("a write that nobody reads: %d bytes, %v", n, err)
	}
	var timeout net.Error
	if _, err := a.Read(one); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("%v is no timeout", err)
	}
	if n, err := a.Read(nil); n != 0 || err != nil {
		t.Errorf("nothing: %d bytes, %v", n, err)
	}
	b.Close()
	a.SetDeadline(time.Time{})
	if _, err := a.Write(one); err == nil {
		t.Error("a write to one that has gone succeeds")
	}
	if _, err := a.Read(one); err == nil {
		t.Error("a read from one that has gone succeeds")
	}
	a.Close()
	if _, err := a.Read(one); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a read of a closed connection: %v", err)
	}
}
