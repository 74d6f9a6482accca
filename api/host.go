package api

// Verbs of what reachyd itself has and does.
const (
	VerbModelsList   Verb = "models/list"
	VerbModelsPull   Verb = "models/pull"
	VerbModelsCancel Verb = "models/cancel"
	VerbLogs         Verb = "logs"
	VerbMQTT         Verb = "mqtt"
)

// ModelArgs name a model of models/list.
type ModelArgs struct {
	Name string `json:"name"`
}

// What is the state of a model.
const (
	ModelHere     = "here"
	ModelMissing  = "missing"
	ModelPartial  = "partial" // a part of it is here: pull goes on
	ModelFetching = "fetching"
	ModelFailed   = "failed"
)

// ModelInfo is a model file that the senses can use.
type ModelInfo struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // what it is for
	About    string `json:"about"`
	Licence  string `json:"licence"`
	Bytes    int64  `json:"bytes"`              // all its files together
	Path     string `json:"path,omitempty"`     // where it is
	Partial  int64  `json:"partial,omitempty"`  // bytes of it that are here
	Unlisted bool   `json:"unlisted,omitempty"` // the owner's own: not in the catalogue
	State    string `json:"state"`              // here, missing, partial, fetching or failed
	File     string `json:"file,omitempty"`     // of it that is being fetched
	Done     int64  `json:"done,omitempty"`     // bytes of that file
	Total    int64  `json:"total,omitempty"`
	Message  string `json:"message,omitempty"` // for a person: why it failed, or what is to be done
}

// ModelList are the models that the senses can use.
type ModelList struct {
	Models []ModelInfo `json:"models"`
	Dir    string      `json:"dir"` // where one is put that is fetched
}

// ModelFetch is how far the fetching of a model has come, or how it ended.
type ModelFetch struct {
	Done    int64  `json:"done"` // bytes of the file
	File    string `json:"file,omitempty"`
	Message string `json:"message,omitempty"` // for a person
	Name    string `json:"name"`
	State   string `json:"state"` // fetching, here, partial (it was cancelled) or failed
	Total   int64  `json:"total"`
}

// EventType implements Payload.
func (ModelFetch) EventType() Type { return TypeModel }

// LogsArgs are the arguments of logs.
type LogsArgs struct {
	After int    `json:"after,omitempty"` // number of a line; those after it are told
	Limit int    `json:"limit,omitempty"`
	Level string `json:"level,omitempty"` // debug, info, warn or error: that and what is graver
}

// LogLine is a line of reachyd's log.
type LogLine struct {
	N       uint64         `json:"n"` // counts the lines since the start
	TS      Time           `json:"ts"`
	Level   string         `json:"level"`
	Message string         `json:"message"`
	Fields  map[string]any `json:"fields,omitempty"`
}

// LogList are lines of reachyd's log, the oldest first.
type LogList struct {
	Lines []LogLine `json:"lines"`
	Last  uint64    `json:"last"` // number of the newest line
}

// MQTTState is how the robot stands with its MQTT broker.
type MQTTState struct {
	Broker    string `json:"broker"`           // its address
	Embedded  bool   `json:"embedded"`         // the broker is reachyd's own
	Topics    string `json:"topics"`           // what all topics begin with
	Connected bool   `json:"connected"`        // the robot is online there
	Since     Time   `json:"since"`            // it is, or is not
	Reason    string `json:"reason,omitempty"` // why it is not, and what can be done
	Attempts  int    `json:"attempts"`         // to connect, in vain
	Dropped   uint64 `json:"dropped"`          // events and replies that were lost because the broker was away too long
	Clients   int    `json:"clients"`          // of the embedded broker, without the robot itself
}
