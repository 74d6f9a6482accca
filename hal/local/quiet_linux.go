//go:build !race

package local

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Quiet is a connection whose system calls the scheduler is not told of: they do not block, and each that it is told of wakes the
// runtime's monitor thread, which then polls every 20 µs for a while. With fifty states a second that is more work than the states.
func Quiet(c net.Conn) net.Conn {
	s, ok := c.(syscall.Conn)
	if !ok {
		return c
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return c
	}
	return &quiet{Conn: c, raw: raw}
}

type quiet struct {
	net.Conn
	raw     syscall.RawConn
	writing sync.Mutex // one Write after the other, each as a whole
}

// SyscallConn implements syscall.Conn.
func (q *quiet) SyscallConn() (syscall.RawConn, error) { return q.raw, nil }

// Read implements net.Conn.
func (q *quiet) Read(b []byte) (n int, err error) {
	if len(b) == 0 {
		return q.Conn.Read(b)
	}
	var errno unix.Errno
	err = q.raw.Read(func(fd uintptr) bool {
		n, errno = transfer(unix.SYS_READ, fd, b)
		return errno != unix.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case errno != 0:
		return 0, q.failed("read", errno)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Write implements net.Conn.
func (q *quiet) Write(b []byte) (sent int, err error) {
	q.writing.Lock()
	defer q.writing.Unlock()
	var errno unix.Errno
	err = q.raw.Write(func(fd uintptr) bool {
		for sent < len(b) {
			var n int
			if n, errno = transfer(unix.SYS_WRITE, fd, b[sent:]); errno != 0 {
				break
			}
			sent += n
		}
		return errno != unix.EAGAIN
	})
	if err == nil && errno != 0 {
		err = q.failed("write", errno)
	}
	return sent, err
}

func (q *quiet) failed(what string, errno unix.Errno) error {
	return &net.OpError{
		Op: what, Net: q.LocalAddr().Network(), Source: q.LocalAddr(), Addr: q.RemoteAddr(), Err: os.NewSyscallError(what, errno),
	}
}

func transfer(call, fd uintptr, b []byte) (int, unix.Errno) {
	for {
		n, _, errno := unix.RawSyscall(call, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), 0
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}
