package api

// The types of events.
const (
	TypeUtterance      Type = "utterance"
	TypePartial        Type = "partial"
	TypeReply          Type = "reply"
	TypeHandoff        Type = "handoff"
	TypeNotification   Type = "notification"
	TypeToolCall       Type = "tool_call"
	TypeToolResult     Type = "tool_result"
	TypeToolRegistered Type = "tool_registered"
	TypeToolProgress   Type = "tool_progress"
	TypeToolRefused    Type = "tool_refused"
	TypeToolReviewed   Type = "tool_reviewed"
	TypeMoveStarted    Type = "move_started"
	TypeMoveDone       Type = "move_done"
	TypeDetection      Type = "detection"
	TypePhoto          Type = "photo"
	TypeFault          Type = "fault"
	TypeEStop          Type = "estop"
	TypeSimulation     Type = "simulation"
	TypeHandling       Type = "handling"
	TypeFeedback       Type = "feedback"
	TypeReward         Type = "reward"
	TypeDemonstration  Type = "demonstration"
	TypeTraining       Type = "training"
	TypeConfig         Type = "config"
	TypeModel          Type = "model"
)

// Utterance is a sentence that was said to the robot: a turn of conversation begins.
type Utterance struct {
	Session string `json:"session"` // the conversation
	Text    string `json:"text"`
}

// Speakers of a Partial.
const (
	SpeakerHuman = "human"
	SpeakerRobot = "robot"
)

// Partial is the beginning of a sentence that is still being said, by a person or by the robot.
type Partial struct {
	Session string `json:"session"`
	Speaker string `json:"speaker"` // human or robot
	Text    string `json:"text"`    // all of it so far
	Turn    uint64 `json:"turn,omitempty"`
}

// Reply is what the robot answered to an utterance of the same trace.
type Reply struct {
	DurationMS float64 `json:"duration_ms"` // since the utterance
	Outcome    string  `json:"outcome"`     // plan, answered, error, refuse, none, failed or interrupted
	Session    string  `json:"session"`
	Text       string  `json:"text"`
}

// Handoff is the work of a turn passing from one agent to another, and back.
type Handoff struct {
	From    string `json:"from"`
	Reason  string `json:"reason"` // done, or the error, on the way back
	Session string `json:"session"`
	To      string `json:"to"`
}

// Notification is something the robot tells without having been asked just now: a reminder, or what is done regularly.
type Notification struct {
	Kind     string `json:"kind"`     // routine, watcher, reminder, lost or language
	Schedule int    `json:"schedule"` // its number
	Session  string `json:"session"`
	Text     string `json:"text"`
}

// ToolCall is a call of a tool that was asked for; it may still be refused.
type ToolCall struct {
	Args  any    `json:"args"` // the arguments as an object; their beginning as a text when they are broken or over 4096 bytes
	Call  uint64 `json:"call"` // its number, from 1 at every start of reachyd
	Depth int    `json:"depth"`
	Tool  string `json:"tool"`
}

// ToolResult is how a call ended.
type ToolResult struct {
	Call       uint64  `json:"call"`           // of the ToolCall
	Code       string  `json:"code,omitempty"` // of an error
	Data       any     `json:"data,omitempty"` // as the tool has it
	Depth      int     `json:"depth"`          // how many tools stand between the caller and this one
	DurationMS float64 `json:"duration_ms"`    // waiting and working
	Message    string  `json:"message"`        // for a person
	Status     string  `json:"status"`         // success or error
	Tool       string  `json:"tool"`
}

// ToolRegistered is a new version of a self-made tool.
type ToolRegistered struct {
	Active  bool    `json:"active"` // whether it can be called
	Author  string  `json:"author"`
	Digest  string  `json:"digest"` // SHA-256 of the source
	Name    string  `json:"name"`
	Score   float64 `json:"score"` // of its quality
	State   string  `json:"state"` // as the report of its registration has it
	Version int     `json:"version"`
}

// Steps of the work on a self-made tool, in their order; code and check come again for each repair.
const (
	StepSpecification = "specification"
	StepTests         = "tests"
	StepCode          = "code"
	StepCheck         = "check"
	StepRegister      = "register"
)

// ToolProgress is the beginning of a step of the work on a self-made tool.
type ToolProgress struct {
	Attempt int    `json:"attempt,omitempty"` // at the code, from 1
	Detail  string `json:"detail,omitempty"`  // for a person
	Name    string `json:"name,omitempty"`    // of the tool, once it has one
	Step    string `json:"step"`              // specification, tests, code, check or register
}

// ToolRefused is a self-made tool that was not good enough to be registered.
type ToolRefused struct {
	Author string `json:"author"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Stage  string `json:"stage"` // where it failed, such as check or test
}

// ToolReviewed is the verdict of a person on a version of a self-made tool.
type ToolReviewed struct {
	Author  string `json:"author"` // of the verdict
	Name    string `json:"name"`
	Reason  string `json:"reason"`
	Review  string `json:"review"` // approved or rejected
	Version int    `json:"version"`
}

// MoveStarted is the beginning of a move of the body.
type MoveStarted struct {
	Move string `json:"move"` // its ID
	Name string `json:"name"` // of the kind of move, such as goto or nod
}

// MoveDone is the end of a move.
type MoveDone struct {
	End    string `json:"end"` // done, cancelled, stopped or failed
	Move   string `json:"move"`
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"` // why it was not done
}

// Detection is what is in view, whenever that has changed.
type Detection struct {
	Objects []Object `json:"objects"` // the surest of each name first; null when there is nothing
}

// Object is one thing in view.
type Object struct {
	Name   string    `json:"name"`
	By     string    `json:"by"`    // the detector
	Score  float64   `json:"score"` // 0…1; scores of different detectors do not compare
	Box    Box       `json:"box"`
	Yaw    float64   `json:"yaw"`              // direction of the box's middle, degrees, + is left
	Pitch  float64   `json:"pitch"`            // degrees, + is down
	Place  []float64 `json:"place,omitempty"`  // world x, y and z in metres, where that is known
	ID     int       `json:"id,omitempty"`     // tells faces apart as long as they are followed
	Colour string    `json:"colour,omitempty"` // in a word
	Text   string    `json:"text,omitempty"`   // of a QR code
}

// Box is a rectangle in a picture, pixels; X and Y are its upper left corner.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Photo is a picture that was taken and kept.
type Photo struct {
	Height int    `json:"height"` // pixels
	Name   string `json:"name"`   // under which HTTP serves it
	Width  int    `json:"width"`  // pixels
}

// Fault is something of the robot that does not work, or works again.
type Fault struct {
	Active bool   `json:"active"` // false: it is over
	Detail string `json:"detail"` // for a person
	Joint  string `json:"joint,omitempty"`
	Name   string `json:"name"`
	Since  Time   `json:"since,omitzero"`
}

// EStop is the emergency stop being latched or released.
type EStop struct {
	Active bool   `json:"active"`
	By     string `json:"by,omitempty"` // who stopped or released it: speech, command, …
	Reason string `json:"reason"`
}

// Simulation is something that no robot of metal could do; only the simulated one tells it.
type Simulation struct {
	Detail string `json:"detail"` // for a person
	Kind   string `json:"kind"`   // reseated: the head was put back together
}

// Handling is what the motion sensor of the wireless unit notices: the robot is lifted, tips over, falls, lies, or stands again.
type Handling struct {
	Detail string `json:"detail"` // for a person
	Kind   string `json:"kind"`   // lifted, tipped, falling, lies or stands
	Tilt   Number `json:"tilt"`   // from how it stood, °
}

// EventType implements Payload.
func (Handling) EventType() Type { return TypeHandling }

// Feedback is what a person thought of something that the robot did.
type Feedback struct {
	Feedback string  `json:"feedback,omitempty"` // its id
	Of       string  `json:"of,omitempty"`       // trace of the turn that it is about, most of all
	Reward   float64 `json:"reward"`             // −1 blame … 1 praise
	Session  string  `json:"session"`
	Text     string  `json:"text"` // in the person's words
}

// Reward is what feedback is worth, whenever that becomes known or changes.
type Reward struct {
	Corrected   bool           `json:"corrected"` // a person said what it is worth
	Credits     []RewardCredit `json:"credits"`
	Deleted     bool           `json:"deleted,omitempty"`
	Feedback    string         `json:"feedback"` // its id
	Meant       []string       `json:"meant"`    // such as too_fast
	Reason      []string       `json:"reason"`   // words that decided
	Reward      float64        `json:"reward"`   // −1 blame … 1 praise; 0 when it was deleted
	Uncertainty float64        `json:"uncertainty"`
}

// RewardCredit is the part of a reward that is for one action.
type RewardCredit struct {
	Of    string  `json:"of"`    // trace of its turn
	Share float64 `json:"share"` // 0 … 1
	Tool  string  `json:"tool"`  // that was called
}

// EventType implements Payload.
func (Feedback) EventType() Type { return TypeFeedback }

// EventType implements Payload.
func (Reward) EventType() Type { return TypeReward }

// EventType implements Payload.
func (Utterance) EventType() Type { return TypeUtterance }

// EventType implements Payload.
func (Partial) EventType() Type { return TypePartial }

// EventType implements Payload.
func (Reply) EventType() Type { return TypeReply }

// EventType implements Payload.
func (Handoff) EventType() Type { return TypeHandoff }

// EventType implements Payload.
func (Notification) EventType() Type { return TypeNotification }

// EventType implements Payload.
func (ToolCall) EventType() Type { return TypeToolCall }

// EventType implements Payload.
func (ToolResult) EventType() Type { return TypeToolResult }

// EventType implements Payload.
func (ToolRegistered) EventType() Type { return TypeToolRegistered }

// EventType implements Payload.
func (ToolRefused) EventType() Type { return TypeToolRefused }

// EventType implements Payload.
func (ToolProgress) EventType() Type { return TypeToolProgress }

// EventType implements Payload.
func (ToolReviewed) EventType() Type { return TypeToolReviewed }

// EventType implements Payload.
func (MoveStarted) EventType() Type { return TypeMoveStarted }

// EventType implements Payload.
func (MoveDone) EventType() Type { return TypeMoveDone }

// EventType implements Payload.
func (Detection) EventType() Type { return TypeDetection }

// EventType implements Payload.
func (Photo) EventType() Type { return TypePhoto }

// EventType implements Payload.
func (Fault) EventType() Type { return TypeFault }

// EventType implements Payload.
func (EStop) EventType() Type { return TypeEStop }

// EventType implements Payload.
func (Simulation) EventType() Type { return TypeSimulation }
