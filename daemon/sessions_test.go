package daemon

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/daemon/command"
	"github.com/reachyd/reachyd/daemon/event"
	"github.com/reachyd/reachyd/daemon/store"
)

// deaf understands nothing.
type deaf struct{}

func (deaf) Plan(text string) planner.Plan {
	return planner.Plan{Text: text, Outcome: planner.OutcomeNone, Steps: []planner.Step{}}
}

func TestSessionsAreShownAndForgotten(t *testing.T) {
	st, err := store.Open(t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close(0) }()
	bus := event.NewBus(0, nil)
	defer func() { _ = bus.Close(t.Context()) }()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	kept, remembered := newArchive(st, store.Keep{}), newMemories(st)
	s := &sessions{facts: memory.New(remembered, func() time.Time { return now }), said: kept, remembered: remembered}
	s.turns = coordinator.New(coordinator.Options{
		Planner: deaf{}, Tools: tool.NewRegistry(nil), Publisher: bus, Store: kept, Now: func() time.Time { return now },
	})

	var invalid *command.Error
	if _, err := s.Show(""); !errors.As(err, &invalid) || invalid.Code != command.CodeInvalid {
		t.Errorf("before anything was said: %v", err)
	}
	for i, session := range []string{"kitchen", "desk"} {
		now = now.Add(time.Duration(i) * time.Minute)
		if _, err := s.turns.Turn(t.Context(), session, "hello"); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(time.Minute)
	for _, session := range []string{"kitchen", "quiet"} {
		if _, err := s.facts.Remember(session, "my name is Anna"); err != nil {
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
		err := kept.SaveTrace(&coordinator.Trace{ID: fmt.Sprintf("%024x", i), Session: []string{"kitchen", "desk"}[i%2]})
		if err != nil {
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

func ids(list []command.Session) []string {
	var all []string
	for _, s := range list {
		all = append(all, fmt.Sprintf("%s:%d/%d", s.ID, s.Exchanges, s.Facts))
	}
	return all
}
