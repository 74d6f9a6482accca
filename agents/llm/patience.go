package llm

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// patience ends a request when its reply does not begin, or does not go on.
type patience struct {
	timer   *time.Timer
	start   time.Time
	first   time.Duration
	between time.Duration
	began   atomic.Bool
	waited  time.Duration // until the reply began
}

// newPatience begins to wait for the reply: for its first piece, then for each next one.
func newPatience(first, between time.Duration, cancel context.CancelCauseFunc) *patience {
	p := &patience{start: time.Now(), first: first, between: between}
	p.timer = time.AfterFunc(p.first, func() {
		if p.began.Load() {
			cancel(fmt.Errorf("%w: nothing new within %v", ErrTimeout, p.between))
			return
		}
		cancel(fmt.Errorf("%w: no reply began within %v", ErrTimeout, p.first))
	})
	return p
}

// pause stops the clock.
func (p *patience) pause() { p.timer.Stop() }

// resume starts the clock again. The first deadline holds until the reply began: frames without content do not count.
func (p *patience) resume(began bool) {
	switch {
	case !began:
		p.timer.Reset(max(0, p.first-time.Since(p.start)))
		return
	case !p.began.Swap(true):
		p.waited = time.Since(p.start)
	}
	p.timer.Reset(p.between)
}
