package hal

import "time"

// Verb names what a Request asks the body to do.
type Verb string

// The verbs of a Request.
const (
	VerbGoto    Verb = "goto"    // move head, body and antennas to a pose in Duration seconds
	VerbTarget  Verb = "target"  // streamed target: applied by the next tick within the envelope; takes the lease
	VerbGesture Verb = "gesture" // Name: one of catalog.Gestures
	VerbEmotion Verb = "emotion" // Name: one of catalog.Emotions
	VerbPlay    Verb = "play"    // a recorded move in Recording
	VerbWake    Verb = "wake"    // torque on without a jump, then the wake-up sequence
	VerbSleep   Verb = "sleep"   // the go-to-sleep sequence, then torque off
	VerbHold    Verb = "hold"    // cancel the present move and everything queued, hold; with ID only if that move is among them
	VerbMotors  Verb = "motors"  // torque of Joints (all when empty) to On; on pins the goals first
	VerbOffset  Verb = "offset"  // what Source adds to head and antennas, in the world frame; with Duration it comes slowly and stays
	VerbIdle    Verb = "idle"    // breathing while idle: On
	VerbStop    Verb = "stop"    // latching emergency stop; Category 1 (hold, default) or 0 (torque off)
	VerbReset   Verb = "reset"   // clears the emergency stop; never starts a motion
)

// BySpeech is the Source of a stop or a reset that a person spoke. What is reset by speech was stopped by speech: a stop of
// any other source is released only by a reset of another.
const BySpeech = "speech"

// IdleSource is the Source of offsets that the robot adds by itself: they end in the tick in which anything else moves it.
const IdleSource = "idle"

// Easing is the time law of a goto: how progress s ∈ [0,1] depends on time τ ∈ [0,1].
type Easing string

// The time laws. MinJerk is used when none is given.
const (
	EasingMinJerk   Easing = "min_jerk"
	EasingLinear    Easing = "linear"
	EasingEaseInOut Easing = "ease_in_out"
	EasingCartoon   Easing = "cartoon"
)

// Request is one wish addressed to the body. Fields that the verb does not use must be left empty.
type Request struct {
	// ID names the move in answers and events. The body makes one up when it is empty.
	ID   string `json:"id,omitempty"`
	Verb Verb   `json:"verb"`

	// Head, BodyYaw and Antennas are the goal. What is nil, a part or one of its axes, stays at the goal that it has when
	// the request's turn comes; of an offset it is 0.
	Head     *HeadGoal    `json:"head,omitempty"`
	BodyYaw  *float64     `json:"body_yaw,omitempty"`
	Antennas *AntennaGoal `json:"antennas,omitempty"`
	// CarryHead turns the head together with the body when BodyYaw is given and Head is not.
	CarryHead bool `json:"carry_head,omitempty"`

	Duration float64 `json:"duration,omitempty"` // seconds; goto, gesture, emotion, offset
	Easing   Easing  `json:"law,omitempty"`
	Size     float64 `json:"size,omitempty"` // gesture, emotion: factor of how wide it is; 0 is 1
	Name     string  `json:"name,omitempty"`
	// Queue appends the move behind the present ones; otherwise it cancels and replaces them.
	Queue bool `json:"queue,omitempty"`

	Recording *Recording `json:"recording,omitempty"`
	Joints    []string   `json:"joints,omitempty"`
	On        *bool      `json:"on,omitempty"`
	Source    string     `json:"source,omitempty"`   // offset: who adds it, e.g. "speech"; target: who streams; stop, reset: who asks
	Category  *int       `json:"category,omitempty"` // stop: 0 or 1
	Reason    string     `json:"reason,omitempty"`   // stop: why, shown in state and events
}

// Recording is a recorded move: the file format of the official datasets.
type Recording struct {
	Description string    `json:"description"`
	Time        []float64 `json:"time"` // seconds, rising
	Frames      []Frame   `json:"set_target_data"`
	// Sound is heard with it; nil when it is silent. The body does not hear of it.
	Sound *Sound `json:"-"`
}

// Sound is what is heard with a recorded move.
type Sound struct {
	WAV    []byte        // a file
	Length float64       // of the move that it belongs to, s; at another speed it is not in step
	Lead   time.Duration // by which it begins before the move
}

// Frame is one sample of a Recording. Antennas are [right, left] as in the files of the official datasets.
type Frame struct {
	Head           [4][4]float64 `json:"head"`
	Antennas       [2]float64    `json:"antennas"`
	BodyYaw        *float64      `json:"body_yaw,omitempty"`
	CheckCollision bool          `json:"check_collision,omitempty"`
}

// Outcome is the kind of an Answer.
type Outcome string

// Every request gets one of these outcomes.
const (
	Accepted Outcome = "accepted"
	Clamped  Outcome = "clamped"  // done, but with the Changes listed
	Rejected Outcome = "rejected" // nothing moves; Code and Reason say why
)

// Change says what was changed in a clamped request, in the units of the request.
type Change struct {
	Field string  `json:"field"` // e.g. "head.pitch", "duration", "antennas.left"
	Asked float64 `json:"asked"`
	Given float64 `json:"given"`
	Limit string  `json:"limit"` // in words: which limit made the change necessary
}

// Rejection codes.
const (
	CodeInvalid     = "invalid"      // the request itself is wrong (field, value and what is allowed in Reason)
	CodeEStop       = "estop"        // the emergency stop is latched
	CodeTorqueOff   = "torque_off"   // the motors are off
	CodeUnreachable = "unreachable"  // no feasible pose near enough
	CodeFault       = "fault"        // a servo or the bus is in a fault that forbids it
	CodeBusy        = "busy"         // the queue is full
	CodeLease       = "lease"        // another client streams targets
	CodeUnavailable = "unavailable"  // the body cannot be reached
	CodeUnknownName = "unknown_name" // no gesture, emotion or joint of that name
)

// Answer is what the body says to a Request.
type Answer struct {
	Outcome  Outcome  `json:"outcome"`
	Move     string   `json:"move,omitempty"`     // ID of the move that will report its end as an event
	Duration float64  `json:"duration,omitempty"` // how long the move will take, seconds
	Changes  []Change `json:"changes,omitempty"`
	Code     string   `json:"code,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}
