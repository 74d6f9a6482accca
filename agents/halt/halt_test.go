package halt

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/perception/language"
)

var names = map[Kind]string{
	Latch: "latch", End: "end", Later: "later", Release: "release", Resume: "resume", Listen: "listen", None: "none", Foreign: "foreign",
}

func TestSentences(t *testing.T) {
	f, err := os.Open("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := planner.New()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		want, text, ok := strings.Cut(lines.Text(), ": ")
		if !ok || strings.HasPrefix(want, "#") {
			continue
		}
		u := language.Analyse(text)
		r := Read(u, p.PlanFor(u))
		if got := strings.TrimSpace(names[r.Kind] + " " + r.What); got != want && (r.Kind != Later || want != "later") {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// What a stop ends is what the tool can end.
func TestThingsAreThoseOfTheTool(t *testing.T) {
	known := map[string]bool{Following: true, Hearing: true, schedule: true, "sleep": true}
	for _, what := range catalog.Stoppable() {
		known[what] = true
	}
	for _, rule := range things.Rules() {
		if !known[rule.Name] {
			t.Errorf("stop.txt: stop-things %q is nothing that the tool stop ends: %v", rule.Name, catalog.Stoppable())
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"stop", "stop, then \"dance\"", "STOP—now", "you may move again", "don't…stop", "stop \xff"} {
		f.Add(s)
	}
	p := planner.New()
	f.Fuzz(func(t *testing.T, text string) {
		u := language.Analyse(text)
		plan := p.PlanFor(u)
		r := Read(u, plan)
		out := r.Apply(plan)
		if r.Kind == Latch && (len(out.Steps) != 1 || out.Steps[0].Tool != "stop" || len(out.Steps[0].Args) > 0) {
			t.Errorf("%q latches by %v", text, out.Steps)
		}
		for _, s := range out.Steps {
			if s.Tool == "stop" && len(s.Args) == 0 && r.Kind != Latch {
				t.Errorf("%q is no stop, but latches", text)
			}
		}
	})
}
