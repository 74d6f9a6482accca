package coder

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/perception/language"
)

// dataNames are the names of the templates that are data.
func dataNames(t testing.TB) (names []string) {
	t.Helper()
	files, err := fs.Glob(templateFiles, "templates/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(f, "templates/"), ".json"))
	}
	return names
}

// All templates that are data pass their own tests in the real sandbox and are registered with a good score. Then each template is asked
// for in several ways: every way must be taken for the template that it is meant for, and for no other, and be answered as it should.
func TestEveryTemplate(t *testing.T) {
	w := newWorkshop(t, false)
	names := dataNames(t)
	var some sync.WaitGroup
	for i := range 2 { // as many as there are workers
		some.Go(func() {
			for at := i; at < len(names); at += 2 {
				k, err := dataTemplate(names[at])
				if err != nil {
					t.Error(err)
					continue
				}
				registers(t, w, k)
			}
		})
	}
	some.Wait()
	asked := waysToAsk(t, w)
	for _, k := range toolTemplates {
		names = append(names, k.name)
	}
	for _, name := range names {
		if asked[name] < leastWays {
			t.Errorf("%s: asked for in %d ways, at least %d are needed", name, asked[name], leastWays)
		}
	}
}

// leastWays is in how many ways each template is asked for.
const leastWays = 6

// waysToAsk checks all ways and counts them for each template.
func waysToAsk(t *testing.T, w *workshop) map[string]int {
	c := New(Options{
		Maker: w, Tools: w, Call: w.call, Now: func() time.Time { return noon }, Random: func() uint32 { return 1 }, // so that chance is the same each time
	})
	p := planner.New()
	name, want, asked, answers := "", "", map[string]int{}, map[string]string{}
	for _, l := range lines(t, "testdata/ways.txt") {
		if head, ok := strings.CutPrefix(l, "= "); ok {
			name, want, _ = strings.Cut(head, ": ")
			continue
		}
		asked[name]++
		plan := p.Plan(l)
		u := c.template(language.Analyse(l).Request(), plan)
		switch {
		case !c.recognises("s", l, plan) || u == nil:
			t.Errorf("%q is not recognised, want %s", l, name)
			continue
		case u.name != name:
			t.Errorf("%q is taken for %s, want %s", l, u.name, name)
			continue
		}
		same := fmt.Sprint(u.name, u.args, want) // the tool runs once for those that ask for the same
		if _, ok := answers[same]; !ok {
			answers[same] = c.Make(t.Context(), coordinator.Request{Session: "s", Text: l, Plan: plan, Call: w.call}).Text
		}
		if answers[same] != want {
			t.Errorf("%q: %q, want %q", l, answers[same], want)
		}
	}
	return asked
}

// Each template that is data is wanted by a sentence, and has words for what comes of it.
func TestTemplatesAreWhole(t *testing.T) {
	replies := toolReplies()
	for _, name := range dataNames(t) {
		if !numberTools().Named(name) && !textTools().Named(name) {
			t.Errorf("%s: no sentence wants it", name)
		}
		if replies[name] == "" && replies[name+" yes"] == "" && replies[name+" equal"] == "" {
			t.Errorf("%s: there is no reply", name)
		}
	}
	n := len(dataNames(t)) + len(toolTemplates)
	if t.Logf("%d templates", n); n < 60 {
		t.Error("there must be at least 60")
	}
}
