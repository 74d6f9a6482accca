package worker

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reachyd/reachyd/hal/waittest"
)

func TestStaleSocketIsRemoved(t *testing.T) {
	o := newObserved(t, "normal")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: o.Socket})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o.run()
	o.until(0, "running", status(Running))
}

// answering waits until a worker answers, and returns its process.
func answering(t *testing.T, o *observed) (pid int) {
	t.Helper()
	h := newHealth(o.Socket, "/healthz", patience)
	defer h.close()
	var err error
	if !waittest.Within(patience, func() bool { pid, err = h.check(t.Context()); return pid != 0 }) {
		t.Fatalf("no worker answers with its number: %v", err)
	}
	return pid
}

// leftover starts a worker under a supervisor of its own and kills that supervisor without a chance to tidy up.
func leftover(t *testing.T, o *observed) int {
	t.Helper()
	o.Args = []string{o.Socket}
	super := exec.Command(o.Program, o.Args...)
	super.Env = append(os.Environ(), "TEST_WORKER=supervisor", "GORACE=atexit_sleep_ms=0")
	if err := super.Start(); err != nil {
		t.Fatal(err)
	}
	pid := answering(t, o)
	_ = super.Process.Kill()
	_ = super.Wait()
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

func TestLeftoverIsAdoptedAndReplacedWhenItDies(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.run()
	s, n := o.until(0, "running", status(Running))
	if !s.Adopted || s.PID != pid {
		t.Fatalf("not adopted: %+v, want process %d", s, pid)
	}
	o.post("/print", "it must survive this: nobody reads its output\n")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s, _ = o.until(n, "running again", status(Running))
	if s.Adopted || s.PID == pid {
		t.Errorf("not replaced by a child of ours: %+v", s)
	}
}

// A body that was started for the simulated robot must not be taken for that of the real one.
func TestLeftoverWithOtherSettingsIsReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.Args = append(o.Args, "--another-port")
	o.run()
	s, _ := o.until(0, "running", status(Running))
	if s.Adopted || s.PID == pid {
		t.Errorf("adopted with other settings: %+v", s)
	}
	ended(t, pid)
}

func TestAdoptedWorkerIsStopped(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.run()
	o.until(0, "running", status(Running))
	o.stop()
	ended(t, pid)
}

// An adopted worker that lost its socket is of no use, and would keep the devices from a new one.
func TestAdoptedWorkerWithoutSocketIsReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	pid := leftover(t, o)
	o.run()
	_, n := o.until(0, "running", status(Running))
	o.post("/deaf", "")
	s, _ := o.until(n, "running again", func(s State) bool { return s.Status == Running && s.PID != pid })
	if s.Adopted {
		t.Errorf("state %+v", s)
	}
	ended(t, pid)
}

func TestHungLeftoverIsEndedAndReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses = 100*time.Millisecond, 2
	pid := leftover(t, o)
	o.post("/hang", "")
	o.run()
	o.until(0, "unhealthy", func(s State) bool { return s.Status == Unhealthy && s.PID == pid })
	o.until(0, "running", func(s State) bool { return s.Status == Running && !s.Adopted })
	ended(t, pid)
}

// Somebody else's process on our socket is never killed: here it is the test itself.
func TestForeignProcessIsNotEnded(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses, o.StartTimeout = 50*time.Millisecond, 2, 100*time.Millisecond
	l, err := net.Listen("unix", o.Socket) // listens, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o.Program = "/bin/false" // what the process on the socket is not
	o.run()
	o.until(0, "restarting", status(Restarting)) // and the test is still alive
	if !strings.Contains(o.text(), "will not be ended by us") {
		t.Errorf("log: %s", o.text())
	}
}

func TestHoldRefusesALiar(t *testing.T) {
	w := &Worker{Program: os.Args[0]}
	if _, err := w.hold(os.Getpid(), 1); err == nil {
		t.Error("a process that names another one was held")
	}
	f, err := w.hold(os.Getpid(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	w.Program = "reachy-body"
	if _, err := w.hold(os.Getpid(), 0); err == nil || !strings.Contains(err.Error(), "not reachy-body") {
		t.Errorf("another program was held: %v", err)
	}
}
