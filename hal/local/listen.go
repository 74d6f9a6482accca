// Package local is what our programs share that talk HTTP with each other over a unix socket: a socket that only one
// serves, replies and lines in JSON, the client's half of both, and what a process uses of its host.
package local

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrInUse is wrapped by the error of Listen when another process serves on the socket.
var ErrInUse = errors.New("another process serves there")

// Listen opens the socket with mode 0600. A lock on a file beside it, which dies with its holder, tells a live server,
// which is not disturbed, from a socket that a dead one left behind, which is replaced.
func Listen(socket string) (net.Listener, error) {
	lock, err := os.OpenFile(socket+".lock", os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", socket, err)
	}
	fail := func(err error) (net.Listener, error) {
		lock.Close() //nolint:errcheck // nothing was written
		return nil, fmt.Errorf("listen on %s: %w", socket, err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fail(fmt.Errorf("%w (%w)", ErrInUse, err))
	}
	switch info, err := os.Lstat(socket); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return fail(err)
	case info.Mode().Type() != os.ModeSocket:
		return fail(errors.New("there is something that is not a socket"))
	default:
		if err := os.Remove(socket); err != nil {
			return fail(err)
		}
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return fail(err)
	}
	// Nobody has connected yet that chmod could come too late for: connections are not answered before Serve.
	if err := os.Chmod(socket, 0o600); err != nil {
		l.Close() //nolint:errcheck // the error that counts is reported
		return fail(err)
	}
	return &listener{Listener: l, lock: lock}, nil
}

// OpenToGroup lets the group of a socket's directory connect, if the directory lets the group in: a directory of mode 0700 keeps
// the socket for its owner.
func OpenToGroup(socket string) error {
	dir, err := os.Stat(filepath.Dir(socket))
	const enter, connect = 0o010, 0o660
	if err != nil || dir.Mode().Perm()&enter == 0 {
		return err
	}
	own, err := os.Stat(socket)
	if err != nil {
		return err
	}
	its, ok := own.Sys().(*syscall.Stat_t)
	wanted, known := dir.Sys().(*syscall.Stat_t)
	if ok && known && its.Gid != wanted.Gid { // the service's units may not call chown, and need not
		if err := os.Chown(socket, -1, int(wanted.Gid)); err != nil {
			return fmt.Errorf("open %s to the group of its directory: %w", socket, err)
		}
	}
	return os.Chmod(socket, connect)
}

type listener struct {
	net.Listener
	lock *os.File
	once sync.Once
}

// QuietListener accepts connections that are Quiet.
type QuietListener struct{ net.Listener }

// Accept implements net.Listener.
func (l QuietListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return Quiet(c), nil
}

// Close removes the socket and gives the lock back.
func (l *listener) Close() error {
	var err error
	l.once.Do(func() {
		err = l.Listener.Close()
		l.lock.Close() //nolint:errcheck // nothing was written
	})
	return err
}
