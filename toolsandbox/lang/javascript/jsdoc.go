package javascript

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/toolsandbox/lang"
)

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
	async   bool
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
	line := lineAt(source, at[0])
	before := strings.TrimRight(source[:at[0]], " \t\r\n")
	begin := strings.LastIndex(before, "/**")
	if !strings.HasSuffix(before, "*/") || begin < 0 {
		return nil, line
	}
	d := &jsDoc{async: strings.Contains(source[at[0]:at[1]], "async")}
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
		if d.returns, ok = resultOf(m[1]); !ok {
			d.wrong = append(d.wrong, fmt.Sprintf("Type {%.60s} of the result is not one that a tool can return.", m[1]))
		}
		return
	}
	if d.summary == "" && !strings.HasPrefix(line, "@") {
		d.summary = line
	}
}

// resultOf is the JSON schema of the type of a result; never nil.
func resultOf(text string) (schema map[string]any, ok bool) {
	text = strings.TrimSpace(text)
	if inner, is := strings.CutPrefix(text, "Promise<"); is {
		return resultOf(strings.TrimSuffix(inner, ">"))
	}
	switch text {
	case "null", "void", "undefined":
		return map[string]any{"type": "null"}, true
	}
	return typeOf(text)
}

// typeOf is the JSON schema of a type; never nil.
func typeOf(text string) (schema map[string]any, ok bool) {
	text = strings.TrimSpace(text)
	if inner, is := strings.CutPrefix(text, "Array<"); is {
		text = strings.TrimSuffix(inner, ">") + "[]"
	}
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

// check finds what a comment does not say of a function.
func (d *jsDoc) check(r *lang.Report, parameters []string, line int) {
	for _, w := range d.wrong {
		r.Fault("T001", line, "Use string, number, integer, boolean, object, number[], or \"a\"|\"b\".", "%s", w)
	}
	if d.summary == "" {
		r.Fault("D002", line, "Begin the JSDoc with a sentence.", "The JSDoc does not say what the tool does.")
	}
	for _, p := range parameters {
		if !slices.ContainsFunc(d.params, func(q param) bool { return q.name == p }) {
			r.Fault("T002", line, "Add @param {type} "+p+" - what it is.", "Parameter %s has no type.", p)
		}
	}
	for _, p := range d.params {
		if !slices.Contains(parameters, p.name) {
			r.Fault("D003", line, "Take it away, or add the parameter.", "The JSDoc tells of a parameter %s, which the function does not have.", p.name)
		}
	}
	if d.returns == nil {
		r.Fault("T003", line, "Add @returns {type} what it is.", "What it returns has no type.")
	}
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
