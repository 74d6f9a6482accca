package persist

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/registry/storetest"
)

func TestMain(m *testing.M) {
	for name, run := range map[string]func(dir string) error{childEnv: child, talkEnv: talk} {
		if dir := os.Getenv(name); dir != "" {
			if err := run(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	// badger leaves these two behind when it cannot open a directory; the program then goes on without its tools.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/dgraph-io/badger/v4.(*DB).monitorCache"),
		goleak.IgnoreTopFunction("github.com/dgraph-io/ristretto/v2/z.(*AllocatorPool).freeupAllocators"))
}

// openTools opens the store in dir, without an earlier database. close may be called before the test ends.
func openTools(t testing.TB, dir string) (s *Tools, closeStore func()) {
	t.Helper()
	main, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	closeStore = func() {
		if err := main.Close(0); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(closeStore)
	s, err = OpenTools(main, filepath.Join(dir, "none"))
	if err != nil {
		t.Fatal(err)
	}
	return s, closeStore
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (registry.Store, func() registry.Store) {
		dir := t.TempDir()
		s, closeStore := openTools(t, dir)
		return s, func() registry.Store {
			closeStore()
			again, _ := openTools(t, dir)
			return again
		}
	})
}

func TestClosed(t *testing.T) {
	s, closeStore := openTools(t, t.TempDir())
	closeStore()
	if err := s.Apply(registry.Op{Key: "a", Value: []byte("b")}); !errors.Is(err, registry.ErrClosed) {
		t.Errorf("Apply: %v, want ErrClosed", err)
	}
	if _, err := s.Get("a"); !errors.Is(err, registry.ErrClosed) {
		t.Errorf("Get: %v, want ErrClosed", err)
	}
}

// What fits into no transaction of badger is applied all the same; what is too large for one Apply is refused whole.
func TestMuchAtOnce(t *testing.T) {
	s, _ := openTools(t, t.TempDir())
	ops := []registry.Op{{Key: "small", Value: []byte("x")}}
	for i := range 7 {
		ops = append(ops, registry.Op{Key: fmt.Sprint("large", i), Value: bytes.Repeat([]byte{byte(i)}, 500<<10)})
	}
	if err := s.Apply(ops...); err != nil {
		t.Fatal(err)
	}
	for _, o := range ops {
		if v, err := s.Get(o.Key); err != nil || !bytes.Equal(v, o.Value) {
			t.Errorf("%s: %d bytes, %v", o.Key, len(v), err)
		}
	}
	for i := range ops {
		ops[i].Key = "other" + ops[i].Key
	}
	if err := s.Apply(append(ops, ops[1:3]...)...); !errors.Is(err, store.ErrTooLarge) {
		t.Fatalf("4.5 MB at once: %v", err)
	}
	if _, err := s.Get("othersmall"); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("a part of it was applied: %v", err)
	}
}

// formerTools makes a database of tools as earlier versions did, with so many keys, of which some are still in a log when
// crashed.
func formerTools(t *testing.T, keys int, crashed bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db, err := badger.Open(badger.DefaultOptions(dir).WithSyncWrites(true).WithMemTableSize(8 << 20).WithNumMemtables(1).
		WithValueLogFileSize(32 << 20).WithCompression(options.None).WithBlockCacheSize(0).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		err := db.Update(func(txn *badger.Txn) error { return txn.Set([]byte(formerKey(i)), formerValue(i)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	if crashed { // what is there while it is open is what kill -9 leaves
		copied := t.TempDir()
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		dir = copied
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func formerKey(i int) string { return fmt.Sprintf("tool/version/t/%06d", i) }

func formerValue(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 1+i%50*1000) }

func checkTaken(t *testing.T, s *Tools, dir string, keys int) {
	t.Helper()
	n := 0
	err := s.Scan("tool/", func(key string, value []byte) bool {
		if key != formerKey(n) || !bytes.Equal(value, formerValue(n)) {
			t.Errorf("key %d: %s with %d bytes", n, key, len(value))
		}
		n++
		return true
	})
	if err != nil || n != keys {
		t.Errorf("%d of %d keys, %v", n, keys, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "modules" {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestToolsOfAnEarlierVersionAreTakenOver(t *testing.T) {
	const keys = 150 // 3.6 MB: more than a memtable of ours
	for name, crashed := range map[string]bool{"closed": false, "crashed": true} {
		t.Run(name, func(t *testing.T) {
			former, data := formerTools(t, keys, crashed), t.TempDir()
			for range 2 { // the second time there is nothing to do
				main, err := store.Open(data, store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				s, err := OpenTools(main, former)
				if err != nil {
					t.Fatal(err)
				}
				checkTaken(t, s, former, keys)
				if err := main.Close(0); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A database of a few tools may have all of them in its logs: without a manifest they are not lost without a word.
func TestToolsInLogsWithoutAManifestAreTakenOver(t *testing.T) {
	const keys = 40
	former := formerTools(t, keys, true)
	must(t, os.Remove(filepath.Join(former, "MANIFEST")))
	main, err := store.Open(t.TempDir(), store.Options{})
	must(t, err)
	defer main.Close(0)
	s, err := OpenTools(main, former)
	must(t, err)
	checkTaken(t, s, former, keys)
}

// The program may be killed at any moment of taking over.
func TestTakingOverGoesOnAfterAKill(t *testing.T) {
	const keys = 40
	for name, interrupt := range map[string]func(t *testing.T, former string, main *store.Store){
		"half copied": func(t *testing.T, former string, main *store.Store) {
			must(t, os.Rename(filepath.Join(former, "KEYREGISTRY"), filepath.Join(former, "k"))) // a directory for a file: badger cannot open it
			must(t, os.Mkdir(filepath.Join(former, "KEYREGISTRY"), 0o700))
			if _, err := OpenTools(main, former); err == nil {
				t.Fatal("taken over without a key registry")
			}
			must(t, os.Remove(filepath.Join(former, "KEYREGISTRY")))
			must(t, os.Rename(filepath.Join(former, "k"), filepath.Join(former, "KEYREGISTRY")))
			must(t, store.NewSpace(main, "tools").Apply(store.Change{Key: formerKey(0), Value: formerValue(0)}))
		},
		"half removed": func(t *testing.T, former string, main *store.Store) {
			copied := t.TempDir()
			must(t, os.CopyFS(copied, os.DirFS(former)))
			_, err := OpenTools(main, copied)
			must(t, err)
			must(t, os.Rename(filepath.Join(former, "MANIFEST"), filepath.Join(former, "MANIFEST.moved")))
			tables, err := filepath.Glob(filepath.Join(former, "*.sst"))
			must(t, err)
			must(t, os.Remove(tables[0]))
		},
	} {
		t.Run(name, func(t *testing.T) {
			former := formerTools(t, keys, false)
			main, err := store.Open(t.TempDir(), store.Options{})
			must(t, err)
			defer main.Close(0)
			interrupt(t, former, main)
			s, err := OpenTools(main, former)
			must(t, err)
			checkTaken(t, s, former, keys)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Nothing is taken over, changed or removed when it is damaged, or when there are tools already.
func TestWhatCannotBeTakenOverStays(t *testing.T) {
	table := func(do func(path string) error) func(t *testing.T, former string, _ *store.Store) {
		return func(t *testing.T, former string, _ *store.Store) {
			tables, err := filepath.Glob(filepath.Join(former, "*.sst"))
			must(t, err)
			must(t, do(tables[0]))
		}
	}
	for name, c := range map[string]struct {
		do   func(t *testing.T, former string, main *store.Store)
		want string
	}{
		"table cut off": {table(func(p string) error { return os.Truncate(p, 1000) }), "damaged"},
		"table empty":   {table(func(p string) error { return os.Truncate(p, 0) }), "damaged"},
		"table gone":    {table(os.Remove), "damaged"},
		"manifest gone": {func(t *testing.T, former string, _ *store.Store) {
			must(t, os.Remove(filepath.Join(former, "MANIFEST")))
		}, "damaged"},
		"other tools": {func(t *testing.T, _ string, main *store.Store) {
			must(t, store.NewSpace(main, "tools").Apply(store.Change{Key: "tool/head/x", Value: []byte("x")}))
		}, "already"},
	} {
		t.Run(name, func(t *testing.T) {
			former := formerTools(t, 40, false)
			main, err := store.Open(t.TempDir(), store.Options{})
			must(t, err)
			defer main.Close(0)
			c.do(t, former, main)
			before, err := filepath.Glob(filepath.Join(former, "*"))
			must(t, err)
			for range 2 {
				if _, err := OpenTools(main, former); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), former) {
					t.Errorf("error %v, want …%s…", err, c.want)
				}
			}
			if after, err := filepath.Glob(filepath.Join(former, "*")); err != nil || fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("files before %q, after %q, %v", before, after, err)
			}
		})
	}
}
