// Package event is the one stream of everything that happens in reachyd. MQTT, HTTP, the store, the log and the
// learner read it; nobody is notified by hand.
package event

import "time"

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

// Event is one thing that happened. ID rises by one per event over the life of the process and across restarts.
type Event struct {
	ID    uint64         `json:"id"`
	TS    time.Time      `json:"ts"`
	Trace string         `json:"trace,omitempty"`
	Type  Type           `json:"type"`
	Data  map[string]any `json:"data,omitempty"` // flattened into the object on the wire
}
