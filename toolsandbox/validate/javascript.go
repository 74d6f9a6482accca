package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/toolsandbox/guest"
)

// CheckJavaScript validates the source of a tool in JavaScript: a module that exports one function of the tool's name,
// with a JSDoc comment before it that describes it, its parameters and its result with their types. The error says that
// there was no sandbox, never that the source is bad.
func CheckJavaScript(ctx context.Context, s Sandbox, name, source string) (*Report, error) {
	if len(source) > maxSource {
		return refused("C002", fmt.Sprintf("%d bytes of source, allowed 10000 characters.", len(source)), "Split the tool into several that call each other."), nil
	}
	began := time.Now()
	r := &Report{Findings: []Finding{}, Function: name, Imports: []string{}, Calls: jsCalls(source)}
	r.Metrics = Metrics{Characters: len([]rune(source)), Lines: strings.Count(source, "\n") + 1}
	c := &jsChecker{report: r, source: source}
	if r.Metrics.Characters > maxCharacters {
		c.add("C002", 0, fmt.Sprintf("%d characters of source, allowed %d.", r.Metrics.Characters, maxCharacters), "Split the tool into several that call each other.")
	}
	if at := jsImport.FindStringIndex(source); at != nil {
		c.add("I001", at[0], "There are no modules to import.", "Use the language itself and the object reachy.")
	}
	// The interpreter says what is exported; for that it runs the module, within limits and without a host.
	res, err := s.Call(ctx, &guest.Request{
		Language: guest.JavaScript, Source: source, Function: "__describe", Clock: guest.Clock{Virtual: true},
		Limits: guest.Limits{Wall: 20 * time.Second, CPU: time.Second, Source: maxSource},
	})
	if err != nil {
		return nil, fmt.Errorf("validating %s: %w", name, err)
	}
	r.Took = time.Since(began)
	if res.Reason != guest.ReasonOK {
		code := "X002" // work at import
		if res.Error.Type == "SyntaxError" {
			code = "S001"
		}
		r.Findings = append(r.Findings, Finding{Code: code, Severity: Error, Line: max(1, res.Error.Line), Column: 1, Message: fmt.Sprintf("The module cannot be loaded: %s: %s %s", res.Reason, res.Error.Type, res.Error.Message), Fix: "Load without an error and without calling the robot."})
		return r, nil
	}
	var exported []struct {
		Name, Kind string
		Parameters []string
	}
	if err := json.Unmarshal(res.Value, &exported); err != nil {
		return nil, fmt.Errorf("validating %s: %w", name, err)
	}
	r.Metrics.Functions = len(exported)
	if len(exported) != 1 || exported[0].Kind != "function" || name != "" && exported[0].Name != name {
		c.add("F001", 0, fmt.Sprintf("The module exports %v.", exported), fmt.Sprintf("Export one function, %s, and nothing else.", name))
	} else {
		r.Function = exported[0].Name
		c.document(exported[0].Name, exported[0].Parameters)
	}
	r.OK = !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error })
	return r, nil
}

// maxCharacters is how long a source may be.
const maxCharacters = 10000

var (
	jsImport = regexp.MustCompile(`(?m)^\s*import\b|\bimport\s*\(`)
	jsCall   = regexp.MustCompile(`\breachy\.(?:call\(\s*["']([a-z][a-z0-9_.]*)["']|([a-z][a-z0-9_]*)\s*\()`)
	jsTag    = regexp.MustCompile(`(?m)^[ \t]*\*?[ \t]*@(param|returns?)[ \t]+\{([^}]*)\}[ \t]*(\[?)([\w$]*)(?:[ \t]*=[^\]\n]*)?\]?[ \t]*-?[ \t]*(.*)$`)
)

// jsCalls are the host calls that a source makes, as far as can be seen.
func jsCalls(source string) []string {
	calls := []string{}
	for _, m := range jsCall.FindAllStringSubmatch(source, -1) {
		if n := m[1] + m[2]; !slices.Contains([]string{"call", "sleep", "now"}, n) && !slices.Contains(calls, n) {
			calls = append(calls, n)
		}
	}
	slices.Sort(calls)
	return calls
}

type jsChecker struct {
	report *Report
	source string
}

func (c *jsChecker) add(code string, at int, message, fix string) {
	before := c.source[:at]
	line := strings.Count(before, "\n") + 1
	c.report.Findings = append(c.report.Findings, Finding{Code: code, Severity: Error, Line: line, Column: at - strings.LastIndex(before, "\n"), Message: message, Fix: fix})
}

// document reads the JSDoc comment before the exported function and derives the schema.
func (c *jsChecker) document(name string, parameters []string) {
	declared := regexp.MustCompile(`export\s+(?:default\s+)?(?:async\s+)?(?:function\s*\*?|const|let)\s*` + regexp.QuoteMeta(name) + `\b`).FindStringIndex(c.source)
	if declared == nil {
		c.add("F001", 0, "The export cannot be found.", "Write: export function "+name+"(...) { ... }")
		return
	}
	at := declared[0]
	c.report.Async = strings.Contains(c.source[declared[0]:declared[1]], "async")
	before := strings.TrimRight(c.source[:at], " \t\n\r")
	start := strings.LastIndex(before, "/**")
	if !strings.HasSuffix(before, "*/") || start < 0 {
		c.add("D001", at, name+" has no JSDoc comment.", "Put /** what it does, @param and @returns with types */ before it.")
		return
	}
	comment := strings.TrimSuffix(before[start+3:], "*/")
	text, _, _ := strings.Cut(comment, "@")
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "*")); line != "" {
			c.report.Summary = line
			break
		}
	}
	if c.report.Summary == "" {
		c.add("D002", start, "The comment does not say what "+name+" does.", "Begin it with a sentence.")
	}
	properties, required, described := map[string]any{}, []string{}, 0
	for _, m := range jsTag.FindAllStringSubmatch(comment, -1) {
		schema := jsType(m[2])
		if schema == nil {
			c.add("T003", start, fmt.Sprintf("The type %s cannot be checked.", m[2]), "Use number, integer, string, boolean, object, or one of these with [].")
			schema = map[string]any{}
		}
		if m[1] != "param" {
			c.report.Returns = mustJSON(schema)
			continue
		}
		if m[5] != "" {
			schema["description"] = m[5]
			described++
		}
		if !slices.Contains(parameters, m[4]) {
			c.add("D003", start, fmt.Sprintf("@param %s is no parameter of %s.", m[4], name), fmt.Sprintf("The parameters are %v.", parameters))
		}
		properties[m[4]] = schema
		if m[3] == "" {
			required = append(required, m[4])
		}
	}
	for _, p := range parameters {
		if properties[p] == nil {
			c.add("T001", at, "The parameter "+p+" has no type.", "Add to the comment: @param {number} "+p+" - what it is.")
		}
	}
	if c.report.Returns == nil {
		c.add("T002", at, "The type of the result is not said.", "Add to the comment: @returns {number} what it is.")
	}
	c.report.Schema = mustJSON(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	c.report.Metrics.Documented = float64(min(1, len(c.report.Summary))+described) / float64(1+len(parameters))
}

// jsType is the JSON schema of a JSDoc type, nil for one that has none.
func jsType(text string) map[string]any {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "Promise<"); ok {
		return jsType(strings.TrimSuffix(inner, ">"))
	}
	if inner, ok := strings.CutPrefix(text, "Array<"); ok {
		text = strings.TrimSuffix(inner, ">") + "[]"
	}
	if inner, ok := strings.CutSuffix(text, "[]"); ok {
		if items := jsType(inner); items != nil {
			return map[string]any{"type": "array", "items": items}
		}
		return nil
	}
	switch text {
	case "number", "integer", "string", "boolean", "object", "null":
		return map[string]any{"type": text}
	case "Object":
		return map[string]any{"type": "object"}
	case "void", "undefined":
		return map[string]any{"type": "null"}
	}
	return nil
}

// mustJSON is for schemas, which always can be encoded.
func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}
