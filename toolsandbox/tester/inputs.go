package tester

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Range is where the values of a parameter are drawn from: one of Values, or a number from Min to Max.
type Range struct {
	Min     float64           `json:"min,omitempty"`
	Max     float64           `json:"max,omitempty"`
	Integer bool              `json:"integer,omitempty"`
	Values  []json.RawMessage `json:"values,omitempty"`
}

// inputs are the arguments of all runs of a case. The ends of ranges come first.
func (c *Case) inputs() ([]json.RawMessage, error) {
	var fixed map[string]json.RawMessage
	if err := json.Unmarshal(c.Input, &fixed); err != nil || fixed == nil {
		return nil, fmt.Errorf("input %.100s: not a JSON object", c.Input)
	}
	if len(c.ForAll) == 0 {
		return []json.RawMessage{c.Input}, nil
	}
	runs := c.Runs
	if runs == 0 {
		runs = defaultRuns
	}
	random := rand.New(rand.NewPCG(c.Seed, 1)) //nolint:gosec // repeatable on purpose
	all := make([]json.RawMessage, 0, runs)
	for i := range runs {
		one := maps.Clone(fixed)
		for _, name := range slices.Sorted(maps.Keys(c.ForAll)) {
			r := c.ForAll[name]
			if len(r.Values) == 0 && !(r.Min <= r.Max) || math.IsInf(r.Max-r.Min, 0) {
				return nil, fmt.Errorf("for_all %s: from %g to %g", name, r.Min, r.Max)
			}
			v, err := r.draw(i, random)
			if err != nil {
				return nil, fmt.Errorf("for_all %s: %w", name, err)
			}
			one[name] = v
		}
		text, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

func (r Range) draw(i int, random *rand.Rand) (json.RawMessage, error) {
	if n := len(r.Values); n > 0 {
		if i < n {
			return r.Values[i], nil
		}
		return r.Values[random.IntN(n)], nil
	}
	v := r.Min + random.Float64()*(r.Max-r.Min)
	switch i {
	case 0:
		v = r.Min
	case 1:
		v = r.Max
	}
	if r.Integer {
		v = math.Round(v)
	}
	return json.Marshal(v)
}

// schema is what a derived JSON schema can say.
type schema struct {
	Type       any               `json:"type"` // a string or a list of them
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []json.RawMessage `json:"enum"`
	Items      *schema           `json:"items"`
	AnyOf      []schema          `json:"anyOf"`
	Default    json.RawMessage   `json:"default"`
}

// EdgeCases makes cases from the schema of a tool's parameters: each parameter in turn at its edges, the others at
// something ordinary. A tool may refuse them, but not break.
func EdgeCases(parameters json.RawMessage) ([]Case, error) {
	var s schema
	if err := json.Unmarshal(parameters, &s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	usual := map[string]json.RawMessage{}
	for name, p := range s.Properties {
		usual[name] = p.values()[0]
	}
	var cases []Case
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		for _, v := range p.values()[1:] {
			one := maps.Clone(usual)
			one[name] = v
			input, err := json.Marshal(one)
			if err != nil {
				return nil, err
			}
			cases = append(cases, Case{Name: fmt.Sprintf("edge: %s = %.40s", name, v), Input: input, NoCrash: true})
		}
	}
	return cases, nil
}

// values are an ordinary value and then those at the edges.
func (s schema) values() []json.RawMessage {
	raw := func(texts ...string) (all []json.RawMessage) {
		for _, t := range texts {
			all = append(all, json.RawMessage(t))
		}
		return all
	}
	if len(s.Enum) > 0 {
		return s.Enum
	}
	var all []json.RawMessage
	for _, one := range s.AnyOf {
		all = append(all, one.values()...)
	}
	types, ok := s.Type.([]any)
	if !ok {
		types = []any{s.Type}
	}
	for _, t := range types {
		switch t {
		case "integer":
			all = append(all, raw("1", "0", "-1", "2147483648", "-9007199254740991")...)
		case "number":
			all = append(all, raw("1.5", "0", "-1.5", "1e-300", "1e300")...)
		case "string":
			all = append(all, raw(`"text"`, `""`, `"äöü 日本 \u0000"`, `"`+strings.Repeat("x", 10_000)+`"`)...)
		case "boolean":
			all = append(all, raw("true", "false")...)
		case "null":
			all = append(all, raw("null")...)
		case "array":
			item := json.RawMessage("1")
			if s.Items != nil {
				item = s.Items.values()[0]
			}
			all = append(all, raw("["+string(item)+"]", "[]", "["+strings.Repeat(string(item)+",", 999)+string(item)+"]")...)
		case "object":
			all = append(all, raw("{}")...)
		}
	}
	if len(s.Default) > 0 {
		all = append([]json.RawMessage{s.Default}, all...)
	}
	if len(all) == 0 {
		all = raw("null")
	}
	return all
}
