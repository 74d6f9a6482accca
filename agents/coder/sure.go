package coder

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/candidates"
	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

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
