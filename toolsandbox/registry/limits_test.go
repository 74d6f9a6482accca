package registry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/registry"
)

func TestManyAtOnce(t *testing.T) {
	f := open(t)
	stop := make(chan struct{})
	var readers, registrars sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, h := range f.List() {
					v, err := f.Version(h.Name, h.Latest)
					if err != nil || v.Name != h.Name || v.Number != h.Latest || v.Digest != h.Digests[h.Latest-1] {
						t.Errorf("%+v, %v", v, err)
						return
					}
					f.Record(h.Name, h.Latest, true, time.Millisecond)
					_, _ = f.Search(ctx, "things", 3)
				}
			}
		})
	}
	for i := range 6 {
		registrars.Go(func() {
			for j := range 10 {
				name := fmt.Sprintf("tool_%d", i%3)
				if _, err := f.Register(ctx, draft(name, fmt.Sprintf("s%d_%d", i, j))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	registrars.Wait()
	close(stop)
	readers.Wait()
	for _, h := range f.List() {
		if h.Latest != 20 || h.Active != 20 {
			t.Errorf("%s: %d versions, v%d active", h.Name, h.Latest, h.Active)
		}
	}
}

// A store that fails leaves the registry saying what the store holds.
func TestStoreFails(t *testing.T) {
	f := open(t)
	f.register(draft("count_apples", "apples"))
	full := errors.New("disk full")
	f.store.set(func() { f.store.before = full })
	if _, err := f.Register(ctx, draft("count_apples", "pears")); !errors.Is(err, full) {
		t.Errorf("acknowledged: %v", err)
	}
	if err := f.Deactivate(ctx, "count_apples", ""); !errors.Is(err, full) {
		t.Errorf("acknowledged: %v", err)
	}
	if h, _ := f.Head("count_apples"); h.Latest != 1 || h.Active != 1 {
		t.Errorf("%+v", h)
	}
	f.store.set(func() { f.store.before, f.store.after = nil, errors.New("connection lost") })
	if _, err := f.Register(ctx, draft("count_apples", "pears")); err == nil {
		t.Error("acknowledged")
	}
	f.store.set(func() { f.store.after = nil })
	if h, _ := f.Head("count_apples"); h.Latest != 2 {
		t.Errorf("%+v: what is stored is there, acknowledged or not", h)
	}
	if v := f.register(draft("count_apples", "plums")); v.Number != 3 {
		t.Errorf("v%d was given twice", v.Number)
	}
}

func TestDamage(t *testing.T) {
	f := open(t)
	f.register(draft("count_apples", "apples"))
	f.register(draft("count_apples", "pears"))
	f.Record("count_apples", 2, true, time.Second)
	f.Close()
	damage := func(key string, fn func([]byte) []byte) func() {
		old, err := f.store.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		f.store.Apply(registry.Op{Key: key, Value: fn(slices.Clone(old))})
		return func() { f.store.Apply(registry.Op{Key: key, Value: old}) }
	}
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	for _, k := range []struct {
		key string
		fn  func([]byte) []byte
	}{
		{"tool/head/count_apples", flip},
		{"tool/head/count_apples", func(b []byte) []byte { return b[:20] }},
		{"tool/version/count_apples/000002", flip},
		{"tool/version/count_apples/000002", func([]byte) []byte { return nil }},
		{"tool/version/count_apples/000002", func([]byte) []byte { b, _ := f.store.Get("tool/version/count_apples/000001"); return b }},
	} {
		mend := damage(k.key, k.fn)
		if r, err := registry.Open(f.set); !errors.Is(err, registry.ErrDamaged) {
			t.Errorf("opened with a damaged %s: %v, %v", k.key, r, err)
		}
		mend()
	}
	damage("tool/version/count_apples/000001", flip) // an old version: the others can be used
	damage("tool/usage/count_apples", flip)          // counters: they begin anew
	f.start()
	if _, err := f.Version("count_apples", 1); !errors.Is(err, registry.ErrDamaged) {
		t.Errorf("v1: %v", err)
	}
	if err := f.Activate(ctx, "count_apples", 1, ""); !errors.Is(err, registry.ErrDamaged) {
		t.Errorf("activated a damaged version: %v", err)
	}
	if v, err := f.Active("count_apples"); err != nil || v.Number != 2 {
		t.Errorf("v2: %v, %v", v, err)
	}
	if u := f.Usage("count_apples", 0); u.Calls != 0 {
		t.Errorf("%+v", u)
	}
}

func TestLimits(t *testing.T) {
	f := open(t)
	d := draft("count_apples", "apples")
	d.AllowDuplicate = true
	source := d.Source
	for i := range registry.MaxVersions {
		d.Source = source + fmt.Sprintf("# %d\n", i)
		f.register(d)
	}
	d.Source = source
	f.refused(d, registry.CodeSize)
	for i := range registry.MaxTools - 1 {
		d.Name = fmt.Sprintf("tool_%d", i)
		d.Source = "def " + d.Name + "():\n    return 1\n"
		f.register(d)
	}
	d.Name, d.Source = "one_too_many", "def one_too_many():\n    return 1\n"
	f.refused(d, registry.CodeSize)

	note := registry.Note{Kind: registry.NoteVulnerability, Text: "see there"}
	for range registry.MaxNotes {
		if err := f.Annotate(ctx, "count_apples", 1, note); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Annotate(ctx, "count_apples", 1, note); err == nil {
		t.Error("one note too many")
	}
	if h, _ := f.Head("count_apples"); len(h.Notes[1]) != registry.MaxNotes || h.Notes[1][0].At.IsZero() {
		t.Errorf("%+v", h.Notes)
	}
}

func TestReportTooLarge(t *testing.T) {
	f := open(t)
	d := draft("count_apples", "apples")
	cases := make([]map[string]string, 5000)
	for i := range cases {
		cases[i] = map[string]string{"name": strings.Repeat("x", 40)}
	}
	d.Cases, _ = json.Marshal(cases)
	f.refused(d, registry.CodeSize)
}

func TestClosed(t *testing.T) {
	f := open(t)
	f.register(draft("count_apples", "apples"))
	f.checks.hold, f.checks.entered = make(chan struct{}), make(chan string, 2)
	results := make(chan error, 2)
	register := func(salt string) {
		go func() { _, err := f.Register(ctx, draft("count_apples", salt)); results <- err }()
	}
	register("pears")
	<-f.checks.entered
	register("plums")
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	close(f.checks.hold)
	for range 2 {
		if err := <-results; !errors.Is(err, registry.ErrClosed) {
			t.Errorf("registered after Close: %v", err)
		}
	}
	f.checks.entered = nil
	if err := f.Deactivate(ctx, "count_apples", ""); !errors.Is(err, registry.ErrClosed) {
		t.Errorf("changed after Close: %v", err)
	}
}

func TestSettings(t *testing.T) {
	good := registry.Settings{Store: registry.NewMemory()}
	for what, fn := range map[string]func(*registry.Settings){
		"no store":  func(s *registry.Settings) { s.Store = nil },
		"duplicate": func(s *registry.Settings) { s.Duplicate = 1.1 },
		"flush":     func(s *registry.Settings) { s.FlushEvery = -1 },
	} {
		s := good
		fn(&s)
		if _, err := registry.Open(s); err == nil {
			t.Errorf("%s: opened", what)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	r, err := registry.Open(registry.Settings{Store: registry.NewMemory(), FlushCalls: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if _, err := (workshop{r, &checks{}}).Register(ctx, draft("count_apples", "apples")); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Record("count_apples", 1, true, time.Millisecond)
	}
}
