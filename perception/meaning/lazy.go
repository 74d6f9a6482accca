package meaning

import (
	"sync"
	"time"
)

// Lazy is a model that is opened when it is wanted and closed when nobody has wanted it for a while: at rest it takes no memory.
// Its methods may be called by many goroutines at once.
type Lazy struct {
	path string
	idle time.Duration

	mu    sync.Mutex
	model *Model
	timer *time.Timer
	used  int // counts uses, so that a timer that comes late closes nothing
	done  bool
}

// NewLazy returns the model of a file, which is opened later, and closed after it was idle.
func NewLazy(path string, idle time.Duration) *Lazy { return &Lazy{path: path, idle: idle} }

// Vector is Model.Vector.
func (l *Lazy) Vector(text string) ([]float32, error) { return l.use(text, (*Model).Vector) }

// States is Model.States.
func (l *Lazy) States(text string) ([]float32, error) { return l.use(text, (*Model).States) }

// ChangedStates is Model.ChangedStates.
func (l *Lazy) ChangedStates(text string, changes *Changes) ([]float32, error) {
	return l.use(text, func(m *Model, text string) ([]float32, error) { return m.ChangedStates(text, changes) })
}

func (l *Lazy) use(text string, fn func(*Model, string) ([]float32, error)) ([]float32, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return nil, ErrClosed
	}
	if l.model == nil {
		m, err := Open(l.path)
		if err != nil {
			return nil, err
		}
		l.model = m
	}
	l.used++
	if l.timer != nil {
		l.timer.Stop()
	}
	use := l.used
	l.timer = time.AfterFunc(l.idle, func() { l.rest(use) })
	return fn(l.model, text)
}

// rest closes the model if it was not used again.
func (l *Lazy) rest(use int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used == use {
		l.release()
	}
}

func (l *Lazy) release() {
	if l.model != nil {
		_ = l.model.Close() // a mapping that cannot be given back stays, and does no harm
		l.model = nil
	}
}

// Close ends it. Closing twice is fine.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.release()
	return nil
}
