package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Type is the type of an Event, as it appears in the topic event/<type>.
type Type string

// Payload is the data of an event: one of the types of this package that say which type of event they belong to, or Raw.
// Its JSON is an object without the fields id, ts, trace and type, which are those of Event.
type Payload interface {
	EventType() Type
}

// Event is one thing that happened. ID rises by one per event over the life of the process and across restarts; only
// after a crash is there a gap, so that no ID is ever given twice.
type Event struct {
	ID    uint64
	TS    time.Time
	Trace string
	Type  Type
	Data  Payload // flattened into the object in JSON; not to be changed once published; nil is no data

	// Lost is how many events this reader missed just before this one because it was too slow. It is not written.
	Lost uint64
}

// MarshalJSON writes {"id":…,"ts":…,"trace":…,"type":…, and the fields of Data}. Data that JSON cannot express is replaced
// by data_error, for an event that cannot be written would be lost to every reader.
func (e Event) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 256)
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, e.ID, 10)
	b = append(b, `,"ts":`...)
	b = Time(e.TS).append(b)
	if e.Trace != "" {
		b = append(b, `,"trace":`...)
		b = appendText(b, e.Trace)
	}
	b = append(b, `,"type":`...)
	b = appendText(b, string(e.Type))
	if e.Data == nil {
		return append(b, '}'), nil
	}
	data, err := json.Marshal(e.Data)
	switch {
	case err != nil:
		b = append(b, `,"data_error":`...)
		b = appendText(b, err.Error())
	case len(data) > len("{}"):
		b = append(b, ',')
		return append(b, data[1:]...), nil
	}
	return append(b, '}'), nil
}

func appendText(b []byte, s string) []byte {
	t, err := json.Marshal(s)
	if err != nil { // cannot happen for a string
		return append(b, `""`...)
	}
	return append(b, t...)
}

// reserved are the fields of Event: no payload has one of these names.
var reserved = [...]string{"id", "ts", "trace", "type"}

// UnmarshalJSON reads what MarshalJSON wrote. Data becomes Raw, which loses nothing; Decode makes it typed.
func (e *Event) UnmarshalJSON(text []byte) error {
	var head struct {
		ID    uint64    `json:"id"`
		TS    time.Time `json:"ts"`
		Trace string    `json:"trace"`
		Type  Type      `json:"type"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	for _, name := range reserved {
		delete(fields, name)
	}
	*e = Event{ID: head.ID, TS: head.TS, Trace: head.Trace, Type: head.Type}
	if len(fields) > 0 {
		e.Data = Raw{Type: head.Type, Fields: fields}
	}
	return nil
}

// Raw is the data of an event as it was read; numbers are json.Number, so that none loses a digit.
type Raw struct {
	Type   Type
	Fields map[string]any
}

// EventType implements Payload.
func (r Raw) EventType() Type { return r.Type }

// MarshalJSON writes the fields.
func (r Raw) MarshalJSON() ([]byte, error) {
	if r.Fields == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(r.Fields)
}

// Fields returns the data of an event by the names that it has in JSON, as encoding/json decodes them. It is nil for data
// that JSON cannot express.
func Fields(p Payload) map[string]any {
	data, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	var fields map[string]any
	if json.Unmarshal(data, &fields) != nil {
		return nil
	}
	return fields
}

// Decode returns the typed data of an event that was read. Fields that the type does not know are left out; the error
// names the type when it is unknown, and the field that does not fit.
func (r Raw) Decode() (Payload, error) {
	for _, known := range payloads {
		if known.zero.EventType() != r.Type {
			continue
		}
		data, err := r.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", r.Type, err)
		}
		p, err := known.decode(data)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", r.Type, err)
		}
		return p, nil
	}
	return nil, fmt.Errorf("event %q: its type is unknown; known are %v", r.Type, Types())
}

// Types lists the types of events that have a payload, in the order of the reference.
func Types() []Type {
	types := make([]Type, len(payloads))
	for i, known := range payloads {
		types[i] = known.zero.EventType()
	}
	return types
}

// payload is a type of data: its zero value, and how it is read.
type payload struct {
	zero   Payload
	decode func(data []byte) (Payload, error)
}

// of returns the payload of a type.
func of[P Payload]() payload {
	var zero P
	return payload{zero, func(data []byte) (Payload, error) {
		var p P
		err := json.Unmarshal(data, &p)
		return p, err
	}}
}

// payloads are the typed payloads, in the order of the reference.
var payloads = []payload{
	of[Utterance](), of[Partial](), of[Reply](), of[Handoff](), of[Feedback](), of[Reward](), of[Notification](),
	of[ToolCall](), of[ToolResult](), of[ToolProgress](), of[ToolRegistered](), of[ToolRefused](), of[ToolReviewed](),
	of[MoveStarted](), of[MoveDone](), of[Detection](), of[Photo](), of[Fault](), of[EStop](), of[Simulation](), of[Handling](), of[Audit](),
	of[Network](),
	of[Training](), of[Demonstration](), of[ConfigChange](), of[ModelFetch](),
}

var (
	_ json.Marshaler   = Event{}
	_ json.Unmarshaler = (*Event)(nil)
	_ json.Marshaler   = Raw{}
)
