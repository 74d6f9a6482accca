package sense

import (
	"fmt"
	"sync"
	"time"

	"github.com/reachyd/reachyd/hal/local"
)

// How long a piece of native work may take before the worker counts as hung.
const (
	hangDetector   = 5 * time.Second
	hangRecogniser = 40 * time.Second
	hangVision     = 20 * time.Second

	// busyHost is how many times longer computing may take where other programs leave this one hardly any processor time.
	busyHost = 8
)

// watchdog knows what native code is at work and since when. Code that hangs cannot be ended from within: the worker says
// that it is ill, and is ended from outside.
type watchdog struct {
	mu   sync.Mutex
	work map[*section]struct{}
}

type section struct {
	name  string
	began time.Time
	limit time.Duration

	computes bool          // it waits for nothing: on a busy host the limit is one of processor time
	used     time.Duration // processor time of the program when it began
}

// enter notes that a piece of work begins; the function that it returns notes the end.
func (p *watchdog) enter(name string, limit time.Duration) (leave func()) {
	return p.begin(&section{name: name, began: time.Now(), limit: limit})
}

// compute is enter for work that waits for nothing but the processor.
func (p *watchdog) compute(name string, limit time.Duration) (leave func()) {
	return p.begin(&section{name: name, began: time.Now(), limit: limit, computes: true, used: local.ProcessorTime()})
}

func (p *watchdog) begin(w *section) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.work == nil {
		p.work = map[*section]struct{}{}
	}
	p.work[w] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.work, w)
	}
}

// check returns what hangs.
func (p *watchdog) check(now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.work {
		took := now.Sub(w.began)
		waits := w.computes && took <= busyHost*w.limit && local.ProcessorTime()-w.used <= w.limit
		if took > w.limit && !waits {
			return fmt.Errorf("%s has been at work for %v; allowed are %v", w.name, took.Round(time.Second), w.limit)
		}
	}
	return nil
}
