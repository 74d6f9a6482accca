package persist

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

// What earlier versions kept is there after an upgrade. testdata/earlier holds their data directories, named by commit, as
// cross/old-stores.sh makes them: f30ccb3 with a database of its own for tools, 354ed56 with values in parts, 4ae7be0 with MQTT sessions.
func TestWhatEarlierVersionsKeptIsThere(t *testing.T) {
	archives, err := filepath.Glob("testdata/earlier/*.tar.gz")
	if err != nil || len(archives) < 3 {
		t.Fatalf("%d archives of earlier versions, %v", len(archives), err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			dir := unpackEarlier(t, archive)
			for range 2 { // the second time it is a store of this version
				checkEarlier(t, dir)
			}
		})
	}
}

func checkEarlier(t *testing.T, dir string) {
	t.Helper()
	s, err := store.Open(filepath.Join(dir, "store"), store.Options{})
	must(t, err)
	defer func() { must(t, s.Close(0)) }()
	events, err := s.Events().Newest(1000)
	must(t, err)
	seen := map[api.Type]int{}
	for _, e := range events {
		seen[e.Type]++
		if e.ID >= s.FirstEventID() {
			t.Errorf("event %d is stored, and the next one gets number %d", e.ID, s.FirstEventID())
		}
		if e.Data == nil {
			t.Errorf("event %d (%s) has lost its data", e.ID, e.Type)
		}
	}
	for _, want := range []api.Type{api.TypeUtterance, api.TypeReply, api.TypeMoveDone} {
		if seen[want] == 0 {
			t.Errorf("no event of type %s among %v", want, seen)
		}
	}
	sessions := Sessions{Archive: NewArchive(s, store.Keep{}), Memories: NewMemories(s)}
	list, err := sessions.List()
	must(t, err)
	if len(list) != 1 || list[0].Exchanges != 3 || list[0].Facts != 2 {
		t.Fatalf("sessions %+v, want one with three exchanges and two facts", list)
	}
	m, found, err := sessions.Memories.LoadMemory(list[0].ID)
	must(t, err)
	if !found || m.Facts[0].Text != "my name is Anna" || m.Facts[1].Text != "the tea is in the blue tin" {
		t.Errorf("memory of %q: %+v", list[0].ID, m.Facts)
	}
	said, found, err := sessions.Archive.LoadSession(list[0].ID)
	must(t, err)
	if !found || said.History[0].Text != "look left" {
		t.Errorf("what was said: %+v", said.History)
	}
	checkGoesOn(t, s, list[0].ID)
	tools, err := OpenTools(s, filepath.Join(dir, "tools"))
	must(t, err)
	r, err := registry.Open(registry.Settings{Store: tools})
	must(t, err)
	defer func() { must(t, r.Close()) }()
	v, err := r.Version("say_twice", 1)
	must(t, err)
	if !strings.Contains(v.Source, `return word + " " + word`) {
		t.Errorf("the tool is %+v", v)
	}
}

// checkGoesOn says more in a session: what an earlier version has kept of it in one piece is then kept exchange by exchange.
func checkGoesOn(t *testing.T, s *store.Store, id string) {
	t.Helper()
	copied := store.Memory(store.Options{})
	defer func() { must(t, copied.Close(0)) }()
	kept := NewArchive(copied, store.Keep{})
	old, _, err := find(NewArchive(s, store.Keep{}).sessions, id)
	must(t, err)
	must(t, kept.sessions.Put(id, old))
	const more = 2
	for n := range more {
		turns := coordinator.New(coordinator.Options{Planner: deaf{}, Tools: tool.NewRegistry(nil), Publisher: silent{}, Store: kept})
		if n == 1 { // a word that was cut off
			h := turns.History(id)
			turns.Heard(id, h[0].Trace, "I lo")
		}
		if _, err := turns.Turn(t.Context(), id, "hello"); err != nil {
			t.Fatal(err)
		}
	}
	own, _, err := find(kept.sessions, id)
	must(t, err)
	if len(own.History) != 0 || own.Exchanges != len(old.History)+more || own.Text != "hello" || own.Last.IsZero() {
		t.Errorf("the session is now %+v", own)
	}
	now, _, err := kept.LoadSession(id)
	must(t, err)
	if len(now.History) != len(old.History)+more || len(now.Unsaved) != 0 || now.History[0].Reply != "I lo" {
		t.Fatalf("what was said: %+v, unsaved %v", now.History, now.Unsaved)
	}
	for i, x := range old.History {
		if i > 0 && !reflect.DeepEqual(now.History[i], x) {
			t.Errorf("exchange %d was %+v and is %+v", i, x, now.History[i])
		}
	}
}

// A store of a version to come is refused with the way out, and stays as it is.
func TestAStoreOfALaterVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, store.Options{})
	must(t, err)
	must(t, NewTexts(s).SaveText("a", "b"))
	must(t, s.Close(0))
	stamp(t, dir, "99")
	for range 2 {
		_, err = store.Open(dir, store.Options{})
		if !errors.Is(err, store.ErrFormat) {
			t.Fatalf("Open: %v, want ErrFormat", err)
		}
		for _, want := range []string{`"99"`, `"2"`, dir, "reachyctl restore"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not name %s", err, want)
			}
		}
	}
	stamp(t, dir, "2")
	s, err = store.Open(dir, store.Options{})
	must(t, err)
	defer func() { must(t, s.Close(0)) }()
	if text, err := NewTexts(s).LoadText("a"); err != nil || text != "b" {
		t.Errorf("after the refusal: %q, %v", text, err)
	}
}

// stamp gives a closed store the number of a format.
func stamp(t *testing.T, dir, format string) {
	t.Helper()
	db, err := badger.Open(badger.DefaultOptions(dir).WithCompression(options.None).WithLogger(nil))
	must(t, err)
	must(t, db.Update(func(txn *badger.Txn) error { return txn.Set([]byte("m\x00format"), []byte(format)) }))
	must(t, db.Close())
}

// unpackEarlier returns a directory with what is in an archive.
func unpackEarlier(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(archive)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		must(t, err)
		path := filepath.Join(dir, filepath.Clean("/"+h.Name))
		if h.FileInfo().IsDir() {
			must(t, os.MkdirAll(path, 0o700))
			continue
		}
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		must(t, err)
		_, err = io.Copy(out, in)
		must(t, errors.Join(err, out.Close()))
	}
}
