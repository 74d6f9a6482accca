package rest

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/reachyd/reachyd/api"
)

// object is a JSON schema.
type schema = map[string]any

// schemas makes JSON schemas of Go types; those of structs are components that others refer to.
type schemas struct{ components schema }

var special = map[reflect.Type]schema{
	reflect.TypeFor[api.Number]():      {"type": []string{"number", "null"}},
	reflect.TypeFor[api.Time]():        {"type": "string", "format": "date-time"},
	reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
	reflect.TypeFor[json.RawMessage](): {},
	reflect.TypeFor[[]byte]():          {"type": "string", "contentEncoding": "base64"},
	reflect.TypeFor[api.Event](): {
		"type": "object", "required": []string{"id", "ts", "type"}, "additionalProperties": true,
		"properties": schema{
			"id": schema{"type": "integer"}, "ts": schema{"type": "string", "format": "date-time"}, "type": schema{"type": "string"},
			"trace": schema{"type": "string"},
		},
	},
}

// of returns the schema of a type.
func (s *schemas) of(t reflect.Type) schema {
	if known, ok := special[t]; ok {
		return known
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schema{"anyOf": []any{s.of(t.Elem()), schema{"type": "null"}}}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint8, reflect.Int32, reflect.Uint32:
		return schema{"type": "integer"}
	case reflect.Slice:
		return schema{"type": []string{"array", "null"}, "items": s.of(t.Elem())}
	case reflect.Array:
		return schema{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return schema{"type": []string{"object", "null"}, "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.component(t)
	}
	return schema{}
}

// component returns a reference to the schema of a struct.
func (s *schemas) component(t reflect.Type) schema {
	name := t.Name()
	ref := schema{"$ref": "#/components/schemas/" + name}
	if _, known := s.components[name]; known {
		return ref
	}
	s.components[name] = schema{}
	properties, required := schema{}, []string{}
	s.fields(t, properties, &required)
	s.components[name] = schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	return ref
}

func (s *schemas) fields(t reflect.Type, properties schema, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "":
			s.fields(f.Type, properties, required)
			continue
		}
		left := strings.HasPrefix(options, "omit")
		of := f.Type
		if left && of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		properties[name] = s.of(of)
		if !left {
			*required = append(*required, name)
		}
	}
}
