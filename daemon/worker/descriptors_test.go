package worker

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Without a descriptor left nobody can be looked after: a worker that answers lives on, and is looked after again.
func TestWorkerOutlivesOurLackOfDescriptors(t *testing.T) {
	o := newObserved(t, "normal").run()
	began, n := o.until(0, "it runs", status(Running))
	var former unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &former); err != nil {
		t.Fatal(err)
	}
	none := unix.Rlimit{Cur: 3, Max: former.Max}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	o.wait("more checks than may fail", func() bool { return strings.Count(o.log.String(), "too many open files") > 2*o.Misses })
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &former); err != nil {
		t.Fatal(err)
	}
	o.post("/hang", "")
	ended, _ := o.until(n, "it hangs, and is ended", status(Restarting))
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.states[n:] {
		if s.PID != 0 && s.PID != began.PID && s.Since.Before(ended.Since) {
			t.Errorf("it was replaced: %+v", s)
		}
	}
}
