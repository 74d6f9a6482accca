package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunAndStop(t *testing.T) {
	o := newObserved(t, "normal").run()
	s, _ := o.until(0, "running", status(Running))
	if s.PID == 0 || s.Adopted || s.Reason != "" {
		t.Errorf("state %+v", s)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := o.Ready(ctx); err != nil {
		t.Error(err)
	}
	o.stop()
	ended(t, s.PID)
	if got := o.State(); got.Status != Stopped || got.Restarts != 0 {
		t.Errorf("after the end: %+v", got)
	}
	var order []Status
	for _, s := range o.states {
		order = append(order, s.Status)
	}
	if fmt.Sprint(order) != "[starting starting running stopped]" {
		t.Errorf("states %v", order)
	}
}

func TestReadyTellsWhatIsWrong(t *testing.T) {
	o := newObserved(t, "normal")
	o.Program = "no-such-program"
	o.Dir = "/nowhere"
	o.run()
	s, _ := o.until(0, "stopped", status(Stopped))
	for _, want := range []string{"no-such-program", "beside", "PATH", "/nowhere", "programs.dir"} {
		if !strings.Contains(s.Reason, want) {
			t.Errorf("reason %q does not name %s", s.Reason, want)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := o.Ready(ctx); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("Ready: %v", err)
	}
}

// A program that is installed later is found without a restart of reachyd.
func TestMissingProgramAppears(t *testing.T) {
	o := newObserved(t, "normal")
	self := o.Program
	o.Program = filepath.Join(filepath.Dir(o.Socket), "late")
	o.run()
	o.until(0, "stopped", status(Stopped))
	if err := os.Symlink(self, o.Program); err != nil {
		t.Fatal(err)
	}
	o.until(0, "running", status(Running))
}

func TestKilledWorkerIsBackAtOnce(t *testing.T) {
	o := newObserved(t, "normal")
	o.MinBackoff, o.MaxBackoff = patience, patience // only the pause-free first restart can be in time
	o.run()
	first, n := o.until(0, "running", status(Running))
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s, n := o.until(n, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "killed") {
		t.Errorf("reason %q", s.Reason)
	}
	second, _ := o.until(n, "running again", status(Running))
	if second.PID == first.PID || second.Restarts != 1 {
		t.Errorf("second process: %+v", second)
	}
}

func TestCrashingWorkerIsRestartedWithItsReason(t *testing.T) {
	o := newObserved(t, "crash").run()
	s, _ := o.until(0, "the third restart", func(s State) bool { return s.Status == Restarting && s.Restarts == 3 })
	if !strings.Contains(s.Reason, "exit status 7") || !strings.Contains(s.Reason, "no servo answers") {
		t.Errorf("reason %q", s.Reason)
	}
}

func TestHungWorkerIsKilledAndRestarted(t *testing.T) {
	o := newObserved(t, "stubborn") // ignores SIGTERM as well
	o.HealthTimeout, o.Misses, o.Grace = 100*time.Millisecond, 3, 20*time.Millisecond
	o.run()
	first, n := o.until(0, "running", status(Running))
	o.post("/hang", "")
	s, n := o.until(n, "unhealthy", status(Unhealthy))
	if !strings.Contains(s.Reason, "of 3 health checks failed") {
		t.Errorf("reason %q", s.Reason)
	}
	s, n = o.until(n, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "3 of 3") {
		t.Errorf("reason %q", s.Reason)
	}
	ended(t, first.PID)
	o.until(n, "running again", status(Running))
}

// What computes and has no time to answer is given more of it; without anything to do it only hangs.
func TestWorkerAtWorkMayBeLate(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses, o.BusyMisses = 20*time.Millisecond, 3, 1_000_000
	o.run()
	first, n := o.until(0, "running", status(Running))
	o.post("/work", "")
	o.post("/hang", "")
	late, n := o.until(n, "more misses than an idle one may have", func(s State) bool {
		return s.Status != Running && (s.Status != Unhealthy || strings.HasPrefix(s.Reason, "9 of"))
	})
	if late.Status != Unhealthy || late.PID != first.PID {
		t.Errorf("at work: %+v", late)
	}
	o.post("/rest", "")
	o.until(n, "it was replaced when it rested", func(s State) bool { return s.Status == Running && s.PID != first.PID })
}

// Nor may it be late for ever.
func TestWorkerAtWorkForTooLongIsReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses, o.BusyMisses, o.Grace = 20*time.Millisecond, 2, 5, 20*time.Millisecond
	o.run()
	_, n := o.until(0, "running", status(Running))
	o.post("/work", "")
	o.post("/hang", "")
	o.until(n, "it was replaced", status(Restarting))
}

// Also while it starts.
func TestWorkerAtWorkMayStartLate(t *testing.T) {
	o := newObserved(t, "busy")
	o.HealthTimeout, o.StartTimeout, o.Misses, o.BusyMisses = 20*time.Millisecond, 50*time.Millisecond, 1, 4
	o.run()
	s, _ := o.until(0, "it was given up", status(Restarting))
	if !strings.Contains(s.Reason, "within 200ms of its start") {
		t.Errorf("reason %q", s.Reason)
	}
}

// What may go first when memory runs out says so to the kernel, also under a reachyd that goes last.
func TestExpendableWorkerGoesFirst(t *testing.T) {
	o := newObserved(t, "normal")
	o.Expendable = true
	o.run()
	s, _ := o.until(0, "running", status(Running))
	score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", s.PID))
	if err != nil || strings.TrimSpace(string(score)) != expendable {
		t.Errorf("score %s, want %s, %v", score, expendable, err)
	}
}

// Neither the checks that it may miss nor the grace of an orderly end are waited for: they would take two minutes here.
func TestFrozenWorkerIsReplacedAtOnce(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses, o.HangGrace = 100*time.Millisecond, 1000, 20*time.Millisecond
	o.run()
	first, n := o.until(0, "running", status(Running))
	if err := syscall.Kill(first.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s, n := o.until(n, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "stopped by a signal") {
		t.Errorf("reason %q", s.Reason)
	}
	ended(t, first.PID)
	o.until(n, "running again", status(Running))
}

func TestFrozenLeftoverIsReplaced(t *testing.T) {
	o := newObserved(t, "normal")
	o.HealthTimeout, o.Misses, o.HangGrace = 100*time.Millisecond, 1000, 20*time.Millisecond
	pid := leftover(t, o)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	o.run()
	o.until(0, "running", func(s State) bool { return s.Status == Running && !s.Adopted })
	ended(t, pid)
}

func TestStopKillsAfterTheGrace(t *testing.T) {
	o := newObserved(t, "stubborn")
	o.Grace = 20 * time.Millisecond
	o.run()
	s, _ := o.until(0, "running", status(Running))
	o.stop()
	ended(t, s.PID)
}

func TestSlowStart(t *testing.T) {
	o := newObserved(t, "slow").run()
	s, n := o.until(0, "starting", func(s State) bool { return s.Status == Starting && s.PID != 0 })
	if err := os.WriteFile(o.Socket+".go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := o.until(n, "running", status(Running)); r.PID != s.PID {
		t.Errorf("it was restarted: %+v, then %+v", s, r)
	}
}

func TestStartTimeout(t *testing.T) {
	o := newObserved(t, "slow")
	o.StartTimeout = 50 * time.Millisecond
	o.run()
	s, _ := o.until(0, "restarting", status(Restarting))
	if !strings.Contains(s.Reason, "did not answer") || !strings.Contains(s.Reason, "50ms") {
		t.Errorf("reason %q", s.Reason)
	}
}

func TestWorkerThatNeverAnswersWell(t *testing.T) {
	o := newObserved(t, "mute")
	o.StartTimeout = time.Second
	o.run()
	o.until(0, "restarting for its answer", func(s State) bool { return s.Status == Restarting && strings.Contains(s.Reason, "503") })
}

func TestGroupDiesWithItsLeader(t *testing.T) {
	o := newObserved(t, "orphan").run()
	s, _ := o.until(0, "running", status(Running))
	var orphan int
	o.wait("the number of the grandchild", func() bool {
		_, after, ok := strings.Cut(o.log.String(), "orphan ")
		if ok {
			orphan, _ = strconv.Atoi(after[:strings.IndexAny(after, "\"\n")])
		}
		return orphan != 0
	})
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended(t, orphan)
}

func TestBackoff(t *testing.T) {
	const ms = time.Millisecond
	for i, want := range []time.Duration{0, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 10000 * ms, 10000 * ms} {
		if got := backoff(i, 200*ms, 10*time.Second, 0); got != want {
			t.Errorf("failure %d: %v, want %v", i, got, want)
		}
		if got := backoff(i, 200*ms, 10*time.Second, 0.999); got > want || got < want*3/4 {
			t.Errorf("failure %d with jitter: %v", i, got)
		}
	}
	if got := backoff(1<<40, 200*ms, 10*time.Second, 0); got != 10*time.Second {
		t.Errorf("after very many failures: %v", got)
	}
}

// A worker that ran long enough starts with a clean record: its next restart is made at once again.
func TestStableWorkerIsForgivenItsPast(t *testing.T) {
	o := newObserved(t, "normal")
	o.Stable = time.Nanosecond
	o.MinBackoff, o.MaxBackoff = 2*patience, 2*patience
	o.run()
	n := 0
	for range 3 {
		var s State
		s, n = o.until(n, "running", status(Running))
		if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	o.until(n, "running", status(Running))
}
