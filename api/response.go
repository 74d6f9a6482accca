package api

// Response is what every command gets on reply/<id>.
type Response struct {
	ID     string `json:"id"`
	OK     bool   `json:"ok"`
	Result any    `json:"result,omitempty"`
	Error  *Error `json:"error,omitempty"`
}

// Error is why a command was not carried out.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // for a person: names the field, its value and what is allowed
	// Fields are the arguments that were refused, one by one.
	Fields []FieldError `json:"fields,omitempty"`
}

// FieldError is an argument that was refused.
type FieldError struct {
	Field   string `json:"field"`   // its path, such as head.pitch or steps[2].tool
	Value   string `json:"value"`   // as it was given, in JSON, shortened; empty when it is missing
	Allowed string `json:"allowed"` // what is wrong with it, and what is allowed
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Code is the kind of an Error, for programs.
type Code = string

// The codes of errors.
const (
	CodeBadJSON      Code = "bad_json"      // the payload is not a JSON object
	CodeInvalid      Code = "invalid"       // an argument is missing, unknown, of the wrong type or out of range
	CodeUnknownVerb  Code = "unknown_verb"  // there is no such command
	CodeUnknownTool  Code = "unknown_tool"  // there is no such tool
	CodeUnknownName  Code = "unknown_name"  // there is no gesture, emotion or joint of that name
	CodeIDReused     Code = "id_reused"     // the id was used for another command a moment ago
	CodeNotAvailable Code = "not_available" // understood, but this robot cannot do it (yet)
	CodeUnavailable  Code = "unavailable"   // the body cannot be reached, or the tool cannot work now
	CodeInterrupted  Code = "interrupted"   // the work was cancelled before it was done
	CodeCancelled    Code = "cancelled"     // somebody else took over, or the caller gave up
	CodeTimeout      Code = "timeout"       // the time for a call was over
	CodeEStop        Code = "estop"         // the emergency stop is latched
	CodeStopped      Code = "stopped"       // the emergency stop ended it
	CodeTorqueOff    Code = "torque_off"    // the motors are off
	CodeUnreachable  Code = "unreachable"   // no feasible pose is near enough
	CodeFault        Code = "fault"         // a servo or the bus is in a fault that forbids it
	CodeBusy         Code = "busy"          // too much is waiting already
	CodeLease        Code = "lease"         // another client streams targets
	CodeLimit        Code = "limit"         // a limit of the tool itself, not of one argument
	CodeError        Code = "error"         // chat: understood but impossible; the message says the limit
	CodeRefuse       Code = "refuse"        // chat: understood and not allowed
	CodeRefused      Code = "refused"       // a tool was not good enough to be registered; the result has the findings
	CodeNotApproved  Code = "not_approved"  // the version waits for review, or was rejected
	CodeFailed       Code = "failed"        // it was tried and did not work
	CodePanic        Code = "panic"         // the tool is broken
	CodeInternal     Code = "internal"      // a fault of reachyd
)

// Change says what was changed in a request that was clamped, in the units of the request.
type Change struct {
	Field string  `json:"field"` // such as head.pitch
	Asked float64 `json:"asked"`
	Given float64 `json:"given"`
	Limit string  `json:"limit"` // in words: which limit made the change necessary
}

// MoveResult is the result of a command that moves the robot.
type MoveResult struct {
	Outcome  string   `json:"outcome"`            // accepted, or clamped: done with the changes that are listed
	Move     string   `json:"move,omitempty"`     // its ID, as move_started and move_done carry it
	Duration float64  `json:"duration,omitempty"` // s
	Changes  []Change `json:"changes,omitempty"`
	Reason   string   `json:"reason,omitempty"` // why it made no difference, such as a reset without a stop
}
