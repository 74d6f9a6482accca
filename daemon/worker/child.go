package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

// outputDelay is how long the output of a process that has ended is waited for: a grandchild may hold the pipe open.
const outputDelay = 50 * time.Millisecond

// child is a process that we started, leader of a session and a process group of its own.
type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
	why   string
	last  *lines // of standard error, for the reason

	mu   sync.Mutex
	over bool // the process has ended: from now on its number may pass to another one
}

func startChild(path string, args, env []string, name string, log zerolog.Logger, news func(kind, message string)) (*child, error) {
	c := &child{cmd: exec.Command(path, args...), ended: make(chan struct{})} //nolint:noctx // ended by stop, with a grace
	out := newLines(log, name, zerolog.InfoLevel)
	c.last = newLines(log, name, zerolog.WarnLevel)
	out.news, c.last.news = news, news
	c.cmd.Env, c.cmd.Stdout, c.cmd.Stderr = env, out, c.last
	c.cmd.WaitDelay = outputDelay
	// A session, hence also a group of its own: the kernel shares the processors out among sessions (sched_autogroup), so that a
	// compiler beside reachyd takes a share, not all.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	go func() {
		defer close(c.ended)
		awaitExit(c.pid())
		c.mu.Lock()
		_ = syscall.Kill(-c.pid(), syscall.SIGKILL) // what it left of its group; the number is ours until Wait reaps it
		c.over = true
		c.mu.Unlock()
		err := c.cmd.Wait()
		out.flush()
		c.last.flush()
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		c.why = c.cmd.ProcessState.String()
		if line := c.last.line(); line != "" && (err != nil || !c.cmd.ProcessState.Success()) {
			c.why += ": " + line
		}
	}()
	return c, nil
}

// awaitExit waits until the process has ended, without reaping it.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func (c *child) pid() int              { return c.cmd.Process.Pid }
func (c *child) adopted() bool         { return false }
func (c *child) done() <-chan struct{} { return c.ended }
func (c *child) reason() string        { return c.why }
func (c *child) release()              {}

// stop asks the process itself, and after the grace ends its whole group.
func (c *child) stop(grace time.Duration) {
	c.signal(c.pid(), syscall.SIGTERM)
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-c.ended:
		return
	case <-t.C:
	}
	c.signal(-c.pid(), syscall.SIGKILL)
	<-c.ended
}

func (c *child) signal(id int, s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		_ = syscall.Kill(id, s) // it may have ended a moment ago
	}
}

var _ process = (*child)(nil)
