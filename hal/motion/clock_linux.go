package motion

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// monotonic sleeps on a timer that is a file, and so waits where the runtime waits for sockets. In a blocking system
// call it would hold one of the scheduler's processors, for which the runtime's monitor thread polls every 20 µs; and each
// call that the scheduler is told of wakes that thread, so it is not told of those that do not block.
type monotonic struct {
	start time.Time
	base  time.Duration // CLOCK_MONOTONIC at start

	fd    int             // of the timer; its file's Fd method would make it block
	timer syscall.RawConn // nil: there was none to be had
	take  func(uintptr) bool
	until time.Duration
	soon  atomic.Int64 // when the sleep is to end nevertheless; 0: nobody hurries it
	set   bool         // the timer has been started for until
	fired [8]byte
}

// NewClock returns the system's monotonic clock. It sleeps on absolute deadlines and wakes some 100 µs late where
// time.Sleep wakes 600 µs late. One goroutine at a time may sleep on it.
func NewClock() Clock {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // cannot fail with this clock
	m := &monotonic{start: time.Now(), base: time.Duration(ts.Nano())}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return m
	}
	timer, err := os.NewFile(uintptr(fd), "timerfd").SyscallConn()
	if err != nil {
		return m
	}
	m.fd, m.timer, m.take = fd, timer, m.over
	return m
}

func (m *monotonic) Now() time.Duration { return m.base + time.Since(m.start) }

// over takes note that the timer has fired, if it has. The first time it starts the timer: the runtime listens by then, and there
// is nothing to be read yet.
func (m *monotonic) over(fd uintptr) bool {
	if !m.set {
		m.set = true
		begun := m.begin(m.until)
		if soon := time.Duration(m.soon.Load()); begun && soon != 0 && soon < m.until { // said before the timer could hear it
			begun = m.begin(soon)
		}
		return !begun
	}
	_, _, errno := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&m.fired[0])), uintptr(len(m.fired)))
	return errno != unix.EAGAIN
}

// begin starts the timer.
func (m *monotonic) begin(t time.Duration) bool {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(t))}
	_, _, errno := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(m.fd), unix.TFD_TIMER_ABSTIME, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	return errno == 0
}

func (m *monotonic) SleepUntil(t time.Duration) {
	m.until, m.set = t, false
	if m.timer != nil && m.timer.Read(m.take) == nil && (m.soon.Swap(0) != 0 || m.Now() >= t) {
		return
	}
	ts := unix.NsecToTimespec(int64(t))
	for errors.Is(unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil), unix.EINTR) {
	}
}

// Hurry implements Clock. Where there is no timer the sleep ends when it should have.
func (m *monotonic) Hurry(t time.Duration) {
	if m.timer == nil {
		return
	}
	m.soon.Store(int64(t))
	m.begin(t)
}
