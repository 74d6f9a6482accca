package store_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"go.uber.org/goleak"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/daemon/store/storetest"
)

// The test program is also its own child process: what it then does stands in this variable.
const childEnv = "STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		if err := child(what, os.Getenv("STORE_TEST_DIR")); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// badger leaves these two behind when it finds damage while it opens; the program then ends anyway.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("github.com/dgraph-io/badger/v4.(*DB).monitorCache"),
		goleak.IgnoreTopFunction("github.com/dgraph-io/ristretto/v2/z.(*AllocatorPool).freeupAllocators"))
}

func child(what, dir string) error {
	if what == "idle" {
		fmt.Println("before", rss())
	}
	if what == "full" {
		return untilFull(dir)
	}
	if what == "gone" {
		return closeWithoutDirectory(dir)
	}
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	switch what {
	case "idle":
		fmt.Println("open", rss())
	case "hold":
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "write":
		return write(s)
	case "change":
		return change(s)
	}
	return s.Close(0)
}

// write stores numbered documents and events for ever, and says which have been acknowledged.
func write(s *store.Store) error {
	b := store.NewBucket[string](s, "docs", store.Keep{})
	last, err := b.Newest("", 1)
	if err != nil {
		return err
	}
	n := 0
	if len(last) > 0 {
		if n, err = strconv.Atoi(strings.SplitN(last[0], " ", 2)[0]); err != nil {
			return err
		}
	}
	id := s.FirstEventID()
	fmt.Println("first", id)
	for ; ; id++ {
		n++
		// Of several sizes, so that memtables change and some values lie in parts.
		text := fmt.Sprint(n, " ", strings.Repeat("x", (n%7)*(n%7)*3500))
		if err := b.Put(fmt.Sprintf("%09d", n), text); err != nil {
			return err
		}
		if err := s.Events().Append(api.Event{ID: id, TS: time.Now(), Type: api.TypePartial}); err != nil {
			return err
		}
		fmt.Println("ack", n, id)
	}
}

func start(t *testing.T, what, dir string) (cmd *exec.Cmd, out *bufio.Scanner, in io.Closer) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, "STORE_TEST_DIR="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, bufio.NewScanner(stdout), stdin
}

func open(t *testing.T, dir string, o store.Options) *store.Store {
	t.Helper()
	o.Logf = t.Logf
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBadger(t *testing.T) {
	storetest.Run(t, func(t *testing.T, o store.Options) *store.Store { return open(t, t.TempDir(), o) })
}

func TestMemory(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, o store.Options) *store.Store { return store.Memory(o) })
}

func TestDocumentsSurviveARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "er")
	s := open(t, dir, store.Options{})
	if err := store.NewBucket[int](s, "n", store.Keep{}).Put("a", 7); err != nil {
		t.Fatal(err)
	}
	one, err1 := store.NewBucket[int](s, "n", store.Keep{}).Document("b", 8)
	other, err2 := store.NewBucket[string](s, "t", store.Keep{}).Document("c", "nine")
	if err := errors.Join(err1, err2, s.Put(one, store.Document{}, other)); err != nil {
		t.Fatal(err)
	}
	if err := s.Events().Append(api.Event{ID: 5, Type: api.TypeReply}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(9); err != nil { // four more were published and not stored
		t.Fatal(err)
	}
	for want := uint64(10); want <= 11; want++ {
		s = open(t, dir, store.Options{})
		if got := s.FirstEventID(); got != want {
			t.Errorf("first event ID %d, want %d", got, want)
		}
		if n, err := store.NewBucket[int](s, "n", store.Keep{}).Get("a"); err != nil || n != 7 {
			t.Errorf("a: %d, %v", n, err)
		}
		n, err1 := store.NewBucket[int](s, "n", store.Keep{}).Get("b")
		text, err2 := store.NewBucket[string](s, "t", store.Keep{}).Get("c")
		if err := errors.Join(err1, err2); err != nil || n != 8 || text != "nine" {
			t.Errorf("put together: %d and %q, %v", n, text, err)
		}
		if err := s.Close(want); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", st.Mode(), err)
	}
}

// kills is how often the store's process is killed; raise it by hand for a longer trial.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("STORE_TEST_KILLS")); err == nil {
		return n
	}
	return 8
}

func TestNothingAcknowledgedIsLostByKill9(t *testing.T) {
	dir := t.TempDir()
	acked, ackedEvent, lastFirst := 0, uint64(0), uint64(0)
	ackedEvents := map[uint64]bool{}
	for round := range kills() {
		cmd, out, _ := start(t, "write", dir)
		enough := acked + 1 + rand.IntN(60)
		for killed := false; out.Scan(); {
			var n int
			var id uint64
			if _, err := fmt.Sscanf(out.Text(), "first %d", &id); err == nil {
				if id <= ackedEvent || id <= lastFirst {
					t.Fatalf("round %d: event IDs begin again at %d after %d and %d", round, id, ackedEvent, lastFirst)
				}
				lastFirst = id
				continue
			}
			if _, err := fmt.Sscanf(out.Text(), "ack %d %d", &n, &id); err != nil {
				t.Fatalf("round %d: %s", round, out.Text())
			}
			if n != acked+1 && n != acked+2 { // one may have been written and not told
				t.Fatalf("round %d: %d follows %d", round, n, acked)
			}
			acked, ackedEvent = n, id
			ackedEvents[id] = true
			if n >= enough && !killed {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				killed = true
			}
		}
		cmd.Wait()
	}
	s := open(t, dir, store.Options{})
	defer s.Close(0)
	b := store.NewBucket[string](s, "docs", store.Keep{})
	for n := 1; n <= acked; n++ {
		text, err := b.Get(fmt.Sprintf("%09d", n))
		if err != nil || !strings.HasPrefix(text, fmt.Sprint(n, " ")) {
			t.Fatalf("document %d: %.20q, %v", n, text, err)
		}
	}
	got, err := s.Events().Since(0, 1<<20)
	if err != nil {
		t.Error(err)
	}
	for _, e := range got {
		delete(ackedEvents, e.ID)
	}
	if len(ackedEvents) > 0 {
		t.Errorf("%d events were acknowledged and are lost", len(ackedEvents))
	}
	t.Logf("%d kills, %d documents acknowledged, none lost", kills(), acked)
}

func TestLockedByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	cmd, out, stdin := start(t, "hold", dir)
	if !out.Scan() || out.Text() != "held" {
		t.Fatal(out.Text())
	}
	_, err := store.Open(dir, store.Options{})
	if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("(pid %d)", cmd.Process.Pid)) {
		t.Errorf("error: %v", err)
	}
	stdin.Close()
	cmd.Wait()
	if err := open(t, dir, store.Options{}).Close(0); err != nil {
		t.Error(err)
	}
}

// partsIn returns how many parts of values and marks of garbage are in a closed store.
func partsIn(t *testing.T, dir string, change func(txn *badger.Txn) error) (parts, marks int) {
	t.Helper()
	db, err := badger.Open(badger.DefaultOptions(dir).WithCompression(options.None).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(txn *badger.Txn) error {
		if change != nil {
			return change(txn)
		}
		it := txn.NewIterator(badger.IteratorOptions{})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			switch string(it.Item().Key()[:2]) {
			case "p\x00":
				parts++
			case "g\x00":
				marks++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return parts, marks
}

// Parts of a large value go with it, and those that a killed process did not finish go when the store is opened.
func TestPartsOfLargeValuesGoWithThem(t *testing.T) {
	dir := t.TempDir()
	large := strings.Repeat("x", store.MaxValue-2)
	with := func(do func(b *store.Bucket[string]) error) {
		t.Helper()
		s := open(t, dir, store.Options{})
		err := do(store.NewBucket[string](s, "docs", store.Keep{}))
		if err := errors.Join(err, s.Close(0)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want int) {
		t.Helper()
		if parts, marks := partsIn(t, dir, nil); parts != want || marks != 0 {
			t.Errorf("%d parts, %d marks, want %d and none", parts, marks, want)
		}
	}
	const each = 5 // 512 KiB in parts of 114 KiB
	with(func(b *store.Bucket[string]) error { return errors.Join(b.Put("a", large), b.Put("b", large)) })
	check(2 * each)
	with(func(b *store.Bucket[string]) error { return errors.Join(b.Put("a", "small"), b.Put("b", large)) })
	check(each)
	with(func(b *store.Bucket[string]) error { return b.Delete("b") })
	check(0)
	partsIn(t, dir, func(txn *badger.Txn) error { // as after kill -9 between parts
		size := binary.BigEndian.AppendUint32(make([]byte, 8), 300_000)
		return errors.Join(txn.Set([]byte("g\x00\x00\x00\x00\x00\x00\x00\x00\x00"), size),
			txn.Set([]byte("p\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), []byte("half")))
	})
	if parts, marks := partsIn(t, dir, nil); parts != 1 || marks != 1 {
		t.Fatalf("%d parts, %d marks, want one each", parts, marks)
	}
	with(func(b *store.Bucket[string]) error { return b.Put("c", "") })
	check(0)
}

func TestFullDiskIsAnErrorAndNotACrash(t *testing.T) {
	dir := t.TempDir()
	if _, err := store.Open(dir, store.Options{MinFree: 1 << 60}); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("error: %v", err)
	}
}

func TestDirectoryThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(file, store.Options{}); err == nil || errors.Is(err, store.ErrDamaged) {
		t.Errorf("error: %v", err)
	}
}

func TestDiskSpaceComesBack(t *testing.T) {
	dir := t.TempDir()
	clock := storetest.NewClock()
	s := open(t, dir, store.Options{Now: clock.Now, Events: store.Keep{Age: time.Hour}})
	defer s.Close(0)
	b := store.NewBucket[string](s, "docs", store.Keep{Age: time.Hour})
	value := strings.Repeat("v", 400<<10)
	for i := range 60 { // 24 MB in all, of which an hour is kept
		if err := b.Put(fmt.Sprintf("%03d", i), value); err != nil {
			t.Fatal(err)
		}
		if err := s.Events().Append(bulk(uint64(i*100), 100, clock.Now())...); err != nil {
			t.Fatal(err)
		}
		clock.Add(10 * time.Minute)
		if i%5 == 0 {
			if err := s.Prune(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if used := usage(t, dir); used > 20<<20 {
		t.Errorf("%d MiB are in use", used>>20)
	} else {
		t.Logf("%d MiB are in use", used>>20)
	}
}

func bulk(from uint64, n int, now time.Time) []api.Event {
	all := make([]api.Event, n)
	for i := range all {
		all[i] = api.Event{ID: from + uint64(i), TS: now, Type: api.TypePartial, Data: api.Partial{Text: strings.Repeat("so ", 100)}}
	}
	return all
}

func usage(t *testing.T, dir string) (total int64) {
	t.Helper()
	out, err := exec.Command("du", "-sk", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(out), &total); err != nil {
		t.Fatal(err)
	}
	return total << 10
}

// rss is the resident memory of this process in KiB.
func rss() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib
		}
	}
	return -1
}

// TestMemoryOfAnIdleStore is the budget: an open store adds at most 5 MiB to a process.
func TestMemoryOfAnIdleStore(t *testing.T) {
	if rss() < 0 {
		t.Skip("LOUD: no /proc here, so the memory budget of the store is not checked")
	}
	dir := fill(t)
	_, out, _ := start(t, "idle", dir)
	seen := map[string]int64{}
	for out.Scan() {
		var what string
		var kib int64
		if _, err := fmt.Sscan(out.Text(), &what, &kib); err != nil {
			t.Fatal(out.Text())
		}
		seen[what] = kib
	}
	added := seen["open"] - seen["before"]
	t.Logf("resident: %d KiB before, %d KiB with an open store: %d KiB more", seen["before"], seen["open"], added)
	if len(seen) != 2 || (added > 5<<10 && !raceDetector) {
		t.Errorf("an idle store adds %d KiB", added)
	}
}
