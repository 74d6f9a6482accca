package coder

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/perception/language"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
	"github.com/reachyd/reachyd/toolsandbox/registry"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// All templates pass their own tests in the real sandbox and are registered with a good score.
func TestEveryTemplateIsRegistered(t *testing.T) {
	w := newWorkshop(t, false)
	all := append([]*toolTemplate{newInView}, toolTemplates...)
	for _, what := range []string{"look left and right three times", "nod and take a photo", "say \"it's \\ me\" twice", "wait two seconds and bow"} {
		steps := planner.New().Plan(what).Steps
		k, _ := round(&regular{what: language.Analyse(what).Request().Digits, steps: steps})
		all = append(all, k, repeatedly(&regular{what: language.Analyse(what).Request().Digits, steps: steps}))
	}
	var some sync.WaitGroup
	for i := range 2 { // as many as there are workers
		some.Go(func() {
			for at := i; at < len(all); at += 2 {
				registers(t, w, all[at])
			}
		})
	}
	some.Wait()
}

func registers(t *testing.T, w *workshop, k *toolTemplate) {
	t.Helper()
	d, err := k.draft("test")
	if err != nil {
		t.Error(err)
		return
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
		return
	}
	// The share of speed (0.20) is left out: it depends on what else runs on this machine.
	const speed = 0.20
	score := report.Score
	if score.Total += speed * (1 - score.Performance); !report.Active || score.Total < 0.85 || len(report.Findings) > 0 {
		t.Errorf("%s: %+v, findings %+v", k.name, report.Score, report.Findings)
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
		if !c.recognises(r.Session, text, r.Plan) {
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
	if text != "15 percent of 300 is 45." || spans[0].Data["decision"] != "create" || spans[1].Kind != trace.Code || spans[1].Data["version"] != 1 ||
		spans[1].Detail != "percent_of from a template" {
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

// What is done in the background is done by tools that were made for it, in the real sandbox; time alone is made up.
func TestRoutinesAndWatchersWithTheRealSandbox(t *testing.T) {
	w := newWorkshop(t, false)
	var told []string
	moved := noon
	var spoken []string
	c := New(Options{
		Maker: w, Tools: w, Call: func(ctx context.Context, name string, args json.RawMessage) tool.Result {
			if name == "speak" {
				spoken = append(spoken, string(args))
				return tool.Success("", nil)
			}
			return w.call(ctx, name, args)
		}, Now: func() time.Time { return moved },
		Publish: func(_ string, data api.Payload) {
			if n, ok := data.(api.Notification); ok {
				told = append(told, n.Text)
			}
		},
	})
	say := func(text, want string) {
		t.Helper()
		plan := planner.New().Plan(text)
		if !c.recognises("s", text, plan) {
			t.Fatalf("%q is not recognised", text)
		}
		if a := c.Make(t.Context(), coordinator.Request{Session: "s", Text: text, Plan: plan, Call: w.call}); a.Text != want {
			t.Errorf("%q: %+v, want %q", text, a, want)
		}
	}
	say("look left and right twice every hour", `I will do this every hour: look left and right twice. Say "stop doing that" to end it.`)
	say("tell me when something new is on the table", "I will tell you as soon as I see something new; I look every 5 seconds for 1 hour.")
	say("remind me in ten minutes to drink", "I will remind you in 10 minutes: drink.")
	say("reverse hello world", `"hello world" backwards is "dlrow olleh".`)
	say("take a photo every ten seconds for five minutes", "I will do this every 10 seconds for 5 minutes: take a photo.")
	for _, lane := range []int{still, moving} { // all that is due now
		for {
			k, _ := c.clock.due(lane)
			if k.ID == 0 {
				break
			}
			c.clock.round(t.Context(), k)
		}
	}
	calls := map[string]int{}
	for _, call := range w.robot.Calls() {
		calls[call.Name]++
	}
	if calls["move_head"] != 4 || calls["detect_objects"] != 1 || calls["take_photo"] != 1 || len(spoken) != 0 {
		t.Errorf("%v", calls)
	}
	moved = noon.Add(10 * time.Minute)
	for {
		k, _ := c.clock.due(still)
		if k.ID == 0 {
			break
		}
		c.clock.round(t.Context(), k)
	}
	if len(told) != 1 || told[0] != "I was to remind you: drink." || len(spoken) != 1 || spoken[0] != `{"text":"I was to remind you: drink."}` {
		t.Errorf("%q, %q", told, spoken)
	}
	// One that does all its rounds while somebody waits, quicker than anybody would say it.
	g := &regular{kind: Routine, every: time.Second, long: 2 * time.Second, rounds: 2, what: "take a photo", steps: planner.New().Plan("take a photo").Steps}
	if a := g.make(t.Context(), c, coordinator.Request{
		Session: "s", Text: "x",
		Call: w.call,
	}); a.Text != "I did this twice, every second for 2 seconds: take a photo." {
		t.Errorf("%+v", a)
	}
	for name, want := range map[string]int{
		"look_left_and_right_round": 1, "new_in_view": 1, "reverse_text": 1, "take_photo_round": 1,
		"take_photo_repeatedly": 1,
	} {
		if h, err := w.kept.Head(name); err != nil || h.Active != want {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

// Where the owner reviews, nothing is called before he has.
func TestATemplateWaitsForReview(t *testing.T) {
	w := newWorkshop(t, true)
	c := New(Options{Maker: w, Tools: w, Call: w.call})
	ask := func() coordinator.Answer {
		return c.Make(t.Context(), coordinator.Request{Session: "s", Text: "reverse hello", Plan: planner.New().Plan("reverse hello"), Call: w.call})
	}
	for range 2 {
		if a := ask(); a.Outcome != coordinator.OutcomeFailed || !strings.Contains(a.Text, "reachyctl tool review approve reverse_text 1") {
			t.Errorf("%+v", a)
		}
	}
	if err := w.kept.Approve(t.Context(), "reverse_text", 1, "test"); err != nil {
		t.Fatal(err)
	}
	if a := ask(); a.Text != `"hello" backwards is "olleh".` {
		t.Errorf("%+v", a)
	}
}

// A robot without the interpreter answers what templates can work out, and leaves to the planner what that can do.
func TestWithoutASandbox(t *testing.T) {
	b := newBench(t)
	c := b.coder()
	away := func(registry.Draft) (*pipeline.Report, error) {
		return nil, fmt.Errorf("check: %w", guest.ErrUnavailable)
	}
	b.register = []func(registry.Draft) (*pipeline.Report, error){away, away, away, away}
	if a := b.ask(c, "what is 15 percent of 300"); a.Text != "15 percent of 300 is 45." {
		t.Errorf("%+v", a)
	}
	if a := b.ask(c, "take a photo every five seconds for a minute"); a.Outcome != coordinator.OutcomeNone || a.Text != "" {
		t.Errorf("%+v", a)
	}
	if a := b.ask(c, "look left and right every hour"); a.Outcome != coordinator.OutcomeFailed || !strings.Contains(a.Text, "make python") {
		t.Errorf("%+v", a)
	}
	if a := b.ask(c, "what is 1 divided by 0"); a.Outcome != coordinator.OutcomeError {
		t.Errorf("%+v", a)
	}
}

// The name of a tool that somebody else made is his.
func TestNamesOfOthersAreLeftToThem(t *testing.T) {
	b := newBench(t)
	if _, err := b.Register(t.Context(), registry.Draft{Name: "percent_of", Source: "mine", Author: "Ada"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Register(t.Context(), registry.Draft{Name: "reverse_text", Source: "old", Author: Template}); err != nil {
		t.Fatal(err)
	}
	c := b.coder()
	b.results["percent_of_2"] = func(json.RawMessage) tool.Result { return tool.Success("", json.RawMessage("45")) }
	if a := b.ask(c, "what is 15 percent of 300"); a.Text != "15 percent of 300 is 45." || len(b.versions["percent_of"]) != 1 ||
		!strings.Contains(b.versions["percent_of_2"][0].Source, "def percent_of_2(") {
		t.Errorf("%+v %v", a, b.called)
	}
	b.ask(c, "reverse hello")
	if v := b.versions["reverse_text"]; len(v) != 2 || len(v[1].Provenance.Parents) != 1 || v[1].Provenance.Parents[0].Version != 1 {
		t.Errorf("%+v", v)
	}
}

// A tool is made once, however many ask for it at the same time.
func TestManyAtOnce(t *testing.T) {
	b := newBench(t)
	c := b.coder()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			text := "what is 15 percent of 300"
			if a := c.Make(t.Context(), coordinator.Request{
				Session: "s", Text: text, Plan: planner.Plan{Outcome: planner.OutcomeNone},
				Call: b.call,
			}); a.Text != "15 percent of 300 is 45." {
				t.Errorf("%+v", a)
			}
		})
	}
	all.Wait()
	if len(b.versions["percent_of"]) != 1 {
		t.Errorf("%d versions", len(b.versions["percent_of"]))
	}
}
