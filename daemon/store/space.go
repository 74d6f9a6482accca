package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
)

// MaxChange is the most bytes of keys and values that one Apply of a Space takes.
const MaxChange = 4 << 20

// Space is a part of the store with keys and values of somebody else's making. It has no retention.
type Space struct {
	kv     engine
	name   string
	prefix []byte
}

// Change sets Key to Value, or deletes Key when Value is nil.
type Change struct {
	Key   string
	Value []byte
}

// NewSpace returns the space of that name (lower-case letters).
func NewSpace(s *Store, name string) *Space {
	return &Space{s.kv, name, []byte("s\x00" + name + "\x00")}
}

func (p *Space) key(key string) []byte { return append(bytes.Clone(p.prefix), key...) }

// Get returns the value of key; the error wraps ErrNotFound when there is none.
func (p *Space) Get(key string) ([]byte, error) {
	value, err := p.kv.get(p.key(key))
	if err != nil {
		return nil, fmt.Errorf("get %s %q: %w", p.name, key, err)
	}
	return value, nil
}

// Apply does all the changes or none. When it returns nil they are on the disk; when it fails, either may be true.
func (p *Space) Apply(changes ...Change) error {
	ops := make([]op, len(changes))
	size := 0
	for i, c := range changes {
		ops[i] = op{p.key(c.Key), c.Value}
		size += len(ops[i].key) + len(c.Value)
	}
	if size > MaxChange {
		return fmt.Errorf("change %s: %w: %d bytes at once, at most %d are allowed", p.name, ErrTooLarge, size, MaxChange)
	}
	if err := p.kv.apply(ops, true); err != nil {
		return fmt.Errorf("change %s: %w", p.name, err)
	}
	return nil
}

// Scan calls fn with every key that begins with prefix, in order, until fn returns false. What fn gets is valid only during
// the call.
func (p *Space) Scan(prefix string, fn func(key string, value []byte) bool) error {
	from := p.key(prefix)
	err := p.kv.scan(span{from: from, to: after(from), values: true}, func(key, value []byte) bool {
		return fn(string(key[len(p.prefix):]), value)
	})
	if err != nil {
		return fmt.Errorf("scan %s %q: %w", p.name, prefix, err)
	}
	return nil
}

// after is the first key behind all that begin with prefix, which has a byte that can be raised.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	end[len(end)-1]++
	return end
}

// movedManifest is the manifest of a directory whose content was taken over: what is left there is to be removed.
const movedManifest = badger.ManifestFilename + ".moved"

// Adopt takes over all keys of a badger directory in which an earlier version kept them, and then removes its files; others
// stay. It may be interrupted at any time and goes on when it is called again. It does nothing when there is no such directory,
// and fails without changing anything when that is damaged or in use, or when the space is not empty.
func (p *Space) Adopt(dir string) error {
	moving := []byte("m\x00adopting\x00" + p.name)
	_, err := os.Stat(filepath.Join(dir, movedManifest))
	if errors.Is(err, fs.ErrNotExist) {
		if there, err := anyOf(dir, badger.ManifestFilename, "*.sst", "*.mem", "*.vlog"); err != nil || !there {
			return err
		}
		if err := p.copyFrom(dir, moving); err != nil {
			return fmt.Errorf("take over %s: %w", dir, err)
		}
		if err := os.Rename(filepath.Join(dir, badger.ManifestFilename), filepath.Join(dir, movedManifest)); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if err := p.kv.apply([]op{{key: moving}}, true); err != nil {
		return err
	}
	return removeBadger(dir)
}

func (p *Space) copyFrom(dir string, moving []byte) error {
	if _, err := p.kv.get(moving); errors.Is(err, ErrNotFound) {
		empty := true
		if err := p.Scan("", func(string, []byte) bool { empty = false; return false }); err != nil {
			return err
		}
		if !empty {
			return fmt.Errorf("there are %s already, of a later version; move the directory away if those in it are not needed", p.name)
		}
		if err := p.kv.apply([]op{{key: moving, value: []byte(dir)}}, true); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	old, err := openBadger(dir, Options{})
	if err != nil {
		return err
	}
	var failed error
	err = old.scan(span{to: []byte{0xff}, values: true}, func(key, value []byte) bool {
		failed = p.kv.apply([]op{{p.key(string(key)), bytes.Clone(value)}}, true)
		return failed == nil
	})
	return errors.Join(err, failed, old.close())
}

// anyOf reports whether a file in dir fits one of the patterns.
func anyOf(dir string, patterns ...string) (bool, error) {
	for _, pattern := range patterns {
		if found, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(found) > 0 {
			return len(found) > 0, err
		}
	}
	return false, nil
}

func removeBadger(dir string) error {
	var errs []error
	for _, pattern := range []string{"*.sst", "*.vlog", "*.mem", "DISCARD", "KEYREGISTRY", "LOCK", movedManifest} { // the last one last
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		errs = append(errs, err)
		for _, path := range found {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}
