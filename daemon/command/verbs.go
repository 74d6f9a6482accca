package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/reachyd/reachyd/agents/coordinator"
	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/agents/tools"
	"github.com/reachyd/reachyd/api"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/pipeline"
)

const (
	maxName = 64
	// stopSource is who latched a stop that came as a command: no person who can release it by speech.
	stopSource = "command"
	deg        = math.Pi / 180
)

var verbs = withOthers(map[string]verb{
	"chat": {args: tool.Object(map[string]tool.Schema{
		"text":    tool.Text("what is said to the robot", catalog.MaxText),
		"session": tool.Text("which conversation it belongs to", maxName).WithDefault("default"),
		"unsure":  tool.Boolean("it was only probably said: the robot asks before it does it"),
	}, "text"), do: chat},
	"plan": {args: tool.Object(map[string]tool.Schema{
		"text": tool.Text("a sentence", catalog.MaxText),
	}, "text"), run: plan, repeatable: true},
	"tool": {args: tool.Object(map[string]tool.Schema{
		"name":  tool.Text("of the tool", maxName),
		"args":  {Type: tool.TypeObject, Open: true, Description: "its arguments", Default: map[string]any{}},
		"files": filesSchema,
	}, "name"), run: callTool},
	"tools/list": {args: tool.Object(nil), run: listTools, repeatable: true},
	"tools/show": {args: tool.Object(map[string]tool.Schema{
		"name": nameSchema, "version": versionSchema,
	}, "name"), run: showTool, repeatable: true},
	"goto": {args: tool.Object(map[string]tool.Schema{
		"head":     headSchema,
		"body_yaw": tools.Number("where the body turns to", catalog.BodyYaw),
		"antennas": antennasSchema,
		"duration": tools.Number("of the move", catalog.GotoTime).WithDefault(1.0),
		"law": tool.OneOf("how progress depends on time",
			string(hal.EasingMinJerk), string(hal.EasingLinear), string(hal.EasingEaseInOut), string(hal.EasingCartoon)).WithDefault(string(hal.EasingMinJerk)),
		"queue": tool.Boolean("append to the moves under way instead of replacing them").WithDefault(false),
	}), do: goTo, lane: InOrder},
	"set_target": {args: tool.Object(map[string]tool.Schema{
		"head":     headSchema,
		"body_yaw": tools.Number("where the body turns to", catalog.BodyYaw),
		"antennas": antennasSchema,
		"source":   tool.Text("who streams; one at a time has the robot", maxName).WithDefault("mqtt"),
	}), do: setTarget, repeatable: true, lane: InOrder},
	"stop": {args: tool.Object(map[string]tool.Schema{
		"category": tool.Integer("1 brakes and holds, 0 switches the motors off at once (the head drops)", 0, 1).WithDefault(1),
		"reason":   tool.Text("shown to people", 200).WithDefault("asked to stop"),
	}), do: stop, repeatable: true, lane: AtOnce},
	"reset": {args: tool.Object(nil), lane: InOrder, run: func(ctx context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
		return d.body(ctx, hal.Request{Verb: hal.VerbReset, Source: stopSource})
	}},
	"motors": {args: tool.Object(map[string]tool.Schema{
		"on": tool.Boolean("whether the motors hold"),
		"joints": {
			Type: tool.TypeArray, Items: &tool.Schema{Type: tool.TypeString, MaxLength: maxName}, MaxItems: hal.NumJoints,
			Description: "names of joints; all when left out",
		},
	}, "on"), do: motors, lane: InOrder},
	"photo": {args: tool.Object(nil), run: func(ctx context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
		return d.tool(ctx, "take_photo", json.RawMessage("{}"))
	}},
	"speak": {args: tool.Object(map[string]tool.Schema{
		"text": tool.Text("what the robot says", catalog.MaxText),
	}, "text"), run: func(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
		var a struct{ Text string }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		if err := sayable(a.Text); err != nil {
			return nil, err
		}
		return d.tool(ctx, "speak", args)
	}},
	"camera": {args: tool.Object(map[string]tool.Schema{
		"seconds": tool.Number("how long pictures are published on camera/jpeg; 0 ends it", "s", 0, 600).WithDefault(30.0),
		"rate":    tool.Integer("pictures a second", 1, 15).WithDefault(5),
	}), run: view, repeatable: true},
	"doctor": {args: tool.Object(nil), repeatable: true, run: func(ctx context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
		return d.Doctor.Doctor(ctx)
	}},
	"trace": {args: tool.Object(map[string]tool.Schema{
		"trace": tool.Text("its id, as replies and events carry it; the latest when left out", maxName),
	}), run: showTrace, repeatable: true},
})

func withOthers(all map[string]verb) map[string]verb {
	maps.Copy(all, selfMade())
	maps.Copy(all, configVerbs())
	maps.Copy(all, sessionVerbs())
	maps.Copy(all, feedbackVerbs())
	maps.Copy(all, learningVerbs())
	maps.Copy(all, pastVerbs())
	maps.Copy(all, hostVerbs())
	return all
}

var headSchema = tool.Schema{
	Type: tool.TypeObject, Description: "pose of the head; what is left out is 0",
	Properties: map[string]tool.Schema{
		"x":     tools.Number("forward of neutral", catalog.HeadX).WithDefault(0.0),
		"y":     tools.Number("left of neutral", catalog.HeadY).WithDefault(0.0),
		"z":     tools.Number("above neutral", catalog.HeadZ).WithDefault(0.0),
		"roll":  tools.Number("tilt, + to the robot's right", catalog.HeadRoll).WithDefault(0.0),
		"pitch": tools.Number("nod, + looks down", catalog.HeadPitch).WithDefault(0.0),
		"yaw":   tools.Number("turn, + looks left", catalog.HeadYaw).WithDefault(0.0),
	},
}

var antennasSchema = tool.Object(map[string]tool.Schema{
	"left":  tools.Number("0 is up, + is outward and back", catalog.Antenna),
	"right": tools.Number("0 is up, − is outward and back", catalog.Antenna),
}, "left", "right")

func chat(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	var a api.ChatArgs
	if err := tool.Bind(args, &a); err != nil {
		return nil, err
	}
	if strings.TrimSpace(a.Text) == "" {
		wrong := tool.ArgumentErrors{{Field: "text", Value: `""`, Allowed: `is empty; say something such as "look left"`}}
		return nil, &Error{Code: CodeInvalid, Message: wrong.Error(), Fields: FieldErrors(wrong)}
	}
	if a.Unsure {
		ctx = coordinator.WithUnsure(ctx)
	}
	reply, err := d.Conversation.Turn(ctx, a.Session, a.Text)
	switch {
	case errors.Is(err, coordinator.ErrText), errors.Is(err, coordinator.ErrSession):
		return nil, &Error{Code: CodeInvalid, Message: err.Error()}
	case err != nil:
		return nil, &Error{Code: hal.CodeBusy, Message: err.Error()}
	case reply.Trace.OK(), reply.Trace.Outcome == coordinator.OutcomeNone:
		return reply.Trace, nil
	}
	return reply.Trace, &Error{Code: string(reply.Trace.Outcome), Message: reply.Text} // refused, impossible or failed
}

func plan(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a struct{ Text string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	return d.Planner.Plan(a.Text), nil
}

func callTool(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a struct {
		Name  string
		Args  json.RawMessage
		Files []pipeline.Attachment
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, &Error{Code: CodeInvalid, Message: "files: the data of a file is base64: " + err.Error()}
	}
	result, err := d.tool(pipeline.WithFiles(ctx, slices.Concat(a.Files, pipeline.FilesOf(ctx))), a.Name, a.Args)
	var e *Error
	if errors.As(err, &e) {
		for i := range e.Fields {
			e.Fields[i].Field = strings.TrimSuffix("args."+e.Fields[i].Field, ".")
		}
	}
	return result, err
}

func (d *Dispatcher) tool(ctx context.Context, name string, args json.RawMessage) (any, error) {
	r := d.Tools.Call(ctx, name, args)
	if r.Status != tool.StatusSuccess {
		code := r.Code
		if code == "" {
			code = "failed"
		}
		return r, &Error{Code: code, Message: r.Message, Fields: FieldErrors(r.Wrong)}
	}
	return r, nil
}

func listTools(_ context.Context, d *Dispatcher, _ json.RawMessage) (any, error) {
	return map[string]any{"tools": d.Tools.List()}, nil
}

func showTool(ctx context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a struct {
		Name    string
		Version int
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if result, ok, err := d.showSelfMade(ctx, args); ok {
		return result, err
	}
	if a.Version != 0 {
		return nil, &Error{Code: CodeUnknownTool, Message: fmt.Sprintf("version: there is no version %d of tool %s", a.Version, Shorten([]byte(a.Name)))}
	}
	for _, s := range d.Tools.List() {
		if s.Name == a.Name {
			return s, nil
		}
	}
	return nil, &Error{Code: CodeUnknownTool, Message: "name: there is no tool " + Shorten([]byte(a.Name)) + "; cmd/tools/list lists them"}
}

// target is the pose part of goto and set_target, in degrees and metres.
type target struct {
	Head     *hal.Head     `json:"head"`
	BodyYaw  *float64      `json:"body_yaw"`
	Antennas *hal.Antennas `json:"antennas"`
	Duration float64       `json:"duration"`
	Law      hal.Easing    `json:"law"`
	Queue    bool          `json:"queue"`
	Source   string        `json:"source"`
}

// request converts to radians.
func (t target) request(v hal.Verb) (hal.Request, error) {
	if t.Head == nil && t.BodyYaw == nil && t.Antennas == nil {
		return hal.Request{}, &Error{Code: CodeInvalid, Message: "head, body_yaw, antennas: at least one must be given"}
	}
	req := hal.Request{Verb: v, Duration: t.Duration, Easing: t.Law, Queue: t.Queue, Source: t.Source}
	if t.Head != nil {
		h := *t.Head
		h.Roll, h.Pitch, h.Yaw = h.Roll*deg, h.Pitch*deg, h.Yaw*deg
		req.Head = h.Goal()
	}
	if t.BodyYaw != nil {
		yaw := *t.BodyYaw * deg
		req.BodyYaw = &yaw
	}
	if t.Antennas != nil {
		req.Antennas = hal.Antennas{Left: t.Antennas.Left * deg, Right: t.Antennas.Right * deg}.Goal()
	}
	return req, nil
}

func goTo(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	return d.target(ctx, hal.VerbGoto, args)
}

func setTarget(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	return d.target(ctx, hal.VerbTarget, args)
}

func (d *Dispatcher) target(ctx context.Context, v hal.Verb, args map[string]any) (any, error) {
	var t target
	if err := tool.Bind(args, &t); err != nil {
		return nil, err
	}
	req, err := t.request(v)
	if err != nil {
		return nil, err
	}
	return d.body(ctx, req)
}

func stop(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	var a struct {
		Category int
		Reason   string
	}
	if err := tool.Bind(args, &a); err != nil {
		return nil, err
	}
	return d.body(ctx, hal.Request{Verb: hal.VerbStop, Category: &a.Category, Source: stopSource, Reason: a.Reason})
}

func motors(ctx context.Context, d *Dispatcher, args map[string]any) (any, error) {
	var a struct {
		On     bool
		Joints []string
	}
	if err := tool.Bind(args, &a); err != nil {
		return nil, err
	}
	return d.body(ctx, hal.Request{Verb: hal.VerbMotors, On: &a.On, Joints: a.Joints})
}

func view(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a struct {
		Seconds float64
		Rate    int
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if d.Viewer == nil {
		return nil, &Error{Code: CodeNotAvailable, Message: "there is no camera"}
	}
	d.Viewer.Watch(time.Duration(a.Seconds*float64(time.Second)), a.Rate)
	return map[string]any{"topic": "camera/jpeg", "seconds": a.Seconds, "rate": a.Rate}, nil
}

func showTrace(_ context.Context, d *Dispatcher, args json.RawMessage) (any, error) {
	var a struct{ Trace string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	return d.Traces.Trace(a.Trace)
}

// body asks the body and turns its answer into the public form.
func (d *Dispatcher) body(ctx context.Context, req hal.Request) (any, error) {
	a, err := d.Body.Do(ctx, req)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(err, context.DeadlineExceeded) {
			return nil, &Error{Code: CodeInterrupted, Message: err.Error()}
		}
		return nil, &Error{Code: hal.CodeUnavailable, Message: err.Error()}
	}
	if a.Outcome == hal.Rejected {
		return nil, &Error{Code: a.Code, Message: a.Reason}
	}
	d.tookOver(&req)
	return publicAnswer(a), nil
}

// tookOver tells the arbiter what the body has accepted past everybody else. What waits in the body's queue takes nothing
// over, and an emergency stop is told by the body itself.
func (d *Dispatcher) tookOver(req *hal.Request) {
	switch {
	case d.Arbiter == nil:
	case req.Verb == hal.VerbTarget:
		d.Arbiter.Streams(req.Source)
	case req.Verb == hal.VerbGoto && !req.Queue, req.Verb == hal.VerbMotors && !*req.On:
		d.Arbiter.TookOver()
	}
}

// publicAnswer converts the changes of an answer from radians to degrees; lengths and durations stay.
func publicAnswer(a hal.Answer) hal.Answer {
	changes := make([]hal.Change, len(a.Changes))
	for i, c := range a.Changes {
		if isAngle(c.Field) {
			c.Asked, c.Given = c.Asked/deg, c.Given/deg
		}
		changes[i] = c
	}
	a.Changes = changes
	return a
}

func isAngle(field string) bool {
	switch field {
	case "duration", "head.x", "head.y", "head.z":
		return false
	}
	return true
}
