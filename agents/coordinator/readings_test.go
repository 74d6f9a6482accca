package coordinator

import (
	"context"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// learner is a planner that learns names, and whose caller changes the plans that it gets.
type learner struct {
	plans
	names, asked int
}

func (l *learner) Names() any { return l.names }

func (l *learner) PlanFor(u *language.Utterance) planner.Plan {
	l.asked++
	return l.plans.PlanFor(u)
}

// What is said again is not read again, unless a name was learned, the session was forgotten or nobody spoke for long; whoever changes a
// plan changes no other.
func TestWhatIsSaidAgainIsNotReadAgain(t *testing.T) {
	l := &learner{}
	s := stage(t, func(o *Options) { o.Planner = l })
	say := func(why string, want int) {
		t.Helper()
		before := l.asked
		_, _, plan := s.understand("thrice nod")
		inner := plan.Steps[0].Args["steps"].([]planner.Step)
		if inner[0].Tool != "gesture" || inner[0].Args["name"] != "nod" || plan.Steps[0].Args["times"] != 3.0 {
			t.Errorf("%s: %+v", why, plan)
		}
		inner[0].Tool, inner[0].Args["name"], plan.Steps[0].Args["times"] = "other", "other", 9.0
		plan.Steps[0].Tool = "other"
		if n := l.asked - before; n != want {
			t.Errorf("%s: planned %d times, want %d", why, n, want)
		}
	}
	say("at first", 1)
	say("again", 0)
	l.names++
	say("a name was learned", 1)
	say("again", 0)
	if err := s.Forget("a"); err != nil {
		t.Fatal(err)
	}
	say("a session was forgotten", 1)
	s.readings.drop()
	say("nobody spoke", 1)
	for i := range 2 * maxReadings {
		s.understand("?" + string(rune('a'+i)))
	}
	if n := len(s.readings.known); n > maxReadings {
		t.Errorf("%d sentences are held", n)
	}
}

// A history that somebody reads is not changed by what is heard, or said, later.
func TestHistoriesStayAsTheyWere(t *testing.T) {
	s := stage(t, nil)
	for range MaxHistory {
		if _, err := s.Turn(context.Background(), "a", "?one"); err != nil {
			t.Fatal(err)
		}
	}
	before := s.History("a")
	first, last := before[0], before[MaxHistory-1]
	s.Heard("a", last.Trace, "half")
	if _, err := s.Turn(context.Background(), "a", "?two"); err != nil {
		t.Fatal(err)
	}
	if before[0].Trace != first.Trace || before[MaxHistory-1].Reply != last.Reply {
		t.Errorf("%+v and %+v have become %+v and %+v", first, last, before[0], before[MaxHistory-1])
	}
	now := s.History("a")
	if len(now) != MaxHistory || !strings.HasPrefix(now[MaxHistory-1].Reply, "two") || now[MaxHistory-2].Reply != "half" || now[0].Trace == first.Trace {
		t.Errorf("%d exchanges, the last %+v, %+v", len(now), now[MaxHistory-2], now[MaxHistory-1])
	}
	if now[0].Agent != PlannerAgent {
		t.Errorf("answered by %q", now[0].Agent)
	}
}

// What was done is told whole, also where the reply that told it was interrupted; the conversation has what was heard.
func TestWhatWasDoneIsKeptWhole(t *testing.T) {
	s := stage(t, nil)
	r, err := s.Turn(context.Background(), "a", "look left")
	if err != nil {
		t.Fatal(err)
	}
	for _, heard := range []string{"I look", "I"} {
		s.Heard("a", r.Trace.ID, heard)
	}
	h := s.History("a")
	if told := summary(deeds(h)); h[0].Reply != "I" || told != r.Text || r.Text == "" {
		t.Errorf("heard %q, told %q, want %q", h[0].Reply, told, r.Text)
	}
	if r, err = s.Turn(context.Background(), "a", "?whales"); err != nil {
		t.Fatal(err)
	}
	s.Heard("a", r.Trace.ID, "wh")
	if e := s.History("a")[1]; e.Account() != "wh" { // what is only said was not said
		t.Errorf("%+v", e)
	}
}
