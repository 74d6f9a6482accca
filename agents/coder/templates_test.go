package coder

import (
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
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

// All templates that are data pass their own tests in the real sandbox and are registered with a good score.
func TestEveryDataTemplateIsRegistered(t *testing.T) {
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
}

const leastWays = 4

// Each answer is given to several ways to ask for it, by tools that were made in the real sandbox.
func TestWaysToAsk(t *testing.T) {
	w := newWorkshop(t, false)
	c := New(Options{Maker: w, Tools: w, Call: w.call, Now: func() time.Time { return noon }})
	p := planner.New()
	want, ways := "", leastWays
	for _, l := range append(lines(t, "testdata/ways.txt"), "= ") {
		if next, ok := strings.CutPrefix(l, "= "); ok {
			if ways < leastWays {
				t.Errorf("%q is asked for in %d ways", want, ways)
			}
			want, ways = next, 0
			continue
		}
		ways++
		plan := p.Plan(l)
		if !c.recognises("s", l, plan) {
			t.Errorf("%q is not recognised", l)
			continue
		}
		a := c.Make(t.Context(), coordinator.Request{Session: "s", Text: l, Plan: plan, Call: w.call})
		if a.Text != want {
			t.Errorf("%q: %q, want %q", l, a.Text, want)
		}
	}
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
	if n := len(dataNames(t)) + len(toolTemplates); n < 60 {
		t.Errorf("%d templates", n)
	}
}
