package toolbox

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/host/standin"
	"github.com/reachyd/reachyd/toolsandbox/registry"
	"github.com/reachyd/reachyd/toolsandbox/tester"
)

// Body is what moves. *body.Client is one.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
}

// robot is the robot as a self-made tool meets it.
type robot struct{ box *Toolbox }

// Call implements host.Robot: the robot's own tools, checked and traced like every call of them.
func (r robot) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if !slices.Contains(r.box.reserved, name) {
		return nil, &guest.HostError{Code: host.CodeNotFound, Message: "the robot has no tool " + name}
	}
	return dataOf(r.box.o.Tools.Call(ctx, name, args))
}

// dataOf is what a tool in Python gets of a result: the data, or an exception.
func dataOf(r tool.Result) (json.RawMessage, error) {
	if !r.OK() {
		return nil, &guest.HostError{Code: r.Code, Message: r.Message}
	}
	return json.Marshal(r.Data)
}

// Move implements host.Robot.
func (r robot) Move(ctx context.Context, m host.Motion) (time.Duration, error) {
	if r.box.o.Body == nil {
		return 0, &guest.HostError{Code: host.CodeUnavailable, Message: "there is no body to move"}
	}
	req := hal.Request{Verb: hal.VerbGoto, BodyYaw: m.BodyYaw, Duration: m.Duration.Seconds(), Law: hal.Law(m.Law)}
	if m.Stream {
		req.Verb, req.Duration, req.Law, req.Source = hal.VerbTarget, 0, "", "tool"
	}
	if m.Head != nil {
		head := hal.Head(*m.Head)
		req.Head = &head
	}
	if m.Antennas != nil {
		req.Antennas = &hal.Antennas{Left: m.Antennas.Left, Right: m.Antennas.Right}
	}
	a, err := r.box.o.Body.Do(ctx, req)
	switch {
	case err != nil:
		return 0, err
	case a.Outcome == hal.Rejected:
		return 0, &guest.HostError{Code: a.Code, Message: a.Reason}
	}
	return time.Duration(a.Duration * float64(time.Second)), nil
}

// State implements host.Robot.
func (r robot) State(context.Context) (host.State, error) {
	if r.box.o.State == nil {
		return host.State{}, &guest.HostError{Code: host.CodeUnavailable, Message: "nothing is known of the robot"}
	}
	s := r.box.o.State()
	return host.State{
		Mode: string(s.Mode), Moving: s.Moving, EStop: s.EStop, Head: host.Pose(s.Head), BodyYaw: s.BodyYaw,
		Antennas: host.Antennas{Left: s.Antennas.Left, Right: s.Antennas.Right}, Joints: s.Joints,
	}, nil
}

// answers makes what answers the host calls of one call of a tool on the robot.
func (t *Toolbox) answers() guest.HostFunc { return host.New(host.Config{Robot: robot{t}}).Call }

// pretend makes what answers the host calls of a test: a robot that is not there. Self-made tools that are used run.
func (t *Toolbox) pretend(c tester.Conditions, uses []registry.Use) guest.HostFunc {
	r := standin.New(situation(c))
	set := host.New(host.Config{Robot: r, Camera: r})
	return func(ctx context.Context, call guest.HostCall) (json.RawMessage, error) {
		if made, err := t.used(uses, call.Name); made != nil || err != nil {
			if err != nil {
				return nil, err
			}
			req := python(made.version.Source, call.Name, call.Args, t.testGrants(made.version.Uses), t.pretend(c, made.version.Uses))
			req.Clock = guest.Clock{Virtual: true}
			res, err := t.sandbox.Call(ctx, req)
			call.Pass(res.Usage.Clock)
			return dataOf(made.result(ctx, res, err))
		}
		value, err := set.Call(ctx, call)
		if err == nil && !slices.Contains(host.Capabilities, call.Name) { // as on the robot, a tool that moves it ends with the move
			var took struct{ Duration float64 }
			if json.Unmarshal(value, &took) == nil {
				call.Pass(time.Duration(took.Duration * float64(time.Second)))
			}
		}
		return value, err
	}
}

// situation is what a test wishes, in the words of the stand-in.
func situation(c tester.Conditions) standin.Config {
	s := standin.Config{Faults: map[string]standin.Fault{}}
	if c.CameraAway {
		for _, name := range []string{host.CapCamera, "take_photo", "analyze_scene", "detect_objects", "describe_image"} {
			s.Faults[name] = standin.CameraAway
		}
	}
	for name, message := range c.Fail {
		s.Faults[name] = standin.Fault{Message: message}
	}
	const width, height, degrees = 640, 480, 80.0 / 640
	for _, o := range c.Objects {
		s.Objects = append(s.Objects, standin.Object{
			Name: o.Name, Confidence: o.Confidence,
			Yaw: (width/2 - o.Box[0] - o.Box[2]/2) * degrees, Pitch: (o.Box[1] + o.Box[3]/2 - height/2) * degrees,
		})
	}
	return s
}

// testGrants are the host calls that a tool may make in a test, where nothing can come to harm.
func (t *Toolbox) testGrants(uses []registry.Use) []string {
	grants := slices.Concat(tester.RobotCalls(), standin.Tools(), t.reserved, host.Capabilities)
	for _, u := range uses {
		grants = append(grants, u.Name)
	}
	slices.Sort(grants)
	return slices.Compact(grants)
}

// used is the pinned version of a tool that another one uses; nil when it uses none of that name.
func (t *Toolbox) used(uses []registry.Use, name string) (*selfMade, error) {
	for _, u := range uses {
		if u.Name != name {
			continue
		}
		v, err := t.version(u.Name, u.Version)
		if err != nil {
			return nil, err
		}
		return t.make(v)
	}
	return nil, nil
}

var _ host.Robot = robot{}
