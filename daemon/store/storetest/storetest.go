// Package storetest is the conformance suite that every kind of store passes.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/store"
)

// Clock is a clock that tests move.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at a fixed time.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Add moves the clock on.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type doc struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// Run runs the suite against the stores that open returns: each empty, and with these options. Run closes them.
func Run(t *testing.T, open func(t *testing.T, o store.Options) *store.Store) {
	with := func(o store.Options, f func(*testing.T, *store.Store, *Clock)) func(*testing.T) {
		return func(t *testing.T) {
			clock := NewClock()
			o.Now = clock.Now
			s := open(t, o)
			defer func() {
				if err := s.Close(0); err != nil {
					t.Error(err)
				}
			}()
			f(t, s, clock)
		}
	}
	t.Run("documents", with(store.Options{}, documents))
	t.Run("limits", with(store.Options{}, limits))
	t.Run("events", with(store.Options{}, events))
	t.Run("record", with(store.Options{}, record))
	t.Run("events by age", with(store.Options{Events: store.Keep{Age: time.Hour}}, eventsByAge))
	t.Run("events by count", with(store.Options{Events: store.Keep{Count: 600}}, eventsByCount))
	t.Run("documents pruned", with(store.Options{}, documentsPruned))
	t.Run("pieces", with(store.Options{}, pieces))
	t.Run("retention job", with(store.Options{Events: store.Keep{Count: 1}}, retentionJob))
	t.Run("many at once", with(store.Options{}, manyAtOnce))
	t.Run("closed", with(store.Options{}, closed))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func names(docs []doc) string {
	all := make([]string, len(docs))
	for i, d := range docs {
		all[i] = d.Name
	}
	return strings.Join(all, " ")
}

func documents(t *testing.T, s *store.Store, _ *Clock) {
	b := store.NewBucket[doc](s, "traces", store.Keep{})
	// Neighbours whose names and keys are near must not be seen.
	for _, other := range []string{"trace", "tracess", "tracer", "u"} {
		must(t, store.NewBucket[doc](s, other, store.Keep{}).Put("c", doc{Name: "stranger"}))
	}
	if _, err := b.Get("a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("get of nothing: %v", err)
	}
	for _, id := range []string{"b", "d", "a", "c", "cc"} {
		must(t, b.Put(id, doc{Name: id}))
	}
	must(t, b.Put("c", doc{Name: "C", N: 3}))
	if d, err := b.Get("c"); err != nil || d != (doc{"C", 3}) {
		t.Errorf("c: %+v, %v", d, err)
	}
	for _, c := range []struct {
		got  func() ([]doc, error)
		want string
	}{
		{func() ([]doc, error) { return b.List("", 100) }, "a b C cc d"},
		{func() ([]doc, error) { return b.List("", 2) }, "a b"},
		{func() ([]doc, error) { return b.List("b", 2) }, "C cc"},
		{func() ([]doc, error) { return b.List("bb", 1) }, "C"},
		{func() ([]doc, error) { return b.List("d", 9) }, ""},
		{func() ([]doc, error) { return b.List("", 0) }, ""},
		{func() ([]doc, error) { return b.Newest("", 3) }, "d cc C"},
		{func() ([]doc, error) { return b.Newest("cc", 100) }, "C b a"},
		{func() ([]doc, error) { return b.Newest("bb", 1) }, "b"},
		{func() ([]doc, error) { return b.Newest("a", 1) }, ""},
	} {
		got, err := c.got()
		if err != nil || names(got) != c.want {
			t.Errorf("got %q, %v; want %q", names(got), err, c.want)
		}
	}
	must(t, b.Delete("c"))
	must(t, b.Delete("c"))
	if _, err := b.Get("c"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("get of the deleted: %v", err)
	}
	if again, err := store.NewBucket[doc](s, "traces", store.Keep{}).Get("d"); err != nil || again.Name != "d" {
		t.Errorf("the same bucket again: %+v, %v", again, err)
	}
}

func limits(t *testing.T, s *store.Store, _ *Clock) {
	b := store.NewBucket[string](s, "big", store.Keep{})
	for _, id := range []string{"", strings.Repeat("i", store.MaxID+1), "a\x00b"} {
		for what, err := range map[string]error{"put": b.Put(id, ""), "delete": b.Delete(id)} {
			if !errors.Is(err, store.ErrBadID) || len(err.Error()) > 400 {
				t.Errorf("%s id %.9q: %v", what, id, err)
			}
		}
		if _, err := b.Get(id); !errors.Is(err, store.ErrBadID) {
			t.Errorf("get id %.9q: %v", id, err)
		}
	}
	longest := strings.Repeat("i", store.MaxID)
	largest := strings.Repeat("v", store.MaxValue-2) // and its quotes
	must(t, b.Put(longest, largest))
	if v, err := b.Get(longest); err != nil || v != largest {
		t.Errorf("the largest value: %d bytes, %v", len(v), err)
	}
	if err := b.Put("a", largest+"v"); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("one byte more: %v", err)
	}
	if err := store.NewBucket[func()](s, "odd", store.Keep{}).Put("a", func() {}); err == nil {
		t.Error("a function was stored")
	}
	huge := api.Event{ID: 1, Type: api.TypePhoto, Data: api.Photo{Name: strings.Repeat("x", store.MaxValue)}}
	must(t, s.Events().Append(huge))
	got, err := s.Events().Newest(1)
	if err != nil || len(got) != 1 || got[0].Type != api.TypePhoto || api.Fields(got[0].Data)["data_error"] == nil {
		t.Errorf("an event that is too large: %+v, %v", got, err)
	}
	// Several large ones in one call are more than one transaction takes.
	many := make([]api.Event, 0, 6)
	for i := range uint64(6) {
		size := []int{store.MaxValue - 200, store.MaxValue / 3}[i%2]
		many = append(many, api.Event{ID: 2 + i, Data: api.Photo{Name: strings.Repeat("x", size)}})
	}
	must(t, s.Events().Append(many...))
	if got, err := s.Events().Since(1, 100); err != nil || len(got) != 6 {
		t.Errorf("%d large events, %v", len(got), err)
	}
}

func eventIDs(events []api.Event) string {
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = fmt.Sprint(e.ID)
	}
	return strings.Join(all, " ")
}

func events(t *testing.T, s *store.Store, clock *Clock) {
	if first := s.FirstEventID(); first != 1 {
		t.Errorf("first event ID of an empty store: %d", first)
	}
	e := s.Events()
	must(t, e.Append())
	must(t, e.Append(
		api.Event{ID: 9, TS: clock.Now(), Type: api.TypeUtterance, Trace: "t", Data: api.Utterance{Text: "hello"}},
		api.Event{ID: 10, TS: clock.Now(), Type: api.TypeReply},
	))
	must(t, e.Append(api.Event{ID: 256, TS: clock.Now(), Type: api.TypeUtterance}))
	for _, c := range []struct {
		after uint64
		limit int
		types []api.Type
		want  string
	}{
		{0, 9, nil, "9 10 256"},
		{9, 9, nil, "10 256"},
		{0, 1, nil, "9"},
		{0, 0, nil, ""},
		{0, 1, []api.Type{api.TypeReply}, "10"},
		{9, 9, []api.Type{api.TypeUtterance, api.TypeFault}, "256"},
		{^uint64(0), 9, nil, ""},
	} {
		got, err := e.Since(c.after, c.limit, c.types...)
		if err != nil || eventIDs(got) != c.want {
			t.Errorf("since %d, %d, %v: %s, %v; want %s", c.after, c.limit, c.types, eventIDs(got), err, c.want)
		}
	}
	if got, err := e.Newest(2); err != nil || eventIDs(got) != "10 256" {
		t.Errorf("newest: %s, %v", eventIDs(got), err)
	}
	if got, err := e.Newest(2, api.TypeUtterance); err != nil || eventIDs(got) != "9 256" {
		t.Errorf("newest utterances: %s, %v", eventIDs(got), err)
	}
	got, err := e.Since(0, 1)
	must(t, err)
	if g := got[0]; !g.TS.Equal(clock.Now()) || g.Trace != "t" || g.Type != api.TypeUtterance || api.Fields(g.Data)["text"] != "hello" {
		t.Errorf("event 9 came back as %+v", g)
	}
}

func record(t *testing.T, s *store.Store, clock *Clock) {
	bus := event.NewBus(s.FirstEventID()-1, clock.Now)
	sub := bus.Subscribe("store", 2000)
	var wg sync.WaitGroup
	wg.Go(func() { s.Events().Record(sub.Events(), func(err error) { t.Error(err) }) })
	for range 1500 {
		bus.Publish("", api.Partial{Text: "so"})
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	must(t, bus.Close(ctx))
	wg.Wait()
	got, err := s.Events().Since(0, 5000)
	if err != nil || len(got) != 1500 || got[1499].ID != 1500 {
		t.Errorf("%d events recorded, %v", len(got), err)
	}
}

func eventsByAge(t *testing.T, s *store.Store, clock *Clock) {
	for i := range uint64(4) {
		must(t, s.Events().Append(api.Event{ID: i + 1, TS: clock.Now()}))
		clock.Add(25 * time.Minute)
	}
	must(t, s.Prune(context.Background())) // ages: 100, 75, 50, 25 minutes
	if got, err := s.Events().Since(0, 9); err != nil || eventIDs(got) != "3 4" {
		t.Errorf("kept %s, %v", eventIDs(got), err)
	}
}

func eventsByCount(t *testing.T, s *store.Store, clock *Clock) {
	add := func(from, to uint64) {
		var all []api.Event
		for id := from; id <= to; id++ {
			all = append(all, api.Event{ID: id, TS: clock.Now()})
		}
		must(t, s.Events().Append(all...))
	}
	check := func(first, last uint64, n int) {
		t.Helper()
		must(t, s.Prune(context.Background()))
		got, err := s.Events().Since(0, 5000)
		if err != nil || len(got) != n || got[0].ID != first || got[n-1].ID != last {
			t.Errorf("kept %d events, %v; want %d…%d", len(got), err, first, last)
		}
	}
	add(1, 500)
	check(1, 500, 500)
	add(501, 1500) // more than one transaction goes
	check(901, 1500, 600)
	add(100_000, 100_000) // a gap, as after a crash, costs nothing that is kept
	check(902, 100_000, 600)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Prune(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("pruned though the context has ended: %v", err)
	}
}

func documentsPruned(t *testing.T, s *store.Store, clock *Clock) {
	old := store.NewBucket[doc](s, "old", store.Keep{Age: time.Hour})
	few := store.NewBucket[doc](s, "few", store.Keep{Count: 2})
	all := store.NewBucket[doc](s, "all", store.Keep{})
	for _, id := range []string{"c", "b", "a", "d"} {
		for _, b := range []*store.Bucket[doc]{old, few, all} {
			must(t, b.Put(id, doc{Name: id}))
		}
		clock.Add(25 * time.Minute)
	}
	must(t, old.Put("b", doc{Name: "b"})) // young again
	must(t, s.Prune(context.Background()))
	for name, c := range map[string]struct {
		b    *store.Bucket[doc]
		want string
	}{"old": {old, "a b d"}, "few": {few, "a d"}, "all": {all, "a b c d"}} {
		if got, err := c.b.List("", 9); err != nil || names(got) != c.want {
			t.Errorf("%s: kept %q, %v; want %q", name, names(got), err, c.want)
		}
	}
	for i := range 300 {
		must(t, few.Put(fmt.Sprintf("x%03d", i), doc{}))
		clock.Add(time.Second)
	}
	must(t, s.Prune(context.Background()))
	if got, err := few.List("", 1000); err != nil || len(got) != 2 {
		t.Errorf("kept %d, %v", len(got), err)
	}
}

// pieces are there as long as their owner is.
func pieces(t *testing.T, s *store.Store, clock *Clock) {
	owners := store.NewBucket[doc](s, "owners", store.Keep{Age: 3 * time.Hour, Count: 2})
	p := store.NewPieces[doc](owners, "pieces")
	store.NewBucket[doc](s, "pieces", store.Keep{}) // of the same name: a bucket, whose documents are others
	add := func(id string, numbers ...uint64) {
		t.Helper()
		owner, err := owners.Document(id, doc{Name: id})
		must(t, err)
		all := append(make([]store.Document, 0, 1+len(numbers)), owner)
		for _, n := range numbers {
			d, err := store.NewPieces[doc](owners, "pieces").Document(id, n, doc{Name: id, N: int(n)})
			must(t, err)
			all = append(all, d)
		}
		must(t, s.Put(all...))
	}
	want := func(id, want string) {
		t.Helper()
		numbers, all, err := p.All(id)
		must(t, err)
		for i, d := range all {
			if d.Name != id || uint64(d.N) != numbers[i] {
				t.Errorf("piece %d of %s is %+v", numbers[i], id, d)
			}
		}
		if got := fmt.Sprint(numbers); got != want {
			t.Errorf("pieces of %s: %s, want %s", id, got, want)
		}
	}
	want("a", "[]")
	add("a", 300, 2, 1<<40)
	add("aa", 7)
	clock.Add(time.Hour)
	add("b", 1)
	want("a", "[2 300 1099511627776]")
	want("aa", "[7]")
	must(t, s.Put(p.Removal("a", 300), p.Removal("a", 4)))
	want("a", "[2 1099511627776]")
	must(t, s.Prune(context.Background())) // of the two that were put first, the first by its ID
	want("a", "[]")
	want("aa", "[7]")
	must(t, owners.Delete("aa"))
	want("aa", "[]")
	want("b", "[1]")
	for _, id := range []string{"c", "d"} {
		many := make([]uint64, 1000)
		for n := range many {
			many[n] = uint64(n)
		}
		add(id, many[:600]...)
		add(id, many[600:]...)
	}
	must(t, owners.Change(map[string]*doc{"c": nil}))
	want("c", "[]")
	clock.Add(2*time.Hour + time.Minute)
	add("e", 5)
	must(t, s.Prune(context.Background()))
	want("b", "[]")
	clock.Add(2 * time.Hour)
	must(t, s.Prune(context.Background()))
	want("d", "[]")
	want("e", "[5]")
	for _, id := range []string{"", "a\x00b"} {
		if _, err := p.Document(id, 1, doc{}); !errors.Is(err, store.ErrBadID) {
			t.Errorf("piece of %q: %v", id, err)
		}
		if _, _, err := p.All(id); !errors.Is(err, store.ErrBadID) {
			t.Errorf("pieces of %q: %v", id, err)
		}
	}
}

func retentionJob(t *testing.T, s *store.Store, clock *Clock) {
	ctx, cancel := context.WithCancel(context.Background())
	tick := make(chan time.Time)
	var wg sync.WaitGroup
	wg.Go(func() { s.Run(ctx, tick, func(err error) { t.Error(err) }) })
	must(t, s.Events().Append(api.Event{ID: 1, TS: clock.Now()}, api.Event{ID: 2, TS: clock.Now()}))
	tick <- clock.Now()
	tick <- clock.Now() // taken when the first one has been worked off
	if got, err := s.Events().Since(0, 9); err != nil || eventIDs(got) != "2" {
		t.Errorf("kept %s, %v", eventIDs(got), err)
	}
	cancel()
	wg.Wait()
}

func manyAtOnce(t *testing.T, s *store.Store, clock *Clock) {
	b := store.NewBucket[doc](s, "many", store.Keep{Count: 1000})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 25 {
				id := fmt.Sprintf("%d-%d", w, i)
				if err := b.Put(id, doc{id, i}); err != nil {
					t.Error(err)
				}
				if d, err := b.Get(id); err != nil || d.N != i {
					t.Errorf("%s: %+v, %v", id, d, err)
				}
				if err := s.Events().Append(api.Event{ID: uint64(w*1000 + i), TS: clock.Now()}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 5 {
			if err := s.Prune(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	docs, err := b.List("", 1000)
	if err != nil || len(docs) != 100 {
		t.Errorf("%d documents, %v", len(docs), err)
	}
	if got, err := s.Events().Since(0, 1000); err != nil || len(got) != 99 { // 0 is no ID that Since can reach
		t.Errorf("%d events, %v", len(got), err)
	}
}

func closed(t *testing.T, s *store.Store, _ *Clock) {
	b := store.NewBucket[json.RawMessage](s, "x", store.Keep{Count: 1})
	must(t, b.Put("a", json.RawMessage("1")))
	must(t, s.Close(0))
	must(t, s.Close(0))
	errs := make([]error, 0, 6)
	_, err := b.Get("a")
	errs = append(errs, err, b.Put("a", nil), b.Delete("a"), s.Events().Append(api.Event{ID: 1}), s.Prune(context.Background()))
	_, err = b.List("", 1)
	errs = append(errs, err)
	if at := slices.IndexFunc(errs, func(err error) bool { return !errors.Is(err, store.ErrClosed) }); at >= 0 {
		t.Errorf("error %d after Close: %v", at, errs[at])
	}
}
