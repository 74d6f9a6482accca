package smalltalk

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coder"
	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/memory"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
)

// noon is the clock of all tests: a Saturday.
var noon = time.Date(2026, 11, 21, 14, 5, 0, 0, time.FixedZone("CET", 3600))

// stage is a robot of which only the talk is there.
type stage struct {
	*Talk
	t         testing.TB
	plan      *planner.Planner
	feelings  Feelings
	memory    *memory.Memories
	history   []coordinator.Exchange
	calls     []string
	published []api.Payload
	texts     map[string]string
}

func (s *stage) LoadText(key string) (string, error) { return s.texts[key], nil }

func (s *stage) SaveText(key, text string) error {
	s.texts[key] = text
	return nil
}

func newStage(t testing.TB, p *Persona) *stage {
	s := &stage{t: t, plan: planner.New(), memory: memory.New(nil, nil), texts: map[string]string{}}
	s.feelings = Feelings{Known: true, Mode: "enabled", Hottest: "left_antenna", Celsius: 31, Volts: 7.2, Up: time.Hour}
	s.Talk = New(Options{
		Persona: p, Name: "Reachy Mini", Now: func() time.Time { return noon }, Feelings: func() Feelings { return s.feelings }, Memory: s.memory,
		Keep: s, Plan: s.plan.Plan, Publish: func(_ string, data api.Payload) { s.published = append(s.published, data) },
		Failed: func(err error) { t.Error(err) }, Seed: 1, Sum: coder.Sum, WorkOut: coder.WorkOut, Measure: coder.Measure,
	})
	return s
}

// kind is what a sentence is taken for: the kinds, "planner" when the planner has a plan that goes first, or "".
func (s *stage) kind(text string) string {
	u := language.Analyse(text)
	m := s.Match("a", u)
	if p := s.plan.PlanFor(u); m == nil || !m.Goes(p) {
		if p.Outcome != planner.OutcomeNone {
			return "planner"
		}
		return ""
	}
	return strings.Join(m.Kinds(), " ")
}

// say is a turn; the reply is empty where the talk has nothing to say.
func (s *stage) say(text string) string {
	u := language.Analyse(text)
	plan := s.plan.PlanFor(u)
	r := coordinator.Request{
		Session: "a", Trace: "t", Text: text, Utterance: u, Plan: plan, History: s.history,
		Call: func(_ context.Context, name string, args json.RawMessage) tool.Result {
			s.calls = append(s.calls, name+string(args))
			return tool.Success("", nil)
		},
	}
	e := coordinator.Exchange{TS: noon, Text: text}
	if m := s.Match("a", u); m != nil && m.Goes(plan) {
		a := s.Answer(context.Background(), r, m)
		e.Reply, e.Outcome = a.Text, a.Outcome
	} else {
		e.Outcome = coordinator.Outcome(plan.Outcome)
	}
	s.history = append(s.history, e)
	return e.Reply
}

func TestExamples(t *testing.T) {
	s := newStage(t, nil)
	for _, k := range s.o.Persona.kinds {
		for _, e := range k.examples {
			if k.name == "unknown" {
				continue
			}
			if got := strings.Fields(s.kind(e)); !slices.Contains(got, k.name) && !slices.Contains(got, workedOut) {
				t.Errorf("%s: %q is taken for %q", k.name, e, got)
			}
		}
	}
}

func TestHowMuchThereIs(t *testing.T) {
	p := builtInPersona()
	if n := len(p.kinds); n < 120 {
		t.Errorf("%d kinds, there must be at least 120", n)
	}
}
