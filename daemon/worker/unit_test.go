package worker

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// manager does what systemd does for a unit with Restart=always.
func (o *observed) manager() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			cmd := exec.CommandContext(ctx, o.Program, o.Socket)
			cmd.Env = append(os.Environ(), "TEST_WORKER=unit", "GORACE=atexit_sleep_ms=0")
			cmd.Stderr = os.Stderr
			cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
			_ = cmd.Run() // however it ends, there is another
		}
	})
	o.t.Cleanup(func() { cancel(); wg.Wait() })
}

// A worker whose unit starts it is watched, ended when it hangs, started again by its unit, and left waiting at the end.
func TestWorkerOfAUnit(t *testing.T) {
	o := newObserved(t, "normal")
	o.Unit = "reachyd-test.service"
	o.HealthTimeout, o.Misses, o.HangGrace = 250*time.Millisecond, 3, time.Millisecond
	o.StartTimeout = patience
	o.manager()
	o.run()
	first, n := o.until(0, "running", status(Running))
	if first.PID == os.Getpid() || first.PID == 0 {
		t.Fatalf("it runs as %+v", first)
	}
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second, n := o.until(n, "running again", status(Running))
	o.post("/hang", "")
	third, _ := o.until(n, "running after it hung", func(s State) bool { return s.Status == Running && s.PID != second.PID })
	if second.PID == first.PID || third.Restarts < 2 {
		t.Errorf("first %+v, second %+v, third %+v", first, second, third)
	}
	o.stop()
	ended(t, third.PID)
	if _, err := os.Stat(o.argsFile()); !os.IsNotExist(err) {
		t.Errorf("its arguments are still there, so that its unit would start it without reachyd: %v", err)
	}
}

// What another reachyd wanted of it does not count.
func TestWorkerOfAUnitGetsNewArguments(t *testing.T) {
	o := newObserved(t, "normal")
	o.Unit, o.StartTimeout, o.HangGrace = "reachyd-test.service", patience, time.Millisecond
	old := Worker{Socket: o.Socket, Args: []string{o.Socket, "--old"}} // of a reachyd that was killed
	if err := old.writeArgs(); err != nil {
		t.Fatal(err)
	}
	o.manager()
	pid := answering(t, o)
	o.run()
	if s, _ := o.until(0, "running", status(Running)); s.PID == pid || !o.sameArgs(s.PID) {
		t.Errorf("process %d with the old arguments was taken: %+v", pid, s)
	}
}

func TestUnitThatDoesNotStartIsNamed(t *testing.T) {
	o := newObserved(t, "normal")
	o.Unit, o.StartTimeout = "reachyd-test.service", 20*time.Millisecond
	o.run()
	s, _ := o.until(0, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "systemctl status reachyd-test.service") {
		t.Errorf("reason %q", s.Reason)
	}
}

func TestExecRefusesDamagedArguments(t *testing.T) {
	o := newObserved(t, "normal")
	if err := os.WriteFile(o.argsFile(), []byte("--port auto"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.Exec(t.Context()); err == nil || !strings.Contains(err.Error(), o.argsFile()) {
		t.Errorf("Exec = %v, want the file that is damaged", err)
	}
}
