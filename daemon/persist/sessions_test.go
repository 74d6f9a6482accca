package persist

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/store"
	"github.com/reachyd/reachyd/perception/language"
)

// deaf understands nothing.
type deaf struct{}

func (deaf) PlanFor(u *language.Utterance) planner.Plan {
	return planner.Plan{Text: u.Text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}}
}

// silent publishes nothing.
type silent struct{}

func (silent) Publish(string, api.Payload) {}

func TestSessionsAreShownAndForgotten(t *testing.T) {
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close(0) }()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	kept, remembered := NewArchive(st, store.Keep{}), NewMemories(st)
	turns := coordinator.New(coordinator.Options{
		Planner: deaf{}, Tools: tool.NewRegistry(nil), Publisher: silent{}, Store: kept, Now: func() time.Time { return now },
	})

	s := &Sessions{Turns: turns, Facts: memory.New(remembered, func() time.Time { return now }), Archive: kept, Memories: remembered}
	var invalid *command.Error
	if _, err := s.Show(""); !errors.As(err, &invalid) || invalid.Code != command.CodeInvalid {
		t.Errorf("before anything was said: %v", err)
	}
	for i, session := range []string{"kitchen", "desk"} {
		now = now.Add(time.Duration(i) * time.Minute)
		if _, err := turns.Turn(t.Context(), session, "hello"); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(time.Minute)
	for _, session := range []string{"kitchen", "quiet"} {
		if _, err := s.Facts.Remember(session, "my name is Anna"); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.List()
	if got := fmt.Sprint(ids(list)); got != "[quiet:0/1 desk:1/0 kitchen:1/1]" || err != nil {
		t.Errorf("listed %s, %v", got, err)
	}
	if v, err := s.Show("kitchen"); err != nil || len(v.(conversation).History) != 1 || len(v.(conversation).Facts) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := s.Show(""); err != nil || v.(conversation).ID != "quiet" {
		t.Errorf("the latest is %+v, %v", v, err)
	}

	// More traces than are looked at at once, of two sessions.
	for i := range 2*tracesAtOnce + 2 {
		turn := &coordinator.Trace{ID: fmt.Sprintf("%024x", i), Session: []string{"kitchen", "desk"}[i%2]}
		if err := kept.traces.Put(turn.ID, turn); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Forget("kitchen"); err != nil {
		t.Fatal(err)
	}
	traces, err := kept.traces.List("", 1000)
	if err != nil || len(traces) != tracesAtOnce+2 {
		t.Errorf("%d traces are left, %v", len(traces), err)
	}
	for _, tr := range traces {
		if tr.Session == "kitchen" {
			t.Fatalf("a trace of what was forgotten is left: %s", tr.ID)
		}
	}
	if list, _ = s.List(); strings.Contains(fmt.Sprint(list), "kitchen") {
		t.Errorf("left: %v", list)
	}
	for _, f := range []func(string) (any, error){s.Show, s.Forget} {
		if _, err := f("kitchen"); !errors.As(err, &invalid) {
			t.Errorf("what was forgotten: %v", err)
		}
	}
}

func TestRepliesAreForgottenInTime(t *testing.T) {
	s := store.Memory(store.Options{})
	defer s.Close(0)
	r := NewReplies(s)
	if _, ok, err := r.Get("a"); ok || err != nil {
		t.Fatalf("before: %t %v", ok, err)
	}
	if err := r.Put("a", []byte(`{"id":"a"}`), time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := r.Put("old", []byte(`{"id":"old"}`), -time.Second); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := r.Get("a"); !ok || err != nil || string(got) != `{"id":"a"}` {
		t.Errorf("kept: %s %t %v", got, ok, err)
	}
	if _, ok, err := r.Get("old"); ok || err != nil {
		t.Errorf("an old reply is still remembered: %t %v", ok, err)
	}
}

func TestWhatTheCoderKeeps(t *testing.T) {
	s := store.Memory(store.Options{})
	defer s.Close(0)
	f, regular := NewFailures(s), NewSchedules(s)
	if all, err := regular.LoadSchedules(); len(all) != 0 || err != nil {
		t.Fatalf("before: %v, %v", all, err)
	}
	for i := range 3 {
		if err := f.SaveFailure(coder.Failure{At: time.Unix(int64(i), 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := f.LoadFailures(); err != nil || len(all) != 3 || !all[0].At.Equal(time.Unix(2, 0)) {
		t.Errorf("failures %v, %v; want 3, the newest first", all, err)
	}
	for n := range 2 {
		if err := regular.SaveSchedules(make([]coder.Schedule, 2-n)); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := regular.LoadSchedules(); err != nil || len(all) != 1 {
		t.Errorf("schedules %v, %v; want those saved last", all, err)
	}
}

func ids(list []command.Session) []string {
	var all []string
	for _, s := range list {
		all = append(all, fmt.Sprintf("%s:%d/%d", s.ID, s.Exchanges, s.Facts))
	}
	return all
}

// A turn and its session are kept together; what of the two cannot be kept does not take the other with it.
func TestATurnIsKeptWithItsSession(t *testing.T) {
	st := store.Memory(store.Options{})
	defer func() { _ = st.Close(0) }()
	kept := NewArchive(st, store.Keep{})
	for i, c := range []struct {
		turn        coordinator.Trace
		session     coordinator.Session
		there, said bool
	}{
		{coordinator.Trace{ID: "1"}, coordinator.Session{ID: "a"}, true, true},
		{coordinator.Trace{ID: "2", Text: strings.Repeat("x", store.MaxValue)}, coordinator.Session{ID: "b"}, false, true},
		{coordinator.Trace{ID: "3"}, coordinator.Session{ID: ""}, true, false},
		{coordinator.Trace{ID: ""}, coordinator.Session{ID: ""}, false, false},
	} {
		err := kept.SaveTurn(&c.turn, &c.session)
		if (err == nil) != (c.there && c.said) {
			t.Errorf("%d: %v", i, err)
		}
		_, there, _ := find(kept.traces, c.turn.ID)
		_, said, _ := kept.LoadSession(c.session.ID)
		if there != c.there || said != c.said {
			t.Errorf("%d: turn kept %v, session kept %v", i, there, said)
		}
	}
}

// A turn writes its exchange, and not all of the conversation; what could not be kept is kept with the next turn, and what is no longer
// remembered goes.
func TestATurnWritesItsExchange(t *testing.T) {
	st := store.Memory(store.Options{})
	defer func() { _ = st.Close(0) }()
	kept := NewArchive(st, store.Keep{})
	watched := &watchedArchive{Archive: kept}
	turns := coordinator.New(coordinator.Options{Planner: deaf{}, Tools: tool.NewRegistry(nil), Publisher: silent{}, Store: watched})
	for n := range coordinator.MaxHistory + 5 {
		watched.refuse = n == 50 || n == 51
		if _, err := turns.Turn(t.Context(), "a", fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
		wrote := 1
		switch n {
		case 51:
			wrote = 2
		case 52:
			wrote = 3
		}
		if got := len(watched.last.Unsaved); got != wrote {
			t.Errorf("turn %d writes %d exchanges, want %d", n, got, wrote)
		}
	}
	numbers, said, err := kept.said.All("a")
	if err != nil || len(said) != coordinator.MaxHistory || said[0].Text != "5" || numbers[0] != 5 {
		t.Errorf("%d exchanges are kept, %v", len(said), err)
	}
	if fresh, err := kept.documents(&watched.last); err != nil || len(fresh) != 3 {
		t.Errorf("a turn writes %d documents besides its trace (%v), want the session, an exchange, and one less", len(fresh), err)
	}

	// One in the middle is gone: the others are kept on, in their order.
	if err := st.Put(kept.said.Removal("a", 50)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		turns = coordinator.New(coordinator.Options{Planner: deaf{}, Tools: tool.NewRegistry(nil), Publisher: silent{}, Store: kept})
		if _, err := turns.Turn(t.Context(), "a", "more"); err != nil {
			t.Fatal(err)
		}
	}
	s, _, err := kept.LoadSession("a")
	if n := len(s.History); err != nil || n != coordinator.MaxHistory || len(s.Unsaved) != 0 || s.History[0].Text != "6" || s.History[n-1].Text != "more" {
		t.Errorf("%d exchanges, unsaved %v, %v", n, s.Unsaved, err)
	}
	if err := kept.DeleteSession("a"); err != nil {
		t.Fatal(err)
	}
	if numbers, _, _ := kept.said.All("a"); len(numbers) != 0 {
		t.Errorf("of a forgotten session there are %v", numbers)
	}
}

// watchedArchive notes what it is to keep, and refuses to when it is told to.
type watchedArchive struct {
	*Archive
	last   coordinator.Session
	refuse bool
}

func (w *watchedArchive) SaveTurn(t *coordinator.Trace, s *coordinator.Session) error {
	w.last = *s
	if w.refuse {
		return store.ErrDiskFull
	}
	return w.Archive.SaveTurn(t, s)
}
