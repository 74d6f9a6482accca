package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// niceness of a simulator that may choose: servos of metal do not wait for a compiler on the same host.
const niceness = -15

// prompt asks for more processor time than others get, for all threads; those that start later inherit it. Only root or
// CAP_SYS_NICE may; the error says that it was refused.
func prompt() error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, tid, niceness); err != nil {
			return fmt.Errorf("the simulation runs at normal priority, so a busy host makes its servos slow: %w", err)
		}
	}
	// Niceness counts within the session only where the kernel groups by session; the group has one of its own.
	if id, err := unix.Getsid(0); err != nil || id != os.Getpid() {
		return err // what else runs in this session is not ours to prefer
	}
	err = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(niceness)), 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
