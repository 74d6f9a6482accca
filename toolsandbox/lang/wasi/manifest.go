package wasi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/reachyd/reachyd/toolsandbox/modules"
)

// Manifest is the source of a tool that is a WebAssembly module, as JSON. All of it must be there.
//
//	{"module": "sha256:…", "name": "add", "description": "Adds two numbers.",
//	 "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]},
//	 "returns": {"type": "number"}, "calls": ["speak"]}
type Manifest struct {
	Module      string   `json:"module"` // "sha256:" and modules.Sum
	Name        string   `json:"name"`   // also the function that the module is asked for
	Description string   `json:"description"`
	Parameters  *schema  `json:"parameters"`
	Returns     *schema  `json:"returns"`
	Calls       []string `json:"calls"` // host calls that it makes
}

// sum is that of the module.
func (m *Manifest) sum() string { return strings.TrimPrefix(m.Module, modulePrefix) }

// schema is a JSON schema of the kind that the validator derives from the types of Python.
type schema struct {
	Type        any               `json:"type,omitempty"` // a name, or a list of them
	Description string            `json:"description,omitempty"`
	Properties  map[string]schema `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
	Additional  any               `json:"additionalProperties,omitempty"` // a boolean, or a schema
	Items       *schema           `json:"items,omitempty"`
	MaxItems    int               `json:"maxItems,omitempty"`
	Enum        []any             `json:"enum,omitempty"`
	AnyOf       []schema          `json:"anyOf,omitempty"`
	Default     any               `json:"default,omitempty"`
}

const (
	schemaFields   = "type, description, properties, required, additionalProperties, items, maxItems, enum, anyOf, default"
	manifestFields = "module, name, description, parameters, returns, calls"
	modulePrefix   = "sha256:"
)

// Limits of a manifest.
const (
	maxManifest    = 64 << 10 // bytes
	maxDescription = 500      // bytes
	maxModuleCalls = 128
	maxSchemaDepth = 8
)

var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// parseManifest reads a manifest. wrong says field by field what is wrong with it, with what is allowed.
func parseManifest(source string) (m Manifest, wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if len(source) > maxManifest {
		say("manifest: %d bytes, allowed %d", len(source), maxManifest)
		return m, wrong
	}
	d := json.NewDecoder(strings.NewReader(source))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		say("manifest: %v; allowed is a JSON object of %s; in a schema: %s", err, manifestFields, schemaFields)
		return m, wrong
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		say("manifest: something follows the JSON object at byte %d, allowed is nothing", d.InputOffset())
	}
	if !strings.HasPrefix(m.Module, modulePrefix) || !modules.IsSum(m.sum()) {
		say("module: %.80q, allowed is %s and 64 hexadecimal digits", m.Module, modulePrefix)
	}
	if m.Name == "" {
		say("name: empty, allowed is the name of the tool")
	}
	if n := len(m.Description); n == 0 || n > maxDescription || strings.ContainsAny(m.Description, "\r\n") {
		say("description: %.40q of %d bytes, allowed is one line of 1 to %d", m.Description, n, maxDescription)
	}
	switch {
	case m.Parameters == nil:
		say("parameters: missing, allowed is a JSON schema of an object")
	case m.Parameters.Type != "object":
		say("parameters: type %v, allowed is object", m.Parameters.Type)
	default:
		m.Parameters.check("parameters", 0, say)
		if m.Parameters.Additional != nil && m.Parameters.Additional != false {
			say("parameters: additionalProperties %v, allowed is false", m.Parameters.Additional)
		}
		for _, name := range m.Parameters.Required {
			if _, known := m.Parameters.Properties[name]; !known {
				say("parameters: required %.40q, allowed are %v", name, slices.Sorted(maps.Keys(m.Parameters.Properties)))
			}
		}
	}
	if m.Returns == nil {
		say("returns: missing, allowed is a JSON schema")
	} else {
		m.Returns.check("returns", 0, say)
	}
	if m.Calls == nil {
		say("calls: missing, allowed is a list of host calls, which may be empty")
	}
	if len(m.Calls) > maxModuleCalls {
		say("calls: %d, allowed %d", len(m.Calls), maxModuleCalls)
	}
	return m, wrong
}

func (s *schema) check(at string, depth int, say func(string, ...any)) {
	if depth > maxSchemaDepth {
		say("%.80s: nested deeper than %d", at, maxSchemaDepth)
		return
	}
	kinds, isList := s.Type.([]any)
	if !isList && s.Type != nil {
		kinds = []any{s.Type}
	}
	if len(kinds) == 0 && s.Enum == nil && s.AnyOf == nil {
		say("%.80s: no type, allowed are %v, or enum or anyOf", at, schemaTypes)
	}
	for _, k := range kinds {
		if name, ok := k.(string); !ok || !slices.Contains(schemaTypes, name) {
			say("%.80s: type %.40q, allowed are %v", at, fmt.Sprint(k), schemaTypes)
		}
	}
	if s.MaxItems < 0 {
		say("%.80s: maxItems %d, allowed are positive numbers", at, s.MaxItems)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		p.check(at+"."+name, depth+1, say)
	}
	if s.Items != nil {
		s.Items.check(at+"[]", depth+1, say)
	}
	for i := range s.AnyOf {
		s.AnyOf[i].check(at, depth+1, say)
	}
}

// parameters is the schema as the validator would derive it.
func (m *Manifest) parameters() json.RawMessage {
	all, required := m.Parameters.Properties, m.Parameters.Required
	if all == nil {
		all = map[string]schema{}
	}
	if required == nil {
		required = []string{}
	}
	return marshal(map[string]any{"type": "object", "properties": all, "required": required, "additionalProperties": false})
}

// documented is how much of the parameters and the tool is described, 0 to 1.
func (m *Manifest) documented() float64 {
	n := 1 // the tool itself, which must be
	for _, p := range m.Parameters.Properties {
		if p.Description != "" {
			n++
		}
	}
	return float64(n) / float64(1+len(m.Parameters.Properties))
}

// lines are those of a manifest that are not blank.
func lines(source string) (n int) {
	for line := range bytes.Lines([]byte(source)) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}") // cannot be: it was read from text
	}
	return raw
}
