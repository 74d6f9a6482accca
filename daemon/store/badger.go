package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"golang.org/x/sys/unix"
)

const (
	memTable     = 1 << 20      // twice in memory when full: as a list and as the mapped log of it
	maxInTree    = memTable / 8 // above txnBytes: no value goes to the value log, whose space only comes back by rewriting it
	newTables    = 2            // tables that are not yet merged with the others, before they are
	compactEvery = 64 << 10     // bytes that are written before it is looked whether to merge
	valueFile    = 1 << 20
	defaultFree  = 32 << 20
)

// disk is an engine in a badger directory.
type disk struct {
	db      *badger.DB
	dir     string
	minFree uint64
	free    func(dir string) (uint64, error)
	logf    func(string, ...any)

	patience time.Duration // of close

	shadow string        // where the database is that can only be read; empty: it is in dir
	held   *os.File      // locks dir meanwhile
	full   atomic.Bool   // there was too little room
	tables atomic.Uint64 // bytes in tables: to merge them takes as much again

	// One writer at a time writes, from its commit to its sync: badger syncs only the newest write-ahead log, so
	// that another writer who begins a new one in between would leave the first one's data unsynced.
	waiting  sync.Mutex
	writing  bool      // somebody writes, or has been told to; guarded by waiting
	changes  []*change // of writers who wait for that, the oldest first; guarded by waiting
	nextPart uint64    // the ID of the next value that is written in parts; the writer's own, as written is
	written  int       // bytes since compact was called

	compacting atomic.Bool
	compaction sync.WaitGroup

	closing sync.RWMutex // held for reading by everybody who uses db
	closed  bool
}

// tuned returns badger's settings for a small memory: reads go through the page cache of the kernel, so no block of
// a table is copied or kept; one memtable is filled while another is written out.
func tuned(dir string, logf func(string, ...any)) badger.Options {
	return badger.DefaultOptions(dir).
		WithMemTableSize(memTable).
		WithNumMemtables(1).
		WithValueThreshold(maxInTree).
		WithValueLogFileSize(valueFile).
		WithBaseTableSize(2 << 20).
		WithBaseLevelSize(8 << 20).
		WithNumLevelZeroTables(newTables).
		WithNumLevelZeroTablesStall(4 * newTables).
		WithNumCompactors(0). // they look for work 40 times a second; compact does it when there is some
		WithNumGoroutines(1).
		WithCompression(options.None).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithMetricsEnabled(false).
		WithDetectConflicts(false).
		WithSyncWrites(false). // apply syncs what is acknowledged
		WithChecksumVerificationMode(options.OnBlockRead).
		WithLogger(logger{logf})
}

func openBadger(dir string, o Options) (d *disk, err error) {
	defer func() {
		if p := recover(); p != nil {
			d, err = nil, damaged(dir, fmt.Errorf("%v at %s", p, firstLines(debug.Stack(), 12)))
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		return nil, fmt.Errorf("open store %s: may not read and write there: %w", dir, err)
	}
	d = newDisk(dir, o)
	if err := d.room(); err != nil {
		if o.Shadow == "" {
			return nil, fmt.Errorf("open store: %w", err)
		}
		d.logf("%v; what is kept is only read", err)
		if err := d.openShadow(o); err != nil {
			return nil, err
		}
		return d, nil
	}
	// What another process writes just now must not be taken for damage.
	held, err := hold(dir)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	if err := held.Close(); err != nil { // badger takes the lock for itself
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	settings := tuned(dir, o.Logf)
	if err := intact(settings); err != nil {
		return nil, damaged(dir, err)
	}
	err = settle(settings)
	if err == nil {
		d.db, err = badger.Open(settings)
	}
	switch {
	case err == nil:
		if err := d.openParts(); err != nil {
			return nil, errors.Join(damaged(dir, err), d.db.Close())
		}
		d.compact()
		return d, nil
	case strings.Contains(err.Error(), "Cannot acquire directory lock"): // badger does not wrap the reason
		return nil, fmt.Errorf("open store %s: %w%s", dir, ErrLocked, owner(dir))
	}
	return nil, damaged(dir, err)
}

func newDisk(dir string, o Options) *disk {
	d := &disk{dir: dir, minFree: o.MinFree, free: o.Free, logf: o.Logf, patience: cmp.Or(o.Patience, 15*time.Second)}
	if d.minFree == 0 {
		d.minFree = defaultFree
	}
	if d.free == nil {
		d.free = freeBytes
	}
	if d.logf == nil {
		d.logf = func(string, ...any) {}
	}
	return d
}

func damaged(dir string, err error) error {
	return fmt.Errorf("open store %s: %w (%w); nothing was changed: move the directory away and start again with an "+
		"empty store, or put a backup in its place", dir, ErrDamaged, err)
}

func firstLines(b []byte, n int) []byte {
	lines := bytes.SplitN(b, []byte("\n"), n+1)
	return bytes.Join(lines[:min(n, len(lines))], []byte(" | "))
}

// use runs fn unless the store is closed, and keeps it open meanwhile.
func (d *disk) use(fn func() error) error {
	d.closing.RLock()
	defer d.closing.RUnlock()
	if d.closed {
		return ErrClosed
	}
	return fn()
}

func (d *disk) get(key []byte) (value []byte, err error) {
	err = d.use(func() error {
		return d.db.View(func(t *badger.Txn) error {
			item, err := t.Get(key)
			if errors.Is(err, badger.ErrKeyNotFound) {
				return ErrNotFound
			}
			if err != nil {
				return err
			}
			return valueOf(t, item, func(v []byte) error { value = bytes.Clone(v); return nil })
		})
	})
	return value, err
}

// apply lets writers who wait for one another share a transaction and a sync: with many of them each waits for two syncs at most.
func (d *disk) apply(ops []op, sync bool) error {
	return d.use(func() error {
		mine := &change{ops: ops, sync: sync, turn: make(chan bool, 1)}
		if d.queue(mine) || <-mine.turn {
			d.commit(d.batch(), mine)
			d.handOver()
		}
		return mine.err
	})
}

// change is what one writer wants.
type change struct {
	ops  []op
	sync bool
	turn chan bool // false: another writer has done it; true: it is the oldest, and its writer is to write
	err  error     // before turn
}

// queue adds a change to those that wait, and reports whether its writer is to write: nobody else does.
func (d *disk) queue(c *change) (first bool) {
	d.waiting.Lock()
	defer d.waiting.Unlock()
	d.changes = append(d.changes, c)
	first = !d.writing
	d.writing = true
	return first
}

// handOver lets the writer who waits longest write.
func (d *disk) handOver() {
	d.waiting.Lock()
	defer d.waiting.Unlock()
	if d.writing = len(d.changes) > 0; d.writing {
		d.changes[0].turn <- true
	}
}

// batch takes the changes off the queue that go into one transaction, in their order: one that is too large goes alone.
func (d *disk) batch() []*change {
	d.waiting.Lock()
	defer d.waiting.Unlock()
	n, left := 1, txnBytes-size(d.changes[0].ops)
	for n < len(d.changes) && left >= size(d.changes[n].ops) {
		left -= size(d.changes[n].ops)
		n++
	}
	batch := slices.Clone(d.changes[:n])
	d.changes = slices.Delete(d.changes, 0, n)
	return batch
}

// commit writes a batch, of which one change is the caller's own; the others are told at once.
func (d *disk) commit(batch []*change, own *change) {
	var ops []op
	sync := false
	for _, c := range batch {
		ops, sync = append(ops, c.ops...), sync || c.sync
	}
	err := d.transact(ops, sync)
	for _, c := range batch {
		if c.err = err; c != own {
			c.turn <- false
		}
	}
}

func (d *disk) transact(ops []op, sync bool) error {
	if err := d.room(); err != nil {
		return err
	}
	if d.shadow != "" {
		return fmt.Errorf("%w: it was when the store was opened, which is only read until it is looked again", ErrDiskFull)
	}
	refs, err := d.spill(ops)
	if err != nil {
		return err
	}
	var garbage []partRef
	err = d.db.Update(func(t *badger.Txn) (err error) {
		garbage, err = write(t, ops, refs)
		return err
	})
	if err == nil && (sync || len(refs)+len(garbage) > 0) {
		err = d.db.Sync()
	}
	for _, ref := range garbage {
		if err == nil {
			err = d.drop(ref)
		}
	}
	if d.written += size(ops); d.written >= compactEvery {
		d.written = 0
		d.compact()
	}
	return err
}

// compact merges new tables into the others, beside the caller, when there are enough of them.
func (d *disk) compact() {
	var tables int64
	for _, level := range d.db.Levels() {
		tables += level.Size
	}
	d.tables.Store(uint64(tables))
	if d.db.Levels()[0].NumTables < newTables || !d.compacting.CompareAndSwap(false, true) {
		return
	}
	d.compaction.Go(func() {
		defer d.compacting.Store(false)
		if err := d.db.Flatten(1); err != nil {
			d.logf("compaction: %v", err)
		}
	})
}

func (d *disk) scan(r span, fn func(key, value []byte) bool) error {
	return d.use(func() error {
		return d.db.View(func(t *badger.Txn) error {
			o := badger.IteratorOptions{Reverse: r.backward, PrefetchValues: r.values, PrefetchSize: 1}
			it := t.NewIterator(o)
			defer it.Close()
			start := r.from
			if r.backward {
				start = r.to
			}
			for it.Seek(start); it.Valid(); it.Next() {
				item := it.Item()
				key := item.Key()
				if r.backward && bytes.Compare(key, r.to) >= 0 {
					continue // Seek backward finds r.to itself, which does not belong
				}
				if bytes.Compare(key, r.from) < 0 || bytes.Compare(key, r.to) >= 0 {
					return nil
				}
				if !r.values {
					if !fn(key, nil) {
						return nil
					}
					continue
				}
				more := true
				if err := valueOf(t, item, func(v []byte) error { more = fn(key, v); return nil }); err != nil {
					return err
				}
				if !more {
					return nil
				}
			}
			return nil
		})
	})
}

func (d *disk) sizes(fn func(key []byte, size int64)) error {
	return d.use(func() error {
		return d.db.View(func(t *badger.Txn) error {
			it := t.NewIterator(badger.IteratorOptions{})
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				fn(it.Item().Key(), it.Item().EstimatedSize())
			}
			return nil
		})
	})
}

func (d *disk) close() error {
	d.closing.Lock()
	defer d.closing.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.compaction.Wait()
	if d.shadow != "" {
		return errors.Join(d.db.Close(), d.leaveShadow())
	}
	if free, err := d.free(d.dir); err == nil && free < closeRoom {
		return d.db.Sync() // as kill -9 would leave it: the logs have everything, and to write tables would kill the process
	}
	return d.closeInTime()
}

// closeInTime ends also when the disk does not take the last table, as when the directory is gone: badger tries that for ever.
func (d *disk) closeInTime() error {
	closed := make(chan error, 1)
	go func() { closed <- d.db.Close() }()
	patience := time.NewTimer(d.patience)
	defer patience.Stop()
	select {
	case err := <-closed:
		return err
	case <-patience.C:
		return fmt.Errorf("close store %s: the disk has not taken the last table within %v; the logs have what is in it", d.dir, d.patience)
	}
}

// logger passes on what badger says at warning level and above.
type logger struct{ logf func(string, ...any) }

func (l logger) say(level, format string, args []any) {
	if l.logf != nil {
		l.logf("badger: "+level+": "+strings.TrimSpace(format), args...)
	}
}

func (l logger) Errorf(format string, args ...any)   { l.say("error", format, args) }
func (l logger) Warningf(format string, args ...any) { l.say("warning", format, args) }
func (logger) Infof(string, ...any)                  {}
func (logger) Debugf(string, ...any)                 {}

var (
	_ engine        = (*disk)(nil)
	_ badger.Logger = logger{}
)
