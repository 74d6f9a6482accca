package main

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// background gives all threads of the process the processor only when nobody else wants it: nice 19, and the idle policy.
// Threads that come later inherit it.
func background() error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	var errs []error
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		const last = 19
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE, Nice: last}
		errs = append(errs, unix.Setpriority(unix.PRIO_PROCESS, tid, last), unix.SchedSetAttr(tid, &attr, 0))
	}
	return errors.Join(errs...)
}
