package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"
)

// A store on a full disk cannot be opened: badger maps files that it has just made into memory, and a page for which there is
// no room kills the process. It is read through a shadow then: a directory in memory with copies of the small files, which
// badger changes, and links to the tables, which it does not. Nothing is written until there is room again.

const (
	// shadowName is the shadow's name in Options.Shadow.
	shadowName = "store-readonly"
	// closeRoom is how much must be free for what is still in memory to be written out at the end.
	closeRoom = 4 * memTable
)

// room reports ErrDiskFull when too little is free. What was full is so until there is some more.
func (d *disk) room() error {
	free, err := d.free(d.dir)
	if err != nil {
		return nil //nolint:nilerr // then the write will tell
	}
	need := d.minFree + d.tables.Load()
	if d.full.Load() {
		need += need / 8
	}
	d.full.Store(free < need)
	if free >= need {
		return nil
	}
	return fmt.Errorf("%w: %d MiB are free in %s, %d MiB are needed", ErrDiskFull, free>>20, d.dir, need>>20)
}

// freeBytes is how much may be written to the file system of dir.
func freeBytes(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// openShadow opens the store for reading only. It stays locked for others.
func (d *disk) openShadow(o Options) (err error) {
	d.shadow = filepath.Join(o.Shadow, shadowName)
	if d.held, err = hold(d.dir); err != nil {
		return fmt.Errorf("open store %s: %w", d.dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.leaveShadow())
		}
	}()
	if err := intact(tuned(d.dir, o.Logf)); err != nil {
		return damaged(d.dir, err)
	}
	if err := shadow(d.dir, d.shadow); err != nil {
		return fmt.Errorf("open store %s for reading: %w", d.dir, err)
	}
	settings := tuned(d.shadow, o.Logf)
	if err = settle(settings); err == nil {
		d.db, err = badger.Open(settings)
	}
	if err != nil {
		return damaged(d.dir, err)
	}
	if err := d.openParts(); err != nil {
		return errors.Join(damaged(d.dir, err), d.db.Close())
	}
	return nil
}

// shadow makes to a directory that badger takes for the store in from.
func shadow(from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		source, target := filepath.Join(from, f.Name()), filepath.Join(to, f.Name())
		switch {
		case f.Name() == "LOCK" || !f.Type().IsRegular():
		case filepath.Ext(f.Name()) == ".sst":
			err = os.Symlink(source, target)
		default:
			err = copySparse(source, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copySparse copies a file without the zeros at its end, which take no room. Logs consist of them for the most part.
func copySparse(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, bytes.TrimRight(data, "\x00"), 0o600); err != nil {
		return err
	}
	return os.Truncate(to, int64(len(data)))
}

// leaveShadow removes the shadow and lets others open the store.
func (d *disk) leaveShadow() error {
	err := errors.Join(os.RemoveAll(d.shadow), d.held.Close())
	d.shadow, d.held = "", nil
	return err
}

// check looks at the disk, and opens a store for writing that was opened for reading when there is room again.
func (d *disk) check(o Options) (opened bool, err error) {
	d.closing.RLock()
	reading, closed := d.shadow != "", d.closed
	d.closing.RUnlock()
	if err := d.room(); err != nil || !reading || closed {
		return false, err
	}
	d.closing.Lock()
	defer d.closing.Unlock()
	if d.closed {
		return false, ErrClosed
	}
	if err := errors.Join(d.db.Close(), d.leaveShadow()); err != nil {
		d.logf("leave the copy of the store: %v", err)
	}
	fresh, err := openBadger(d.dir, o)
	if err != nil { // another process was faster, or it is full again: nobody may use a closed database
		d.closed = true
		return false, err
	}
	fresh.compaction.Wait() // ours are waited for by close
	d.db, d.shadow, d.held, d.nextPart, d.written = fresh.db, fresh.shadow, fresh.held, fresh.nextPart, 0
	return d.shadow == "", nil
}
