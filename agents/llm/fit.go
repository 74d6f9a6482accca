package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/tool"
)

// maxFixes is how many changes make arguments too far from the schema to be believed.
const maxFixes = 16

// CheckCall checks a call that a model wrote against the tools it was offered. Args that are almost right are made
// right: see Fit.
func CheckCall(tools []tool.Spec, name string, args json.RawMessage) Call {
	c := Call{Name: name, Args: args}
	i, given, ok := nearTool(tools, name)
	if !ok {
		names := make([]string, len(tools))
		for k := range tools {
			names[k] = tools[k].Name
		}
		c.Err = fmt.Errorf("there is no tool %s; the tools are %s", quote(name), strings.Join(names, ", "))
		return c
	}
	if c.Name = tools[i].Name; c.Name != name {
		c.Fixes = append(c.Fixes, Fix{Field: "tool", Given: quote(name), Used: quote(c.Name)})
	}
	if given != nil {
		args = marshal(given)
	}
	fitted, fixes, err := Fit(&tools[i].Parameters, args)
	c.Fixes = append(c.Fixes, fixes...)
	if err != nil {
		c.Err = err
		return c
	}
	c.Args = fitted
	return c
}

// Fit makes JSON that a model wrote satisfy a schema without changing what it means: numbers beyond their range become
// its end, "30" becomes 30, 2.0 becomes 2, "Happy" becomes happy, null and what the schema does not know are left out.
// Defaults are filled in. Every change is told. What cannot be made right is an error; tool.ArgumentErrors if it is
// JSON at all.
func Fit(s *tool.Schema, raw json.RawMessage) (json.RawMessage, []Fix, error) {
	if len(raw) > tool.MaxArgs {
		return nil, nil, fmt.Errorf("%w: %d bytes; at most %d are allowed", ErrTooLong, len(raw), tool.MaxArgs)
	}
	out, err := s.Check(raw)
	var wrong tool.ArgumentErrors
	if err == nil || (errors.As(err, &wrong) && wrong[0].Field == "arguments" && !another(raw)) {
		return out, nil, err
	}
	var v any
	var f fitter
	raw = f.reshape(s, raw)
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil, nil, err
	}
	v = f.value(s, "", v)
	if len(f.fixes) > maxFixes {
		return nil, nil, fmt.Errorf("%w: %d values do not fit the schema", ErrBadOutput, len(f.fixes))
	}
	fixed, err := json.Marshal(v)
	if err != nil {
		return nil, nil, err
	}
	if out, err = s.Check(fixed); err != nil {
		return nil, nil, err
	}
	return out, f.fixes, nil
}

// another reports whether arguments are a list or a text, which may hold the object that they should be.
func another(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && (raw[0] == '[' || raw[0] == '"') && json.Valid(raw)
}

// fitter walks a value along a schema and notes what it changes.
type fitter struct{ fixes []Fix }

func (f *fitter) fix(at string, given, used any, clamp bool) any {
	x := Fix{Field: at, Given: quote(given), Clamp: clamp}
	if used != nil {
		x.Used = quote(used)
	}
	f.fixes = append(f.fixes, x)
	return used
}

// value goes no deeper than the schema, and than its reader lets values be nested.
func (f *fitter) value(s *tool.Schema, at string, v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 && s.Type != tool.TypeArray && at != "" {
		v = f.fix(at, v, list[0], false)
	}
	switch s.Type {
	case tool.TypeNumber, tool.TypeInteger:
		return f.number(s, at, v)
	case tool.TypeBoolean:
		return f.boolean(at, v)
	case tool.TypeString:
		return f.text(s, at, v)
	case tool.TypeArray:
		a, ok := v.([]any)
		if !ok || s.Items == nil {
			return v
		}
		for i := range a {
			a[i] = f.value(s.Items, at+"["+strconv.Itoa(i)+"]", a[i])
		}
		return a
	default:
		return f.object(s, at, v)
	}
}

func (f *fitter) object(s *tool.Schema, at string, v any) any {
	if t, ok := v.(string); ok { // an object in quotes, as some models write arguments
		var o map[string]any
		dec := json.NewDecoder(strings.NewReader(t))
		dec.UseNumber()
		if dec.Decode(&o) == nil && !dec.More() {
			v = f.fix(at, t, o, false)
		}
	}
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		here := name
		if at != "" {
			here = at + "." + name
		}
		p, known := s.Properties[name]
		switch {
		case known && o[name] == nil && !slices.Contains(s.Required, name), !known && !s.Open:
			f.fix(here, o[name], nil, false)
			delete(o, name)
		case known:
			o[name] = f.value(&p, here, o[name])
		}
	}
	return o
}

func (f *fitter) number(s *tool.Schema, at string, v any) any {
	given := v
	if t, ok := v.(string); ok {
		t = strings.TrimSuffix(strings.TrimSpace(strings.Replace(t, "−", "-", 1)), s.Unit)
		v = json.Number(strings.TrimSpace(t))
	}
	n, ok := v.(json.Number)
	if !ok {
		return given
	}
	x, err := strconv.ParseFloat(string(n), 64)
	// A number too large for a float64 is still beyond the range; ParseFloat returns an infinity for it.
	if (err != nil && !errors.Is(err, strconv.ErrRange)) || math.IsNaN(x) || (math.IsInf(x, 0) && err == nil) {
		return given
	}
	used := x
	if s.Minimum != nil {
		used = max(used, *s.Minimum)
	}
	if s.Maximum != nil {
		used = min(used, *s.Maximum)
	}
	if math.IsInf(used, 0) {
		return given
	}
	clamped := used != x
	if s.Type == tool.TypeInteger && used != math.Trunc(used) {
		used = math.Round(used)
		// Rounding must not leave the range again.
		if s.Minimum != nil && used < *s.Minimum {
			used++
		}
		if s.Maximum != nil && used > *s.Maximum {
			used--
		}
	}
	if _, quoted := given.(string); !quoted && used == x {
		return given
	}
	return f.fix(at, given, json.Number(strconv.FormatFloat(used, 'f', -1, 64)), clamped)
}

func (f *fitter) boolean(at string, v any) any {
	t, ok := v.(string)
	if !ok {
		return v
	}
	switch strings.ToLower(strings.TrimSpace(t)) {
	case "true", "yes", "on":
		return f.fix(at, v, true, false)
	case "false", "no", "off":
		return f.fix(at, v, false, false)
	}
	return v
}

func (f *fitter) text(s *tool.Schema, at string, v any) any {
	if n, ok := v.(json.Number); ok && s.Enum == nil {
		return f.fix(at, v, string(n), false)
	}
	t, ok := v.(string)
	if !ok {
		return v
	}
	if s.Enum == nil || slices.Contains(s.Enum, t) {
		return v
	}
	if allowed, is := choice(s.Enum, t); is {
		return f.fix(at, v, allowed, false)
	}
	return v
}

// quote writes a value as JSON, shortened.
func quote(v any) string {
	const most = 60
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return fmt.Sprintf("%T", v)
	}
	t := strings.TrimSuffix(b.String(), "\n")
	if len(t) <= most {
		return t
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(t[cut]) {
		cut--
	}
	return t[:cut] + "…"
}
