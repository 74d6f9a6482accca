package local

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Usage measures what this process takes, at most once a second. The zero Usage measures from its first Get on.
type Usage struct {
	mu   sync.Mutex
	at   time.Time
	cpu  time.Duration
	load float64
	rss  int64
}

// Get returns the resident bytes, and the processor time since the measurement before in percent of one core.
func (u *Usage) Get() (rss int64, load float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	span := time.Since(u.at)
	if span < 900*time.Millisecond {
		return u.rss, u.load
	}
	cpu := ProcessorTime()
	if !u.at.IsZero() {
		u.load = 100 * float64(cpu-u.cpu) / float64(span)
	}
	u.at, u.cpu, u.rss = time.Now(), cpu, ResidentBytes()
	return u.rss, u.load
}

// ProcessorTime is what this process has used of the processors since it began; 0 where that is not counted.
func ProcessorTime() time.Duration {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// ResidentBytes is the memory of this process that is in RAM; 0 where there is no /proc.
func ResidentBytes() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
