package coordinator

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/perception/language"
)

// fakeRuntime thinks for a second, then does what think says.
type fakeRuntime struct {
	claims func(text string, p planner.Plan) bool
	think  func(ctx context.Context, r Request) Answer
}

func (fakeRuntime) Models() bool { return false }

func (fakeRuntime) Plays(string, *language.Utterance) bool { return false }
func (fakeRuntime) Listed(string, string) []string         { return nil }
func (fakeRuntime) Kept() []language.Kept                  { return nil }

func (fakeRuntime) Stop(*language.Utterance) {}

func (m fakeRuntime) Understands(session string, u *language.Utterance, alone, p planner.Plan) bool {
	return m.Match(session, u, alone, p) != nil
}

func (fakeRuntime) Called() string                         { return "" }
func (fakeRuntime) End(*language.Utterance) (string, bool) { return "", false }

func (m fakeRuntime) Match(_ string, u *language.Utterance, _, p planner.Plan) Match {
	text := u.Text
	if m.claims == nil && p.Outcome != planner.OutcomeNone || m.claims != nil && !m.claims(text, p) {
		return nil
	}
	return "read: " + text
}

func (m fakeRuntime) Handle(ctx context.Context, r Request) Answer {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return Answer{}
	}
	return m.think(ctx, r)
}

// nods is a runtime that nods and says so.
func nods(ctx context.Context, r Request) Answer {
	ctx, span := trace.Start(ctx, trace.Handoff, "robot", "a nod was asked for")
	defer span.End(nil)
	r.Partial("Here")
	if res := r.Call(ctx, "gesture", json.RawMessage(`{"name":"nod"}`)); !res.OK() {
		return Answer{OutcomeFailed, res.Message}
	}
	return Answer{OutcomeAnswered, "Here you are: a nod."}
}

func TestTheMindAnswersWhatThePlannerCannot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, func(o *Options) { o.Runtime = fakeRuntime{think: nods} })
		s.begin(t, "a", "look left")()
		r := s.begin(t, "a", "?what about some agreement")()
		if r.Text != "Here you are: a nod." || r.Trace.Outcome != OutcomeAnswered || !r.Trace.OK() {
			t.Errorf("%s: %s", r.Trace.Outcome, r.Text)
		}
		if len(r.Trace.Steps) != 1 || r.Trace.Steps[0].Tool != "gesture" || r.Trace.Steps[0].DurationMS != 2000 {
			t.Errorf("steps: %+v", r.Trace.Steps)
		}
		var tree strings.Builder
		if err := trace.Draw(&tree, r.Trace.Spans, 0); err != nil {
			t.Fatal(err)
		}
		want := `      0.0 ms       0.0 ms  ├─ plan none: what about some agreement
   1000.0 ms    2000.0 ms  └─ handoff robot: a nod was asked for
   1000.0 ms    2000.0 ms     └─ tool gesture: I nodded.
`
		if tree.String() != want {
			t.Errorf("drawn:\n%s\nwant:\n%s", tree.String(), want)
		}
		partial := false
		for _, e := range s.diary.events {
			partial = partial || e["type"] == "partial" && e["text"] == "Here" && e["speaker"] == "robot"
		}
		if !partial {
			t.Error("the beginning of the reply was not published")
		}
	})
}

func TestTheMindKnowsWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, func(o *Options) {
			o.Runtime = fakeRuntime{think: func(_ context.Context, r Request) Answer {
				if r.Match != Match("read: "+r.Text) || len(r.History) != 1 || r.History[0].Text != "look left" || r.Session != "a" || r.Trace == "" {
					t.Errorf("request: %+v", r)
				}
				return Answer{OutcomeAnswered, "You wanted me to look left."}
			}}
		})
		s.begin(t, "a", "look left")()
		s.begin(t, "a", "?what did I say")()
	})
}

func TestThoughtsAreInterrupted(t *testing.T) {
	for _, c := range []struct{ name, session, text, reply string }{
		{"by stop", "b", "stop", "I was interrupted (stop was said) before I was done."},
		{"by a correction", "a", "look right", "I was interrupted (a newer command took over) before I was done."},
		{"by another thought", "a", "?something else", "I was interrupted (a newer command took over) before I was done."},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stage(t, func(o *Options) { o.Runtime = fakeRuntime{think: nods} })
				thinking := s.begin(t, "a", "?nod")
				time.Sleep(time.Second / 2)
				start := time.Now()
				other := s.begin(t, c.session, c.text)
				if r := thinking(); r.Text != c.reply || r.Trace.Outcome != OutcomeInterrupted || time.Since(start) != 0 {
					t.Errorf("%s: %s, %v after the interruption", r.Trace.Outcome, r.Text, time.Since(start))
				}
				other()
			})
		})
	}
}

func TestOthersDoNotInterruptThoughtsButTheirActs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, func(o *Options) { o.Runtime = fakeRuntime{think: nods} })
		thinking := s.begin(t, "a", "?nod")
		moving := s.begin(t, "b", "look left") // two seconds: the nod has to wait for one
		if r := moving(); r.Trace.Outcome != OutcomePlan {
			t.Errorf("the move of another session: %s: %s", r.Trace.Outcome, r.Text)
		}
		time.Sleep(time.Second) // the nod is half done
		s.begin(t, "b", "look right")()
		if r := thinking(); r.Trace.Outcome != OutcomeInterrupted || r.Trace.DurationMS != 3000 {
			t.Errorf("the act of a thought: %s after %v ms: %s", r.Trace.Outcome, r.Trace.DurationMS, r.Text)
		}
		if got, want := s.robot.did(), "goto, gesture nod, hold, goto"; got != want {
			t.Errorf("did  %s\nwant %s", got, want)
		}
	})
}

func TestWithoutAnAnswerThePlannersWordsStand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, func(o *Options) {
			o.Runtime = fakeRuntime{
				claims: func(string, planner.Plan) bool { return true },
				think:  func(context.Context, Request) Answer { return Answer{Outcome: OutcomeNone} },
			}
		})
		if r := s.begin(t, "a", "?Which way?")(); r.Text != "Which way?" || r.Trace.Outcome != OutcomeNone {
			t.Errorf("%s: %s", r.Trace.Outcome, r.Text)
		}
		if r := s.begin(t, "a", "nod")(); r.Text != "I nodded." || r.Trace.Outcome != OutcomePlan {
			t.Errorf("a plan that the runtime gave back: %s: %s", r.Trace.Outcome, r.Text)
		}
	})
}

func TestAMindThatPanicsBreaksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := false
		s := stage(t, func(o *Options) {
			o.Runtime = fakeRuntime{
				claims: func(text string, p planner.Plan) bool {
					if text == "nod" {
						panic("claims")
					}
					return p.Outcome == planner.OutcomeNone
				},
				think: func(context.Context, Request) Answer { broken = true; panic("think") },
			}
		})
		if r := s.begin(t, "a", "?anything")(); r.Trace.Outcome != OutcomeFailed || !strings.Contains(r.Text, "broke") || !broken {
			t.Errorf("%s: %s", r.Trace.Outcome, r.Text)
		}
		if r := s.begin(t, "a", "nod")(); r.Text != "I nodded." {
			t.Errorf("%s: %s", r.Trace.Outcome, r.Text)
		}
		if len(s.fails) != 2 {
			t.Errorf("told of %d failures, want 2: %v", len(s.fails), s.fails)
		}
	})
}

func TestThoughtsEndWithTheTurnsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stage(t, func(o *Options) {
			o.TurnTime = time.Minute
			o.Runtime = fakeRuntime{think: func(ctx context.Context, _ Request) Answer { <-ctx.Done(); return Answer{} }}
		})
		r := s.begin(t, "a", "?hang")()
		if r.Text != "That took too long, so I gave up." || r.Trace.DurationMS != 60000 {
			t.Errorf("%s after %v ms: %s", r.Trace.Outcome, r.Trace.DurationMS, r.Text)
		}
	})
}
