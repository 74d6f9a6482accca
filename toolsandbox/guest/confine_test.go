package guest

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A worker of a reachyd that was started with a low priority keeps it: raising it is not allowed to everybody.
func TestPriorityIsOnlyLowered(t *testing.T) {
	niceness := func() int {
		const zero = 20 // the kernel's own call counts down from 40
		p, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			t.Error(err)
		}
		return zero - p
	}
	for _, before := range [...]int{0, workerNice, 19} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // for good: its priority cannot be given back
			before := max(before, niceness())
			if err := unix.Setpriority(unix.PRIO_PROCESS, 0, before); err != nil {
				t.Error(err)
			}
			if err := beNice(); err != nil {
				t.Error(err)
			}
			if now := niceness(); now != max(before, workerNice) {
				t.Errorf("from %d to %d, wanted %d", before, now, max(before, workerNice))
			}
		}()
		<-done
	}
}
