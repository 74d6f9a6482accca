package motion

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryLimit is where the garbage collector begins to work. Below it a tick never meets it.
const memoryLimit = 14 << 20

// Secure makes the whole process fit for a control loop, as far as it is permitted: all its threads first in, first
// out at the given priority (1…98; 0 leaves them alone), its memory locked as it is touched, its garbage collected only
// near a limit. It returns what was obtained and why the rest was not, in words. Call it once, before anything else.
func Secure(priority int) string {
	// A thread that comes back from a system call needs a processor of the scheduler's at once; four leave one free.
	runtime.GOMAXPROCS(max(4, runtime.NumCPU()))
	debug.SetGCPercent(-1)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	return lockMemory() + ", " + prioritise(priority)
}

func lockMemory() string {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim); err != nil {
		return "memory not locked: " + err.Error()
	}
	// With a finite limit a later mapping would fail, and the process with it.
	if os.Geteuid() != 0 && lim.Cur != unix.RLIM_INFINITY {
		return fmt.Sprintf("memory not locked: the limit is %d KiB, LimitMEMLOCK=infinity is needed", lim.Cur>>10)
	}
	if err := unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT); err != nil {
		return "memory not locked: " + err.Error()
	}
	return "memory locked"
}

// prioritise gives every thread of the process the priority; threads that start later inherit it.
func prioritise(priority int) string {
	if priority == 0 {
		return "normal priority"
	}
	done := map[int]bool{}
	for range 10 { // until no thread has started meanwhile
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return "normal priority: " + err.Error()
		}
		more := false
		for _, t := range tasks {
			tid, err := strconv.Atoi(t.Name())
			if err != nil || done[tid] {
				continue
			}
			if err := setFIFO(tid, priority); err != nil {
				return fmt.Sprintf("normal priority: %v (LimitRTPRIO=%d or CAP_SYS_NICE is needed)", err, priority)
			}
			done[tid], more = true, true
		}
		if !more {
			break
		}
	}
	calmMonitor()
	return fmt.Sprintf("fifo %d", priority)
}

// calmMonitor takes the Go runtime's monitor thread out of the real-time class. First in, first out it would poll every
// 20 µs while a tick waits for the bus, which costs more than the loop itself does; all it has to do here can wait a
// fraction of a millisecond. It is the first thread that the runtime starts, so the one after the main thread.
func calmMonitor() {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	monitor, pid := 0, os.Getpid()
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil && tid > pid && (monitor == 0 || tid < monitor) {
			monitor = tid
		}
	}
	if monitor == 0 {
		return
	}
	// Its share of the processor stays the largest that a normal thread can have, in case it holds a lock of the runtime.
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Nice: -20}
	if unix.SchedSetAttr(monitor, &attr, 0) == nil {
		slack := fmt.Sprintf("/proc/%d/timerslack_ns", monitor)
		os.WriteFile(slack, []byte("200000"), 0) //nolint:errcheck // then it polls a little more often
	}
}

func setFIFO(tid, priority int) error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(priority)}
	return unix.SchedSetAttr(tid, &attr, 0)
}

// raise lifts the calling thread, which runs the loop, above the others of the process.
func raise(realtime string) {
	_, p, found := strings.Cut(realtime, "fifo ")
	if n, err := strconv.Atoi(p); found && err == nil {
		setFIFO(0, n+1) //nolint:errcheck // then it keeps the priority of the others
	}
}
