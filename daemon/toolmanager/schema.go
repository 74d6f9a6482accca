package toolmanager

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

// derived is a JSON schema as the validator derives it from Python's type hints.
type derived struct {
	Type        any                `json:"type"` // a string, or a list of them
	Description string             `json:"description"`
	Properties  map[string]derived `json:"properties"`
	Required    []string           `json:"required"`
	Additional  json.RawMessage    `json:"additionalProperties"`
	Items       *derived           `json:"items"`
	MaxItems    int                `json:"maxItems"`
	Enum        []any              `json:"enum"`
	AnyOf       []derived          `json:"anyOf"`
	Default     any                `json:"default"`
}

// toSchema makes of a derived schema one that planners and language models understand. What may be None may be left
// out instead; Python's own default is taken then.
func toSchema(raw json.RawMessage) (tool.Schema, error) {
	var d derived
	if err := json.Unmarshal(raw, &d); err != nil {
		return tool.Schema{}, fmt.Errorf("schema: %w", err)
	}
	return d.schema()
}

func (d derived) schema() (tool.Schema, error) {
	if len(d.AnyOf) > 0 {
		return d.choice()
	}
	kind, err := d.kind()
	if err != nil {
		return tool.Schema{}, err
	}
	s := tool.Schema{Type: kind, Description: d.Description, Default: d.Default}
	switch kind {
	case tool.TypeObject:
		return d.object(s)
	case tool.TypeArray:
		s.MaxItems = d.MaxItems
		if d.Items != nil {
			item, err := d.Items.schema()
			if err != nil {
				return s, fmt.Errorf("items: %w", err)
			}
			s.Items = &item
		}
	case tool.TypeString:
		for _, v := range d.Enum {
			if text, ok := v.(string); ok {
				s.Enum = append(s.Enum, text)
			}
		}
	}
	return s, nil
}

func (d derived) object(s tool.Schema) (tool.Schema, error) {
	s.Open = d.Properties == nil && string(d.Additional) != "false"
	s.Required = d.Required
	if len(d.Properties) > 0 {
		s.Properties = make(map[string]tool.Schema, len(d.Properties))
	}
	for name, p := range d.Properties {
		property, err := p.schema()
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		s.Properties[name] = property
	}
	return s, nil
}

// kind is the one type of the values, besides null.
func (d derived) kind() (tool.Type, error) {
	switch t := d.Type.(type) {
	case string:
		if t != "null" {
			return tool.Type(t), nil
		}
	case []any:
		var kinds []string
		for _, one := range t {
			if text, ok := one.(string); ok && text != "null" {
				kinds = append(kinds, text)
			}
		}
		if len(kinds) == 1 {
			return tool.Type(kinds[0]), nil
		}
		if len(kinds) == 2 && (kinds[0] == "integer" && kinds[1] == "number" || kinds[0] == "number" && kinds[1] == "integer") {
			return tool.TypeNumber, nil
		}
	case nil:
		return kindOf(d.Enum)
	}
	return "", fmt.Errorf("type %v: a tool of the robot takes values of one type: str, int, float, bool, list or dict", d.Type)
}

// kindOf is the type of the values of an enumeration.
func kindOf(values []any) (tool.Type, error) {
	var kind tool.Type
	for _, v := range values {
		k := tool.TypeNumber
		switch v.(type) {
		case string:
			k = tool.TypeString
		case bool:
			k = tool.TypeBoolean
		case nil:
			continue
		}
		if kind != "" && kind != k {
			return "", errors.New("a choice of values of several types cannot be described to a planner")
		}
		kind = k
	}
	if kind == "" {
		return "", errors.New("the type cannot be described to a planner: use str, int, float, bool, list or dict")
	}
	return kind, nil
}

func (d derived) choice() (tool.Schema, error) {
	var rest []derived
	for _, one := range d.AnyOf {
		if one.Type != "null" {
			rest = append(rest, one)
		}
	}
	if len(rest) != 1 {
		return tool.Schema{}, fmt.Errorf("a choice of %d types cannot be described to a planner: use one of them", len(rest))
	}
	one := rest[0]
	if d.Description != "" {
		one.Description = d.Description
	}
	one.Default = d.Default
	return one.schema()
}

// schemas implements pipeline.Schemas with those of package tool.
type schemas struct{}

// Verify implements pipeline.Schemas.
func (schemas) Verify(parameters json.RawMessage) error {
	s, err := toSchema(parameters)
	if err != nil {
		return err
	}
	return s.Verify()
}

// Arguments implements pipeline.Schemas.
func (schemas) Arguments(parameters, args json.RawMessage) (json.RawMessage, error) {
	s, err := toSchema(parameters)
	if err != nil {
		return nil, err
	}
	return s.Check(args)
}

// Result implements pipeline.Schemas. What cannot be said of a result is not checked.
func (schemas) Result(returns, value json.RawMessage) error {
	s, unsaid := toSchema(returns)
	object := tool.Object(map[string]tool.Schema{"result": s}, "result")
	if unsaid != nil || s.Type == "" || object.Verify() != nil {
		return nil //nolint:nilerr // as the comment says
	}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"result": value})
	if err == nil {
		_, err = object.Check(wrapped)
	}
	return err
}

var _ pipeline.Schemas = schemas{}
