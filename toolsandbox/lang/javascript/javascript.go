// Package javascript makes tools of JavaScript modules with one exported function, whose JSDoc says what Python's type hints say:
//
//	/**
//	 * Doubles a number.
//	 *
//	 * @param {number} number - what is doubled
//	 * @param {integer} [times=1] - how often
//	 * @returns {number} the result
//	 */
//	export function double_it(number, times = 1) { … }
//
// The types are string, number, integer, boolean, object, a type with [] behind it or in Array<>, and choices such as
// "left"|"right"; a result may also be null, void or a Promise<> of a type. Test cases are those of Python without
// predicates, which are Python; lines are not counted.
package javascript

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/lang"
)

// Name is the language's.
const Name = string(guest.JavaScript)

// Language is JavaScript.
type Language struct{ Box lang.Sandbox }

var _ lang.Language = Language{}

// Call implements lang.Language.
func (l Language) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	js := *r
	js.Language = guest.JavaScript
	return l.Box.Call(ctx, &js)
}

// Try implements lang.Language.
func (l Language) Try(ctx context.Context, r *guest.Request, t lang.Trial) (lang.Outcomes, guest.Result, error) {
	return lang.Each(ctx, l, r, t)
}

// exported is what a module exports, as its harness describes it.
type exported struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Parameters []string `json:"parameters"`
}

const (
	// describeTime is how long a module may take to be looked at: nothing is to be done at its import.
	describeTime = 5 * time.Second
	// maxCharacters is how long a source may be, as in Python.
	maxCharacters = 10000
)

var importing = regexp.MustCompile(`(?m)^[ \t]*import\b|\bimport[ \t]*\(`)

// Check implements lang.Language. The interpreter says what is exported; for that it loads the module, without a host.
func (l Language) Check(ctx context.Context, name, source string, o lang.Options) (*lang.Report, error) {
	began := time.Now()
	r := lang.NewReport(source)
	defer func() { r.Took = time.Since(began) }()
	if r.Metrics.Characters > maxCharacters {
		r.Fault("C002", 1, "Split the tool into several that call each other.", "%d characters of source, allowed %d.", r.Metrics.Characters, maxCharacters)
		return r, nil
	}
	if at := importing.FindStringIndex(source); at != nil {
		r.Fault("I001", lineAt(source, at[0]), "Use the language itself and the object reachy.", "There are no modules to import.")
		return r, nil
	}
	f, err := l.load(ctx, name, source, r)
	if err != nil || len(r.Findings) > 0 {
		return r, err
	}
	r.Function = f.Name
	d, line := docOf(source, f.Name)
	if d == nil {
		r.Fault("D001", line, "Write /** what it does, @param, @returns */ before it.", "The function %s has no JSDoc.", f.Name)
		return r, nil
	}
	d.check(r, f.Parameters, line)
	r.Calls = callsIn(source)
	for _, c := range r.Calls {
		if !slices.Contains(o.Calls, c) {
			r.Fault("H001", 1, "Call a tool that there is.", "The robot has no tool %s.", c)
		}
	}
	r.Schema, r.Returns, r.Summary, r.Async = d.schema(), marshal(d.returns), d.summary, d.async
	r.Metrics.Documented = d.documented()
	r.Judge()
	return r, nil
}

// load loads a module and returns the one function that it exports, or finds what is wrong with it.
func (l Language) load(ctx context.Context, name, source string, r *lang.Report) (f exported, err error) {
	res, err := l.Box.Call(ctx, &guest.Request{
		Source: source, Function: "__describe", Language: guest.JavaScript, Clock: guest.Clock{Virtual: true}, Limits: guest.Limits{Wall: describeTime},
	})
	if err != nil {
		return f, err
	}
	if res.Reason != guest.ReasonOK {
		code, fix := "S001", "Mend it."
		if res.Error.Type != "SyntaxError" {
			code, fix = "X002", "Load without an error and without calling the robot: work belongs into the function."
		}
		r.Fault(code, res.Error.Line, fix, "The module cannot be loaded: %s.", lang.Failure("it", res))
		return f, nil
	}
	var all []exported
	if err := json.Unmarshal(res.Value, &all); err != nil {
		r.Fault("S001", 1, "Export one function and nothing else.", "The module cannot be understood: %v.", err)
		return f, nil
	}
	f, wrong := only(all, name)
	if wrong != "" {
		r.Fault("F001", 1, "Export one function, with the tool's name, and nothing else.", "%s", wrong)
	}
	return f, nil
}

func lineAt(source string, at int) int { return strings.Count(source[:at], "\n") + 1 }

// only is the one function that a module exports, or why there is none.
func only(all []exported, name string) (f exported, wrong string) {
	switch {
	case len(all) != 1:
		names := make([]string, 0, len(all))
		for _, e := range all {
			names = append(names, e.Name)
		}
		return f, fmt.Sprintf("The module exports %d things (%s) where one function must be.", len(all), strings.Join(names, ", "))
	case all[0].Kind != "function":
		return f, fmt.Sprintf("The module exports %s, which is no function.", all[0].Name)
	case name != "" && all[0].Name != name:
		return f, fmt.Sprintf("The module exports %s, but the tool is to be called %s.", all[0].Name, name)
	}
	return all[0], ""
}
