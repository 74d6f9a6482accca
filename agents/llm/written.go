package llm

import (
	"bytes"
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
)

// Models that were not taught how a server wants calls write them as text, each in the shapes that it has seen: JSON with the
// name under one key or another, fenced, between tags, as calls of Python, as "Action:" and "Action Input:". WrittenCalls
// reads them all.

// WrittenCalls reads the calls in a text that is nothing else but them, or marks them: a fence, a tag. Anything else is nil: it
// may be what the user wanted to read.
func WrittenCalls(text string, tools []tool.Spec) []Call {
	for _, read := range []func(string, []tool.Spec) []Written{tagged, values, python, action} {
		written := read(text, tools)
		calls := make([]Call, 0, len(written))
		for _, w := range written {
			if !resembles(tools, w.Name) {
				calls = nil
				break
			}
			calls = append(calls, CheckCall(tools, w.Name, object(w.Args)))
		}
		if len(calls) > 0 {
			return calls
		}
	}
	return nil
}

// maxWritten is how many calls of one text are read.
const maxWritten = 64

var (
	// functionTag is <function=NAME>ARGUMENTS</function> and <function name="NAME">ARGUMENTS</function>.
	functionTag = regexp.MustCompile(`(?s)<function(?:=|\s+name=)"?([\w.-]+)"?>(.*?)(?:</function>|$)`)
	// parameterTag is <parameter=NAME>VALUE</parameter>.
	parameterTag = regexp.MustCompile(`(?s)<parameter(?:=|\s+name=)"?([\w.-]+)"?>(.*?)</parameter>`)
	// fence is a fenced block.
	fence = regexp.MustCompile("(?s)```[a-z_]*\\s*(.*?)(?:```|$)")
	// tag is what stands around calls without a meaning of its own.
	tag = regexp.MustCompile(`</?(?:tool_call|tool_calls|functioncall|tools?|calls?)>|<\|python_tag\|>|\[/?TOOL_CALLS\]|<\|tool_call(?:_begin|_end)?\|>`)
	// actionLine is NAME in "Action: NAME".
	actionLine = regexp.MustCompile(`(?m)^\s*Action:\s*([\w.-]+)\s*$`)
	inputLine  = regexp.MustCompile(`(?ms)^\s*Action Input:\s*(.*?)\s*(?:^\s*(?:Observation|Thought|Action):|\z)`)
	callHead   = regexp.MustCompile(`^[A-Za-z_][\w.]*\(`)
)

// tagged reads <function=NAME>, and what stands in fences and between tags.
func tagged(text string, tools []tool.Spec) (out []Written) {
	for _, m := range functionTag.FindAllStringSubmatch(text, maxWritten) {
		args := strings.TrimSpace(m[2])
		if parameters := parameterTag.FindAllStringSubmatch(m[2], maxWritten); parameters != nil {
			given := map[string]any{}
			for _, p := range parameters {
				given[p[1]] = literal(strings.TrimSpace(p[2]))
			}
			args = string(marshal(given))
		}
		out = append(out, Written{m[1], json.RawMessage(args)})
	}
	if out != nil {
		return out
	}
	for _, m := range fence.FindAllStringSubmatch(text, maxWritten) {
		block := tag.ReplaceAllString(m[1], " ")
		if found := values(block, tools); found != nil {
			out = append(out, found...)
			continue
		}
		out = append(out, python(block, tools)...)
	}
	if out != nil || !tag.MatchString(text) {
		return out
	}
	at := tag.FindStringIndex(text)
	inside := strings.TrimSpace(tag.ReplaceAllString(text[at[0]:], " "))
	if found := values(inside, tools); found != nil {
		return found
	}
	return python(inside, tools)
}

// values reads JSON values that follow each other, with nothing but commas between.
func values(text string, tools []tool.Spec) (out []Written) {
	text = strings.TrimSpace(text)
	for text != "" {
		if text[0] == ',' || text[0] == ';' {
			text = strings.TrimSpace(text[1:])
			continue
		}
		if text[0] != '{' && text[0] != '[' {
			return nil
		}
		dec := json.NewDecoder(strings.NewReader(text))
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return nil
		}
		found, ok := fromValue(raw, tools, 0)
		if !ok || len(out)+len(found) > maxWritten {
			return nil
		}
		out = append(out, found...)
		text = strings.TrimSpace(text[dec.InputOffset():])
	}
	return out
}

// The keys under which models write the parts of a call.
var (
	nameKeys = []string{"name", "tool", "function", "tool_name", "function_name", "action", "call"}
	argsKeys = []string{"arguments", "parameters", "args", "input", "params", "kwargs", "tool_input", "action_input", "parameter"}
	listKeys = []string{"tool_calls", "calls", "actions", "steps", "tools", "function_calls"}
)

const maxWrittenDepth = 4

// fromValue reads the calls in one JSON value. ok is false when there is none in it.
func fromValue(raw json.RawMessage, tools []tool.Spec, depth int) (out []Written, ok bool) {
	if depth > maxWrittenDepth {
		return nil, false
	}
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '[' {
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return nil, false
		}
		for _, item := range items {
			found, ok := fromValue(item, tools, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, found...)
		}
		return out, len(out) > 0
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return nil, false
	}
	for _, key := range listKeys {
		if list := bytes.TrimSpace(o[key]); len(list) > 0 && list[0] == '[' {
			return fromValue(list, tools, depth+1)
		}
	}
	if w, ok := named(o, tools); ok {
		return []Written{w}, true
	}
	if inner := bytes.TrimSpace(o["function"]); len(inner) > 0 && inner[0] == '{' {
		return fromValue(inner, tools, depth+1)
	}
	if len(o) == 1 { // {"NAME": ARGUMENTS}
		for name, args := range o {
			if resembles(tools, name) {
				return []Written{{name, args}}, true
			}
		}
	}
	return nil, false
}

// named reads an object that has the tool's name under one of the usual keys; what has no key of its own are the arguments.
func named(o map[string]json.RawMessage, tools []tool.Spec) (w Written, ok bool) {
	key := ""
	exact := func(tools []tool.Spec, name string) bool {
		return slices.ContainsFunc(tools, func(s tool.Spec) bool { return s.Name == name })
	}
	for _, is := range [...]func([]tool.Spec, string) bool{exact, resembles} { // "name" may as well be an argument
		for _, k := range nameKeys {
			var name string
			if key == "" && json.Unmarshal(o[k], &name) == nil && name != "" && is(tools, name) {
				key, w.Name = k, name
			}
		}
	}
	if key == "" {
		return w, false
	}
	for _, k := range argsKeys {
		if args, given := o[k]; given && len(bytes.TrimSpace(args)) > 0 {
			w.Args = args
			return w, true
		}
	}
	rest := map[string]json.RawMessage{}
	for k, v := range o {
		if k != key && k != "type" && k != "id" {
			rest[k] = v
		}
	}
	w.Args = marshal(rest)
	return w, true
}

// marshal writes what can always be written.
func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// action reads "Action: NAME" and "Action Input: ARGUMENTS".
func action(text string, _ []tool.Spec) []Written {
	m := actionLine.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	w := Written{Name: m[1], Args: json.RawMessage("{}")}
	if in := inputLine.FindStringSubmatch(text); in != nil && in[1] != "" {
		w.Args = json.RawMessage(in[1])
		if !json.Valid(w.Args) {
			w.Args = marshal(in[1])
		}
	}
	return []Written{w}
}

// python reads calls as Python writes them: look(direction="left", degrees=30), one in a line or in a list.
func python(text string, tools []tool.Spec) (out []Written) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(strings.TrimSpace(inner), "]")
	}
	for {
		text = strings.TrimLeft(text, " \t\r\n,;")
		if text == "" {
			return out
		}
		head := callHead.FindString(text)
		if head == "" || len(out) >= maxWritten {
			return nil
		}
		name := strings.TrimSuffix(head, "(")
		if name == "print" { // print(look("left"))
			text = strings.TrimSuffix(strings.TrimSpace(text[len(head):]), ")")
			continue
		}
		inside, rest, ok := closing(text[len(head):])
		if !ok {
			return nil
		}
		args, ok := pythonArgs(inside, name, tools)
		if !ok {
			return nil
		}
		out, text = append(out, Written{name, args}), rest
	}
}

// unquoted goes through the bytes of a text that stand in no quotation, with how many brackets are open before each.
func unquoted(text string) iter.Seq2[int, int] {
	return func(yield func(at, depth int) bool) {
		depth, quote := 0, byte(0)
		for i := 0; i < len(text); i++ {
			c := text[i]
			switch {
			case quote != 0 && c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"', c == '\'':
				quote = c
			case !yield(i, depth):
				return
			case c == '(', c == '[', c == '{':
				depth++
			case c == ')', c == ']', c == '}':
				depth--
			}
		}
	}
}

// closing cuts a text at the bracket that closes one that stood before it.
func closing(text string) (inside, rest string, ok bool) {
	for i, depth := range unquoted(text) {
		if text[i] == ')' && depth == 0 {
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// pythonArgs reads what stands between the brackets of a call. Values without names are those of the tool's arguments in order.
func pythonArgs(inside, name string, tools []tool.Spec) (json.RawMessage, bool) {
	args := map[string]any{}
	var order []string
	if i, _, ok := nearTool(tools, name); ok {
		order = positional(&tools[i].Parameters)
	}
	for i, part := range topLevel(inside) {
		key, value, isNamed := cutAssignment(part)
		switch {
		case isNamed:
		case i == 0 && strings.HasPrefix(part, "{") && json.Valid([]byte(part)):
			return json.RawMessage(part), true
		case i < len(order):
			key, value = order[i], part
		default:
			return nil, false
		}
		args[key] = literal(value)
	}
	return marshal(args), true
}

// positional are the arguments of a tool in the order in which a call without names gives them.
func positional(s *tool.Schema) []string {
	names := slices.Clone(s.Required)
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// topLevel cuts a list at the commas that stand in no quotation and no bracket.
func topLevel(text string) (parts []string) {
	from := 0
	for i, depth := range unquoted(text) {
		if text[i] == ',' && depth == 0 {
			parts, from = append(parts, strings.TrimSpace(text[from:i])), i+1
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

var assignment = regexp.MustCompile(`(?s)^([A-Za-z_]\w*)\s*[=:]\s*(.+)$`)

func cutAssignment(part string) (key, value string, ok bool) {
	m := assignment.FindStringSubmatch(part)
	if m == nil {
		return "", part, false
	}
	return m[1], m[2], true
}

// literal is a value as Python or JSON writes it; what is neither is a text.
func literal(text string) any {
	text = strings.TrimSpace(text)
	switch text {
	case "True":
		return true
	case "False":
		return false
	case "None":
		return nil
	}
	if n := len(text); n >= 2 && text[0] == '\'' && text[n-1] == '\'' {
		return strings.NewReplacer(`\'`, `'`, `\\`, `\`).Replace(text[1 : n-1])
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil && !dec.More() {
		return v
	}
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	return text
}

// object returns arguments as an object; some models write them as a text that holds one.
func object(args json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(args, &text) == nil && text != "" && !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return args // a value by itself
	}
	var c wireCall
	c.Function.Arguments = args
	return c.arguments()
}
