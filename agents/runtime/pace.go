package runtime

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/reachyd/reachyd/agents/llm"
	"github.com/reachyd/reachyd/perception/language"
)

// errSlow is that the language model has been too slow of late, and is left alone for a while.
var errSlow = errors.New("the language model is too slow just now")

// Limits of how long a turn waits for a sign of life of the model.
const (
	leastPatience = 8 * time.Second // also where the model is quick: a turn of another session may keep it busy
	warmFor       = 5 * time.Minute // after a reply: later, and after a failure, the server may have to load the model first
	usualTimes    = 4               // of what its first token usually takes
	firstSlow     = time.Minute     // that it is left alone when it was too slow; doubled each time in a row
	longestSlow   = 16 * time.Minute
)

// pace knows how fast the language model is here, and when it was too slow. Its methods may be called by many goroutines.
type pace struct {
	most time.Duration // that is waited in any case, and where nothing is known yet
	now  func() time.Time

	mu    sync.Mutex
	last  time.Time     // that it replied; zero when it has failed since
	usual time.Duration // until the first sign of life, of late; 0 when not known
	slow  time.Duration // how long it is left alone when it is too slow again
	until time.Time     // that it is left alone
	told  bool          // somebody has been told
}

// patience is how long a turn waits for the model to begin.
func (p *pace) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.usual == 0 || p.now().Sub(p.last) > warmFor {
		return p.most
	}
	return min(max(usualTimes*p.usual, leastPatience), p.most)
}

// ready is errSlow while the model is left alone.
func (p *pace) ready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now().Before(p.until) {
		return errSlow
	}
	return nil
}

// began notes how long a reply took to begin; a model that had to be loaded first tells nothing.
func (p *pace) began(u llm.Usage, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slow, p.told, p.last = 0, false, p.now()
	if took -= u.Load; took <= 0 {
		return
	}
	if p.usual == 0 {
		p.usual = took
	}
	p.usual += (took - p.usual) / 4
}

// broke notes that a reply failed for another reason.
func (p *pace) broke() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Time{}
}

// failed notes that it was too slow. first says that nobody has been told yet.
func (p *pace) failed() (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slow = min(max(2*p.slow, firstSlow), longestSlow)
	p.until, p.last = p.now().Add(p.slow), time.Time{}
	first, p.told = !p.told, true
	return first
}

// watch returns a context that ends with errSlow when alive is not called within the patience. alive and stop may be called
// more than once.
func (p *pace) watch(ctx context.Context) (inner context.Context, alive, stop func()) {
	inner, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(p.patience(), func() { cancel(errSlow) })
	return inner, func() { timer.Stop() }, func() { timer.Stop(); cancel(context.Canceled) }
}

// thinking are the texts about a model that takes its time: see perception/language/en/calling.txt.
var thinking = language.Texts("thinking")
