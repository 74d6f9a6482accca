package motion

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

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

// prioritise gives every thread of the process the priority; threads that start later inherit it. All of them, since
// whichever finds the loop's timer over runs the tick, and since with the runtime's monitor thread at normal priority a
// busy machine once held the tick up for 111 ms.
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
	return fmt.Sprintf("fifo %d", priority)
}

func setFIFO(tid, priority int) error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(priority)}
	return unix.SchedSetAttr(tid, &attr, 0)
}
