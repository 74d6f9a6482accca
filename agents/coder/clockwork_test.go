package coder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/api"
)

// memoryStore keeps schedules and failures over a restart.
type memoryStore struct {
	mu        sync.Mutex
	schedules []Schedule
	failures  []Failure
	fails     error
}

func (s *memoryStore) SaveSchedules(all []Schedule) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails == nil {
		s.schedules = all
	}
	return s.fails
}

func (s *memoryStore) LoadSchedules() ([]Schedule, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.schedules), nil
}

func (s *memoryStore) SaveFailure(f Failure) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append([]Failure{f}, s.failures...)
	return nil
}

func (s *memoryStore) LoadFailures() ([]Failure, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.failures), nil
}

// clockwork is a coder that runs in virtual time.
type clockwork struct {
	*bench
	c       *Coder
	store   *memoryStore
	mu      sync.Mutex
	told    []string
	latched bool
	busy    bool
	end     func()
	ahead   time.Duration // of the clock that people see
	begin   time.Time
}

func newClockwork(t *testing.T) *clockwork {
	w := &clockwork{bench: newBench(t), store: &memoryStore{}, begin: time.Now()}
	w.start()
	t.Cleanup(func() { w.end() })
	return w
}

func (w *clockwork) start() {
	w.c = w.coder(func(o *Options) {
		o.Now, o.Up, o.Schedules = w.clock, func() time.Duration { return time.Since(w.begin) }, w.store
		o.Failed = func(err error) {
			if w.store.fails == nil || !errors.Is(err, w.store.fails) { // called under the lock of who changes it
				w.t.Error(err)
			}
		}
		o.Latched = func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.latched }
		o.Busy = func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.busy }
		o.Publish = func(_ string, data api.Payload) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if n, ok := data.(api.Notification); ok {
				w.told = append(w.told, fmt.Sprint(data.EventType(), " ", n.Text))
			}
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.c.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	w.end = func() { cancel(); <-done }
}

// clock is what the robot's clock shows.
func (w *clockwork) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Round(0).Add(w.ahead)
}

// setClock sets it.
func (w *clockwork) setClock(to time.Time) { w.set(func() { w.ahead = time.Until(to) }) }

// pass lets time pass.
func (w *clockwork) pass(d time.Duration) {
	time.Sleep(d) // virtual
	synctest.Wait()
}

// rounds are how many calls of a tool there were.
func (w *clockwork) rounds(name string) (n int) {
	w.bench.mu.Lock()
	defer w.bench.mu.Unlock()
	for _, c := range w.called {
		if strings.HasPrefix(c, name+" ") {
			n++
		}
	}
	return n
}

func (w *clockwork) says() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.told)
}

func (w *clockwork) set(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn()
}
