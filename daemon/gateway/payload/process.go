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

// settled is by how much the clock may go wrong before the time of the start is told anew.
const settled = 2 * time.Second

// Meter measures this process. The zero Meter is ready; its first sample tells the use since then, that is none.
type Meter struct {
	usage   local.Usage
	begin   sync.Once
	started time.Time
	mu      sync.Mutex
	shown   time.Time // when it started, by the clock as it is now
}

// Sample measures now. With several readers the share of the processor covers a shorter time.
func (m *Meter) Sample(now time.Time) Process {
	m.begin.Do(func() { m.started = now })
	rss, load := m.usage.Read(now)
	up := now.Sub(m.started)
	m.mu.Lock()
	defer m.mu.Unlock()
	if began := now.Round(0).Add(-up); began.Sub(m.shown).Abs() > settled { // the clock was set; and it is no new time each second
		m.shown = began
	}
	return Process{RSSBytes: rss, CPUPercent: load, UptimeS: up.Seconds(), Started: m.shown}
}
