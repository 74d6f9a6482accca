package candidates

import (
	_ "embed" // the words
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/coder/mend"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

//go:embed words.txt
var wordsText string

// words are the pieces of each kind, in the order of the file.
var words = func() map[string][]string {
	all := map[string][]string{}
	kind := ""
	for line := range strings.Lines(wordsText) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] != ' ' {
			at := strings.Index(line, ": ")
			kind, line = line[:at], line[at+1:]
		}
		for piece := range strings.SplitSeq(line, " | ") {
			if piece = strings.Trim(piece, " |"); piece != "" {
				all[kind] = append(all[kind], piece)
			}
		}
	}
	return all
}()

// oneOf is a pattern for any of the pieces of a kind.
func oneOf(kind string) string {
	parts := make([]string, len(words[kind]))
	for i, w := range words[kind] {
		parts[i] = strings.ReplaceAll(regexp.QuoteMeta(w), " ", `\s+`)
	}
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return `(?:` + strings.Join(parts, "|") + `)`
}

// Parameter is a parameter with its type.
type Parameter struct{ Name, Type string }

var parameterText = regexp.MustCompile(`(\w+): ((?:[^,\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])+)`)

// Parameters are those of a signature, and Returns its result.
func Parameters(signature string) (all []Parameter, returns string) {
	end := strings.LastIndex(signature, ")")
	if end < 1 {
		return nil, ""
	}
	for _, m := range parameterText.FindAllStringSubmatch(signature[1:end], -1) {
		kind, _, _ := strings.Cut(m[2], "=")
		all = append(all, Parameter{m[1], strings.TrimSpace(kind)})
	}
	return all, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(signature[end+1:]), "->"))
}

var (
	between  = regexp.MustCompile(`^\s*,?\s*` + oneOf("example") + `(?:\s*:)?\s+`)
	together = regexp.MustCompile(`^\s*(?:and|,|with|by)\s+`)
	limits   = regexp.MustCompile(`\b` + oneOf("limit") + `\s*$`)
	raises   = regexp.MustCompile(`\b[A-Z]\w*(?:Error|Exception)\b`)
)

// Beliefs are the tests that a request itself holds: its examples, and the inputs that it says must be refused. What a model says of
// the results is none of them.
func Beliefs(text string, f *mend.Function) []tester.Case {
	ps, returns := Parameters(f.Signature)
	if len(ps) == 0 {
		return nil
	}
	return append(examples(text, f.Name, ps, returns), refusals(text, ps)...)
}

// examples are values in a text that are followed by what comes out of them.
func examples(text, name string, ps []Parameter, returns string) (out []tester.Case) {
	for _, m := range literalStart.FindAllStringSubmatchIndex(text, -1) {
		at := m[2]
		in, rest := arguments(text[at:], ps)
		before := strings.TrimSuffix(strings.TrimRight(text[:at], " "), name+"(")
		verb := between.FindString(strings.TrimPrefix(rest, ")"))
		if in == nil || verb == "" || limits.MatchString(before) {
			continue
		}
		want, n := literal(strings.TrimPrefix(rest, ")")[len(verb):])
		if n == 0 || !fits(want, returns) {
			continue
		}
		out = append(out, tester.Case{Name: fmt.Sprintf("example %d", len(out)+1), Input: in, Expected: want, Tolerance: 1e-6})
	}
	return out
}

// arguments reads a value for each of the parameters from the beginning of a text.
func arguments(text string, ps []Parameter) (in json.RawMessage, rest string) {
	all := map[string]json.RawMessage{}
	for i, p := range ps {
		if i > 0 {
			gap := together.FindString(text)
			if gap == "" {
				return nil, ""
			}
			text = text[len(gap):]
		}
		v, n := literal(text)
		if n == 0 || !fits(v, p.Type) {
			return nil, ""
		}
		all[p.Name], text = v, text[n:]
	}
	return object(all), text
}

func object(all map[string]json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return raw
}

var (
	sentenceEnds = regexp.MustCompile(`[.;]\s+|\n`)
	comparison   = regexp.MustCompile(`\b(` + oneOf("below") + `|` + oneOf("above") + `)\s+([-−]?\d+(?:\.\d+)?)`)
	inRange      = regexp.MustCompile(`(?:outside|from|between|,)?\s*([-−]?\d+(?:\.\d+)?) (?:to|and) ([-−]?\d+(?:\.\d+)?)`)
	others       = regexp.MustCompile(`(?i)\b(?:others?|another|outside|every(?:thing)? else|all else|any other)\b`)
	aboveWord    = regexp.MustCompile(`^` + oneOf("above") + `$`)
	negatives    = regexp.MustCompile(`\b` + oneOf("negative") + `\b`)
	empties      = regexp.MustCompile(`\b` + oneOf("empty") + `\b`)
	denied       = regexp.MustCompile(`\b` + oneOf("not") + `\s+(?:be\s+)?(?:\w+\s+)?$`)
)

// refusals are inputs that a text says end with an error: a number below or above another, a negative one, what is empty.
func refusals(text string, ps []Parameter) (out []tester.Case) {
	var allowed []string // the last range that was named
	for _, s := range sentenceEnds.Split(text, -1) {
		r := inRange.FindStringSubmatch(s)
		if r != nil {
			allowed = r
		}
		raised := raises.FindString(s)
		if raised == "" {
			continue
		}
		add := func(over map[string]string) {
			if in := usual(ps, over); len(over) > 0 && in != nil {
				out = append(out, tester.Case{Name: fmt.Sprintf("refused %d", len(out)+1), Input: in, Error: raised})
			}
		}
		for _, m := range comparison.FindAllStringSubmatchIndex(s, -1) {
			if denied.MatchString(s[:m[0]]) {
				continue
			}
			step := -1.0
			if aboveWord.MatchString(s[m[2]:m[3]]) {
				step = 1
			}
			add(numbered(ps, s, s[m[4]:m[5]], step))
		}
		if m := negatives.FindStringIndex(s); m != nil && !denied.MatchString(s[:m[0]]) {
			add(numbered(ps, s, "0", -1))
		}
		if m := empties.FindStringIndex(s); m != nil && !denied.MatchString(s[:m[0]]) {
			add(emptied(ps))
		}
		if others.MatchString(s) && allowed != nil {
			add(numbered(ps, s, allowed[1], -1))
			add(numbered(ps, s, allowed[2], 1))
		}
	}
	return out
}

// numbered gives the number that a sentence is about a value beside a limit: the one that it names, or the only one. Of several that are
// meant alike all get it.
func numbered(ps []Parameter, sentence, limit string, step float64) map[string]string {
	v, err := strconv.ParseFloat(strings.Replace(limit, "−", "-", 1), 64)
	if err != nil {
		return nil
	}
	value := strconv.FormatFloat(v+step, 'g', -1, 64)
	numeric, named := map[string]string{}, map[string]string{}
	for _, p := range ps {
		if p.Type != "int" && p.Type != "float" {
			continue
		}
		numeric[p.Name] = value
		if mentions(sentence, p.Name) {
			named[p.Name] = value
		}
	}
	switch {
	case len(named) == 1:
		return named
	case len(numeric) == 1 || v+step == -1:
		return numeric
	}
	return nil
}

// mentions reports whether a text names a parameter, in the singular or the plural.
func mentions(text, name string) bool {
	stem := strings.TrimSuffix(strings.ReplaceAll(name, "_", " "), "s")
	return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(stem) + `s?\b`).MatchString(text)
}

// emptied makes the only list, text or dictionary empty.
func emptied(ps []Parameter) map[string]string {
	out := map[string]string{}
	for _, p := range ps {
		switch {
		case strings.HasPrefix(p.Type, "list"):
			out[p.Name] = "[]"
		case strings.HasPrefix(p.Type, "dict"):
			out[p.Name] = "{}"
		case p.Type == "str":
			out[p.Name] = `""`
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// usual is an input of something usual, but for some parameters.
func usual(ps []Parameter, over map[string]string) json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, p := range ps {
		if v, ok := over[p.Name]; ok {
			all[p.Name] = json.RawMessage(v)
		} else if known := words[p.Type]; len(known) > 0 {
			all[p.Name] = json.RawMessage(known[0])
		} else {
			return nil
		}
	}
	return object(all)
}
