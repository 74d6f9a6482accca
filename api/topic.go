package api

// Topics below the prefix and the robot's ID, such as reachy/mini/state.
const (
	TopicStatus    = "status"
	TopicState     = "state"
	TopicTelemetry = "telemetry"
	TopicCamera    = "camera/jpeg"
	TopicEvent     = "event/" // and the Type
	TopicCommand   = "cmd/"   // and the Verb
	TopicReply     = "reply/" // and the id of the command
)

// Payloads of the topic status.
const (
	Online  = "online"
	Offline = "offline"
)

// Topic is one line of the reference.
type Topic struct {
	Name      string
	Direction string // out: from the robot; in: to the robot
	Retained  bool
	When      string
	Payload   string
}

// Topics lists all of them, in the order of the reference.
func Topics() []Topic {
	return []Topic{
		{TopicStatus, "out", true, "on connecting; as last will", "online or offline, as plain text"},
		{TopicState, "out", false, "10 times a second and on change", "State"},
		{TopicTelemetry, "out", false, "once a second", "Telemetry"},
		{TopicEvent + "<type>", "out", false, "when it happens", "Event with the data of its type"},
		{TopicCommand + "<verb>", "in", false, "a retained one is refused", "id and the arguments of the verb"},
		{TopicReply + "<id>", "out", false, "once for every command", "Response"},
		{TopicCamera, "out", false, "for a time after the command camera", "a JPEG picture"},
	}
}
