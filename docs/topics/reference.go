package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/daemon/command"
)

const head = `<!-- Written by "go generate ./api" from package api: do not edit. -->
# Topics, commands and events

This is the contract between the robot and its clients. All payloads are JSON in UTF-8 unless said otherwise. Units are degrees,
metres and seconds; only ` + "`joints`" + ` is in radians. The head's frame is x forward, y left, z up: +pitch looks down, +yaw looks left, +roll
tilts to the robot's right. An antenna at 0 points up. Left and right are the robot's own. Times are RFC 3339 in UTC with milliseconds.
A number that could not be measured is null.

Over MQTT every topic begins with ` + "`reachy/<robot-id>/`" + `, for instance ` + "`reachy/mini/state`" + `. Over HTTP the same state is at
` + "`GET /api/state`" + `, and every command at ` + "`POST /api/cmd/<verb>`" + `, which answers with its response.

`

// writer writes the reference; the first error is kept.
type writer struct {
	bytes.Buffer
	docs docs
	err  error
}

func (w *writer) f(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) } // a Buffer does not fail

// reference returns docs/topics.md; dir is that of package api.
func reference(dir string) ([]byte, error) {
	d, err := readDocs(dir)
	if err != nil {
		return nil, err
	}
	w := &writer{docs: d}
	w.f("%s## Topics\n\n| topic | direction | when | payload |\n|---|---|---|---|\n", head)
	for _, t := range api.Topics() {
		direction := t.Direction
		if t.Retained {
			direction += ", retained"
		}
		w.f("| `%s` | %s | %s | %s |\n", t.Name, direction, t.When, t.Payload)
	}
	w.f("\n## state\n\n%s\n\n", w.docs.about("State"))
	w.structure("", reflect.TypeFor[api.State]())
	w.example(exampleState)
	w.f("## telemetry\n\n%s\n\n", w.docs.about("Telemetry"))
	w.structure("", reflect.TypeFor[api.Telemetry]())
	w.example(exampleTelemetry)
	w.events()
	w.commands()
	w.responses()
	return bytes.ReplaceAll(w.Bytes(), []byte("\n\n\n"), []byte("\n\n")), w.err
}

func (w *writer) events() {
	w.f("## Events\n\nEvery event has `id` (rises by one, also over restarts), `ts`, `type`, and `trace` when it belongs to a turn or command;\n" +
		"beside them the fields of its type. Data that could not be written is replaced by `data_error`, a text.\n\n")
	for i, p := range exampleEvents {
		typ := reflect.TypeOf(p)
		w.f("### event/%s\n\n%s\n\n", p.EventType(), w.docs.about(typ.Name()))
		w.structure("", typ)
		w.example(api.Event{ID: uint64(4001 + i), TS: noon, Trace: traceOf(p), Type: p.EventType(), Data: p})
	}
}

// traceOf returns the trace of an example: only turns, and what is done in them, have one.
func traceOf(p api.Payload) string {
	switch p.(type) {
	case api.Utterance, api.Reply, api.Feedback, api.Handoff, api.ToolCall, api.ToolResult:
		return trace
	}
	return ""
}

func (w *writer) commands() {
	w.f("## Commands\n\nThe payload is an object of the arguments and of `id`, a text of 1 to 128 characters without spaces, `/`, `+` and `#`; without one the\n" +
		"robot makes one up. The same `id` with the same payload gives the same response and acts once, for ten minutes and over restarts;\n" +
		"commands marked *repeatable* act each time. An argument that is unknown, of the wrong type or out of range is refused, and nothing moves.\n\n")
	for _, c := range api.Commands() {
		schema, repeatable, known := command.Describe(string(c.Verb))
		if !known {
			w.err = fmt.Errorf("cmd/%s is not carried out", c.Verb)
			return
		}
		w.f("### cmd/%s\n\n%s", c.Verb, c.About)
		if repeatable {
			w.f(" *Repeatable.*")
		}
		w.f("\n\n")
		w.arguments(schema)
		if args := exampleCommands[c.Verb]; args != nil {
			w.example(withID(args))
		}
	}
}

// withID returns the arguments as an object that begins with an id.
func withID(args any) any {
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return json.RawMessage(`{"id":"1",` + string(data[1:]))
}

func (w *writer) arguments(s tool.Schema) {
	rows := argumentRows("", s)
	if len(rows) == 0 {
		return
	}
	w.f("| argument | type | allowed | default | meaning |\n|---|---|---|---|---|\n%s\n", strings.Join(rows, ""))
}

func argumentRows(prefix string, s tool.Schema) (rows []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		def := "none"
		switch {
		case p.Default != nil:
			data, err := json.Marshal(p.Default)
			if err != nil {
				data = []byte(err.Error())
			}
			def = "`" + string(data) + "`"
		case slices.Contains(s.Required, name):
			def = "*required*"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", prefix+name, p.Type, allowed(p), def, strings.ReplaceAll(p.Description, "|", "\\|")))
		if p.Items != nil {
			p = *p.Items
			name += "[]"
		}
		rows = append(rows, argumentRows(prefix+name+".", p)...)
	}
	return rows
}

// allowed says the limits of a value in words.
func allowed(s tool.Schema) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return strings.TrimSpace(number(*s.Minimum) + " to " + number(*s.Maximum) + " " + s.Unit)
	case len(s.Enum) > 0:
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	case s.MaxLength > 0:
		return "at most " + strconv.Itoa(s.MaxLength) + " characters"
	case s.MaxItems > 0:
		return "at most " + strconv.Itoa(s.MaxItems)
	}
	return ""
}

func (w *writer) responses() {
	w.f("## Responses\n\nEvery command gets exactly one, on `reply/<id>` or as the answer of HTTP.\n\n")
	w.structure("", reflect.TypeFor[api.Response]())
	w.f("The result of `goto`, `set_target`, `stop`, `reset` and `motors`:\n\n")
	w.structure("", reflect.TypeFor[api.MoveResult]())
	for _, r := range exampleResponses {
		w.example(r)
	}
	w.f("### Codes of errors\n\n| code | meaning |\n|---|---|\n")
	for _, c := range w.docs.codes {
		w.f("| `%s` | %s |\n", c.value, c.about)
	}
}

// structure writes the fields of a type, those of types within it indented by their path.
func (w *writer) structure(prefix string, t reflect.Type) {
	if prefix == "" {
		w.f("| field | type | meaning |\n|---|---|---|\n")
		defer w.f("\n")
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			w.fields(prefix, f.Type)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		about := w.docs.field(t.Name(), f.Name)
		if options != "" {
			about = strings.TrimSuffix("may be left out; "+about, "; ")
		}
		kind, inner := typeText(f.Type)
		w.f("| `%s` | %s | %s |\n", prefix+name, kind, about)
		if inner != nil {
			path := prefix + name + "."
			if strings.HasPrefix(kind, "list") {
				path = prefix + name + "[]."
			}
			w.fields(path, inner)
		}
	}
}

// fields writes the fields of an embedded or inner type, without a head of the table.
func (w *writer) fields(prefix string, t reflect.Type) {
	inner := &writer{docs: w.docs}
	inner.structure("\x00"+prefix, t)
	w.f("%s", strings.ReplaceAll(inner.String(), "\x00", ""))
}

// typeText says what a Go type is in JSON, and returns the type of the object in it, if there is one.
func typeText(t reflect.Type) (text string, object reflect.Type) {
	switch t {
	case reflect.TypeFor[api.Time]():
		return "time", nil
	case reflect.TypeFor[[]byte]():
		return "text", nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeText(t.Elem())
	case reflect.String:
		return "text", nil
	case reflect.Bool:
		return "boolean", nil
	case reflect.Float64:
		return "number", nil
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint8:
		return "integer", nil
	case reflect.Interface:
		return "any", nil
	case reflect.Slice, reflect.Array:
		text, object = typeText(t.Elem())
		return "list of " + text, object
	case reflect.Struct:
		return "object", t
	}
	return t.String(), nil
}

// example writes a value in one line where it fits, else indented.
func (w *writer) example(v any) {
	const most = 130
	data, err := json.Marshal(v)
	if err != nil {
		w.err = err
		return
	}
	var out bytes.Buffer
	if out.Write(data); len(data) > most {
		out.Reset()
		if w.err = json.Indent(&out, data, "", "  "); w.err != nil {
			return
		}
	}
	w.f("```json\n%s\n```\n\n", &out)
}
