package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/tester"
	"github.com/reachyd/reachyd/toolsandbox/validate"
)

// JavaScript makes tools of JavaScript modules with one exported function, whose JSDoc says what Python's type hints say:
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
// The types are string, number, integer, boolean, object, a type with [] behind it, and choices such as "left"|"right".
// Test cases are those of Python without predicates, which are Python; lines are not counted.
type JavaScript struct{ Box Sandbox }

var _ Language = JavaScript{}

// Call implements Sandbox.
func (j JavaScript) Call(ctx context.Context, r *guest.Request) (guest.Result, error) {
	if r.Module == tester.ModuleName {
		return oneByOne(ctx, r, j.Call)
	}
	js := *r
	js.Language = guest.JavaScript
	return j.Box.Call(ctx, &js)
}

// exported is what a module exports, as its harness describes it.
type exported struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Parameters []string `json:"parameters"`
}

// describeTime is how long a module may take to be looked at: nothing is to be done at its import.
const describeTime = 5 * time.Second

// Check implements Language.
func (j JavaScript) Check(ctx context.Context, name, source string, o validate.Options) (*Facts, error) {
	began := time.Now()
	r := &Facts{Findings: []validate.Finding{}, Imports: []string{}, Metrics: validate.Metrics{Characters: len(source), Lines: strings.Count(source, "\n") + 1, Functions: 1, Complexity: 1}}
	defer func() { r.Took = time.Since(began) }()
	res, err := j.Box.Call(ctx, &guest.Request{Source: source, Function: "__describe", Language: guest.JavaScript, Limits: guest.Limits{Wall: describeTime}})
	if err != nil {
		return nil, err
	}
	add := func(code string, line int, fix, format string, args ...any) {
		r.Findings = append(r.Findings, validate.Finding{Code: code, Severity: validate.Error, Line: max(line, 1), Column: 1, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	if res.Reason != guest.ReasonOK {
		add("S001", res.Error.Line, "Mend it.", "The module cannot be loaded: %s.", Failure("it", res))
		return r, nil
	}
	var all []exported
	if err := json.Unmarshal(res.Value, &all); err != nil {
		add("S001", 1, "Export one function and nothing else.", "The module cannot be understood: %v.", err)
		return r, nil
	}
	f, wrong := only(all, name)
	if wrong != "" {
		add("F001", 1, "Export one function, with the tool's name, and nothing else.", "%s", wrong)
		return r, nil
	}
	r.Function = f.Name
	d, line := docOf(source, f.Name)
	if d == nil {
		add("D001", line, "Write /** what it does, @param, @returns */ before it.", "The function %s has no JSDoc.", f.Name)
		return r, nil
	}
	for _, w := range d.wrong {
		add("T001", line, "Use string, number, integer, boolean, object, number[], or \"a\"|\"b\".", "%s", w)
	}
	if d.summary == "" {
		add("D002", line, "Begin the JSDoc with a sentence.", "The JSDoc says not what the tool does.")
	}
	for _, p := range f.Parameters {
		if !slices.ContainsFunc(d.params, func(q param) bool { return q.name == p }) {
			add("T002", line, "Add @param {type} "+p+" - what it is.", "Parameter %s has no type.", p)
		}
	}
	for _, p := range d.params {
		if !slices.Contains(f.Parameters, p.name) {
			add("D003", line, "Take it away, or add the parameter.", "The JSDoc tells of a parameter %s, which the function has not.", p.name)
		}
	}
	if d.returns == nil {
		add("T003", line, "Add @returns {type} what it is.", "What it returns has no type.")
	}
	r.Calls = callsIn(source)
	for _, c := range r.Calls {
		if !slices.Contains(o.Calls, c) {
			add("H001", 1, "Call a tool that there is.", "The robot has no tool %s.", c)
		}
	}
	r.Schema, r.Returns, r.Summary = d.schema(), marshal(d.returns), d.summary
	r.Metrics.Documented = d.documented()
	r.OK = len(r.Findings) == 0
	return r, nil
}

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

// param is one @param.
type param struct {
	name, text string
	kind       map[string]any // JSON schema
	optional   bool
}

// jsDoc is what a JSDoc comment says.
type jsDoc struct {
	summary string
	params  []param
	returns map[string]any
	wrong   []string
}

var (
	paramTag   = regexp.MustCompile(`^@param\s+\{([^}]*)\}\s+(\[?)([A-Za-z_$][\w$]*)(?:=([^\]]*))?\]?\s*-?\s*(.*)$`)
	returnsTag = regexp.MustCompile(`^@returns?\s+\{([^}]*)\}\s*(.*)$`)
	hostCall   = regexp.MustCompile(`\breachy\s*\.\s*([a-z][a-z0-9_]*)\s*\(`)
	namedCall  = regexp.MustCompile(`\breachy\s*\.\s*call\s*\(\s*["'` + "`" + `]([a-z][a-z0-9_.]*)["'` + "`" + `]`)
)

// docOf finds the JSDoc right before the export of a function, and the line where it ends.
func docOf(source, name string) (*jsDoc, int) {
	at := regexp.MustCompile(`(?m)^[ \t]*export\s+(?:async\s+)?(?:function|const|let)\s+` + regexp.QuoteMeta(name) + `\b`).FindStringIndex(source)
	if at == nil {
		return nil, 1
	}
	line := strings.Count(source[:at[0]], "\n") + 1
	before := strings.TrimRight(source[:at[0]], " \t\r\n")
	begin := strings.LastIndex(before, "/**")
	if !strings.HasSuffix(before, "*/") || begin < 0 {
		return nil, line
	}
	d := &jsDoc{}
	for text := range strings.Lines(strings.TrimSuffix(before[begin+3:], "*/")) {
		text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "*"))
		d.read(text)
	}
	return d, line
}

func (d *jsDoc) read(line string) {
	if m := paramTag.FindStringSubmatch(line); m != nil {
		p := param{name: m[3], text: m[5], optional: m[2] == "["}
		var ok bool
		if p.kind, ok = typeOf(m[1]); !ok {
			d.wrong = append(d.wrong, fmt.Sprintf("Type {%.60s} of parameter %s is not one that a tool can take.", m[1], p.name))
		}
		if value := strings.TrimSpace(m[4]); value != "" {
			var v any
			if json.Unmarshal([]byte(value), &v) != nil {
				v = strings.Trim(value, "'")
			}
			p.kind["default"] = v
		}
		if p.text != "" {
			p.kind["description"] = p.text
		}
		d.params = append(d.params, p)
		return
	}
	if m := returnsTag.FindStringSubmatch(line); m != nil {
		var ok bool
		if d.returns, ok = typeOf(m[1]); !ok {
			d.wrong = append(d.wrong, fmt.Sprintf("Type {%.60s} of the result is not one that a tool can return.", m[1]))
		}
		return
	}
	if d.summary == "" && !strings.HasPrefix(line, "@") {
		d.summary = line
	}
}

// typeOf is the JSON schema of a type; never nil.
func typeOf(text string) (schema map[string]any, ok bool) {
	text = strings.TrimSpace(text)
	if item, isList := strings.CutSuffix(text, "[]"); isList {
		items, ok := typeOf(item)
		return map[string]any{"type": "array", "items": items}, ok
	}
	if strings.ContainsAny(text, `"'`) {
		var choices []any
		for _, one := range strings.Split(text, "|") {
			value, err := strconv.Unquote(`"` + strings.Trim(strings.TrimSpace(one), `"'`) + `"`)
			if err != nil {
				return map[string]any{}, false
			}
			choices = append(choices, value)
		}
		return map[string]any{"type": "string", "enum": choices}, true
	}
	switch text {
	case "string", "number", "integer", "boolean", "object":
		return map[string]any{"type": text}, true
	}
	return map[string]any{}, false
}

func (d *jsDoc) schema() json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, p := range d.params {
		properties[p.name] = p.kind
		if !p.optional {
			required = append(required, p.name)
		}
	}
	return marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

// documented is how much of the summary and the parameters is described, 0 to 1.
func (d *jsDoc) documented() float64 {
	n := 1
	if d.summary == "" {
		n = 0
	}
	for _, p := range d.params {
		if p.text != "" {
			n++
		}
	}
	return float64(n) / float64(1+len(d.params))
}

func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}") // cannot be: it was read from text
	}
	return raw
}

// callsIn are the host calls that a source visibly makes, sorted. What it hides from here is refused when it runs.
func callsIn(source string) []string {
	names := []string{}
	for _, m := range slices.Concat(hostCall.FindAllStringSubmatch(source, -1), namedCall.FindAllStringSubmatch(source, -1)) {
		if !slices.Contains([]string{"call", "sleep", "now"}, m[1]) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
