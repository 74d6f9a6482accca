package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/reachyd/reachyd/daemon/store"
)

// fill makes a store that has tables, a value log and a manifest.
func fill(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for round := range 2 {
		s := open(t, dir, store.Options{})
		b := store.NewBucket[string](s, "docs", store.Keep{})
		for i := range 5 {
			if err := b.Put(fmt.Sprint(round, i), strings.Repeat("x", i*i*4000)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(0); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDamageIsToldAndNothingDeleted(t *testing.T) {
	one := func(pattern string, do func(path string) error) func(dir string) error {
		return func(dir string) error {
			found, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil || len(found) == 0 {
				return fmt.Errorf("no %s: %w", pattern, err)
			}
			return do(found[0])
		}
	}
	overwrite := func(at int64) func(string) error {
		return func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if at < 0 {
				at += int64(len(b))
			}
			for i := range 8 {
				b[int(at)+i] ^= 0xff
			}
			return os.WriteFile(path, b, 0o600)
		}
	}
	shorten := func(path string) error { return os.Truncate(path, 20) }
	for name, damage := range map[string]func(dir string) error{
		"manifest overwritten": one("MANIFEST", overwrite(0)),
		"manifest cut off":     one("MANIFEST", func(p string) error { return os.Truncate(p, 3) }),
		"manifest gone":        one("MANIFEST", os.Remove),
		"table gone":           one("*.sst", os.Remove),
		"table cut off":        one("*.sst", shorten),
		"table empty":          one("*.sst", func(p string) error { return os.Truncate(p, 0) }),
		"table's end":          one("*.sst", overwrite(-8)),
		"table's index":        one("*.sst", overwrite(-60)),
		"table's first block":  one("*.sst", overwrite(10)),
	} {
		t.Run(name, func(t *testing.T) {
			dir := fill(t)
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			before := files(t, dir)
			s, err := store.Open(dir, store.Options{})
			if err == nil {
				s.Close(0)
				t.Fatal("it was opened")
			}
			if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "move the directory away") {
				t.Errorf("error: %v", err)
			}
			if after := files(t, dir); !slices.Equal(before, after) {
				t.Errorf("files before %v, after %v", before, after)
			}
		})
	}
}

// files lists the files with data in them.
func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range all {
		if ext := filepath.Ext(f.Name()); ext == ".sst" || ext == ".vlog" || f.Name() == "MANIFEST" {
			names = append(names, f.Name())
		}
	}
	return names
}

// A table that the manifest does not know, empty or half written, is what kill -9 leaves: no damage.
func TestLeftoverOfACrashIsNoDamage(t *testing.T) {
	dir := fill(t)
	for id, size := range []int64{0, 5000} {
		path := filepath.Join(dir, fmt.Sprintf("%06d.sst", 900+id))
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checkFilled(t, dir)
}

// A process that is killed during its start, or loses its power, may leave a log behind that is empty, has a part of its
// header, or its whole length in zeros. Badger refuses the first.
func TestLogThatWasJustBegunIsNoDamage(t *testing.T) {
	for _, name := range []string{"00001.mem", "00099.mem", "000099.vlog"} {
		for _, size := range []int{0, 1, 19, 20, 2 << 20} {
			t.Run(fmt.Sprintf("%s of %d bytes", name, size), func(t *testing.T) {
				dir := fill(t)
				if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					checkFilled(t, dir)
				}
			})
		}
	}
}

func checkFilled(t *testing.T, dir string) {
	t.Helper()
	s := open(t, dir, store.Options{})
	defer s.Close(0)
	docs, err := store.NewBucket[string](s, "docs", store.Keep{}).List("", 100)
	if err != nil || len(docs) != 10 {
		t.Errorf("%d documents, %v", len(docs), err)
	}
}

// Earlier versions had memtables of 4 MiB: what kill -9 left in a log of theirs does not fit into one of ours.
func TestLargeLogOfAnEarlierVersionIsRead(t *testing.T) {
	dir, crashed := t.TempDir(), t.TempDir()
	earlier := badger.DefaultOptions(dir).WithMemTableSize(4 << 20).WithValueThreshold(600 << 10)
	db, err := badger.Open(earlier.WithValueLogFileSize(1 << 20).WithCompression(options.None).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	const docs = 3000
	for i := 0; i < docs; i += 300 {
		err := db.Update(func(txn *badger.Txn) error {
			err := txn.Set([]byte("m\x00format"), []byte("1"))
			for doc := i; doc < i+300; doc++ {
				value := make([]byte, 8, 1010)
				err = errors.Join(err, txn.Set(fmt.Appendf(nil, "b\x00docs\x00%06d", doc), append(value, strconv.Quote(strings.Repeat("x", 1000))...)))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := open(t, crashed, store.Options{})
		found, err := store.NewBucket[string](s, "docs", store.Keep{}).List("", docs+1)
		if err != nil || len(found) != docs {
			t.Errorf("%d of %d documents, %v", len(found), docs, err)
		}
		if err := s.Close(0); err != nil {
			t.Fatal(err)
		}
	}
}

// A store whose directory is gone closes with an error that names it, where badger would try for ever to write its last table.
func TestCloseEndsWithoutTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	_, out, _ := start(t, "gone", dir)
	if !out.Scan() || !strings.Contains(out.Text(), dir) || !strings.Contains(out.Text(), "has not taken the last table") {
		t.Errorf("Close says %q (%v)", out.Text(), out.Err())
	}
}

// closeWithoutDirectory prints what Close of a store says whose directory was removed. It runs in a process of its own, because badger
// goes on trying.
func closeWithoutDirectory(dir string) error {
	s, err := store.Open(dir, store.Options{Patience: time.Second})
	if err != nil {
		return err
	}
	if err := store.NewBucket[string](s, "docs", store.Keep{}).Put("a", "b"); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	fmt.Println(s.Close(0))
	return nil
}
