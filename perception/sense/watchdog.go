package sense

import (
	"fmt"
	"sync"
	"time"
)

// How long a piece of native work may take before the worker counts as hung.
const (
	hangDetector   = 5 * time.Second
	hangRecogniser = 40 * time.Second
	hangVision     = 20 * time.Second
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
}

// enter notes that a piece of work begins; the function that it returns notes the end.
func (p *watchdog) enter(name string, limit time.Duration) (leave func()) {
	w := &section{name, time.Now(), limit}
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
		if took := now.Sub(w.began); took > w.limit {
			return fmt.Errorf("%s has been at work for %v; allowed are %v", w.name, took.Round(time.Second), w.limit)
		}
	}
	return nil
}
