// Package mend puts right by program what small language models get wrong in the Python that they write, so that no repair by the model
// is spent on it: the function's name and its type hints, imports that are missing, what stands around the function, a docstring.
package mend

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Function is what the source must define.
type Function struct {
	Name      string
	Signature string // from "(" on, without the colon: (text: str) -> int
	Summary   string // one sentence
	// Parameters says what each one is; Returns what comes out.
	Parameters []Parameter
	Returns    string
}

// Parameter is a parameter of a Function.
type Parameter struct{ Name, Text string }

// Python returns the source as it should have been written, and what was changed. A source without a function stays as it is.
func Python(source string, f Function) (mended string, changed []string) {
	note := func(what string, before string) {
		if source != before {
			changed = append(changed, what)
		}
	}
	for _, step := range [...]struct {
		what string
		do   func(string, *Function) string
	}{
		{"what stood around the function is left out", around},
		{"the function has its name", name},
		{"types are written as Python has them", typing},
		{"the parameters have their types", header},
		{"imports are added", imports},
		{"the function says what it does", docstring},
		{"the file says what it is", opening},
	} {
		before := source
		source = step.do(source, &f)
		note(step.what, before)
	}
	return source, changed
}

var (
	topDef  = regexp.MustCompile(`(?m)^(?:async )?def ([A-Za-z]\w*)\s*\(`)
	topLine = regexp.MustCompile(`^(?:import |from |def |async def |class |@|#|"""|'''|[A-Za-z_]\w*\s*(?::[^=]*)?=[^=])`)
)

// around leaves out statements beside imports, definitions and constants: calls that show how the function is used, and
// if __name__ == "__main__".
func around(source string, _ *Function) string {
	var out []string
	keeps, quoted, deep := true, false, 0
	for line := range strings.SplitSeq(source, "\n") {
		begins := line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != ')' && line[0] != ']' && line[0] != '}' && !quoted && deep == 0
		if begins {
			keeps = topLine.MatchString(line) && !calls.MatchString(line)
		}
		if strings.Count(line, `"""`)%2 == 1 || strings.Count(line, `'''`)%2 == 1 {
			quoted = !quoted
		}
		if !quoted && !strings.Contains(line, `"`) && !strings.Contains(line, `'`) {
			deep = max(0, deep+strings.Count(line, "(")+strings.Count(line, "[")+strings.Count(line, "{")-
				strings.Count(line, ")")-strings.Count(line, "]")-strings.Count(line, "}"))
		}
		if keeps {
			out = append(out, line)
		}
	}
	text := strings.TrimSpace(strings.Join(out, "\n"))
	if !topDef.MatchString(text) {
		return source
	}
	return text + "\n"
}

// calls is a name that is given what a call returns: result = count("x"), which is work outside of functions.
var calls = regexp.MustCompile(`^[a-z_]\w*\s*=\s*[a-z_]\w*\(`)

// name gives the function its name where it is the only one that is not private, or the last.
func name(source string, f *Function) string {
	var found []string
	for _, m := range topDef.FindAllStringSubmatch(source, -1) {
		if m[1] == f.Name {
			return source
		}
		found = append(found, m[1])
	}
	if len(found) == 0 {
		return source
	}
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(found[len(found)-1])+`\b`).ReplaceAllLiteralString(source, f.Name)
}

var (
	oldTypes     = regexp.MustCompile(`\b(?:typing\.)?(List|Dict|Tuple|Set|FrozenSet)\b(\s*\[|\s*[,)\]:=]|\s*$)`)
	optional     = regexp.MustCompile(`\b(?:typing\.)?Optional\[([^\[\]]*(?:\[[^\[\]]*\])?)\]`)
	typingImport = regexp.MustCompile(`(?m)^\s*(?:from typing import .*|import typing.*)\n?`)
)

// typing writes List[int] as list[int]: the module typing is not there for tools.
func typing(source string, _ *Function) string {
	if !typingImport.MatchString(source) && !optional.MatchString(source) {
		return source
	}
	source = typingImport.ReplaceAllString(source, "")
	source = optional.ReplaceAllString(source, "$1 | None")
	source = oldTypes.ReplaceAllStringFunc(source, strings.ToLower)
	return strings.NewReplacer(": Any", ": object", "-> Any", "-> object", ", Any]", ", object]", "[Any]", "[object]").Replace(source)
}

// header gives the parameters and the result the types of the signature, where the names are the same.
func header(source string, f *Function) string {
	at := regexp.MustCompile(`(?m)^def ` + regexp.QuoteMeta(f.Name) + `\s*\(`).FindStringIndex(source)
	if at == nil || f.Signature == "" {
		return source
	}
	open := at[1] - 1
	end := closes(source, open)
	colon := strings.IndexByte(source[max(end, 0):], '\n')
	if end < 0 || colon < 0 {
		return source
	}
	rest := source[end : end+colon]
	mark := strings.LastIndexByte(rest, ':')
	if mark < 0 || !slices.Equal(parameterNames(source[open+1:end-1]), parameterNames(f.Signature[1:closes(f.Signature, 0)-1])) {
		return source
	}
	if strings.TrimSpace(rest[mark+1:]) != "" { // def f(x): return x
		return source[:at[0]] + "def " + f.Name + f.Signature + ":\n    " + strings.TrimSpace(rest[mark+1:]) + source[end+colon:]
	}
	return source[:at[0]] + "def " + f.Name + f.Signature + ":" + source[end+colon:]
}

// closes is the place behind the bracket that closes the one at open; -1 when there is none.
func closes(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// parameterNames are the names of a list of parameters.
func parameterNames(list string) []string {
	var out []string
	depth, from := 0, 0
	add := func(part string) {
		n, _, _ := strings.Cut(part, ":")
		n, _, _ = strings.Cut(n, "=")
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	for i := range len(list) {
		switch list[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				add(list[from:i])
				from = i + 1
			}
		}
	}
	add(list[from:])
	return out
}

// modules are what tools may import, and names of them that are used without saying so.
var modules = map[string][]string{
	"math": {"sqrt", "floor", "ceil", "gcd", "pi"}, "re": nil, "statistics": {"mean", "median", "stdev", "mode"},
	"collections": {"Counter", "defaultdict", "OrderedDict", "deque"}, "itertools": {"groupby", "permutations", "combinations", "chain", "accumulate", "product"},
	"json": nil, "random": nil, "time": nil, "string": {"ascii_lowercase", "ascii_uppercase", "ascii_letters", "punctuation"},
	"datetime": {"timedelta", "timezone"}, "reachy": nil,
}

var (
	identifier = regexp.MustCompile(`\w+`)
	lastImport = regexp.MustCompile(`(?m)^(?:import|from) .*$`)
)

// imports adds what is used and neither imported nor defined.
func imports(source string, _ *Function) string {
	code := literals.ReplaceAllString(source, `""`)
	var lines []string
	has := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(code) }
	names := map[string]bool{} // an expression is made only for what is there
	for _, n := range identifier.FindAllString(code, -1) {
		names[n] = true
	}
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		known := !names[m] || has(`(?m)^\s*(?:import|from)\b.*\b`+m+`\b`)
		if !known && has(`(?:^|[^\w.])`+m+`\.\w`) && !has(`\b`+m+`\s*[=,)]`) {
			lines = append(lines, "import "+m)
		}
		for _, n := range modules[m] {
			if !names[n] {
				continue
			}
			bound := has(`(?m)^\s*(?:import|from)\b.*\b`+n+`\b`) || has(`\b`+n+`\s*(?:=[^=]|,|\bin\b)`) ||
				has(`(?m)^\s*(?:def|class) `+n+`\b`) || has(`\bfor\b[^\n]*\b`+n+`\b`)
			if used := has(`(?:^|[^\w.])` + n + `\s*[(\[.]`); used && !bound {
				lines = append(lines, "from "+m+" import "+n)
			}
		}
	}
	if len(lines) == 0 {
		return source
	}
	text := strings.Join(lines, "\n")
	if at := lastImport.FindStringIndex(source); at != nil {
		return source[:at[0]] + text + "\n" + source[at[0]:]
	}
	if m := moduleDoc.FindString(source); m != "" {
		return m + "\n" + text + "\n\n\n" + strings.TrimLeft(source[len(m):], "\n")
	}
	return text + "\n\n\n" + source
}

var (
	literals  = regexp.MustCompile(`(?s)""".*?"""|'''.*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*`)
	moduleDoc = regexp.MustCompile(`(?s)^\s*(?:""".*?"""|'''.*?''')`)
	firstDoc  = regexp.MustCompile(`(?s)^(\s*\n)*([ \t]+)(?:[rR]?"""(.*?)"""|[rR]?'''(.*?)''')[ \t]*\n?`)
)

// docstring writes what the function does, its arguments and its result, where the model has left that out.
func docstring(source string, f *Function) string {
	at := regexp.MustCompile(`(?m)^def ` + regexp.QuoteMeta(f.Name) + `\s*\(`).FindStringIndex(source)
	if at == nil {
		return source
	}
	end := closes(source, at[1]-1)
	if end < 0 {
		return source
	}
	line := strings.IndexByte(source[end:], '\n')
	if line < 0 {
		return source
	}
	body := source[end+line+1:]
	if m := firstDoc.FindStringSubmatch(body); m != nil {
		said := m[3] + m[4]
		if (strings.Contains(said, "Args:") || len(f.Parameters) == 0) && strings.Contains(said, "Returns:") {
			return source
		}
		body = body[len(m[0]):]
		if strings.TrimSpace(body) == "" {
			return source
		}
	}
	return source[:end+line+1] + f.docstring(indentOf(body)) + body
}

// indentOf is the indentation of the first line that has something in it.
func indentOf(body string) string {
	for line := range strings.SplitSeq(body, "\n") {
		if text := strings.TrimLeft(line, " \t"); text != "" {
			return cmp.Or(line[:len(line)-len(text)], "    ")
		}
	}
	return "    "
}

// docstring is the function's, indented.
func (f *Function) docstring(in string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\"\"\"%s\n", in, plain(cmp.Or(f.Summary, "Does what its name says."), true))
	if len(f.Parameters) > 0 {
		fmt.Fprintf(&b, "\n%sArgs:\n", in)
		for _, p := range f.Parameters {
			fmt.Fprintf(&b, "%s    %s: %s\n", in, p.Name, plain(cmp.Or(p.Text, "what it is given"), false))
		}
	}
	fmt.Fprintf(&b, "\n%sReturns:\n%s    %s\n%s\"\"\"\n", in, in, plain(cmp.Or(f.Returns, "The result."), true), in)
	return b.String()
}

// plain is a text in one line that ends no docstring.
func plain(text string, sentence bool) string {
	text = strings.Join(strings.Fields(strings.NewReplacer(`"""`, `"`, `\`, "/").Replace(text)), " ")
	text = strings.TrimSuffix(text, `"`)
	if sentence && text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// opening gives the file a line about itself.
func opening(source string, f *Function) string {
	if moduleDoc.MatchString(source) || !topDef.MatchString(source) {
		return source
	}
	return `"""` + plain(cmp.Or(f.Summary, "A tool."), true) + `"""` + "\n" + source
}
