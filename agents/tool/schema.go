package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Type is the type of a value in a Schema.
type Type string

// The types that a Schema knows.
const (
	TypeObject  Type = "object"
	TypeArray   Type = "array"
	TypeString  Type = "string"
	TypeNumber  Type = "number"
	TypeInteger Type = "integer"
	TypeBoolean Type = "boolean"
)

// Schema says what a value must look like: the part of JSON Schema that language models are sure to understand.
// Objects refuse properties that they do not list. The zero Schema is an object without properties.
type Schema struct {
	Type        Type
	Description string

	Properties map[string]Schema // object
	Required   []string          // object: these must be given; the others may be left out
	Open       bool              // object: properties that are not listed are allowed, with any value

	Items    *Schema // array: what every item must be
	MaxItems int     // array: 0 for no limit but that of the whole arguments

	MaxLength int      // string: the most characters; 0 for no limit
	Enum      []string // string: the allowed values

	Minimum, Maximum *float64 // number, integer
	Unit             string   // number, integer: for people, "°", "s" or "m"; written as x-unit

	Default any // filled in when the value is left out
}

// Object returns a schema of an object with these properties, of which the named ones are required.
func Object(properties map[string]Schema, required ...string) Schema {
	return Schema{Type: TypeObject, Properties: properties, Required: required}
}

// Number returns a schema of a number in [low, high].
func Number(description, unit string, low, high float64) Schema {
	return Schema{Type: TypeNumber, Description: description, Unit: unit, Minimum: &low, Maximum: &high}
}

// Integer returns a schema of a whole number in [low, high].
func Integer(description string, low, high float64) Schema {
	return Schema{Type: TypeInteger, Description: description, Minimum: &low, Maximum: &high}
}

// Text returns a schema of a string of at most maxLength characters.
func Text(description string, maxLength int) Schema {
	return Schema{Type: TypeString, Description: description, MaxLength: maxLength}
}

// OneOf returns a schema of a string that is one of values.
func OneOf(description string, values ...string) Schema {
	return Schema{Type: TypeString, Description: description, Enum: values}
}

// Boolean returns a schema of true or false.
func Boolean(description string) Schema {
	return Schema{Type: TypeBoolean, Description: description}
}

// WithDefault returns a copy of the schema whose value is v when it is left out.
func (s Schema) WithDefault(v any) Schema {
	s.Default = v
	return s
}

// wire is a Schema as JSON Schema spells it.
type wire struct {
	Type                 Type              `json:"type"`
	Description          string            `json:"description,omitempty"`
	Properties           map[string]Schema `json:"properties,omitempty"`
	Required             []string          `json:"required,omitempty"`
	AdditionalProperties *bool             `json:"additionalProperties,omitempty"`
	Items                *Schema           `json:"items,omitempty"`
	MaxItems             int               `json:"maxItems,omitempty"`
	MaxLength            int               `json:"maxLength,omitempty"`
	Enum                 []string          `json:"enum,omitempty"`
	Minimum              *float64          `json:"minimum,omitempty"`
	Maximum              *float64          `json:"maximum,omitempty"`
	Unit                 string            `json:"x-unit,omitempty"`
	Default              any               `json:"default,omitempty"`
}

// MarshalJSON writes standard JSON Schema.
func (s Schema) MarshalJSON() ([]byte, error) {
	w := wire{
		Type: s.kind(), Description: s.Description, Properties: s.Properties, Required: s.Required, Items: s.Items,
		MaxItems: s.MaxItems, MaxLength: s.MaxLength, Enum: s.Enum, Minimum: s.Minimum, Maximum: s.Maximum,
		Unit: s.Unit, Default: s.Default,
	}
	if w.Type != TypeObject {
		return json.Marshal(&w)
	}
	w.AdditionalProperties = &s.Open
	if s.Properties != nil {
		return json.Marshal(&w)
	}
	// Some language models insist on properties even when there are none.
	type withProperties struct {
		wire
		Properties struct{} `json:"properties"`
	}
	return json.Marshal(&withProperties{wire: w})
}

// UnmarshalJSON reads JSON Schema. A keyword outside the subset is an error: a rule that is not understood cannot be
// kept. An object that does not mention additionalProperties is read as closed.
func (s *Schema) UnmarshalJSON(data []byte) error {
	var w wire
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	*s = Schema{
		Type: w.Type, Description: w.Description, Properties: w.Properties, Required: w.Required, Items: w.Items,
		MaxItems: w.MaxItems, MaxLength: w.MaxLength, Enum: w.Enum, Minimum: w.Minimum, Maximum: w.Maximum,
		Unit: w.Unit, Default: w.Default,
	}
	if w.AdditionalProperties != nil {
		s.Open = *w.AdditionalProperties
	}
	return nil
}

// kind is the type, object when none is given.
func (s *Schema) kind() Type {
	if s.Type == "" {
		return TypeObject
	}
	return s.Type
}

var propertyName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// Verify reports what is wrong with the schema itself; nil when it can be used.
func (s Schema) Verify() error {
	if s.kind() != TypeObject {
		return errors.New("parameters must be an object")
	}
	return s.verify("", 0)
}

func (s *Schema) verify(at string, depth int) error {
	if depth > maxDepth {
		return verifyError(at, "nested deeper than %d", maxDepth)
	}
	for _, part := range [...]func(*Schema, string, int) error{
		(*Schema).verifyKeywords, (*Schema).verifyProperties, (*Schema).verifyItems, (*Schema).verifyDefault,
	} {
		if err := part(s, at, depth); err != nil {
			return err
		}
	}
	return nil
}

func verifyError(at, format string, args ...any) error {
	return fmt.Errorf("schema of %s: %s", cmp.Or(at, "the arguments"), fmt.Sprintf(format, args...))
}

// verifyKeywords says which keyword does not belong to the type, or contradicts another.
func (s *Schema) verifyKeywords(at string, _ int) error {
	k := s.kind()
	for _, rule := range [...]struct {
		types []Type
		used  bool
		what  string
	}{
		{[]Type{TypeObject}, s.Properties != nil || s.Required != nil || s.Open, "only an object has properties"},
		{[]Type{TypeArray}, s.Items != nil || s.MaxItems != 0, "only an array has items"},
		{[]Type{TypeString}, s.Enum != nil || s.MaxLength != 0, "only a string has an enum or a length"},
		{[]Type{TypeNumber, TypeInteger}, s.Minimum != nil || s.Maximum != nil || s.Unit != "", "only a number has a range and a unit"},
	} {
		if rule.used && !slices.Contains(rule.types, k) {
			return verifyError(at, "%s, not a %s", rule.what, k)
		}
	}
	switch {
	case !slices.Contains([]Type{TypeObject, TypeArray, TypeString, TypeNumber, TypeInteger, TypeBoolean}, k):
		return verifyError(at, "type %q is unknown; known are object, array, string, number, integer, boolean", s.Type)
	case s.MaxItems < 0 || s.MaxLength < 0:
		return verifyError(at, "a limit is negative")
	case s.Minimum != nil && s.Maximum != nil && !(*s.Minimum <= *s.Maximum):
		return verifyError(at, "minimum %v is above maximum %v", *s.Minimum, *s.Maximum)
	}
	return nil
}

func (s *Schema) verifyProperties(at string, depth int) error {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !propertyName.MatchString(name) {
			return verifyError(at, "property name %q must match %s", name, propertyName)
		}
		p := s.Properties[name]
		if err := p.verify(join(at, name), depth+1); err != nil {
			return err
		}
	}
	for _, name := range s.Required {
		p, known := s.Properties[name]
		if !known {
			return verifyError(at, "%q is required but not a property", name)
		}
		if p.Default != nil {
			return verifyError(at, "%q is required and has a default: one of them is of no use", name)
		}
	}
	return nil
}

func (s *Schema) verifyItems(at string, depth int) error {
	if s.Items == nil {
		return nil
	}
	return s.Items.verify(at+"[]", depth+1)
}

// verifyDefault checks the default as if somebody had given it.
func (s *Schema) verifyDefault(at string, _ int) error {
	if s.Default == nil {
		return nil
	}
	raw, err := json.Marshal(s.Default)
	if err != nil {
		return verifyError(at, "default: %v", err)
	}
	v, err := decode(raw)
	if err != nil {
		return verifyError(at, "default: %v", err)
	}
	var c checker
	c.value(s, cmp.Or(at, "default"), v)
	if err := c.err(); err != nil {
		return verifyError(at, "default: %v", err)
	}
	return nil
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
