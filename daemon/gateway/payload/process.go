package payload

import (
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal/local"
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
	cpu := local.ProcessorTime()
	if m.started.IsZero() {
		m.started, m.last, m.cpu = now, now, cpu
	}
	p := Process{RSSBytes: local.ResidentBytes(), UptimeS: now.Sub(m.started).Seconds()}
	if elapsed := now.Sub(m.last); elapsed > 0 {
		p.CPUPercent = 100 * float64(cpu-m.cpu) / float64(elapsed)
		m.last, m.cpu = now, cpu
	}
	return p
}
