package wire

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is what a process uses.
type Process struct {
	RSSBytes   int64
	CPUPercent float64 // of one core, since the sample before
	UptimeS    float64
}

// Meter measures this process. The zero Meter is ready; its first sample tells the use since then, that is none.
type Meter struct {
	mu      sync.Mutex
	started time.Time
	last    time.Time
	cpu     time.Duration
}

// Sample measures now. Samples may be taken by several readers; the share of the processor then covers a shorter time.
func (m *Meter) Sample(now time.Time) Process {
	m.mu.Lock()
	defer m.mu.Unlock()
	cpu := cpuTime()
	if m.started.IsZero() {
		m.started, m.last, m.cpu = now, now, cpu
	}
	p := Process{RSSBytes: residentBytes(), UptimeS: now.Sub(m.started).Seconds()}
	if elapsed := now.Sub(m.last); elapsed > 0 {
		p.CPUPercent = 100 * float64(cpu-m.cpu) / float64(elapsed)
		m.last, m.cpu = now, cpu
	}
	return p
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// residentBytes reads the resident memory from /proc; 0 where there is none.
func residentBytes() int64 {
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
