package virtual

import (
	"time"

	"golang.org/x/sys/unix"
)

type systemClock struct{}

// SystemClock is the machine's monotonic clock. It wakes up some 60 µs late, time.Sleep some 600.
func SystemClock() Clock { return systemClock{} }

func (systemClock) Now() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return 0 // cannot happen: the clock exists and ts is ours
	}
	return time.Duration(ts.Nano())
}

func (systemClock) SleepUntil(t time.Duration) {
	ts := unix.NsecToTimespec(int64(t))
	var err error = unix.EINTR
	for err == unix.EINTR { // a signal came: sleep on
		err = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
	}
}
