package sense

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// usage measures the processor time of the worker, at most once a second.
type usage struct {
	mu   sync.Mutex
	at   time.Time
	cpu  time.Duration
	load float64
}

func (u *usage) init() { u.at, u.cpu = time.Now(), cpuTime() }

// get returns percent of one core.
func (u *usage) get() float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	if span := time.Since(u.at); span >= 900*time.Millisecond {
		cpu := cpuTime()
		u.load = 100 * float64(cpu-u.cpu) / float64(span)
		u.at, u.cpu = time.Now(), cpu
	}
	return u.load
}

func cpuTime() time.Duration {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
