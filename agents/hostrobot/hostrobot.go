// Package hostrobot is the robot as self-made tools meet it: its tools and its body, behind the interface of the sandbox.
package hostrobot

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/hal"
	"github.com/reachyd/reachyd/hal/catalog"
	"github.com/reachyd/reachyd/toolsandbox/guest"
	"github.com/reachyd/reachyd/toolsandbox/host"
	"github.com/reachyd/reachyd/toolsandbox/lang/all"
	"github.com/reachyd/reachyd/toolsandbox/lang/python"
)

// Body is what moves. *body.Client is one.
type Body interface {
	Do(ctx context.Context, req hal.Request) (hal.Answer, error)
}

// Robot implements host.Robot. Tools must be there.
type Robot struct {
	Tools *tool.Registry
	// Names are the tools that may be called: those of the robot, not self-made ones.
	Names []string
	Body  Body             // nil: nothing moves but by tools
	Now   func() hal.State // the present state; nil: nothing is known of the robot
}

// Functions are the robot's own tools as functions of the Python module reachy.
func Functions() []python.Function {
	functions := make([]python.Function, 0, len(catalog.Tools))
	for _, t := range catalog.Tools {
		f := python.Function{Name: t.Name}
		for _, a := range t.Arguments {
			f.Parameters = append(f.Parameters, a.Name)
		}
		functions = append(functions, f)
	}
	return functions
}

// Modules are what the images of the sandbox are made with, for guest.Config.
func Modules() (lean, numpy map[string]string, err error) { return all.Modules(Functions()...) }

// Call implements host.Robot: the robot's own tools, checked and traced like every call of them. The call belongs to the
// tool that makes it, which has its turn already and ends when that is over.
func (r Robot) Call(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if !slices.Contains(r.Names, name) {
		return nil, &guest.HostError{Code: host.CodeNotFound, Message: "the robot has no tool " + name}
	}
	return Data(r.Tools.Call(ctx, name, args))
}

// Data is what a self-made tool gets of a result: the data, or an error.
func Data(r tool.Result) (json.RawMessage, error) {
	if !r.OK() {
		return nil, &guest.HostError{Code: r.Code, Message: r.Message}
	}
	return json.Marshal(r.Data)
}

// Move implements host.Robot.
func (r Robot) Move(ctx context.Context, m host.Motion) (time.Duration, error) {
	if r.Body == nil {
		return 0, &guest.HostError{Code: host.CodeUnavailable, Message: "there is no body to move"}
	}
	a, err := r.Body.Do(ctx, request(m))
	switch {
	case err != nil:
		return 0, err
	case a.Outcome == hal.Rejected:
		return 0, &guest.HostError{Code: a.Code, Message: a.Reason}
	}
	return time.Duration(a.Duration * float64(time.Second)), nil
}

func request(m host.Motion) hal.Request {
	req := hal.Request{Verb: hal.VerbGoto, BodyYaw: m.BodyYaw, Duration: m.Duration.Seconds(), Easing: hal.Easing(m.Law)}
	if m.Stream {
		req.Verb, req.Duration, req.Easing, req.Source = hal.VerbTarget, 0, "", "tool"
	}
	if m.Head != nil {
		req.Head = hal.Head(*m.Head).Goal()
	}
	if m.Antennas != nil {
		req.Antennas = hal.Antennas{Left: m.Antennas.Left, Right: m.Antennas.Right}.Goal()
	}
	return req
}

// State implements host.Robot.
func (r Robot) State(context.Context) (host.State, error) {
	if r.Now == nil {
		return host.State{}, &guest.HostError{Code: host.CodeUnavailable, Message: "nothing is known of the robot"}
	}
	s := r.Now()
	return host.State{
		Mode: string(s.Mode), Moving: s.Moving, EStop: s.EStop, Head: host.Pose(s.Head), BodyYaw: s.BodyYaw,
		Antennas: host.Antennas{Left: s.Antennas.Left, Right: s.Antennas.Right}, Joints: s.Joints,
	}, nil
}

var _ host.Robot = Robot{}
