// Package store keeps what must survive a restart: events, traces, sessions and small documents, in badger.
//
// What Put and Delete of a Bucket have acknowledged survives kill -9 and a power cut. Events are written without
// waiting for the disk: they survive kill -9, and a power cut may take the last seconds of them.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits of what can be stored.
const (
	// MaxValue is the most bytes of JSON that one event or document may have, unless its bucket allows more.
	MaxValue = 512 << 10
	// MaxID is the most bytes that the ID of a document may have.
	MaxID = 128
)

// Errors that callers branch on.
var (
	ErrNotFound = errors.New("not found")
	ErrTooLarge = errors.New("too large to store")
	ErrBadID    = errors.New("bad document id")
	ErrClosed   = errors.New("the store is closed")
	ErrLocked   = errors.New("the store is in use by another process")
	ErrDamaged  = errors.New("the store is damaged")
	ErrFormat   = errors.New("the store has another format")
	ErrDiskFull = errors.New("the disk is nearly full")
)

// Options are the settings of a Store. The zero value is useful.
type Options struct {
	// Now is the clock that people see, and Up what has passed, also while that is set; the system's when nil. Retention goes by both.
	Now func() time.Time
	Up  func() time.Duration
	// Events is how long and how many events are kept.
	Events Keep
	// MinFree is how many bytes must be free on the disk for a write to be tried; 32 MiB when 0. Badger maps its files
	// into memory, so that a full disk would kill the process instead of failing a write.
	MinFree uint64
	// Free is how many bytes may still be written to the file system of dir; the system's answer when nil.
	Free func(dir string) (uint64, error)
	// Shadow is a directory in memory, of our own, through which a store on a full disk is read; empty: it cannot be opened
	// then.
	Shadow string
	// Patience is how long Close waits for the disk to take the last table, whose content is in the logs, too; 15 s when 0.
	Patience time.Duration
	// Logf is told what badger has to say at warning level and above; nil for nobody.
	Logf func(format string, args ...any)
}

// Keep is a retention rule: what is older than Age, or not among the newest Count, is deleted. Zero means no limit.
type Keep struct {
	Age   time.Duration
	Count int
	Value int // the most bytes of JSON of one document of a bucket; 0: MaxValue
}

// Store is an open store. All its methods may be called by many goroutines at once.
type Store struct {
	kv     engine
	o      Options
	ages   *ages
	events *Events
	first  uint64

	mu      sync.Mutex
	buckets []*docs
	once    sync.Once
	closed  error
}

// format is the version of the key and value layout. A store of another format is refused, never converted silently; one of
// version 1 lacks nothing but values in parts.
const (
	format       = "2"
	formerFormat = "1"
)

var (
	keyFormat = []byte("m\x00format")
	keyRun    = []byte("m\x00run")
)

// run is stored under keyRun: by begin, and again by Close.
type run struct {
	Next  uint64 `json:"next"`  // the ID that the next event gets
	Clean bool   `json:"clean"` // the store was closed: no event has an ID of Next or above
}

// skipped is how far the event IDs jump after a crash: more than can have been published and not yet written.
const skipped = 1 << 16

// Open opens the store in dir, which is created when it is not there. The error wraps ErrLocked when another process
// has it open, ErrDamaged when it cannot be read; a damaged store is never deleted or overwritten.
func Open(dir string, o Options) (*Store, error) {
	kv, err := openBadger(dir, o)
	if err != nil {
		return nil, err
	}
	s, err := newStore(kv, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, err), kv.close())
	}
	return s, nil
}

// Memory returns a store that forgets everything when it is closed.
func Memory(o Options) *Store {
	s, err := newStore(newMemory(), o)
	if err != nil { // an empty map cannot be damaged
		panic(err)
	}
	return s
}

func newStore(kv engine, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Up == nil {
		begin := o.Now()
		o.Up = func() time.Duration { return o.Now().Sub(begin) } // time.Now tells both
	}
	s := &Store{kv: kv, o: o, ages: &ages{now: o.Now, up: o.Up}}
	s.events = newEvents(s, o.Events)
	if err := s.checkFormat(); err != nil {
		return nil, err
	}
	return s, s.begin()
}

// checkFormat notes the format of a new store, and refuses others than ours.
func (s *Store) checkFormat() error {
	switch found, err := s.kv.get(keyFormat); {
	case errors.Is(err, ErrNotFound), string(found) == formerFormat:
		return unlessFull(s.kv.apply([]op{{key: keyFormat, value: []byte(format)}}, true))
	case err != nil:
		return err
	case string(found) != format:
		return fmt.Errorf("%w: it is %q, this program reads %q; install the version that wrote it again, or bring back a "+
			"backup that this one made (reachyctl restore), or give another directory",
			ErrFormat, found, format)
	}
	return nil
}

// unlessFull passes on errors, but not that of a full disk: a store that can only be read is a store.
func unlessFull(err error) error {
	if errors.Is(err, ErrDiskFull) {
		return nil
	}
	return err
}

// Check looks at the disk: the error wraps ErrDiskFull while nothing can be kept. A store that was opened on a full disk is
// only read until Check finds room.
func (s *Store) Check() error {
	opened, err := s.kv.check(s.o)
	if err != nil || !opened {
		return err
	}
	if err := s.checkFormat(); err != nil {
		return err
	}
	return s.note(run{Next: s.first})
}

// begin finds out which event ID comes next and notes that the store is open.
func (s *Store) begin() error {
	last, kept, err := s.events.newest()
	if err != nil {
		return err
	}
	if err := s.ages.begin(s.kv, kept); err != nil {
		return err
	}
	before := run{Next: 1, Clean: true}
	text, err := s.kv.get(keyRun)
	switch {
	case errors.Is(err, ErrNotFound): // a new store
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(text, &before); err != nil {
			return fmt.Errorf("%w: note of the last run: %w", ErrDamaged, err)
		}
	}
	s.first = max(last+1, before.Next)
	if !before.Clean {
		s.first += skipped
	}
	return unlessFull(s.note(run{Next: s.first}))
}

func (s *Store) note(r run) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.kv.apply([]op{{key: keyRun, value: text}}, true)
}

// FirstEventID is the ID for the first event of this run: it follows the last one that was stored, with a gap after
// a crash, when events may have been published that were not stored.
func (s *Store) FirstEventID() uint64 { return s.first }

// Events returns the bucket of the events.
func (s *Store) Events() *Events { return s.events }

// Close writes what is not yet on the disk and closes the store. last is the ID of the newest event that was
// published, 0 if none was. It may be called more than once; only the first call counts.
func (s *Store) Close(last uint64) error {
	s.once.Do(func() {
		// Without the note it is as after a crash: the next event IDs are farther away.
		s.closed = errors.Join(s.ages.keep(s.kv), unlessFull(s.note(run{Next: max(last+1, s.first), Clean: true})), s.kv.close())
	})
	return s.closed
}

// Prune deletes what the retention rules no longer keep. Badger gives the disk space back when it next compacts.
func (s *Store) Prune(ctx context.Context) error {
	if err := s.ages.keep(s.kv); err != nil {
		return fmt.Errorf("keep the clock: %w", err)
	}
	if err := s.events.prune(ctx); err != nil {
		return fmt.Errorf("prune events: %w", err)
	}
	s.mu.Lock()
	buckets := s.buckets
	s.mu.Unlock()
	for _, b := range buckets {
		if err := b.prune(ctx); err != nil {
			return fmt.Errorf("prune %s: %w", b.name, err)
		}
	}
	return nil
}

// Run prunes at every tick until ctx ends. failed is told about errors, which do not end it. The first tick should come soon: a robot
// that is never on until the second would keep everything.
func (s *Store) Run(ctx context.Context, tick <-chan time.Time, failed func(error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			if err := s.Prune(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}
