// Package verbalize puts results into words as a person says them: rounded numbers with their units, lists, yes and no.
package verbalize

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText is the most characters that a value becomes.
const MaxText = 400

// Number says a number: 45, 0.333, 1,250, 3.2 million, minus 5.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "not a number"
	case math.IsInf(x, 1):
		return "infinity"
	case math.IsInf(x, -1):
		return "minus infinity"
	case x < 0:
		return "minus " + Number(-x)
	case x >= 1e15:
		return power(x)
	}
	for _, big := range []struct {
		size float64
		name string
	}{{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}} {
		if x >= big.size {
			n := x / big.size
			text := trim(strconv.FormatFloat(n, 'f', 2, 64))
			if exact, _ := strconv.ParseFloat(text, 64); math.Abs(exact-n) > n*1e-9 {
				text = "about " + text
			}
			return text + " " + big.name
		}
	}
	// Four digits are what a person can use; whole numbers are said whole.
	if x == math.Trunc(x) {
		return group(strconv.FormatFloat(x, 'f', 0, 64))
	}
	decimals := 4 - int(math.Ceil(math.Log10(x)))
	decimals = min(max(decimals, 1), 8)
	text := trim(strconv.FormatFloat(x, 'f', decimals, 64))
	if text == "0" {
		return power(x)
	}
	whole, fraction, found := strings.Cut(text, ".")
	if !found {
		return group(whole)
	}
	return group(whole) + "." + fraction
}

// power says a number that has too many digits: about 1.5 times ten to the power of 20.
func power(x float64) string {
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 2, 64), "e")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return digits // FormatFloat writes an exponent
	}
	return "about " + trim(digits) + " times ten to the power of " + Number(float64(n))
}

// trim takes off zeros behind the point.
func trim(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// group sets commas: 1,250,000.
func group(digits string) string {
	if len(digits) <= 4 {
		return digits // 2026
	}
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// units are the endings of names that say what a number counts.
var units = []struct{ ending, one, many string }{
	{"_mm", "millimetre", "millimetres"},
	{"_cm", "centimetre", "centimetres"},
	{"_km", "kilometre", "kilometres"},
	{"_m", "metre", "metres"},
	{"_meters", "metre", "metres"},
	{"_metres", "metre", "metres"},
	{"_miles", "mile", "miles"},
	{"_ms", "millisecond", "milliseconds"},
	{"_s", "second", "seconds"},
	{"_sec", "second", "seconds"},
	{"_seconds", "second", "seconds"},
	{"_minutes", "minute", "minutes"},
	{"_hours", "hour", "hours"},
	{"_days", "day", "days"},
	{"_percent", "percent", "percent"},
	{"_pct", "percent", "percent"},
	{"_deg", "degree", "degrees"},
	{"_degrees", "degree", "degrees"},
	{"_celsius", "degree Celsius", "degrees Celsius"},
	{"_fahrenheit", "degree Fahrenheit", "degrees Fahrenheit"},
	{"_kg", "kilogram", "kilograms"},
	{"_g", "gram", "grams"},
}

// name splits a name into words and the unit that it ends with.
func name(key string) (words, one, many string) {
	for _, u := range units {
		if rest, ok := strings.CutSuffix(key, u.ending); ok && rest != "" {
			return strings.ReplaceAll(rest, "_", " "), u.one, u.many
		}
	}
	return strings.ReplaceAll(key, "_", " "), "", ""
}

// Value says a value of JSON, in at most MaxText characters.
func Value(v any) string { return cut(value(v, 0)) }

func value(v any, depth int) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		return v
	case float64:
		return Number(v)
	case int:
		return Number(float64(v))
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return Number(f)
		}
		return v.String()
	case json.RawMessage:
		var decoded any
		if json.Unmarshal(v, &decoded) == nil {
			return value(decoded, depth)
		}
		return string(v)
	case []any:
		return list(v, depth)
	case map[string]any:
		return object(v, depth)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return value(json.RawMessage(raw), depth)
}

// Most of what is said one by one.
const (
	maxItems  = 6
	maxFields = 5
	maxDepth  = 2
)

func list(v []any, depth int) string {
	switch {
	case len(v) == 0:
		return "nothing"
	case depth >= maxDepth:
		return things(len(v), "thing")
	}
	items := make([]string, 0, maxItems+1)
	for _, e := range v[:min(len(v), maxItems)] {
		items = append(items, value(e, depth+1))
	}
	if more := len(v) - len(items); more > 0 {
		items = append(items, fmt.Sprintf("%d more", more))
	}
	return And(items)
}

func object(v map[string]any, depth int) string {
	if len(v) == 0 {
		return "nothing"
	}
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if depth >= maxDepth {
		return things(len(v), "value")
	}
	var items []string
	for _, k := range keys[:min(len(keys), maxFields)] {
		items = append(items, field(k, v[k], depth+1))
	}
	if more := len(v) - len(items); more > 0 {
		items = append(items, fmt.Sprintf("%d more", more))
	}
	return And(items)
}

func things(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// field says "distance 0.5 metres", "done: yes".
func field(key string, v any, depth int) string {
	words, one, many := name(key)
	if b, ok := v.(bool); ok {
		if b {
			return words
		}
		return "not " + words
	}
	return words + " " + counted(v, one, many, depth)
}

// named says "distance is 0.5 metres".
func named(key string, v any, verb string) string {
	words, one, many := name(key)
	return words + " " + verb + " " + counted(v, one, many, 1)
}

// counted says a value with its unit.
func counted(v any, one, many string, depth int) string {
	text := value(v, depth)
	if _, isNumber := v.(float64); isNumber && one != "" {
		if text == "1" {
			many = one
		}
		text += " " + many
	}
	return text
}

// And joins words with commas and "and".
func And(items []string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
	}
}

// Sentence makes one of a text: a capital at the beginning, a full stop at the end.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(text)
	text = strings.ToUpper(string(r)) + text[n:]
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".!?…", last) {
		text += "."
	}
	return text
}

// Result says what a tool returned, as an answer to what was asked for: the message of a result that carries one, a plain
// value as it is, an object field by field.
func Result(v any) string {
	if raw, ok := v.(json.RawMessage); ok {
		var decoded any
		if json.Unmarshal(raw, &decoded) == nil {
			v = decoded
		}
	}
	if o, ok := v.(map[string]any); ok {
		for _, key := range []string{"message", "answer", "text", "description", "summary", "error"} {
			if text, ok := o[key].(string); ok && text != "" {
				return Sentence(cut(text))
			}
		}
		for _, key := range []string{"result", "value"} {
			if inner, ok := o[key]; ok && len(o) <= 2 {
				return Result(inner)
			}
		}
		if text := fields(o); text != "" {
			return text
		}
	}
	switch v {
	case nil:
		return "Done."
	case true:
		return "Yes."
	case false:
		return "No."
	}
	text := Value(v)
	if s, ok := v.(string); ok && isSentence(s) {
		return Sentence(text)
	}
	return "The result is " + text + "."
}

// isSentence tells what a tool says to people from a value such as "dlrow olleh".
func isSentence(s string) bool {
	s = strings.TrimSpace(s)
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	return strings.Contains(s, " ") && (unicode.IsUpper(first) || strings.ContainsRune(".!?", last))
}

// maxSaid is how many fields make a sentence of their own.
const maxSaid = 3

// fields says an object of a few fields, none of them yes or no, in a sentence: "The angle is 25 and the count is 2." Others
// it leaves: "".
func fields(o map[string]any) string {
	if len(o) == 0 || len(o) > maxSaid {
		return ""
	}
	items := make([]string, 0, len(o))
	for _, key := range slices.Sorted(maps.Keys(o)) {
		switch v := o[key].(type) {
		case bool, nil:
			return ""
		case []any:
			if len(v) > 1 {
				items = append(items, "the "+named(key, v, "are"))
				continue
			}
		}
		items = append(items, "the "+named(key, o[key], "is"))
	}
	return Sentence(cut(And(items)))
}

func cut(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if r := []rune(text); len(r) > MaxText {
		return strings.TrimSpace(string(r[:MaxText-1])) + "…"
	}
	return text
}

// List joins what was done with commas and "and"; the last of three or more has a comma before it, since each is a clause.
func List(parts []string) string { return join(parts, "and") }

// Either is List with "or".
func Either(parts []string) string { return join(parts, "or") }

func join(parts []string, word string) string {
	switch n := len(parts); n {
	case 0:
		return ""
	case 1:
		return parts[0]
	case 2:
		return parts[0] + " " + word + " " + parts[1]
	default:
		return strings.Join(parts[:n-1], ", ") + ", " + word + " " + parts[n-1]
	}
}
