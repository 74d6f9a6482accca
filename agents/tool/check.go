package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reachyd/reachyd/perception/language/truncate"
)

// Limits of the arguments of one call.
const (
	// MaxArgs is the most bytes of JSON that the arguments of one call may have.
	MaxArgs = 1 << 20
	// maxDepth is how deeply values may be nested.
	maxDepth = 16
	// maxProblems is how many problems one error names.
	maxProblems = 8
	// maxShown is how many characters of an offending value an error quotes.
	maxShown = 60
)

// ArgumentError says which argument is wrong, what it was, and what is allowed.
type ArgumentError struct {
	Field   string // path of the argument, "steps[2].tool"; empty for the arguments as a whole
	Value   string // as it was given, in JSON, shortened; empty when it is missing
	Allowed string // the problem and what is allowed: "is out of range −180…180"
}

func (e *ArgumentError) Error() string {
	parts := make([]string, 0, 2)
	if e.Field != "" {
		parts = append(parts, e.Field)
	}
	return strings.Join(append(parts, strings.TrimSpace(e.Value+" "+e.Allowed)), ": ")
}

// ArgumentErrors are all the problems of one set of arguments that were found, in the order of the fields' names.
type ArgumentErrors []*ArgumentError

func (e ArgumentErrors) Error() string {
	texts := make([]string, len(e))
	for i, p := range e {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "; ")
}

// Check compares JSON arguments with the schema and returns them with the defaults filled in and the properties
// sorted. Empty args are read as {}. The error is an ArgumentErrors.
func (s Schema) Check(args json.RawMessage) (json.RawMessage, error) {
	v, err := Decode(args)
	if err != nil {
		return nil, err
	}
	if v, err = s.CheckValues(v); err != nil {
		return nil, err
	}
	out, err := json.Marshal(v)
	if err != nil { // cannot happen: v came from JSON, and defaults were verified
		return nil, whole(err.Error())
	}
	return out, nil
}

func whole(problem string) ArgumentErrors {
	return ArgumentErrors{{Field: "arguments", Allowed: problem}}
}

// checker walks a value along a schema, collects problems and fills in defaults.
type checker struct{ problems ArgumentErrors }

func (c *checker) err() error {
	if len(c.problems) == 0 {
		return nil
	}
	return c.problems
}

func (c *checker) fail(at string, v any, format string, args ...any) {
	if len(c.problems) >= maxProblems {
		return
	}
	c.problems = append(c.problems, &ArgumentError{Field: at, Value: show(v), Allowed: fmt.Sprintf(format, args...)})
}

// missing is the value of an argument that was not given; null is one that was.
type missing struct{}

func (c *checker) value(s *Schema, at string, v any) any {
	switch s.kind() {
	case TypeObject:
		if o, ok := v.(map[string]any); ok {
			return c.object(s, at, o)
		}
		c.fail(at, v, "is not an object")
	case TypeArray:
		if a, ok := v.([]any); ok {
			return c.array(s, at, a)
		}
		c.fail(at, v, "is not an array")
	case TypeString:
		c.text(s, at, v)
	case TypeNumber, TypeInteger:
		return c.number(s, at, v)
	case TypeBoolean:
		if _, ok := v.(bool); !ok {
			c.fail(at, v, "is not true or false")
		}
	}
	return v
}

func (c *checker) object(s *Schema, at string, o map[string]any) any {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		p, known := s.Properties[name]
		switch {
		case known:
			o[name] = c.value(&p, join(at, name), o[name])
		case !s.Open:
			c.fail(join(at, name), o[name], "is not expected; %s", s.expected())
		}
	}
	for _, name := range s.Required {
		if _, given := o[name]; !given {
			p := s.Properties[name]
			c.fail(join(at, name), missing{}, "is missing; it must be %s", p.allowed())
		}
	}
	for name, p := range s.Properties {
		if _, given := o[name]; !given && p.Default != nil {
			o[name] = p.Default
		}
	}
	return o
}

func (c *checker) array(s *Schema, at string, a []any) any {
	if s.MaxItems > 0 && len(a) > s.MaxItems {
		c.fail(at, missing{}, "has %d items; at most %d are allowed", len(a), s.MaxItems)
		return a
	}
	if s.Items == nil {
		return a
	}
	for i := range a {
		a[i] = c.value(s.Items, at+"["+strconv.Itoa(i)+"]", a[i])
	}
	return a
}

func (c *checker) text(s *Schema, at string, v any) {
	t, ok := v.(string)
	switch {
	case !ok && s.Enum != nil:
		c.fail(at, v, "is not %s", s.allowed())
	case !ok:
		c.fail(at, v, "is not a text")
	case s.Enum != nil && !slices.Contains(s.Enum, t):
		c.fail(at, v, "is not %s", s.allowed())
	case s.MaxLength > 0 && utf8.RuneCountInString(t) > s.MaxLength:
		c.fail(at, v, "has %d characters; at most %d are allowed", utf8.RuneCountInString(t), s.MaxLength)
	}
}

// maxWhole is where a float64 can no longer tell whole numbers apart.
const maxWhole = 1 << 53

// number returns the value in the shortest form: 1e2 is 100, 3.0 is 3, so that Go's and others' integers can take it.
func (c *checker) number(s *Schema, at string, v any) any {
	n, ok := v.(json.Number)
	if !ok {
		c.fail(at, v, "is not a number; it must be %s", s.allowed())
		return v
	}
	f, err := strconv.ParseFloat(string(n), 64)
	switch {
	case err != nil || (s.kind() == TypeInteger && math.Abs(f) > maxWhole):
		c.fail(at, v, "is too large for a number; it must be %s", s.allowed())
	case s.kind() == TypeInteger && f != math.Trunc(f):
		c.fail(at, v, "is not a whole number; it must be %s", s.allowed())
	case (s.Minimum != nil && f < *s.Minimum) || (s.Maximum != nil && f > *s.Maximum):
		c.fail(at, v, "is out of range %s", s.span())
	case s.kind() == TypeInteger:
		return json.Number(strconv.FormatInt(int64(f), 10))
	}
	return v
}

// expected lists the properties of an object for a caller who gave another one.
func (s *Schema) expected() string {
	if len(s.Properties) == 0 {
		return "there are no arguments"
	}
	return "known are " + strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
}

// allowed says in words what a value of the schema is.
func (s *Schema) allowed() string {
	switch s.kind() {
	case TypeString:
		if s.Enum != nil {
			return "one of " + strings.Join(s.Enum, ", ")
		}
		return "a text"
	case TypeBoolean:
		return "true or false"
	case TypeArray:
		return "an array"
	case TypeNumber, TypeInteger:
		kind := "a number"
		if s.Type == TypeInteger {
			kind = "a whole number"
		}
		if s.Minimum == nil && s.Maximum == nil {
			return kind
		}
		return kind + " in " + s.span()
	}
	return "an object"
}

// span writes the range of a number: −180…180.
func (s *Schema) span() string {
	low, high := "−∞", "∞"
	if s.Minimum != nil {
		low = FormatNumber(*s.Minimum)
	}
	if s.Maximum != nil {
		high = FormatNumber(*s.Maximum)
	}
	return low + "…" + high + s.Unit
}

// FormatNumber writes a number for people: no exponent, no trailing zeros, a real minus sign.
func FormatNumber(f float64) string {
	t := strconv.FormatFloat(f, 'f', -1, 64)
	if strings.HasPrefix(t, "-") {
		return "−" + t[1:]
	}
	return t
}

// show quotes an offending value, shortened.
func show(v any) string {
	switch v := v.(type) {
	case missing:
		return ""
	case json.Number:
		return truncate.Runes(strings.Replace(string(v), "-", "−", 1), maxShown)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("%T", v)
	}
	return truncate.Runes(strings.TrimSuffix(b.String(), "\n"), maxShown)
}

// decode reads one JSON value: maps, slices, json.Number, string, bool, nil. It refuses what encoding/json lets
// pass: a property given twice, text behind the value, nesting without end, invalid UTF-8.
func decode(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("are not valid UTF-8")
	}
	d := decoder{json.NewDecoder(bytes.NewReader(data))}
	d.UseNumber()
	v, err := d.value("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("are not one JSON value: there is something behind it")
	}
	return v, nil
}

type decoder struct{ *json.Decoder }

func (d decoder) value(at string, depth int) (any, error) {
	t, err := d.token()
	if err != nil {
		return nil, err
	}
	delim, ok := t.(json.Delim)
	if !ok {
		return t, nil
	}
	if depth >= maxDepth {
		return nil, fmt.Errorf("are nested deeper than %d at %s", maxDepth, truncate.Runes(at, maxShown))
	}
	if delim == '[' {
		return d.array(at, depth)
	}
	return d.object(at, depth)
}

func (d decoder) array(at string, depth int) (any, error) {
	a := []any{}
	for d.More() {
		v, err := d.value(at+"[]", depth+1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	_, err := d.token()
	return a, err
}

func (d decoder) object(at string, depth int) (any, error) {
	o := map[string]any{}
	for d.More() {
		t, err := d.token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		here := join(at, name)
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("have %s twice", truncate.Runes(here, maxShown))
		}
		if o[name], err = d.value(here, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.token()
	return o, err
}

func (d decoder) token() (json.Token, error) {
	t, err := d.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("are not JSON: they end too early")
	case err != nil:
		return nil, fmt.Errorf("are not JSON: %w", err)
	}
	return t, nil
}
