package local

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Usage measures what this process takes. The zero Usage measures from its first reading on.
type Usage struct {
	mu   sync.Mutex
	at   time.Time
	cpu  time.Duration
	load float64
	rss  int64
}

// Get returns the resident bytes, and the processor time since the reading before in percent of one core. Within a second
// of that it returns the same again.
func (u *Usage) Get() (rss int64, load float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := time.Now(); now.Sub(u.at) >= 900*time.Millisecond {
		u.read(now)
	}
	return u.rss, u.load
}

// Read is Get at a time of the caller's, and always measures. Between several readers the share covers a shorter time.
func (u *Usage) Read(now time.Time) (rss int64, load float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.read(now)
	return u.rss, u.load
}

// read measures. The caller holds mu.
func (u *Usage) read(now time.Time) {
	cpu := ProcessorTime()
	if span := now.Sub(u.at); !u.at.IsZero() && span > 0 {
		u.load = 100 * float64(cpu-u.cpu) / float64(span)
	}
	u.at, u.cpu, u.rss = now, cpu, ResidentBytes()
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
