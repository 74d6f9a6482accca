package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// cases are those of a source; without any they are made from its schema, so that at least nothing breaks at the edges.
func (c *Checked) cases() ([]tester.Case, error) {
	cases, err := ParseCases(c.Cases)
	if err != nil || len(cases) > 0 {
		return cases, err
	}
	if len(c.Facts.Schema) == 0 {
		return nil, inputf("there are no cases, and none can be made: the parameters cannot be read")
	}
	cases, err = tester.EdgeCases(c.Facts.Schema)
	if err != nil {
		return nil, fmt.Errorf("cases of %s: %w", c.Name, err)
	}
	return append(cases, tester.Case{Name: "runs", NoCrash: true, Input: ordinary(c.Facts.Schema)}), nil
}

// ParseCases reads test cases, a JSON array; nothing is none. The error is an ErrInput.
func ParseCases(text json.RawMessage) (cases []tester.Case, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&cases); err != nil {
		return nil, inputf("cases: %w", err)
	}
	return cases, nil
}

// parameters are those of a schema that the validator derived, as far as cases need them.
type parameters struct {
	Properties map[string]struct {
		Type any   `json:"type"` // a string, or a list of them
		Enum []any `json:"enum"`
	} `json:"properties"`
	Required []string `json:"required"`
}

// ordinary is an input with something usual for every required parameter.
func ordinary(schema json.RawMessage) json.RawMessage {
	var d parameters
	if json.Unmarshal(schema, &d) != nil {
		return nil
	}
	usual := map[any]any{"integer": 1, "number": 1.5, "string": "text", "boolean": true, "array": []any{}, "object": map[string]any{}}
	input := map[string]any{}
	for _, name := range d.Required {
		q := d.Properties[name]
		if kinds, ok := q.Type.([]any); ok && len(kinds) > 0 {
			q.Type = kinds[0]
		}
		kind, _ := q.Type.(string)
		if value, ok := usual[kind]; ok {
			input[name] = value
		}
		if len(q.Enum) > 0 {
			input[name] = q.Enum[0]
		}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return nil
	}
	return raw
}
