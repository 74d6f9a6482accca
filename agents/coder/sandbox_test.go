package coder

import (
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/trace"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// All templates pass their own tests in the real sandbox and are registered with a good score.
func TestEveryTemplateIsRegistered(t *testing.T) {
	w := newWorkshop(t, false)
	all := append([]*skill{remindOf, newInView}, skills...)
	for _, what := range []string{"look left and right three times", "nod and take a photo", "say \"it's \\ me\" twice", "wait two seconds and bow"} {
		steps := planner.New().Plan(what).Steps
		k, _ := round(&regular{what: sense(what).nums, steps: steps})
		all = append(all, k, repeatedly(&regular{what: sense(what).nums, steps: steps}))
	}
	for _, k := range all {
		d, err := k.draft("test")
		if err != nil {
			t.Fatal(err)
		}
		report, err := w.Register(t.Context(), d)
		if err != nil {
			t.Errorf("%s: %v\n%s", k.name, err, d.Source)
			if report != nil && report.Tests != nil {
				for _, c := range report.Tests.Cases {
					if !c.Passed {
						t.Errorf("  %s: %s", c.Name, c.Message)
					}
				}
			}
			continue
		}
		if !report.Active || report.Score.Total < 0.85 || len(report.Findings) > 0 {
			t.Errorf("%s: %+v, findings %+v", k.name, report.Score, report.Findings)
		}
	}
}

// A question is answered by a tool that was made for it, and the next one by the same tool.
func TestAToolIsMadeOnceAndUsedAgain(t *testing.T) {
	w := newWorkshop(t, false)
	c := New(Options{Maker: w, Tools: w, Call: w.call, Now: func() time.Time { return noon }})
	ask := func(text string) (string, []trace.Span) {
		t.Helper()
		rec := trace.NewRecorder(nil)
		r := coordinator.Request{Session: "s", Text: text, Plan: planner.New().Plan(text), Call: w.call}
		if !c.Recognises(r.Session, text, r.Plan) {
			t.Fatalf("%q is not recognised", text)
		}
		a := c.Make(trace.With(t.Context(), rec), r)
		spans, _ := rec.Spans()
		if a.Outcome != coordinator.OutcomeAnswered {
			t.Errorf("%q: %+v", text, a)
		}
		return a.Text, spans
	}
	text, spans := ask("What is 15 percent of 300?")
	if text != "15 percent of 300 is 45." || spans[0].Data["decision"] != "create" || spans[1].Kind != trace.Code || spans[1].Data["version"] != 1 {
		t.Errorf("%q, %+v", text, spans)
	}
	v, err := w.Version("percent_of", 0)
	if err != nil || v.Number != 1 || v.Provenance.Author != Template || v.Provenance.Prompt == "" || v.Report.Passed == 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	text, spans = ask("hey reachy, how much is twenty percent of fifty please")
	if text != "20 percent of 50 is 10." || spans[0].Kind != trace.Search || spans[0].Data["decision"] != "reuse" {
		t.Errorf("%q, %+v", text, spans)
	}
	if u := w.kept.Usage("percent_of", 1); u.Successes != 2 || len(w.kept.List()) != 1 {
		t.Errorf("used %d times, %d tools", u.Successes, len(w.kept.List()))
	}
}
