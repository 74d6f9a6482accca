// Package event is the one stream of everything that happens in reachyd. MQTT, HTTP, the store, the log and the
// learner read it; nobody is notified by hand.
package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"
)

// Type is the kind of an Event, as it appears in the topic event/<type>.
type Type string

// The types of the contract.
const (
	Utterance      Type = "utterance"
	Partial        Type = "partial"
	Reply          Type = "reply"
	Handoff        Type = "handoff"
	ToolCall       Type = "tool_call"
	ToolResult     Type = "tool_result"
	MoveStarted    Type = "move_started"
	MoveDone       Type = "move_done"
	Detection      Type = "detection"
	Photo          Type = "photo"
	ToolRegistered Type = "tool_registered"
	Feedback       Type = "feedback"
	Reward         Type = "reward"
	Demonstration  Type = "demonstration"
	Training       Type = "training"
	Fault          Type = "fault"
	EStop          Type = "estop"
)

// Event is one thing that happened. ID rises by one per event over the life of the process and across restarts; only
// after a crash is there a gap, so that no ID is ever given twice.
type Event struct {
	ID    uint64
	TS    time.Time
	Trace string
	Type  Type
	Data  map[string]any // flattened into the object on the wire; not to be changed once published

	// Lost is how many events this reader missed just before this one because it was too slow. It is not written.
	Lost uint64
}

// timeLayout is RFC 3339 with milliseconds, in UTC.
const timeLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes {"id":…,"ts":…,"trace":…,"type":…, and the fields of Data}. A field of Data whose name is taken
// by one of the four is written with the prefix "data_". Data that JSON cannot express is replaced by data_error,
// for an event that cannot be written would be lost to every reader.
func (e Event) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 256)
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, e.ID, 10)
	b = append(b, `,"ts":"`...)
	b = e.TS.UTC().AppendFormat(b, timeLayout)
	b = append(b, '"')
	if e.Trace != "" {
		b = append(b, `,"trace":`...)
		b = appendText(b, e.Trace)
	}
	b = append(b, `,"type":`...)
	b = appendText(b, string(e.Type))
	if len(e.Data) > 0 {
		data, err := json.Marshal(renamed(e.Data))
		if err != nil {
			b = append(b, `,"data_error":`...)
			b = appendText(b, err.Error())
			return append(b, '}'), nil
		}
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

var reserved = [...]string{"id", "ts", "trace", "type"}

// renamed moves fields with reserved names out of the way, in a copy.
func renamed(data map[string]any) map[string]any {
	copied := false
	for _, name := range reserved {
		v, taken := data[name]
		if !taken {
			continue
		}
		if !copied {
			data, copied = maps.Clone(data), true
		}
		delete(data, name)
		data["data_"+name] = v
	}
	return data
}

// UnmarshalJSON reads what MarshalJSON wrote; numbers in Data become json.Number, so that none loses a digit.
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
	var data map[string]any
	if err := dec.Decode(&data); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	for _, name := range reserved {
		delete(data, name)
	}
	if len(data) == 0 {
		data = nil
	}
	*e = Event{ID: head.ID, TS: head.TS, Trace: head.Trace, Type: head.Type, Data: data}
	return nil
}

var (
	_ json.Marshaler   = Event{}
	_ json.Unmarshaler = (*Event)(nil)
)
