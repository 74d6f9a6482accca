package coder

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

func lines(t testing.TB, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (b *bench) coder(change ...func(*Options)) *Coder {
	o := Options{Maker: b, Tools: b, Call: b.call, Now: func() time.Time { return noon }, Failed: func(err error) { b.t.Error(err) }}
	for _, c := range change {
		c(&o)
	}
	return New(o)
}

func (b *bench) ask(c *Coder, text string) coordinator.Answer {
	b.t.Helper()
	p := planner.New().Plan(text)
	if !c.recognises("s", text, p) {
		b.t.Fatalf("%q is not recognised", text)
	}
	return c.Make(b.t.Context(), coordinator.Request{Session: "s", Text: text, Plan: p, Call: b.call})
}

// recognises says whether a sentence is one of those for which no language model is needed.
func (c *Coder) recognises(session, text string, p planner.Plan) bool {
	return c.Serves(c.Match(session, language.Analyse(text), p))
}

// What must be claimed is claimed and answered in these words; a second sentence of the kind uses the tool again.
func TestClaimed(t *testing.T) {
	all := lines(t, "testdata/claimed.tsv")
	if len(all) < 100 {
		t.Fatalf("%d sentences", len(all))
	}
	p := planner.New()
	for _, l := range all {
		text, want, _ := strings.Cut(l, "\t")
		b := newBench(t)
		c := b.coder()
		plan := p.Plan(text)
		if !c.recognises("s", text, plan) {
			t.Errorf("%q is not claimed", text)
			continue
		}
		for range 2 { // the second time nothing is made
			got := c.Make(t.Context(), coordinator.Request{Session: "s", Text: text, Plan: plan, Call: b.call})
			if got.Text != want && got.Text != "I am doing that already." {
				t.Errorf("%q: %s %q, want %q", text, got.Outcome, got.Text, want)
			}
		}
		for name, vs := range b.versions {
			if len(vs) != 1 || vs[0].Provenance.Author != Template || !strings.Contains(vs[0].Provenance.Prompt, text) {
				t.Errorf("%q: %d versions of %s", text, len(vs), name)
			}
		}
	}
}

// What the planner and others do is left to them.
func TestNotClaimed(t *testing.T) {
	all := lines(t, "testdata/others.txt")
	if len(all) < 100 {
		t.Fatalf("%d sentences", len(all))
	}
	p := planner.New()
	c := newBench(t).coder()
	for _, text := range all {
		if c.recognises("s", text, p.Plan(text)) {
			t.Errorf("%q is claimed", text)
		}
	}
	files, err := filepath.Glob("../planner/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("the planner's sentences: %v, %v", files, err)
	}
	n := 0
	for _, f := range files {
		for _, l := range lines(t, f) {
			var e struct{ Text, Outcome string }
			if err := json.Unmarshal([]byte(l), &e); err != nil {
				t.Fatal(err)
			}
			n++
			if e.Outcome == string(planner.OutcomeNone) {
				continue
			}
			plan := p.Plan(e.Text)
			if plan.Outcome == planner.OutcomeNone || !c.recognises("s", e.Text, plan) {
				continue
			}
			s := language.Analyse(e.Text).Request()
			repeated := s.Has("every") && s.Has("for")
			if question := s.Has("many"); !repeated && !question {
				t.Errorf("%s: %q is claimed", filepath.Base(f), e.Text)
			}
		}
	}
	if n < 2000 {
		t.Errorf("%d sentences of the planner", n)
	}
}

func BenchmarkRecognises(b *testing.B) {
	c := newBench(b).coder()
	p := planner.New()
	for _, text := range []string{
		"what is 15 percent of 300", "look left and right three times every hour",
		"tell me a story about a robot that wanted to see the sea", "look left and nod twice",
	} {
		plan := p.Plan(text)
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				c.recognises("s", text, plan)
			}
		})
	}
}

// BenchmarkUse is what an answer by a tool that is there costs beside the sandbox.
func BenchmarkUse(b *testing.B) {
	w := newBench(b)
	c := w.coder()
	r := coordinator.Request{Session: "s", Text: "what is 15 percent of 300", Plan: planner.New().Plan("what is 15 percent of 300"), Call: w.call}
	for b.Loop() {
		c.recognises(r.Session, r.Text, r.Plan)
		if a := c.Make(b.Context(), r); a.Text != "15 percent of 300 is 45." {
			b.Fatal(a)
		}
	}
}

func FuzzSentence(f *testing.F) {
	for _, text := range []string{
		"what is 15 percent of 300", "sort a, b and c", "take a photo every 5 seconds for a minute", "remind me at 25 to x",
		"how many days until the 31st of february", "every every every", "2^^2", "five hundred and and",
	} {
		f.Add(text)
	}
	c := newBench(f).coder()
	p := planner.New()
	f.Fuzz(func(_ *testing.T, text string) {
		c.recognises("s", text, p.Plan(text))
	})
}

// Both readers of expressions work out the same: this one is what the tool's tests compare it with.
func FuzzExpression(f *testing.F) {
	for _, e := range []string{"1+2*3", "((2))^-1", "sqrt(2)", "1/0", "--1", "7 % -3"} {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, e string) {
		v, err := evaluate(e)
		if err == nil && (v != v || v-v != 0) {
			t.Errorf("%q is %v", e, v)
		}
	})
}

func TestEaster(t *testing.T) {
	for year, want := range map[int]string{
		2000: "04-23", 2008: "03-23", 2011: "04-24", 2024: "03-31", 2025: "04-20", 2026: "04-05", 2027: "03-28",
		2038: "04-25",
	} {
		if got := easter(year).Format("01-02"); got != want {
			t.Errorf("%d: %s, want %s", year, got, want)
		}
	}
}
