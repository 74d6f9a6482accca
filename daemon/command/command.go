// Package command carries out the verbs of cmd/<verb>: once, for every gateway, and each id only once.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/planner"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/perception/language/truncate"
)

// Codes of an Error that the dispatcher gives itself; besides them the codes of hal.Answer and tool.Result appear.
const (
	CodeBadJSON      = api.CodeBadJSON
	CodeInvalid      = api.CodeInvalid
	CodeUnknownVerb  = api.CodeUnknownVerb
	CodeUnknownTool  = api.CodeUnknownTool
	CodeUnknownName  = api.CodeUnknownName
	CodeIDReused     = api.CodeIDReused
	CodeNotAvailable = api.CodeNotAvailable
	CodeInterrupted  = api.CodeInterrupted
	CodeInternal     = api.CodeInternal
)

// maxID is the longest id of a command; it becomes a level of a topic.
const maxID = 128

// Error is that of package api.
type Error = api.Error

// Reply is the response of package api.
type Reply = api.Response

// Body is what the dispatcher needs of the robot.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
}

// Tools is what the dispatcher needs of the registry of tools.
type Tools interface {
	List() []tool.Spec
	Call(ctx context.Context, name string, args json.RawMessage) tool.Result
}

// Conversation answers what is said to the robot. *coordinator.Coordinator is one.
type Conversation interface {
	Turn(ctx context.Context, session, text string) (coordinator.Reply, error)
}

// Planner says what the built-in planner makes of a sentence. *planner.Planner is one.
type Planner interface {
	Plan(text string) planner.Plan
}

// Traces keeps what happened in the turns of the past.
type Traces interface {
	// Trace returns a turn by its id; the latest when that is empty.
	Trace(id string) (any, error)
}

// Doctor says what of the robot's language model and web search works, and what is missing.
type Doctor interface {
	Doctor(ctx context.Context) (any, error)
}

// Viewer publishes pictures of the camera for a time, at a rate a second.
type Viewer interface {
	Watch(duration time.Duration, rate int)
}

// Arbiter is told which commands have taken the robot over. *arbiter.Arbiter is one.
type Arbiter interface {
	// TookOver says that the body has accepted a movement, or lost its torque.
	TookOver()
	// Streams says that the body has accepted a target of source.
	Streams(source string)
}

// Dispatcher carries out commands. Fill in the exported fields, then call Do; it may be called by many goroutines.
type Dispatcher struct {
	Body         Body
	Tools        Tools
	Arbiter      Arbiter   // nil when nobody else moves the robot
	UserTools    UserTools // nil when they cannot be read
	Conversation Conversation
	Planner      Planner
	Traces       Traces
	Sessions     Sessions
	Doctor       Doctor
	Viewer       Viewer   // nil when there is no camera
	Feedback     Feedback // nil when nothing can be learned
	Settings     Settings
	Trainer      Trainer      // nil when this robot cannot practise
	Shown        Demonstrator // nil when nothing can be shown to it
	Senses       Senses       // nil when there are none
	Photos       Photos
	Faces        Faces
	Past         Past
	Models       Models // nil when none can be listed
	Logs         Logs   // nil when none are kept
	MQTT         func() (api.MQTTState, error)
	Author       Author                   // nil when no tool can be written
	Recorded     func() ([]string, error) // names of the recorded moves; nil when there are none
	// NewTrace makes the trace of a command that comes without one; nil: whoever needs one makes it.
	NewTrace func() string
	// Replies remembers replies over a restart; nil remembers them in memory only.
	Replies Replies
	// Now is the clock; time.Now when nil.
	Now func() time.Time

	ids      once
	serial   atomic.Uint64
	episodes episodes
}

// verb is one command: what its arguments must look like, and what it does.
type verb struct {
	args tool.Schema
	// run gets the arguments as JSON; do, which is set instead of it, as the values that they were decoded to.
	run func(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error)
	do  func(ctx context.Context, d *Dispatcher, args map[string]any) (any, error)
	// repeatable commands are carried out each time they come, whatever their id: reading again is harmless, and a
	// stop must never be taken for an old one.
	repeatable bool
	lane       Lane
}

// Lane says how a command keeps its place among those that come through the same gateway.
type Lane int

// The lanes of commands.
const (
	SideBySide Lane = iota // commands do not wait for each other
	InOrder                // what moves the robot directly is carried out one after the other, as it came
	AtOnce                 // a stop waits for nothing
)

// LaneOf returns the lane of a command; unknown ones are refused side by side.
func LaneOf(name string) Lane { return verbs[name].lane }

// Verbs lists the commands in alphabetical order.
func Verbs() []string {
	names := make([]string, 0, len(verbs))
	for name := range verbs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Describe returns what the arguments of a command must look like, and whether it is carried out each time it comes, also
// with the same id.
func Describe(name string) (args tool.Schema, repeatable, known bool) {
	v, known := verbs[name]
	return v.args, v.repeatable, known
}

// Do carries out one command. payload is a JSON object of an id and the arguments; without an id one is made up, of which nothing is
// remembered: nobody can ask with it again. The same id with the same payload gives the same reply and acts once. The reply is JSON, and never empty.
func (d *Dispatcher) Do(ctx context.Context, name string, payload []byte) (id string, reply []byte) {
	c := d.read(name, payload)
	if !c.given || c.wrong != nil || c.verb.repeatable {
		return c.id, encode(d.carry(ctx, &c))
	}
	return c.id, d.ids.do(ctx, d.Replies, d.now, c.id, name, payload, func() []byte { return encode(d.carry(ctx, &c)) })
}

// Carry is Do for a payload without an id, and for a caller that takes the result as it is: it is not to be changed.
func (d *Dispatcher) Carry(ctx context.Context, name string, payload []byte) Reply {
	c := d.read(name, payload)
	if c.given && c.wrong == nil {
		c.wrong = &Error{Code: CodeInvalid, Message: "id: is not allowed here"}
	}
	return d.carry(ctx, &c)
}

// called is a command as it came.
type called struct {
	id    string
	given bool // the id; else it was made up
	verb  verb
	args  map[string]any
	wrong *Error
}

func (d *Dispatcher) read(name string, payload []byte) (c called) {
	c.id, c.args, c.wrong = decode(payload)
	if c.given = c.id != ""; !c.given {
		c.id = "auto-" + strconv.FormatInt(d.now().UnixMilli(), 36) + "-" + strconv.FormatUint(d.serial.Add(1), 36)
	}
	v, known := verbs[name]
	if c.verb = v; !known && c.wrong == nil {
		c.wrong = &Error{
			Code: CodeUnknownVerb, Message: fmt.Sprintf("cmd/%s is not a command; known are %s", name, strings.Join(Verbs(), ", ")),
		}
	}
	return c
}

func (d *Dispatcher) carry(ctx context.Context, c *called) Reply {
	if c.wrong != nil {
		return Reply{ID: c.id, Error: c.wrong}
	}
	if !c.verb.repeatable {
		if d.NewTrace != nil && tool.Trace(ctx) == "" {
			ctx = tool.WithTrace(ctx, d.NewTrace())
		}
		d.episodes.note(c.id, tool.Trace(ctx))
	}
	return d.run(ctx, c.id, c.verb, c.args)
}

func (d *Dispatcher) run(ctx context.Context, id string, v verb, args map[string]any) Reply {
	checked, err := v.args.CheckValues(args)
	if err != nil {
		return Reply{ID: id, Error: &Error{Code: CodeInvalid, Message: err.Error(), Fields: FieldErrors(err)}}
	}
	var result any
	if v.do != nil {
		result, err = v.do(ctx, d, checked)
	} else {
		var text json.RawMessage
		if text, err = json.Marshal(checked); err == nil {
			result, err = v.run(ctx, d, text)
		}
	}
	if err == nil {
		return Reply{ID: id, OK: true, Result: result}
	}
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: CodeInternal, Message: err.Error()}
		if ctx.Err() != nil {
			e.Code = CodeInterrupted
		}
	}
	return Reply{ID: id, Result: result, Error: e}
}

// FieldErrors are the arguments that an error of a schema names.
func FieldErrors(err error) []api.FieldError {
	var each tool.ArgumentErrors
	if !errors.As(err, &each) {
		return nil
	}
	fields := make([]api.FieldError, len(each))
	for i, e := range each {
		fields[i] = api.FieldError{Field: e.Field, Value: e.Value, Allowed: e.Allowed}
	}
	return fields
}

func (d *Dispatcher) now() time.Time {
	if d.Now == nil {
		return time.Now()
	}
	return d.Now()
}

// decode reads a payload, once, and takes the id out of it. An empty payload is an empty object, since many clients send
// nothing for "stop".
func decode(payload []byte) (id string, args map[string]any, e *Error) {
	args, err := tool.Decode(payload)
	if err != nil {
		return unreadable(payload, err)
	}
	given, ok := args["id"]
	if !ok {
		return "", args, nil
	}
	delete(args, "id")
	switch v := given.(type) {
	case string:
		id = v
	case json.Number:
		id = v.String()
	case nil:
	default:
		return "", nil, &Error{Code: CodeInvalid, Message: "id: " + Shorten(raw(v)) + " is not a text"}
	}
	if !ValidID(id) {
		return "", nil, &Error{Code: CodeInvalid, Message: fmt.Sprintf(
			"id: %s must be 1 to %d characters without spaces, '/', '+', '#' and control characters", Shorten(raw(given)), maxID)}
	}
	return id, args, nil
}

// raw quotes a value that came from JSON.
func raw(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return data
}

// unreadable says what is wrong with a payload that could not be decoded: it is no JSON object, or one of its arguments
// cannot be used. Then its id may still be known.
func unreadable(payload []byte, why error) (id string, args map[string]any, e *Error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(payload, &fields); err != nil || fields == nil {
		return "", nil, &Error{Code: CodeBadJSON, Message: `the payload is not a JSON object such as {"id":"1","text":"look left"}: ` + Shorten(payload)}
	}
	if json.Unmarshal(fields["id"], &id) != nil || !ValidID(id) {
		id = ""
	}
	return id, nil, &Error{Code: CodeInvalid, Message: why.Error()}
}

// ValidID reports whether id can be the id of a command. It becomes a level of a topic, so that characters which brokers
// refuse in topics are not allowed: control characters, and code points that are not characters.
func ValidID(id string) bool {
	return id != "" && len(id) <= maxID && utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool {
		return r <= ' ' || unicode.IsControl(r) || unicode.Is(unicode.Noncharacter_Code_Point, r) ||
			r == '/' || r == '+' || r == '#' || r == utf8.RuneError
	})
}

// encode cannot fail on what the verbs return; if it does, the reply says so.
func encode(r Reply) []byte {
	data, err := json.Marshal(r)
	if err != nil {
		data, _ = json.Marshal(Reply{ID: r.ID, Error: &Error{Code: CodeInternal, Message: err.Error()}}) //nolint:errchkjson // plain strings
	}
	return data
}

// Shorten returns what is quoted of a payload in an error: at most 60 characters of valid UTF-8.
func Shorten(b []byte) string {
	const most = 60
	return truncate.Runes(strings.ToValidUTF8(string(b), "\uFFFD"), most)
}
