package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// absence is the most time that is taken to have passed while nothing ran.
	absence = 24 * time.Hour
	// unlikely is how far the other clock must be ahead to be wrong, or to have been when this one began.
	unlikely = 366 * 24 * time.Hour
)

// ages is the clock that retention goes by. The clock that people see may be set at any time, to 1970 or to 2038; by it nothing that was
// kept yesterday may become old. So this one never goes back, and is at most twice as fast as time passes while it is behind: what is to be
// kept for 30 days is there for at least 15, whatever the other one says. While the robot is off a day passes, or less.
type ages struct {
	now func() time.Time
	up  func() time.Duration

	mu   sync.Mutex
	at   time.Time     // what it showed
	seen time.Duration // when
}

var keyAges = []byte("m\x00ages")

// begin goes on where the clock of the last run was, or begins with the newest that is kept.
func (a *ages) begin(kv engine, newest time.Time) error {
	text, err := kv.get(keyAges)
	wall := a.now().Round(0)
	switch {
	case errors.Is(err, ErrNotFound):
		a.at = later(wall, newest)
	case err != nil:
		return err
	case len(text) != stampLen:
		return fmt.Errorf("%w: the clock of the last run has %d bytes", ErrDamaged, len(text))
	default:
		a.at = time.UnixMilli(int64(binary.BigEndian.Uint64(text)))
		a.at = later(a.at, earlier(wall, a.at.Add(absence)))
	}
	a.seen = a.up()
	return nil
}

// read is what the clock shows.
func (a *ages) read() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	up := a.up()
	passed, wall := max(0, up-a.seen), a.now().Round(0)
	next := a.at.Add(passed)
	if wall.Sub(next) < unlikely {
		next = later(next, earlier(wall, next.Add(passed)))
	}
	a.at, a.seen = next, up
	return a.at
}

// keep notes what the clock shows for the next run.
func (a *ages) keep(kv engine) error {
	return unlessFull(kv.apply([]op{{keyAges, stamp(a.read(), nil)}}, false))
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
