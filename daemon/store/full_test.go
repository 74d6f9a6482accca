package store_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/reachyd/reachyd/daemon/store"
)

// disk is a file system with so many bytes free.
type disk struct{ left atomic.Uint64 }

const enough = 1 << 30

func (d *disk) free(string) (uint64, error) { return d.left.Load(), nil }

// content is the files of a directory with what is in them.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range all {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name()] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return found
}

// A store on a full disk is read; nothing is written, and nothing is acknowledged, until there is room.
func TestFullDiskAtTheStart(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T) string{
		"closed": fill,
		"killed": func(t *testing.T) string { // what is there while it is open is what kill -9 leaves
			dir, killed := fill(t), t.TempDir()
			s := open(t, dir, store.Options{})
			defer s.Close(0)
			if err := store.NewBucket[string](s, "docs", store.Keep{}).Put("0 0", "in a log"); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			return killed
		},
	} {
		t.Run(name, func(t *testing.T) {
			var d disk
			d.left.Store(1 << 20)
			dir, shadow := prepare(t), t.TempDir()
			before := content(t, dir)
			o := store.Options{Free: d.free, Shadow: shadow}
			s := open(t, dir, o)
			docs := store.NewBucket[string](s, "docs", store.Keep{})
			if all, err := docs.List("", 100); err != nil || len(all) != 10 {
				t.Errorf("%d of 10 documents are read, %v", len(all), err)
			}
			if first, err := docs.Get("0 0"); err != nil || name == "killed" && first != "in a log" {
				t.Errorf("%q, %v", first, err)
			}
			for what, err := range map[string]error{
				"put": docs.Put("new", "x"), "delete": docs.Delete("0 0"), "check": s.Check(),
				"a space": store.NewSpace(s, "tools").Apply(store.Change{Key: "k", Value: []byte("v")}),
			} {
				if !errors.Is(err, store.ErrDiskFull) || !strings.Contains(err.Error(), "1 MiB are free") {
					t.Errorf("%s: %v, want that the disk is full", what, err)
				}
			}
			if _, err := store.Open(dir, o); !errors.Is(err, store.ErrLocked) {
				t.Errorf("another one opens it: %v", err)
			}
			if after := content(t, dir); !maps.Equal(before, after) {
				t.Errorf("files before %v, after %v", before, after)
			}

			d.left.Store(enough)
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(shadow); err != nil || len(left) != 0 {
				t.Errorf("left behind in memory: %v, %v", left, err)
			}
			if err := docs.Put("new", "x"); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(0); err != nil {
				t.Fatal(err)
			}
			again := open(t, dir, store.Options{})
			defer again.Close(0)
			if all, err := store.NewBucket[string](again, "docs", store.Keep{}).List("", 100); err != nil || len(all) != 11 {
				t.Errorf("%d of 11 documents are there afterwards, %v", len(all), err)
			}
		})
	}
}

func TestNewStoreOnAFullDisk(t *testing.T) {
	var d disk
	dir, shadow := filepath.Join(t.TempDir(), "new"), t.TempDir()
	s := open(t, dir, store.Options{Free: d.free, Shadow: shadow})
	docs := store.NewBucket[string](s, "docs", store.Keep{})
	if all, err := docs.List("", 1); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	if err := s.Close(0); err != nil {
		t.Errorf("close: %v", err)
	}
	if left, err := os.ReadDir(shadow); err != nil || len(left) != 0 {
		t.Errorf("left behind in memory: %v, %v", left, err)
	}
	if s := open(t, dir, store.Options{}); s.Close(0) != nil {
		t.Error("it cannot be used when there is room")
	}
}

func TestDamageIsToldOnAFullDisk(t *testing.T) {
	var d disk
	dir, shadow := fill(t), t.TempDir()
	if err := os.Remove(filepath.Join(dir, "MANIFEST")); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir, store.Options{Free: d.free, Shadow: shadow}); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("error: %v", err)
	}
}

// A disk that fills while the store is open refuses what is to be kept, and says so until there is some more room than needed.
func TestDiskThatFillsAndEmpties(t *testing.T) {
	var d disk
	d.left.Store(enough)
	dir := t.TempDir()
	s := open(t, dir, store.Options{Free: d.free})
	docs := store.NewBucket[int](s, "docs", store.Keep{})
	kept := 0
	for round := range 3 {
		d.left.Store(enough)
		if err := errors.Join(s.Check(), docs.Put(fmt.Sprint(round), round)); err != nil {
			t.Fatal(err)
		}
		kept++
		d.left.Store(20 << 20)
		if err := docs.Put("lost", round); !errors.Is(err, store.ErrDiskFull) || !errors.Is(s.Check(), store.ErrDiskFull) {
			t.Errorf("put: %v, check: %v", err, s.Check())
		}
		d.left.Store(33 << 20)
		if err := s.Check(); !errors.Is(err, store.ErrDiskFull) {
			t.Errorf("room for a single document is no room: %v", err)
		}
	}
	if err := s.Close(0); err != nil {
		t.Errorf("close: %v", err)
	}
	again := open(t, dir, store.Options{})
	defer again.Close(0)
	if all, err := store.NewBucket[int](again, "docs", store.Keep{}).List("", 100); err != nil || len(all) != kept {
		t.Errorf("%v, want %d documents, %v", all, kept, err)
	}
}

// untilFull keeps documents, and ends the store when nothing at all is free: to write a table out would kill the process.
func untilFull(dir string) error {
	var d disk
	d.left.Store(enough)
	s, err := store.Open(dir, store.Options{Free: d.free})
	if err != nil {
		return err
	}
	docs := store.NewBucket[int](s, "docs", store.Keep{})
	for i := range 10 {
		if err := docs.Put(fmt.Sprint(i), i); err != nil {
			return err
		}
	}
	d.left.Store(0)
	return s.Close(0)
}

func TestEndOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd, out, _ := start(t, "full", dir)
	for out.Scan() {
		t.Error(out.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if tables, err := filepath.Glob(filepath.Join(dir, "*.sst")); err != nil || len(tables) > 0 {
		t.Errorf("tables were written: %v, %v", tables, err)
	}
	again := open(t, dir, store.Options{})
	defer again.Close(0)
	if all, err := store.NewBucket[int](again, "docs", store.Keep{}).List("", 100); err != nil || len(all) != 10 {
		t.Errorf("%v, want 10 documents, %v", all, err)
	}
}
