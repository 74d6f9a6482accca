package daemon

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// politeness is the niceness of work that nobody waits for: a tenth of a core where others want all of it.
const politeness = 10

// politely runs fn where it takes little of the processor from those who wait for an answer, or from the control loop.
func politely(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()                                             // for good: the thread, which stays nice, ends with the goroutine
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), politeness) // where that is forbidden it is work like any other
		fn()
	}()
	<-done
}
