package worker

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt looks for a worker that an earlier reachyd left behind. A healthy one is returned to be watched. One that holds
// the socket and does not answer is ended, so that a new one gets its devices. It returns nil when a child must be started.
//
// Whom we may end is told by the kernel, not by the worker: the process that listens on our socket, in our private
// directory, must run as our user, run the program that we would start, and be the one that /healthz speaks of (when it
// speaks). It is held by a pidfd, so that no signal ever reaches a process that was given the same number later.
func (w *Worker) adopt(ctx context.Context, h *health) process {
	pid, err := listener(w.Socket)
	if err != nil {
		return nil // nobody is there
	}
	var told int
	var checkErr error
	for range w.Misses { // a busy host must not cost a healthy worker its life
		if told, checkErr = h.check(ctx); checkErr == nil || ctx.Err() != nil || stopped(pid) {
			break
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	f, err := w.hold(pid, told)
	if err != nil {
		w.Log.Warn().Str("worker", w.Name).Err(err).Msg("the process on the worker's socket will not be ended by us")
	}
	if checkErr != nil && f == nil {
		return nil
	}
	a := &adopted{id: pid, file: f, ended: make(chan struct{})}
	if f != nil {
		go a.wait()
	}
	if checkErr != nil {
		w.set(Unhealthy, fmt.Sprintf("left by an earlier reachyd, and does not answer: %v", checkErr), pid, true)
		return w.replace(a, w.HangGrace)
	}
	if f != nil && !w.sameArgs(pid) {
		// A body that drives the simulated robot is no body for the real one.
		w.set(Unhealthy, "left by an earlier reachyd, which gave it other settings", pid, true)
		return w.replace(a, w.Grace)
	}
	return a
}

// replace ends a leftover, so that a child is started instead.
func (w *Worker) replace(a *adopted, grace time.Duration) process {
	a.stop(grace)
	a.release()
	return nil
}

// sameArgs reports whether the process was started with the arguments that we would give it.
func (w *Worker) sameArgs(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return false
	}
	args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	return slices.Equal(args[1:], w.Args)
}

// listener returns the process that listens on the socket.
func listener(socket string) (pid int, err error) {
	conn, err := net.DialTimeout("unix", socket, time.Second) //nolint:noctx // bounded by its timeout
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // nothing was written
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return 0, err
	}
	if credErr != nil {
		return 0, fmt.Errorf("SO_PEERCRED of %s: %w", socket, credErr)
	}
	return int(cred.Pid), nil
}

// hold opens a pidfd of the process if it is certainly a worker of ours. told is what /healthz said, 0 for nothing.
func (w *Worker) hold(pid, told int) (*os.File, error) {
	if told != 0 && told != pid {
		return nil, fmt.Errorf("process %d listens on %s, but says that it is %d", pid, w.Socket, told)
	}
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("hold process %d: %w", pid, err)
	}
	f := os.NewFile(uintptr(fd), "pidfd") // before the checks: from here on the number cannot pass to another process
	if err := w.isOurs(pid); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (w *Worker) isOurs(pid int) error {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("process %d is not of our user", pid)
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return err
	}
	exe = strings.TrimSuffix(exe, " (deleted)") // after an upgrade
	if filepath.Base(exe) != filepath.Base(w.Program) {
		return fmt.Errorf("process %d runs %s, not %s", pid, exe, w.Program)
	}
	return nil
}

// adopted is a process that an earlier reachyd started. Without a file it can be watched by its answers only.
type adopted struct {
	id    int
	file  *os.File
	ended chan struct{}
}

// wait closes ended when the process has ended (its pidfd becomes readable) or when it was released.
func (a *adopted) wait() {
	raw, err := a.file.SyscallConn()
	if err != nil {
		return
	}
	err = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 && err == nil
	})
	if err == nil {
		close(a.ended)
	}
}

func (a *adopted) pid() int              { return a.id }
func (a *adopted) adopted() bool         { return true }
func (a *adopted) done() <-chan struct{} { return a.ended }
func (a *adopted) reason() string        { return "the adopted process ended" }

func (a *adopted) stop(grace time.Duration) {
	if a.file == nil {
		return
	}
	a.signal(unix.SIGTERM)
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-a.ended:
		return
	case <-t.C:
	}
	a.signal(unix.SIGKILL)
	<-a.ended
}

func (a *adopted) signal(s unix.Signal) {
	raw, err := a.file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.PidfdSendSignal(int(fd), s, nil, 0) }) // it may have ended a moment ago
}

func (a *adopted) release() {
	if a.file != nil {
		_ = a.file.Close()
	}
}

var _ process = (*adopted)(nil)
