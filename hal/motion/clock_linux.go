package motion

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// monotonic sleeps on a timer that is a file, and so waits where the runtime waits for sockets. In a blocking system
// call it would hold one of the scheduler's processors, for which the runtime's monitor thread polls every 20 µs.
type monotonic struct {
	fd    int      // of timer; its Fd method would make it block
	timer *os.File // nil: there was none to be had
	fired [8]byte
}

// NewClock returns the system's monotonic clock. It sleeps on absolute deadlines and wakes some 100 µs late where
// time.Sleep wakes 600 µs late. One goroutine at a time may sleep on it.
func NewClock() Clock {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return &monotonic{}
	}
	return &monotonic{fd: fd, timer: os.NewFile(uintptr(fd), "timerfd")}
}

func (*monotonic) Now() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

func (m *monotonic) SleepUntil(t time.Duration) {
	if m.timer != nil {
		spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(t))}
		if unix.TimerfdSettime(m.fd, unix.TFD_TIMER_ABSTIME, &spec, nil) == nil {
			if _, err := m.timer.Read(m.fired[:]); err == nil {
				return
			}
		}
	}
	ts := unix.NsecToTimespec(int64(t))
	for errors.Is(unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil), unix.EINTR) {
	}
}
