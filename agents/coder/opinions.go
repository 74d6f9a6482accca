package coder

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/candidates"
	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/agents/trace"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Tests that a model invented are wrong as often as its code. One that a person showed is sure; another counts unless two sources that
// were written independently agree that something else comes out.

// opinions are what a source answers to tests, by their names.
type opinions struct {
	source  string
	answers map[string]string
}

// asked are the examples in the person's own words, as tests.
func (w *writing) asked() []tester.Case {
	cases := candidates.Beliefs(w.request, &mend.Function{Name: w.spec.Name, Signature: w.spec.signature()})
	for i := range cases {
		cases[i].Name = fmt.Sprintf("%s%d", fromThePerson, i+1)
	}
	return cases
}

// fromThePerson begins the name of a test that the request holds.
const fromThePerson = "asked for "

// sure reports whether a test is the person's: it is one, or an example of which the request holds every value.
func (w *writing) sure(name string) bool {
	if strings.HasPrefix(name, fromThePerson) {
		return true
	}
	c := w.named(name)
	return c != nil && strings.HasPrefix(name, "example ") && holds(w.request, c.Input) && holds(w.request, c.Expected)
}

// holds reports whether a text names every value of a JSON value.
func holds(text string, value json.RawMessage) bool {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return false
	}
	all := true
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		default:
			all = all && fmt.Sprint(v) != "" && strings.Contains(text, fmt.Sprint(v))
		}
	}
	walk(v)
	return all
}

// named is the test of a name; nil when there is none.
func (w *writing) named(name string) *tester.Case {
	for _, list := range [...][]tester.Case{w.shown, w.hidden} {
		if at := slices.IndexFunc(list, func(c tester.Case) bool { return c.Name == name }); at >= 0 {
			return &list[at]
		}
	}
	return nil
}

// drop leaves a test out.
func (w *writing) drop(name string) {
	is := func(c tester.Case) bool { return c.Name == name }
	w.shown, w.hidden = slices.DeleteFunc(slices.Clone(w.shown), is), slices.DeleteFunc(slices.Clone(w.hidden), is)
	w.dropped++
}

// opinion is what came of a test: a value, or an error with which a tool may refuse. Nothing when the source broke.
func opinion(o *tester.Outcome) (string, bool) {
	switch {
	case o.Reason != guest.ReasonOK && o.Reason != guest.ReasonError:
		return "", false
	case o.Error == nil:
		return string(o.Value), len(o.Value) > 0
	}
	return o.Error.Type, o.Error.Type == "ValueError" || o.Error.Type == "KeyError"
}

// doubtful reports whether all that speaks against the source are tests that a model invented.
func (w *writing) doubtful() bool {
	if w.tested == nil || w.tested.Report == nil || w.faster {
		return false
	}
	for _, o := range w.tested.Report.Outcomes {
		if _, ok := opinion(&o); !o.Passed && (!ok || w.sure(o.Name)) {
			return false
		}
	}
	return true
}

// outvoted leaves out the tests of which two sources, written anew, say alike that something else comes out. At least half of the tests
// stay. It reports whether one went.
func (w *writing) outvoted(ctx context.Context) (changed bool) {
	if !w.anew {
		return false
	}
	mine := opinions{w.source, map[string]string{}}
	for _, o := range w.tested.Report.Outcomes {
		if said, ok := opinion(&o); ok && !o.Passed {
			mine.answers[o.Name] = said
		}
	}
	all := len(w.shown) + len(w.hidden) + w.dropped
	for _, other := range w.first {
		if other.source == w.source {
			continue // asked twice is not two opinions
		}
		for name, said := range mine.answers {
			if other.answers[name] == said && said != "" && !w.sure(name) && w.named(name) != nil && 2*(w.dropped+1) <= all {
				w.drop(name)
				changed = true
				trace.Note(ctx, trace.Code, "test left out", fmt.Sprintf("%s: two ways to write it answer %s", name, said))
			}
		}
	}
	if !slices.ContainsFunc(w.first, func(o opinions) bool { return o.source == w.source }) {
		w.first = append(w.first, mine)
	}
	return changed
}
