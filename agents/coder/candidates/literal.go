package candidates

import (
	"encoding/json"
	"regexp"
	"strings"
)

// literalStart is where a value can begin: not inside of a word or a number.
var literalStart = regexp.MustCompile(`(?:^|[\s(,:;"'])(['"‘’“”\[{]|[-−]?\d|True\b|False\b|true\b|false\b)`)

var (
	numberText = regexp.MustCompile(`^[-−]?\d+(?:\.\d+)?(?:$|[^\w.]|\.(?:$|\D))`)
	boolText   = regexp.MustCompile(`^(?:True|False|true|false)\b`)
	quotes     = map[string]string{"'": "'", `"`: `"`, "‘": "’", "“": "”"}
)

// literal reads a value at the beginning of a text as people and Python write it: a number, a text in quotes, True, a list or a
// dictionary of these. It returns the value in JSON and how long it is in the text; 0 when there is none.
func literal(text string) (value json.RawMessage, length int) {
	for open, end := range quotes {
		if inside, ok := strings.CutPrefix(text, open); ok {
			at := strings.Index(inside, end)
			if at < 0 || strings.Contains(inside[:at], "\n") {
				return nil, 0
			}
			out, err := json.Marshal(inside[:at])
			if err != nil {
				return nil, 0
			}
			return out, len(open) + at + len(end)
		}
	}
	switch {
	case strings.HasPrefix(text, "["):
		return sequence(text, ']')
	case strings.HasPrefix(text, "{"):
		return sequence(text, '}')
	case boolText.MatchString(text):
		word := boolText.FindString(text)
		return json.RawMessage(strings.ToLower(word)), len(word)
	}
	if m := numberText.FindString(text); m != "" {
		m = strings.TrimRightFunc(m, func(r rune) bool { return r < '0' || r > '9' })
		number := strings.Replace(m, "−", "-", 1)
		if json.Valid([]byte(number)) {
			return json.RawMessage(number), len(m)
		}
	}
	return nil, 0
}

// sequence reads what stands between brackets: values with commas between them, in a dictionary pairs with a colon.
func sequence(text string, end byte) (value json.RawMessage, length int) {
	out := []byte{text[0]}
	rest := text[1:]
	for first := true; ; first = false {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" {
			return nil, 0
		}
		if rest[0] == end {
			out = append(out, end)
			return out, len(text) - len(rest) + 1
		}
		if !first {
			if rest[0] != ',' {
				return nil, 0
			}
			out = append(out, ',')
			rest = strings.TrimLeft(rest[1:], " \t")
		}
		v, n := literal(rest)
		if n == 0 {
			return nil, 0
		}
		out, rest = append(out, v...), strings.TrimLeft(rest[n:], " \t")
		if end != '}' {
			continue
		}
		if !strings.HasPrefix(rest, ":") {
			return nil, 0
		}
		rest = strings.TrimLeft(rest[1:], " \t")
		if v, n = literal(rest); n == 0 {
			return nil, 0
		}
		out, rest = append(append(out, ':'), v...), rest[n:]
	}
}

// fits reports whether a value in JSON is of a type as Python names it.
func fits(value json.RawMessage, kind string) bool {
	text := strings.TrimSpace(string(value))
	if text == "" {
		return false
	}
	list, isList := strings.CutPrefix(kind, "list")
	switch {
	case isList:
		if text[0] != '[' {
			return false
		}
		var all []json.RawMessage
		if json.Unmarshal(value, &all) != nil {
			return false
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
		for _, v := range all {
			if inner != "" && !fits(v, inner) {
				return false
			}
		}
		return true
	case strings.HasPrefix(kind, "dict"):
		return text[0] == '{'
	case kind == "str":
		return text[0] == '"'
	case kind == "bool":
		return text == "true" || text == "false"
	case kind == "int":
		return !strings.ContainsAny(text, `."[{tf`)
	case kind == "float":
		return !strings.ContainsAny(text, `"[{tf`)
	}
	return false
}
