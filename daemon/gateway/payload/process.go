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
	Started    time.Time // zero: not known
}

// Meter measures this process. The zero Meter is ready; its first sample tells the use since then, that is none.
type Meter struct {
	usage   local.Usage
	begin   sync.Once
	started time.Time
}

// Sample measures now. With several readers the share of the processor covers a shorter time.
func (m *Meter) Sample(now time.Time) Process {
	m.begin.Do(func() { m.started = now })
	rss, load := m.usage.Read(now)
	return Process{RSSBytes: rss, CPUPercent: load, UptimeS: now.Sub(m.started).Seconds(), Started: m.started}
}
